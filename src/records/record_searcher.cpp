#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "gpu/records/cell_search.hpp"
#include "gpu/records/record_search.hpp"
#include "gpu/records/resident_records.hpp"
#include "lode/error.hpp"
#include "lode/records.hpp"
#include "plan/algorithms.hpp"
#include "plan/spellings.hpp"
#include "records/flagged_records.hpp"
#include "records/host_records.hpp"
#include "records/parallel_hits.hpp"
#include "records/record_bits.hpp"
#include "records/record_run.hpp"
#include "records/record_takers.hpp"
#include "search/auto_search.hpp"
#include "search/gpu_search.hpp"
#include "search/view_engines.hpp"
#include "search/view_search.hpp"

namespace lode {
namespace {

using base::Clock;
using base::seconds_since;

// What a call has done, for its statistics.
struct CallTotals {
  std::uint64_t candidates = 0;
  FlagTotals flags;  // rabin-karp only
  CallReport report;
};

constexpr std::uint64_t convert_grain_bytes = std::uint64_t{256} << 10;
constexpr std::uint64_t least_staged_bytes = std::uint64_t{128} << 10;  // for less, making buffers would take longer

}  // namespace

struct RecordSearcher::State {
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
    const std::string_view bytes = records.bytes().substr(records.begin_of(0), records.total_bytes());
    std::atomic<bool> unchanged = true;
    run_ranges(threads, bytes.size(), convert_grain_bytes, [&](std::uint64_t begin, std::uint64_t end) {
      if (unchanged && !data().unchanged.is(bytes.substr(begin, end - begin + text::UnchangedText::shared_bytes)))
        unchanged = false;
    });
    return unchanged;
  }
  bool is_unchanged(const ResidentRecords& records) const {
    return std::ranges::all_of(records.data().parts(),
                               [&](const gpu::RecordPart& part) { return part.text->is(data().unchanged); });
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
  /// Whether the CPU searches these records. Says so in totals.report.
  bool is_for_cpu(const Records& records, CallTotals& totals) const {
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
    stats.search.seconds = seconds_since(begin);
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

RecordSearcher::RecordSearcher(Plan plan, SearcherOptions options, const Device& device)
    : state_(new State{std::move(plan), std::move(options), {}, {}, InstructionSet::baseline, {}, 1, device}) {
  State& state = *state_;
  if (state.options.match_kind != MatchKind::overlapping)
    throw Error(ErrorKind::invalid_argument,
                "records are searched for all occurrences: leave match_kind at overlapping");
  if (state.plan.view().decodes())
    throw Error(ErrorKind::unsupported, "records are UTF-8: they are not searched through a view that decodes");
  if (state.options.one_per_line)
    throw Error(ErrorKind::invalid_argument, "records are searched for all occurrences: leave one_per_line off");
  state.engine_options = state.options;
  state.engine_options.condition = Condition::none;
  const PatternSet& patterns = state.plan.data().patterns;
  state.plan.data().check_condition(state.options.condition);
  state.algorithm = resolve_algorithm(state.options.algorithm, patterns).name;
  state.set = choose_instruction_set(state.options.instruction_set);
  state.instruction_set = name_of(state.set);
  state.threads = thread_count(state.options.threads);
  const PlanData& data = state.plan.data();
  const bool has_view = !state.plan.view().empty();
  const bool flags = state.algorithm == RecordFlagger::algorithm && !has_view;
  if (flags) state.flagger = std::make_unique<RecordFlagger>(device, data, state.engine_options, state.threads);
  // Flagged records are searched by the algorithm that `auto` would choose.
  const std::string searching(flags ? choose_algorithm(patterns).name : state.algorithm);
  state.cpu = make_cpu_search(searching, data, state.engine_options, state.set, state.threads);
  if (device.gpus() != nullptr)
    state.gpu =
        std::make_shared<const GpuSearch>(*device.gpus(), data, state.algorithm, state.engine_options, state.threads);
  else if (device.is_auto())
    state.automatic =
        std::make_shared<const AutoSearch>(device.automatic(), state.cpu, state.algorithm, state.algorithm);
  if (has_view)
    state.view = std::make_unique<const ViewSearch>(state.choose_engine(), state.cpu->strategy(), data,
                                                    state.engine_options, state.threads);
}

RecordSearcher::RecordSearcher(RecordSearcher&&) noexcept = default;
RecordSearcher& RecordSearcher::operator=(RecordSearcher&&) noexcept = default;
RecordSearcher::~RecordSearcher() = default;

RecordHits RecordSearcher::first(const RecordSource& source, const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  HitRows rows;
  const auto add_whole = [&](std::vector<RecordHit>& hits) {
    rows.add(std::move(hits));
    return true;
  };
  const auto add = [&](std::span<const RecordHit> batch) {
    rows.add({batch.begin(), batch.end()});
    return true;
  };
  if (!state_->first_on_gpu(records, run, add_whole)) state_->first_in_order(records, add, run);
  return rows.build(records.size(), state_->threads);
}

void RecordSearcher::first(const RecordSource& source, const RecordHitSink& sink, const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto take = [&](const std::vector<RecordHit>& hits) { return sink(hits); };
  if (!state_->first_on_gpu(records, run, take)) state_->first_in_order(records, sink, run);
}

void RecordSearcher::first_dense(const RecordSource& source, std::span<std::int32_t> cells,
                                 const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  state_->first_dense(records, cells, run);
}

void RecordSearcher::first_dense(const RecordSource& source, std::span<std::int64_t> cells,
                                 const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  state_->first_dense(records, cells, run);
}

void RecordSearcher::first_dense(const ResidentRecords& records, DeviceMatrix& cells,
                                 const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  state_->check_cells(records, cells.size(), true);
  if (!state_->is_unchanged(records)) {
    const HostRecords copy(records.data());
    std::vector<std::int32_t> on_host(dense_cells(records.size(), plan().patterns().size()));
    state_->first_dense<std::int32_t>(copy.records(), on_host, run);
    return cells.write(0, on_host);
  }
  CallTotals totals;
  const gpu::RecordSearch& search = state_->search_of(records, totals);
  if (records.data().runtimes().front() != cells.runtime())
    throw Error(ErrorKind::unsupported, "the matrix lies on another device than the records");
  const gpu::RecordTotals found = search.fill_on_device(records.data(), gpu::Mode::first,
                                                        state_->request_of(run, records.total_bytes()), cells.buffer());
  totals.candidates = found.candidates;
  state_->record_stats(records, run, begin, found.matches, std::move(totals));
}

std::vector<std::uint8_t> RecordSearcher::contains_any(const RecordSource& source, const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto begin = Clock::now();
  std::vector<std::uint8_t> bits;
  resize_empty(bits, (records.size() + 7) / 8, state_->threads);
  std::uint64_t matches = 0;
  CallTotals totals;
  if (state_->has_rows(records, gpu::Mode::any)) {
    matches = state_->fill_rows(
        records, gpu::Mode::any, run,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
          put_bits(words, last - first, bits.data(), first);
        },
        totals);
  } else {
    std::vector<std::uint8_t> any(records.size());
    state_->take_all(
        records.records(), run, [&] { return std::make_unique<AnyTaker>(any.data()); }, totals);
    matches = pack_bits(any, bits, state_->threads);
  }
  state_->record_stats(records, run, begin, matches, std::move(totals));
  return bits;
}

std::uint64_t RecordSearcher::contains_row_bytes() const noexcept { return (plan().patterns().size() + 7) / 8; }

void RecordSearcher::contains(const RecordSource& source, std::span<std::uint8_t> bits,
                              const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto begin = Clock::now();
  const std::uint64_t needed = dense_cells(records.size(), contains_row_bytes());
  if (bits.size() < needed)
    throw Error(ErrorKind::limit, "the bits of " + std::to_string(records.size()) + " records and " +
                                      std::to_string(plan().patterns().size()) + " patterns need " +
                                      std::to_string(needed) + " bytes, not " + std::to_string(bits.size()));
  Total hits{0};
  CallTotals totals;
  const std::uint64_t row_bytes = contains_row_bytes();
  if (state_->has_rows(records, gpu::Mode::contains)) {
    hits = state_->fill_rows(
        records, gpu::Mode::contains, run,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
          const std::uint64_t row_words = gpu::words_of_row(gpu::Mode::contains, plan().patterns().size());
          for (std::uint64_t row = first; row < last; ++row)
            std::memcpy(bits.data() + row * row_bytes, words.data() + (row - first) * row_words, row_bytes);
        },
        totals);
  } else {
    state_->take_all(
        records.records(), run,
        [&] { return std::make_unique<ContainsTaker>(state_->data(), bits.data(), row_bytes, hits); }, totals);
  }
  state_->record_stats(records, run, begin, hits, std::move(totals));
}

std::vector<std::uint64_t> RecordSearcher::count_per_record(const RecordSource& source,
                                                            const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto begin = Clock::now();
  std::vector<std::uint64_t> counts;
  resize_empty(counts, records.size(), state_->threads);
  CallTotals totals;
  if (state_->has_rows(records, gpu::Mode::per_record)) {
    state_->fill_rows(
        records, gpu::Mode::per_record, run,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
          for (std::uint64_t at = 0; at < last - first; ++at)
            counts[first + at] = words[2 * at] | std::uint64_t{words[2 * at + 1]} << 32;
        },
        totals);
  } else {
    state_->take_all(
        records.records(), run, [&] { return std::make_unique<RecordCountTaker>(state_->data(), counts.data()); },
        totals);
  }
  std::uint64_t matches = 0;
  for (const std::uint64_t count : counts) matches += count;
  state_->record_stats(records, run, begin, matches, std::move(totals));
  return counts;
}

std::vector<std::uint64_t> RecordSearcher::count_per_pattern(const RecordSource& source,
                                                             const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto begin = Clock::now();
  const PlanData& plan = state_->data();
  std::vector<std::uint64_t> sums(plan.distinct_count());
  std::mutex mutex;
  CallTotals totals;
  if (records.resident() != nullptr) {
    const gpu::RecordSearch& search = state_->search_of(*records.resident(), totals);
    const gpu::RecordRequest request = state_->request_of(run, records.total_bytes());
    totals.candidates = search.count_per_distinct(records.resident()->data(), request, sums).candidates;
  } else if (state_->is_staged(records, gpu::Mode::per_distinct)) {
    totals.report.device = state_->device.name();
    const gpu::RecordRequest request = state_->request_of(run, records.total_bytes());
    totals.candidates =
        state_->search_with(state_->gpu).count_per_distinct(records.records(), request, sums).candidates;
  } else {
    state_->take_all(
        records.records(), run, [&] { return std::make_unique<PatternCountTaker>(plan, sums, mutex); }, totals);
  }
  std::vector<std::uint64_t> counts(plan.id_count());
  std::uint64_t matches = 0;
  const Ids ids(plan);
  for (std::uint32_t distinct = 0; distinct < sums.size(); ++distinct)
    ids.for_each(distinct, [&](std::uint32_t id) {
      counts[id] += sums[distinct];
      matches += sums[distinct];
    });
  state_->record_stats(records, run, begin, matches, std::move(totals));
  return counts;
}

const Plan& RecordSearcher::plan() const noexcept { return state_->plan; }
const SearcherOptions& RecordSearcher::options() const noexcept { return state_->options; }
const Device& RecordSearcher::device() const noexcept { return state_->device; }
const std::string& RecordSearcher::algorithm() const noexcept { return state_->algorithm; }
const std::string& RecordSearcher::instruction_set() const noexcept { return state_->instruction_set; }
std::string RecordSearcher::strategy() const { return state_->strategy(); }

std::uint64_t dense_cells(std::uint64_t records, std::uint64_t patterns) {
  std::uint64_t cells = 0;
  if (__builtin_mul_overflow(records, patterns, &cells))
    throw Error(ErrorKind::limit,
                "a matrix of " + std::to_string(records) + " records and " + std::to_string(patterns) +
                    " patterns has more cells than 64 bits count: take a slice of the records at a time");
  return cells;
}

}  // namespace lode
