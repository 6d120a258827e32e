#include "search/auto_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "gpu/engine/resident.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "lode/version.hpp"

namespace lode {
namespace {

using base::Clock;
using base::seconds_since;

constexpr std::uint64_t least_learnt_bytes = std::uint64_t{64} << 20;
// If callbacks take a larger share of a search's time, its rate says little about the device.
constexpr double most_callback_share = 0.2;
// A GPU is chosen only if the CPU would take this many times as long: 1.25 saves 20 % of the time. Lines need more,
// because the CPU skips the rest of a line that matches, and a GPU does not.
constexpr double clearly_faster = 1.25;
constexpr double clearly_faster_lines = 2;
constexpr double gpu_start_seconds = 0.5;  // making tables and kernels for the first search
constexpr double gpu_call_seconds = 0.01;
// No search is expected to run at a smaller share of the cautious rate.
constexpr double slowest_of_default = 1.0 / 16;
// A search that may end early begins on the CPU, for this share of the least time that makes a GPU worth a thought.
constexpr double head_share = 1.0 / 8;

constexpr double giga = 1e9;

// Whether one pass over the text finds all patterns; otherwise each pattern costs a pass.
bool is_one_pass(const std::string& algorithm, std::uint32_t distinct_count) {
  return algorithm == "filter" || algorithm == "rabin-karp" || distinct_count == 1;
}

// A cautious figure for a CPU is rather too fast than too slow: a GPU that is used in vain costs more than a GPU that
// is not used.
double usual_cpu_rate(const std::string& algorithm, std::uint32_t distinct_count, unsigned threads) {
  double rate = 8 * giga;
  if (!is_one_pass(algorithm, distinct_count)) {
    rate = rate / distinct_count;
  } else if (distinct_count > 1) {
    rate = distinct_count <= 64        ? 3
           : distinct_count <= 1'000   ? 1
           : distinct_count <= 10'000  ? 0.6
           : distinct_count <= 100'000 ? 0.3
                                       : 0.15;
    rate *= giga;
  }
  return std::min(rate * threads, 60 * giga);
}

double usual_gpu_rate(const std::string& algorithm, std::uint32_t distinct_count) {
  if (!is_one_pass(algorithm, distinct_count)) return 100 * giga / distinct_count;
  return (distinct_count <= 100'000 ? 100 : 10) * giga;
}

std::uint64_t bytes_of(const RunOptions& run, const Text& text) {
  const std::uint64_t end = std::min(run.end, text.size());
  return end - std::min(run.begin, end);
}

// Whether the GPU's own calls may throw this. Other kinds come from the caller: a text that cannot be read, a search
// that is cancelled.
bool is_failure_of_gpu(ErrorKind kind) {
  return kind == ErrorKind::device || kind == ErrorKind::unsupported || kind == ErrorKind::limit;
}

}  // namespace

// The callbacks of a call that may run in several parts. Progress never goes back. It is known when a callback is under
// way, so that its exceptions are not taken for the device's.
class AutoSearch::Callbacks {
 public:
  Callbacks(const RunOptions& run, std::uint64_t size)
      : progress_(run.progress), end_(std::min(run.end, size)), begin_(std::min(run.begin, end_)) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  bool inside() const { return inside_; }
  double seconds() const { return seconds_; }

  /// The run's options for the part [begin, end).
  RunOptions part(const RunOptions& run, std::uint64_t begin, std::uint64_t end, bool measured) {
    RunOptions options = run;
    options.begin = begin;
    options.end = end;
    options.progress = {};
    if (measured || progress_)
      options.progress = [this, begin](std::uint64_t done, std::uint64_t) { advance(begin - begin_ + done); };
    return options;
  }

  /// Wraps `take`; `wanted` holds what it returned last.
  TakeMatches guarded(const TakeMatches& take, bool& wanted) {
    return [this, &take, &wanted](std::span<const Match> found) {
      const Entry entry(*this);
      return wanted = take(found);
    };
  }

  /// Bytes a second between the first and the last piece. 0 if the pieces are too few to tell, or callbacks took too
  /// long.
  double steady_rate() const {
    const double seconds = std::chrono::duration<double>(last_ - first_).count();
    if (last_done_ - first_done_ < least_learnt_bytes || seconds_ > most_callback_share * seconds) return 0;
    return static_cast<double>(last_done_ - first_done_) / seconds;
  }

 private:
  struct Entry {
    explicit Entry(Callbacks& of) : callbacks(of) { callbacks.inside_ = true; }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      callbacks.seconds_ += seconds_since(begin);
      // The flag stays set if an exception passes through, so that inside() tells where it came from.
      if (std::uncaught_exceptions() == exceptions) callbacks.inside_ = false;
    }
    Callbacks& callbacks;
    const int exceptions = std::uncaught_exceptions();
    const Clock::time_point begin = Clock::now();
  };

  void advance(std::uint64_t done) {
    last_ = Clock::now();
    last_done_ = done;
    if (first_done_ == 0) {
      first_ = last_;
      first_done_ = done;
    }
    if (!progress_ || done <= highest_) return;
    highest_ = done;
    const Entry entry(*this);
    progress_(done, end_ - begin_);
  }

  const Progress& progress_;
  std::uint64_t end_;
  std::uint64_t begin_;
  bool inside_ = false;
  double seconds_ = 0;  // time spent in callbacks
  std::uint64_t highest_ = 0;
  std::uint64_t first_done_ = 0;
  std::uint64_t last_done_ = 0;
  Clock::time_point first_;
  Clock::time_point last_;
};

struct AutoSearch::Choice {
  std::shared_ptr<const ChosenGpu> gpu;  // null: the CPU
  std::uint64_t head_bytes = 0;          // bytes that the CPU searches first if the search may end early
};

AutoSearch::AutoSearch(std::shared_ptr<AutoDevices> devices, std::shared_ptr<const CpuSearch> cpu,
                       std::string cpu_algorithm, std::string gpu_algorithm)
    : devices_(std::move(devices)),
      cpu_(std::move(cpu)),
      cpu_algorithm_(std::move(cpu_algorithm)),
      gpu_algorithm_(std::move(gpu_algorithm)) {}

std::string AutoSearch::kind_of(const std::string& algorithm, Collector::Mode mode) const {
  const PatternSet& patterns = cpu_->setup().plan.patterns;
  const std::uint32_t shortest = patterns.min_length();
  return fmt::format("lode {}, {}, 2^{} patterns of {} bytes, {}, {}, {}", version(), algorithm,
                     std::bit_width(cpu_->setup().plan.distinct_count() - 1),
                     shortest < 4   ? "1 to 3"
                     : shortest < 8 ? "4 to 7"
                                    : "8",
                     patterns.any_ignore_case() ? "folded" : "exact",
                     cpu_->setup().options.condition == Condition::none ? "anywhere" : "with a condition",
                     mode != Collector::Mode::list        ? (mode == Collector::Mode::count_lines ? "lines" : "counted")
                     : cpu_->setup().options.one_per_line ? "one per line"
                                                          : "listed");
}

DeviceRate AutoSearch::cpu_rate(Collector::Mode mode, bool ask_cache) const {
  const std::optional<double> seen = ask_cache ? devices_->rates().find(cpu_kind(mode)) : std::nullopt;
  if (seen) return {"cpu", *seen, DeviceRate::Source::searches};
  return {"cpu", usual_cpu_rate(cpu_algorithm_, cpu_->setup().plan.distinct_count(), cpu_->setup().threads),
          DeviceRate::Source::assumed};
}

DeviceRate AutoSearch::gpu_rate(const ChosenGpu& gpu, Collector::Mode mode) const {
  if (const std::optional<double> seen = devices_->rates().find(gpu_kind(gpu, mode)))
    return {gpu.name, *seen, DeviceRate::Source::searches};
  const double usual = usual_gpu_rate(gpu_algorithm_, cpu_->setup().plan.distinct_count());
  if (gpu.stream_bytes_per_second <= usual) return {gpu.name, gpu.stream_bytes_per_second, DeviceRate::Source::copies};
  return {gpu.name, usual, DeviceRate::Source::assumed};
}

std::string AutoSearch::cpu_kind(Collector::Mode mode) const {
  return fmt::format("bytes a second on {}, {}, {} threads, {}", describe_cpu(), name_of(cpu_->setup().set),
                     cpu_->setup().threads, kind_of(cpu_algorithm_, mode));
}

std::string AutoSearch::gpu_kind(const ChosenGpu& gpu, Collector::Mode mode) const {
  return fmt::format("bytes a second on {}, {} threads, {}", gpu.runtime->limits().version, cpu_->setup().threads,
                     kind_of(gpu_algorithm_, mode));
}

AutoSearch::Choice AutoSearch::choose(std::uint64_t bytes, Collector::Mode mode, CallReport& report) const {
  report.device = "cpu";
  report.rates.clear();
  const double least_seconds = devices_->least_cpu_seconds();
  double rate = cpu_rate(mode, false).bytes_per_second;
  double cpu_seconds = static_cast<double>(bytes) / rate;
  // The cache folder is read only if it could make a difference.
  if (cpu_seconds >= least_seconds * slowest_of_default) {
    report.rates.push_back(cpu_rate(mode, true));
    rate = report.rates.back().bytes_per_second;
    cpu_seconds = static_cast<double>(bytes) / rate;
  }
  if (cpu_seconds < least_seconds || bytes == 0) {
    report.choice = fmt::format("cpu: estimated {:.3f} s, too little for a GPU", cpu_seconds);
    return {};
  }
  std::shared_ptr<const ChosenGpu> gpu = devices_->gpu(cpu_->setup().threads);
  report.warning = devices_->take_warning();
  if (!gpu) {
    report.choice = fmt::format("cpu: estimated {:.3f} s, and {}", cpu_seconds, devices_->absence());
    return {};
  }
  bool prepared = false;
  {
    const std::lock_guard lock(mutex_);
    prepared = !gpu_searches_.empty();
  }
  // Tests force a GPU upon small texts by least_seconds == 0; then its start counts nothing.
  const double start_seconds = least_seconds == 0 ? 0 : prepared ? gpu_call_seconds : gpu_start_seconds;
  report.rates.push_back(gpu_rate(*gpu, mode));
  const double gpu_seconds = start_seconds + static_cast<double>(bytes) / report.rates.back().bytes_per_second;
  const bool by_lines =
      mode == Collector::Mode::count_lines || (mode == Collector::Mode::list && cpu_->setup().options.one_per_line);
  if (gpu_seconds * (by_lines ? clearly_faster_lines : clearly_faster) > cpu_seconds) {
    report.choice = fmt::format("cpu: estimated {:.3f} s, {} {:.3f} s", cpu_seconds, gpu->name, gpu_seconds);
    return {};
  }
  report.device = gpu->name;
  report.choice = fmt::format("{}: estimated {:.3f} s, cpu {:.3f} s", gpu->name, gpu_seconds, cpu_seconds);
  return {std::move(gpu), static_cast<std::uint64_t>(rate * least_seconds * head_share)};
}

bool AutoSearch::wants_gpu(std::uint64_t bytes, CallReport& report) const {
  return choose(bytes, Collector::Mode::list, report).gpu != nullptr;
}

std::shared_ptr<const GpuSearch> AutoSearch::search_on(
    const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) const {
  const std::lock_guard lock(mutex_);
  for (const auto& search : gpu_searches_)
    if (search->runs_on(runtimes)) return search;
  gpu_searches_.push_back(std::make_shared<const GpuSearch>(GpuDevices{runtimes}, cpu_->setup().plan, gpu_algorithm_,
                                                            cpu_->setup().options, cpu_->setup().threads));
  return gpu_searches_.back();
}

std::shared_ptr<const GpuSearch> AutoSearch::resident_search(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes,
                                                             CallReport& report) const {
  report.device = runtimes.front()->limits().name;
  report.choice = report.device + ": the text is resident there";
  return search_on(runtimes);
}

// Returns false, and says so in the report, if the GPU failed. Exceptions that are not the GPU's pass through.
template <class Work>
bool AutoSearch::run_on_gpu(const ChosenGpu& gpu, const Callbacks& callbacks, CallReport& report, Work work) const {
  std::string reason;
  try {
    work(*search_on({gpu.runtime}));
    return true;
  } catch (const Error& error) {
    if (callbacks.inside() || !is_failure_of_gpu(error.kind())) throw;
    reason = error.what();
  } catch (const std::bad_alloc&) {
    if (callbacks.inside()) throw;
    reason = "out of memory";
  }
  devices_->give_up(gpu.name + " has failed");
  report.device = "cpu";
  report.warning = gpu.name + " failed, and the CPU finished the search: " + reason;
  return false;
}

Totals AutoSearch::counts_of_cpu(const Text& text, const RunOptions& run, Collector::Mode mode,
                                 bool stop_at_first) const {
  const auto begin = Clock::now();
  CallReport report;
  Totals totals = cpu_->run_counts(text, run, mode, stop_at_first, report);
  if (!stop_at_first && run.end - run.begin >= least_learnt_bytes)
    devices_->rates().learn(cpu_kind(mode), static_cast<double>(run.end - run.begin) / seconds_since(begin));
  return totals;
}

std::uint64_t AutoSearch::ordered_on_cpu(const Text& text, const RunOptions& run, Callbacks& callbacks,
                                         const TakeMatches& take, bool& wanted) const {
  const auto begin = Clock::now();
  const double before = callbacks.seconds();
  CallReport report;
  const std::uint64_t candidates = cpu_->run_ordered(text, run, false, callbacks.guarded(take, wanted), report);
  const double seconds = seconds_since(begin);
  if (wanted && run.end - run.begin >= least_learnt_bytes &&
      callbacks.seconds() - before <= most_callback_share * seconds)
    devices_->rates().learn(cpu_kind(Collector::Mode::list), static_cast<double>(run.end - run.begin) / seconds);
  return candidates;
}

Totals AutoSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                              CallReport& report) const {
  if (const ResidentText* resident = text.resident())
    return resident_search(resident->data().runtimes(), report)->run_counts(text, run, mode, stop_at_first, report);
  return run_counts_on(choose(bytes_of(run, text), mode, report), text, run, mode, stop_at_first, report);
}

Totals AutoSearch::run_counts_on(const Choice& choice, const Text& text, const RunOptions& run, Collector::Mode mode,
                                 bool stop_at_first, CallReport& report) const {
  Callbacks callbacks(run, text.size());
  std::uint64_t begin = callbacks.begin();
  const std::uint64_t end = callbacks.end();
  Totals head;
  if (choice.gpu) {
    if (stop_at_first) {
      const std::uint64_t head_end = begin + std::min(choice.head_bytes, end - begin);
      head = counts_of_cpu(text, callbacks.part(run, begin, head_end, false), mode, true);
      if (head.occurrences != 0) {
        report.device = "cpu";
        return head;
      }
      begin = head_end;
    }
    Totals totals;
    const bool done = run_on_gpu(*choice.gpu, callbacks, report, [&](const GpuSearch& search) {
      totals = search.run_counts(text, callbacks.part(run, begin, end, true), mode, stop_at_first, report);
    });
    if (done) {
      if (!stop_at_first) devices_->rates().learn(gpu_kind(*choice.gpu, mode), callbacks.steady_rate());
      totals.candidates += head.candidates;
      return totals;
    }
  }
  Totals totals = counts_of_cpu(text, callbacks.part(run, begin, end, false), mode, stop_at_first);
  totals.candidates += head.candidates;
  return totals;
}

std::uint64_t AutoSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                      CallReport& report) const {
  if (const ResidentText* resident = text.resident())
    return resident_search(resident->data().runtimes(), report)->run_ordered(text, run, ends_early, take, report);
  return run_ordered_on(choose(bytes_of(run, text), Collector::Mode::list, report), text, run, ends_early, take,
                        report);
}

std::uint64_t AutoSearch::run_ordered_on(const Choice& choice, const Text& text, const RunOptions& run, bool ends_early,
                                         const TakeMatches& take, CallReport& report) const {
  Callbacks callbacks(run, text.size());
  std::uint64_t begin = callbacks.begin();
  const std::uint64_t end = callbacks.end();
  std::uint64_t candidates = 0;
  bool wanted = true;
  if (choice.gpu) {
    if (ends_early) {
      const std::uint64_t head_end = begin + std::min(choice.head_bytes, end - begin);
      candidates = ordered_on_cpu(text, callbacks.part(run, begin, head_end, false), callbacks, take, wanted);
      if (!wanted) {
        report.device = "cpu";
        return candidates;
      }
      begin = head_end;
    }
    report.delivered_until = begin;
    const bool done = run_on_gpu(*choice.gpu, callbacks, report, [&](const GpuSearch& search) {
      candidates += search.run_ordered(text, callbacks.part(run, begin, end, true), ends_early,
                                       callbacks.guarded(take, wanted), report);
    });
    if (done && wanted) devices_->rates().learn(gpu_kind(*choice.gpu, Collector::Mode::list), callbacks.steady_rate());
    if (done || !wanted) return candidates;
  }
  // The CPU goes on behind what the GPU delivered before it failed, so nothing is delivered twice.
  if (choice.gpu) begin = report.delivered_until;
  return candidates + ordered_on_cpu(text, callbacks.part(run, begin, end, false), callbacks, take, wanted);
}

class AutoSearch::OnGpu final : public Backend {
 public:
  explicit OnGpu(const AutoSearch& search) : search_(search) {}

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override {
    return search_.run_counts_on(choice(report), text, run, mode, stop_at_first, report);
  }
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override {
    return search_.run_ordered_on(choice(report), text, run, ends_early, take, report);
  }

 private:
  Choice choice(CallReport& report) const {
    std::shared_ptr<const ChosenGpu> gpu = search_.devices_->gpu(search_.cpu_->setup().threads);
    report.device = gpu ? gpu->name : "cpu";
    return {std::move(gpu), 0};
  }

  const AutoSearch& search_;
};

std::shared_ptr<const Backend> AutoSearch::on_gpu() const { return std::make_shared<const OnGpu>(*this); }

}  // namespace lode
