#include "listener.hpp"

#include "interruptible.hpp"
#include "lode/error.hpp"
#include "stats.hpp"

namespace lode::python {

Listener::Listener(const Asked& asked) : stats_(asked[0]), progress_(asked[1]) {
  if (!progress_.is_none() && PyCallable_Check(progress_.ptr()) == 0)
    throw nb::type_error("progress must be a function of the work done and the work in all");
  if (!stats_.is_none() && !nb::isinstance<nb::dict>(stats_))
    throw nb::type_error("stats must be a dict, to be filled");
}

void Listener::tell(std::uint64_t done, std::uint64_t total) {
  const nb::gil_scoped_acquire acquire;
  if (raised_) return;
  try {
    progress_(done, total);
  } catch (...) {
    raised_ = std::current_exception();
    stop_.request_stop();
  }
}

void Listener::run(bool may_take_long, const std::function<void(std::stop_token, const Progress&)>& work) {
  Progress progress;
  if (!progress_.is_none()) progress = [this](std::uint64_t done, std::uint64_t total) { tell(done, total); };
  try {
    run_without_gil(may_take_long, [&](std::stop_token outer) {
      const std::stop_callback forward(outer, [&] { stop_.request_stop(); });
      work(stop_.get_token(), progress);
    });
  } catch (const Error&) {
    if (!raised_) throw;
  }
  if (raised_) std::rethrow_exception(raised_);
}

void Listener::report(const SearchStats& stats) const { lode::python::report(stats, stats_); }

Progress part_of(const Progress& progress, std::uint64_t before, std::uint64_t total) {
  if (!progress) return {};
  return [&progress, before, total](std::uint64_t done, std::uint64_t) { progress(before + done, total); };
}

}  // namespace lode::python
