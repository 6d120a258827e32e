// RecordSearcher::State: what a RecordSearcher has, and the steps that its ways of asking share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "gpu/records/cell_search.hpp"
#include "gpu/records/record_search.hpp"
#include "gpu/records/resident_records.hpp"
#include "lode/error.hpp"
#include "lode/records.hpp"
#include "records/flagged_records.hpp"
#include "records/host_records.hpp"
#include "records/parallel_hits.hpp"
#include "records/record_run.hpp"
#include "records/record_takers.hpp"
#include "search/auto_search.hpp"
#include "search/gpu_search.hpp"
#include "search/view_engines.hpp"
#include "search/view_search.hpp"

namespace lode {

// The sums of a call, for its statistics.
struct CallTotals {
  std::uint64_t candidates = 0;
  FlagTotals flags;  // rabin-karp only
  CallReport report;
};

struct RecordSearcher::State {
  using Clock = base::Clock;
  static constexpr std::uint64_t convert_grain_bytes = std::uint64_t{256} << 10;
  static constexpr std::uint64_t least_staged_bytes = std::uint64_t{128} << 10;  // for less, buffers would take longer

  Plan plan;
  SearcherOptions options;
  SearcherOptions engine_options;  // without the condition
  std::string algorithm;
  InstructionSet set;
  std::string instruction_set;
  unsigned threads;
  Device device;
  std::shared_ptr<const CpuSearch> cpu = {};         // for devices `cpu` and `auto`, and for flagged records
  std::unique_ptr<RecordFlagger> flagger = {};       // rabin-karp; else null
  std::shared_ptr<const GpuSearch> gpu = {};         // if the device is one or several GPUs; else null
  std::shared_ptr<const AutoSearch> automatic = {};  // if the device is `auto`; else null
  std::unique_ptr<const ViewSearch> view = {};       // if the plan has a view; else null
  std::mutex mutex = {};                             // guards resident_searches
  // The searches for resident and staged records, by the search whose engines they use.
  std::map<std::shared_ptr<const GpuSearch>, std::unique_ptr<gpu::RecordSearch>> resident_searches = {};

  const PlanData& data() const { return plan.data(); }
  // If records are flagged by hashes, the algorithm's name says all.
  std::string strategy() const { return flagger ? std::string() : cpu->strategy(); }
  RecordSetup setup() const { return {cpu->setup(), options.condition, view.get()}; }

  ViewSearch::ChooseEngine choose_engine() const {
    if (gpu) return view_on_gpu(gpu, gpu);
    return automatic ? view_on_auto(automatic, automatic) : view_on_cpu(cpu, cpu);
  }
  /// Whether records may be searched as they lie.
  bool is_unchanged(const Records& records) const {
    if (!view || records.empty()) return true;
    if (data().view.decodes()) return false;
    const std::string_view bytes = records.bytes().substr(records.begin_of(0), records.total_bytes());
    std::atomic<bool> unchanged = true;
    run_ranges(threads, bytes.size(), convert_grain_bytes, [&](std::uint64_t begin, std::uint64_t end) {
      if (unchanged && !data().unchanged.is(bytes.substr(begin, end - begin + text::UnchangedText::shared_bytes)))
        unchanged = false;
    });
    return unchanged;
  }
  bool is_unchanged(const ResidentRecords& records) const {
    return !data().view.decodes() && std::ranges::all_of(records.data().parts(), [&](const gpu::RecordPart& part) {
      return part.text->is(data().unchanged);
    });
  }
  /// The records, or a copy of them on the host if they are resident and the view changes them.
  RecordSource viewable(const RecordSource& records, HostRecords& copy) const {
    if (!view || records.resident() == nullptr || is_unchanged(*records.resident())) return records;
    copy = HostRecords(records.resident()->data());
    return copy.records();
  }
  // A search that gives occurrences in order: through the view, or on a GPU.
  OrderedSearch ordered_search(const Records& records, CallTotals& totals) const {
    return [this, &records, &totals](const Text& text, const RunOptions& run, const TakeMatches& take) {
      if (!is_unchanged(records)) return view->run_records(records, text, run, take, totals.report);
      if (automatic) return automatic->run_ordered(text, run, false, take, totals.report);
      totals.report.device = device.name();
      return gpu->run_ordered(text, run, false, take, totals.report);
    };
  }
  std::string device_that_flags() const { return device.is_auto() ? "cpu" : device.name(); }
  /// Whether the CPU searches these records, as it does those that are to be decoded. Says so in totals.report.
  bool is_for_cpu(const Records& records, CallTotals& totals) const {
    if (data().view.decodes()) {
      totals.report.device = "cpu";
      return true;
    }
    totals.report.device = device.name();
    if (gpu) return false;
    if (automatic) return !automatic->wants_gpu(records.total_bytes(), totals.report);
    return true;
  }

  void take_all(const Records& records, const RecordRunOptions& run, const MakeRecordTaker& make_taker,
                CallTotals& totals) const {
    if (flagger) {
      totals.report.device = device_that_flags();
      totals.candidates += take_flagged(*flagger, setup(), records, run, make_taker, totals.flags);
      return;
    }
    totals.candidates += is_for_cpu(records, totals)
                             ? take_on_cpu(setup(), records, {}, run, make_taker)
                             : take_in_order(setup(), records, ordered_search(records, totals), run, make_taker);
  }

  /// Gives the occurrences to `take`, in order of records.
  void list_all(const Records& records, const RecordRunOptions& run, const TakeRecords& take,
                CallTotals& totals) const {
    if (flagger) {
      totals.report.device = device_that_flags();
      totals.candidates += list_flagged(*flagger, setup(), records, run, take, totals.flags);
      return;
    }
    totals.candidates += is_for_cpu(records, totals)
                             ? list_on_cpu(setup(), records, {}, run, take)
                             : list_in_order(setup(), records, ordered_search(records, totals), run, take);
  }

  /// The search for resident records. Throws Error(unsupported) if they lie on another device.
  const gpu::RecordSearch& search_of(const ResidentRecords& records, CallTotals& totals) {
    const auto& runtimes = records.data().runtimes();
    std::shared_ptr<const GpuSearch> search = gpu;
    if (automatic) {
      search = automatic->resident_search(runtimes, totals.report);
    } else if (!gpu || !gpu->runs_on(runtimes)) {
      throw Error(ErrorKind::unsupported,
                  "these records are resident on another device than " + device.name() + ", which is to search them");
    } else {
      totals.report.device = device.name();
    }
    return search_with(search);
  }
  const gpu::RecordSearch& search_with(const std::shared_ptr<const GpuSearch>& search) {
    const std::lock_guard lock(mutex);
    std::unique_ptr<gpu::RecordSearch>& record_search = resident_searches[search];
    if (!record_search) record_search = std::make_unique<gpu::RecordSearch>(search->engines());
    return *record_search;
  }

  gpu::RecordRequest request_of(const RecordRunOptions& run, std::uint64_t total_bytes) const {
    gpu::RecordRequest request;
    request.condition = options.condition;
    request.memory_bytes = MemoryPlan(options.memory_limit_bytes).record_rows_bytes();
    request.threads = threads;
    request.stop = run.stop;
    if (run.progress)
      request.progress = [&run, total_bytes, done = std::uint64_t{0}](std::uint64_t bytes) mutable {
        run.progress(done += bytes, total_bytes);
      };
    return request;
  }

  /// Whether records of the host are staged: copied to the GPU part by part and searched there like resident ones. That
  /// pays if few patterns have many occurrences.
  bool is_staged(const RecordSource& records, gpu::Mode mode) const {
    const bool may_choose = options.algorithm == "auto" || algorithm == "filter";
    if (records.resident() != nullptr || !gpu || !may_choose || gpu->is_sharded()) return false;
    if (!is_unchanged(records.records())) return false;
    if (!gpu::has_few_patterns(data()) || records.records().total_bytes() < least_staged_bytes) return false;
    const gpu::RecordSample sample = gpu::take_sample(records.records());
    return gpu::is_worth_staging(data(), sample, mode, options.condition, options.line_terminator);
  }
  /// Whether fill_rows() serves these records.
  bool has_rows(const RecordSource& records, gpu::Mode mode) const {
    return records.resident() != nullptr || is_staged(records, mode);
  }

  using UseRows = std::function<void(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words)>;
  /// Gives the rows of resident or staged records to `use`, some at a time, from several threads. Returns the number of
  /// matches.
  std::uint64_t fill_rows(const RecordSource& records, gpu::Mode mode, const RecordRunOptions& run, const UseRows& use,
                          CallTotals& totals) {
    const auto take = [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
      const std::uint64_t rows = last - first;
      const std::uint64_t grain = rows * convert_grain_bytes / (words.size_bytes() + 1) / 32 * 32;
      run_ranges(threads, rows, std::max<std::uint64_t>(32, grain), [&](std::uint64_t begin, std::uint64_t end) {
        use(first + begin, first + end, words.subspan(words_before(mode, begin)));
      });
      return true;
    };
    const gpu::RecordTotals found = fill(records, mode, request_of(run, records.total_bytes()), take, totals);
    totals.candidates += found.candidates;
    return found.matches;
  }
  gpu::RecordTotals fill(const RecordSource& records, gpu::Mode mode, const gpu::RecordRequest& request,
                         const gpu::TakeRows& take, CallTotals& totals) {
    if (const ResidentRecords* resident = records.resident())
      return search_of(*resident, totals).fill(resident->data(), mode, request, take);
    totals.report.device = device.name();
    return search_with(gpu).fill(records.records(), mode, request, take);
  }
  std::uint64_t words_before(gpu::Mode mode, std::uint64_t row) const {
    return mode == gpu::Mode::any ? row / 32 : row * gpu::words_of_row(mode, plan.patterns().size());
  }

  /// Gives the occurrences in resident records to `take`, in order.
  void list_resident(const ResidentRecords& records, const RecordRunOptions& run, const gpu::TakeListed& take,
                     CallTotals& totals) {
    const gpu::RecordTotals found =
        search_of(records, totals).list(records.data(), request_of(run, records.total_bytes()), take);
    totals.candidates += found.candidates;
  }

  /// Gives the hits of resident or staged records to `take`. Returns false if records are neither, or if their hits
  /// might need much memory.
  bool first_on_gpu(const RecordSource& records, const RecordRunOptions& run, const TakeHits& take) {
    if (records.resident() != nullptr) {
      if (!ParallelHits::suits(data())) return false;
      first_resident(*records.resident(), run, take);
      return true;
    }
    if (!is_staged(records, gpu::Mode::first)) return false;
    const auto begin = Clock::now();
    CallTotals totals;
    const std::uint64_t hits = take_cells(records, run, take, totals);
    record_stats(records, run, begin, hits, std::move(totals));
    return true;
  }
  /// Gives the hits of staged records, or of resident ones that are one part, by way of cells. Returns their number.
  std::uint64_t take_cells(const RecordSource& records, const RecordRunOptions& run, const TakeHits& take,
                           CallTotals& totals) {
    gpu::RecordRequest request = request_of(run, records.total_bytes());
    request.memory_bytes = (request.memory_bytes + 7) / 8;  // a hit takes six times as much as its cell
    CellHits hits(plan.patterns().size(), threads, take);
    const auto take_rows = [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> cells) {
      return hits.take(first, last, cells, LODE_NO_OFFSET);
    };
    totals.candidates += fill(records, gpu::Mode::first, request, take_rows, totals).candidates;
    return hits.hits();
  }
  void first_resident(const ResidentRecords& records, const RecordRunOptions& run, const TakeHits& take) {
    const auto begin = Clock::now();
    CallTotals totals;
    const gpu::RecordSearch& search = search_of(records, totals);
    const gpu::RecordRequest request = request_of(run, records.total_bytes());
    // Rows come in order only if the records are one part.
    if (records.data().parts().size() == 1 && search.searches_cells(records.data(), gpu::Mode::first, request)) {
      const std::uint64_t hits = take_cells(records, run, take, totals);
      return record_stats(records, run, begin, hits, std::move(totals));
    }
    ParallelHits hits(data(), threads, take);
    bool wanted = true;
    totals.candidates = search
                            .list(records.data(), request,
                                  [&](std::span<const RecordOccurrence> found) { return wanted = hits.take(found); })
                            .candidates;
    if (wanted) hits.finish();
    record_stats(records, run, begin, hits.hits(), std::move(totals));
  }

  /// Gives the hits of any records to `sink`, from occurrences that come in order.
  void first_in_order(const RecordSource& records, const RecordHitSink& sink, const RecordRunOptions& run) {
    const auto begin = Clock::now();
    CallTotals totals;
    HitSender sender(data(), sink);
    bool wanted = true;
    const auto take = [&](std::span<const RecordOccurrence> found, bool complete) {
      return wanted = sender.take(found, complete);
    };
    if (records.resident() != nullptr)
      list_resident(
          *records.resident(), run, [&](std::span<const RecordOccurrence> found) { return take(found, false); },
          totals);
    else
      list_all(records.records(), run, take, totals);
    if (wanted) sender.finish();
    record_stats(records, run, begin, sender.hits(), std::move(totals));
  }

  void record_stats(const RecordSource& records, const RecordRunOptions& run, Clock::time_point begin,
                    std::uint64_t matches, CallTotals totals) const {
    if (run.stats == nullptr) return;
    RecordStats& stats = *run.stats;
    stats = {};
    stats.search.algorithm = algorithm;
    stats.search.device = std::move(totals.report.device);
    stats.search.choice = std::move(totals.report.choice);
    stats.search.rates = std::move(totals.report.rates);
    stats.search.warning = std::move(totals.report.warning);
    stats.search.instruction_set = instruction_set;
    if (stats.search.device == "cpu") stats.search.strategy = strategy();
    stats.search.threads = threads;
    stats.search.bytes = records.total_bytes();
    stats.search.candidates = totals.candidates;
    stats.search.matches = matches;
    stats.search.seconds = base::seconds_since(begin);
    stats.records = records.size();
    stats.flagged_records = totals.flags.flagged;
    stats.false_positives = totals.flags.false_positives;
    stats.flag_seconds = totals.flags.flag_seconds;
    stats.verify_seconds = totals.flags.verify_seconds;
  }

  void check_cells(const RecordSource& records, std::uint64_t cells, bool narrow) const {
    const std::uint64_t needed = dense_cells(records.size(), plan.patterns().size());
    if (cells < needed)
      throw Error(ErrorKind::limit, "a matrix of " + std::to_string(records.size()) + " records and " +
                                        std::to_string(plan.patterns().size()) + " patterns needs " +
                                        std::to_string(needed) + " cells, not " + std::to_string(cells));
    if (!narrow || records.total_bytes() <= INT32_MAX) return;
    if (const std::uint64_t longest = longest_of(records); longest > INT32_MAX)
      throw Error(ErrorKind::limit, "a record of " + std::to_string(longest) + " bytes needs cells of 64 bits");
  }
  static std::uint64_t longest_of(const RecordSource& records) {
    return records.resident() != nullptr ? records.resident()->data().longest() : records.records().longest();
  }

  template <class Cell>
  void first_dense(const RecordSource& records, std::span<Cell> cells, const RecordRunOptions& run) {
    const auto begin = Clock::now();
    check_cells(records, cells.size(), sizeof(Cell) == 4);
    Total hits{0};
    CallTotals totals;
    const std::uint64_t columns = plan.patterns().size();
    const bool staged = is_staged(records, gpu::Mode::first);
    if (records.resident() == nullptr && !staged) {
      take_all(
          records.records(), run, [&] { return std::make_unique<DenseTaker<Cell>>(data(), cells.data(), hits); },
          totals);
    } else if (staged || longest_of(records) < LODE_NO_OFFSET) {
      hits = fill_rows(
          records, gpu::Mode::first, run,
          [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
            Cell* const into = cells.data() + first * columns;
            const std::uint64_t count = (last - first) * columns;
            if constexpr (sizeof(Cell) == 4) {
              std::memcpy(into, words.data(), count * sizeof(Cell));
            } else {
              for (std::uint64_t at = 0; at < count; ++at)
                into[at] = words[at] == LODE_NO_OFFSET ? -1 : static_cast<Cell>(words[at]);
            }
          },
          totals);
    } else {
      DenseTaker<Cell> taker(data(), cells.data(), hits);
      taker.begin(0, records.size());
      list_resident(
          *records.resident(), run,
          [&](std::span<const RecordOccurrence> found) {
            taker.take(found);
            return true;
          },
          totals);
      taker.finish();
    }
    record_stats(records, run, begin, hits, std::move(totals));
  }
};

}  // namespace lode
