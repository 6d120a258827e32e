#include "interruptible.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <optional>
#include <system_error>

#include "forks.hpp"

namespace lode::python {
namespace {

namespace nb = nanobind;

constexpr auto signal_interval = std::chrono::milliseconds(50);
// Starting a thread takes some 20 µs, which does not matter beside the search of more bytes than this.
constexpr std::uint64_t short_text_bytes = std::uint64_t{1} << 20;
// In the worst case every pattern is compared at every place.
constexpr std::uint64_t short_comparisons = std::uint64_t{1} << 36;

bool is_main_thread() {
  const nb::object main_thread = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main_thread.attr("ident")) == PyThread_get_thread_ident();
}

std::optional<std::future<void>> start(const std::function<void(std::stop_token)>& work, std::stop_token stop) {
  try {
    return std::async(std::launch::async, work, std::move(stop));
  } catch (const std::system_error&) {  // the system has no thread left, so the caller's thread does the work
    return std::nullopt;
  }
}

}  // namespace

bool may_take_long(std::uint64_t text_bytes, std::uint64_t pattern_bytes) noexcept {
  return text_bytes > short_text_bytes || text_bytes * pattern_bytes > short_comparisons;
}

void run_without_gil(bool may_take_long, const std::function<void(std::stop_token)>& work) {
  note_threads();
  const bool watches_signals = may_take_long && is_main_thread();
  bool interrupted = false;
  {
    const nb::gil_scoped_release release;
    std::stop_source stop;
    std::optional<std::future<void>> done;
    if (watches_signals) done = start(work, stop.get_token());
    if (!done) {
      work({});
      return;
    }
    while (!interrupted && done->wait_for(signal_interval) != std::future_status::ready) {
      const nb::gil_scoped_acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
    }
    if (!interrupted) {
      done->get();
      return;
    }
    // PyErr_CheckSignals has set the error indicator of this thread. No other call of Python in this thread comes
    // between that and raise_python_error(), so the handler's exception is kept.
    stop.request_stop();
    done->wait();
  }
  nb::raise_python_error();
}

}  // namespace lode::python
