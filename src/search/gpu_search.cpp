#include "search/gpu_search.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/memory_plan.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "plan/algorithms.hpp"
#include "search/line_counter.hpp"
#include "search/sharded_search.hpp"

namespace lode {
namespace {

// A trial compares two algorithms on the first part of a long text; see gpu_search.hpp. Shorter patterns need none: no
// text can nearly repeat them so often that it matters.
constexpr std::uint32_t least_trial_length = 64;
constexpr std::uint64_t usual_trial_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t warm_ups_in_trial = 256;  // 1/256 of a trial is searched first, so that kernels are compiled
constexpr std::uint64_t least_trials = 8;         // a text is tried only if it is as long as so many trials
// Bytes a second. If the trial is at least as fast, no other algorithm is tried. The rate is lower for a text that is
// copied, because its trial is no faster than the copies.
constexpr double suspicious_rate = 100e9;
constexpr double suspicious_rate_of_copies = 20e9;
constexpr double least_gain = 1.5;
constexpr std::uint32_t most_tried_patterns = 10'000;  // tables of more patterns take longer to make than they may save
constexpr std::size_t most_tried_lengths = 64;         // rabin-karp takes a pass for each length
constexpr std::size_t most_verdicts = 1024;

bool are_on(const std::vector<gpu::Engine*>& engines, const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) {
  return std::equal(engines.begin(), engines.end(), runtimes.begin(), runtimes.end(),
                    [](gpu::Engine* engine, const auto& runtime) { return &engine->runtime() == runtime.get(); });
}

gpu::ScanText scan_text_of(const Text& text, const std::vector<gpu::Engine*>& engines) {
  gpu::ScanText scanned;
  scanned.size = text.size();
  if (const ResidentText* resident = text.resident()) {
    scanned.resident = &resident->data();
    if (!are_on(engines, scanned.resident->runtimes()))
      throw Error(ErrorKind::unsupported, "the resident text lies on another device than the one that searches it");
  } else if (const RandomAccessText* source = text.source()) {
    scanned.read = [source](std::uint64_t offset, std::span<char> into) { source->read(offset, into); };
  } else {
    const std::string_view bytes = text.bytes();
    scanned.read = [bytes](std::uint64_t offset, std::span<char> into) {
      std::memcpy(into.data(), bytes.data() + offset, into.size());
    };
  }
  return scanned;
}

// The options with each device's part of the memory limit, so that all devices together keep to it.
SearcherOptions options_of_device(SearcherOptions options, std::size_t devices) {
  options.memory_limit_bytes = MemoryPlan(options.memory_limit_bytes).of_device(devices).limit_bytes();
  return options;
}

gpu::ScanRequest request_of(const Text& text, const RunOptions& run, const SearcherOptions& options,
                            std::size_t devices, unsigned threads) {
  gpu::ScanRequest request;
  request.end = std::min(run.end, text.size());
  request.begin = std::min(run.begin, request.end);
  request.piece_bytes = options.chunk_bytes;
  request.memory_bytes = MemoryPlan(options.memory_limit_bytes).of_device(devices).text_pieces_bytes();
  request.threads = threads;
  request.stop = run.stop;
  return request;
}

// The algorithm that `auto` may try on long patterns instead of `algorithm`; empty if there is none.
std::string_view alternative_of(const PlanData& plan, std::string_view algorithm, const SearcherOptions& options) {
  if (options.algorithm != "auto" || plan.patterns.max_length() < least_trial_length) return {};
  const std::uint32_t count = plan.distinct_count();
  const std::string_view name = count == 1 ? "boyer-moore" : "rabin-karp";
  if (name == algorithm || count > most_tried_patterns) return {};
  if (!refusal_of(*find_algorithm(name), plan.patterns).empty()) return {};
  return count_distinct_lengths(plan.patterns) <= most_tried_lengths ? name : std::string_view();
}

}  // namespace

GpuSearch::GpuSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm,
                     const SearcherOptions& options, unsigned threads)
    : plan_(plan),
      options_(options),
      threads_(threads),
      runtimes_(devices.runtimes),
      algorithm_(algorithm),
      alternative_name_(alternative_of(plan, algorithm, options)) {
  const std::vector<std::uint32_t> shards = divide_into_shards(devices, plan, algorithm);
  if (shards.size() > 1) {
    sharded_ = std::make_unique<const ShardedSearch>(devices, plan, algorithm, options, threads, shards);
    return;
  }
  for (const auto& runtime : devices.runtimes) {
    engines_.push_back(
        std::make_unique<gpu::Engine>(runtime, plan, algorithm, options_of_device(options, devices.runtimes.size())));
    engine_pointers_.push_back(engines_.back().get());
  }
}

GpuSearch::~GpuSearch() = default;

bool GpuSearch::runs_on(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) const {
  return runtimes_ == runtimes;
}

const std::vector<gpu::Engine*>& GpuSearch::engines() const {
  if (sharded_)
    throw Error(ErrorKind::unsupported,
                "the device has no room for the tables of all these patterns at once, which resident records need: "
                "search records of the host, or for fewer patterns");
  return engine_pointers_;
}

Totals GpuSearch::count_lines(std::string_view text, const RunOptions& run, CallReport& report) const {
  LineCounter lines(text, options_.line_terminator);
  RunOptions whole_lines = run;
  whole_lines.begin = lines.line_start_from(run.begin);
  whole_lines.end = lines.line_start_from(std::min<std::uint64_t>(run.end, text.size()));
  Totals totals;
  const auto take = [&](std::span<const Match> found) {
    lines.take(found);
    return true;
  };
  totals.candidates = run_ordered(text, whole_lines, false, take, report);
  totals.occurrences = lines.count();
  return totals;
}

Totals GpuSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                             CallReport& report) const {
  if (mode == Collector::Mode::count_lines) return count_lines(text.bytes(), run, report);
  // The device counts distinct patterns. If some stand for several ids, the count of each has to be known.
  const bool per_distinct = mode == Collector::Mode::count_per_pattern || (plan_.has_duplicates() && !stop_at_first);
  const auto counted = per_distinct ? Collector::Mode::count_per_pattern : Collector::Mode::count;
  Totals totals = sharded_ ? sharded_->run_counts(text, run, counted, stop_at_first, report)
                           : count_all(text, run, per_distinct, stop_at_first);
  if (per_distinct && mode != Collector::Mode::count_per_pattern) {
    totals.occurrences = 0;
    for (std::uint32_t distinct = 0; distinct < totals.per_distinct.size(); ++distinct)
      totals.occurrences += totals.per_distinct[distinct] * plan_.multiplicity(distinct);
    totals.per_distinct.clear();
  }
  return totals;
}

bool GpuSearch::is_worth_trial(const gpu::ScanRequest& request) const {
  return !alternative_name_.empty() && !request.ends_early &&
         request.end - request.begin >= least_trials * trial_bytes();
}

// If the caller chose small pieces, trials are small as well.
std::uint64_t GpuSearch::trial_bytes() const {
  return options_.chunk_bytes == 0 ? usual_trial_bytes : std::min(usual_trial_bytes, options_.chunk_bytes);
}

const std::vector<gpu::Engine*>& GpuSearch::alternative() const {
  std::call_once(alternative_->once, [this] {
    try {
      for (const auto& runtime : runtimes_)
        alternative_->engines.push_back(std::make_unique<gpu::Engine>(runtime, plan_, alternative_name_,
                                                                      options_of_device(options_, runtimes_.size())));
    } catch (const Error&) {
      alternative_->engines.clear();
      return;  // The device has no room for the tables. Any lasting failure will show again in the search itself.
    }
    for (const auto& engine : alternative_->engines) alternative_->pointers.push_back(engine.get());
    alternative_->is_made = true;
  });
  return alternative_->pointers;
}

std::optional<bool> GpuSearch::Verdicts::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void GpuSearch::Verdicts::remember(const Key& key, bool alternative_is_faster) {
  const std::lock_guard lock(mutex_);
  known_[key] = alternative_is_faster;
  if (known_.size() > most_verdicts) known_.erase(known_.begin());  // the verdict on the oldest text
}

void GpuSearch::free_slots_beside(const std::vector<gpu::Engine*>& used) const {
  if (!alternative_->is_made) return;
  const bool uses_own = &used == &engine_pointers_;
  for (gpu::Engine* const other : uses_own ? alternative_->pointers : engine_pointers_) other->drop_idle_slots();
}

std::optional<bool> GpuSearch::try_alternative(const gpu::ScanText& text, gpu::ScanRequest& request,
                                               const ScanPart& scan) const {
  bool wanted = true;
  const auto scan_next = [&](const std::vector<gpu::Engine*>& with, std::uint64_t bytes) {
    gpu::ScanRequest part = request;
    request.begin = part.end = part.begin + bytes;
    const auto begin = base::Clock::now();
    wanted = scan(with, part);
    return static_cast<double>(bytes) / base::seconds_since(begin);
  };
  const auto rate_of = [&](const std::vector<gpu::Engine*>& with) {
    free_slots_beside(with);
    scan_next(with, std::max<std::uint64_t>(1, trial_bytes() / warm_ups_in_trial));
    return wanted ? scan_next(with, trial_bytes()) : 0;
  };
  const double rate = rate_of(engine_pointers_);
  if (!wanted) return {};
  const double suspicious = text.resident == nullptr ? suspicious_rate_of_copies : suspicious_rate;
  if (rate >= suspicious || alternative().empty()) return false;
  const double other_rate = rate_of(alternative());
  if (!wanted) return {};
  return other_rate > least_gain * rate;
}

void GpuSearch::scan_parts(const gpu::ScanText& text, const gpu::ScanRequest& request, SearchStats* stats,
                           const ScanPart& scan) const {
  gpu::ScanRequest rest = request;
  const std::vector<gpu::Engine*>* engines = &engine_pointers_;
  if (stats != nullptr) stats->gpu_group_items = engines->front()->group_items();
  if (is_worth_trial(request)) {
    std::optional<bool> alternative_is_faster;
    std::optional<Verdicts::Key> key;
    if (text.resident != nullptr) {
      key = Verdicts::Key{text.resident->number(), request.begin, request.mode};
      alternative_is_faster = verdicts_->find(*key);
    }
    if (!alternative_is_faster) {
      alternative_is_faster = try_alternative(text, rest, scan);
      if (!alternative_is_faster) return;
      if (key) verdicts_->remember(*key, *alternative_is_faster);
    }
    if (*alternative_is_faster) {
      engines = &alternative();
      if (stats != nullptr) {
        const bool changed = rest.begin != request.begin;
        stats->algorithm = (changed ? algorithm_ + ", then " : "") + std::string(alternative_name_);
        stats->gpu_group_items = changed ? 0 : engines->front()->group_items();
      }
    }
  }
  free_slots_beside(*engines);
  scan(*engines, rest);
}

Totals GpuSearch::count_all(const Text& text, const RunOptions& run, bool per_distinct, bool stop_at_first) const {
  const gpu::ScanText scanned = scan_text_of(text, engine_pointers_);
  gpu::ScanRequest request = request_of(text, run, options_, engines_.size(), threads_);
  request.ends_early = stop_at_first;
  Totals totals;
  if (per_distinct) {
    totals.per_distinct.resize(plan_.distinct_count());
    request.mode = gpu::Mode::per_distinct;
    request.per_distinct = &totals.per_distinct;
  }
  scan_parts(scanned, request, run.stats, [&](const std::vector<gpu::Engine*>& engines, const gpu::ScanRequest& part) {
    bool wanted = true;
    gpu::scan(engines, scanned, part, [&](const gpu::PieceResult& piece) {
      totals.occurrences += piece.matches;
      totals.candidates += piece.candidates;
      if (run.progress) run.progress(piece.end - request.begin, request.end - request.begin);
      return wanted = !(stop_at_first && totals.occurrences != 0);
    });
    return wanted;
  });
  return totals;
}

std::uint64_t GpuSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                     CallReport& report) const {
  if (sharded_) return sharded_->run_ordered(text, run, ends_early, take, report);
  const gpu::ScanText scanned = scan_text_of(text, engine_pointers_);
  gpu::ScanRequest request = request_of(text, run, options_, engines_.size(), threads_);
  request.mode = gpu::Mode::list;
  request.ends_early = ends_early;
  std::uint64_t candidates = 0;
  scan_parts(scanned, request, run.stats, [&](const std::vector<gpu::Engine*>& engines, const gpu::ScanRequest& part) {
    bool wanted = true;
    gpu::scan(engines, scanned, part, [&](const gpu::PieceResult& piece) {
      candidates += piece.candidates;
      wanted = piece.list.empty() || take(piece.list);
      report.delivered_until = piece.end;
      if (run.progress) run.progress(piece.end - request.begin, request.end - request.begin);
      return wanted;
    });
    return wanted;
  });
  return candidates;
}

}  // namespace lode
