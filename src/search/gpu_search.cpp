#include "search/gpu_search.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/scan.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "search/line_counter.hpp"
#include "search/sharded_search.hpp"

namespace lode {
namespace {

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

// All devices together keep to the limit.
SearcherOptions options_of_device(SearcherOptions options, std::size_t devices) {
  if (options.memory_limit_bytes != 0)
    options.memory_limit_bytes = std::max<std::uint64_t>(1, options.memory_limit_bytes / devices);
  return options;
}

gpu::ScanRequest request_of(const Text& text, const RunOptions& run, const SearcherOptions& options,
                            std::size_t devices, unsigned threads) {
  gpu::ScanRequest request;
  request.end = std::min(run.end, text.size());
  request.begin = std::min(run.begin, request.end);
  request.piece_bytes = options.chunk_bytes;
  if (options.memory_limit_bytes != 0)
    request.memory_bytes = std::max<std::uint64_t>(1, options_of_device(options, devices).memory_limit_bytes / 2);
  request.threads = threads;
  request.stop = run.stop;
  return request;
}

}  // namespace

GpuSearch::GpuSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm,
                     const SearcherOptions& options, unsigned threads)
    : plan_(plan), options_(options), threads_(threads), runtimes_(devices.runtimes) {
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

Totals GpuSearch::count_lines(std::string_view text, const RunOptions& run) const {
  LineCounter lines(text, options_.line_terminator);
  RunOptions whole_lines = run;
  whole_lines.begin = lines.line_start_from(run.begin);
  whole_lines.end = lines.line_start_from(std::min<std::uint64_t>(run.end, text.size()));
  Totals totals;
  totals.candidates = run_ordered(text, whole_lines, false, [&](std::span<const Match> found) {
    lines.take(found);
    return true;
  });
  totals.occurrences = lines.count();
  return totals;
}

Totals GpuSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first) const {
  if (mode == Collector::Mode::count_lines) return count_lines(text.bytes(), run);
  // Equal patterns are one on the device; what each counts has to be known where some stand for several.
  const bool per_distinct = mode == Collector::Mode::count_per_pattern || (plan_.has_duplicates() && !stop_at_first);
  Totals totals = sharded_ ? sharded_->run_counts(text, run, per_distinct, stop_at_first)
                           : count_all(text, run, per_distinct, stop_at_first);
  if (per_distinct && mode != Collector::Mode::count_per_pattern) {
    totals.occurrences = 0;
    for (std::uint32_t distinct = 0; distinct < totals.per_distinct.size(); ++distinct)
      totals.occurrences += totals.per_distinct[distinct] * plan_.multiplicity(distinct);
    totals.per_distinct.clear();
  }
  return totals;
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
  gpu::scan(engine_pointers_, scanned, request, [&](const gpu::PieceResult& piece) {
    totals.occurrences += piece.matches;
    totals.candidates += piece.candidates;
    if (run.progress) run.progress(piece.end - request.begin, request.end - request.begin);
    return !(stop_at_first && totals.occurrences != 0);
  });
  return totals;
}

std::uint64_t GpuSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early,
                                     const std::function<bool(std::span<const Match>)>& take,
                                     std::uint64_t* done_until) const {
  if (sharded_) return sharded_->run_ordered(text, run, ends_early, take, done_until);
  const gpu::ScanText scanned = scan_text_of(text, engine_pointers_);
  gpu::ScanRequest request = request_of(text, run, options_, engines_.size(), threads_);
  request.mode = gpu::Mode::list;
  request.ends_early = ends_early;
  std::uint64_t candidates = 0;
  gpu::scan(engine_pointers_, scanned, request, [&](const gpu::PieceResult& piece) {
    candidates += piece.candidates;
    const bool wanted = piece.list.empty() || take(piece.list);
    if (done_until != nullptr) *done_until = piece.end;
    if (run.progress) run.progress(piece.end - request.begin, request.end - request.begin);
    return wanted;
  });
  return candidates;
}

}  // namespace lode
