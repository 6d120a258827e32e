#include "lode/records.hpp"

#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "plan/algorithms.hpp"
#include "records/match_rows.hpp"
#include "records/record_bits.hpp"
#include "records/record_searcher_state.hpp"

namespace lode {

using base::Clock;

RecordSearcher::RecordSearcher(Plan plan, SearcherOptions options, const Device& device)
    : state_(new State{std::move(plan), std::move(options), {}, {}, InstructionSet::baseline, {}, 1, device}) {
  State& state = *state_;
  if (state.options.match_kind != MatchKind::overlapping)
    throw Error(ErrorKind::invalid_argument,
                "records are searched for all occurrences: leave match_kind at overlapping");
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
                                                    state.engine_options, state.set, false, state.threads);
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

RecordMatches RecordSearcher::find(const RecordSource& source, MatchKind kind, const RecordRunOptions& run) const {
  HostRecords copy;
  const RecordSource records = state_->viewable(source, copy);
  const auto begin = Clock::now();
  CallTotals totals;
  MatchRows rows(state_->data());
  if (records.resident() != nullptr) {
    const std::unique_ptr<RecordTaker> taker = rows.make_taker();
    state_->list_resident(
        *records.resident(), run,
        [&](std::span<const RecordOccurrence> found) {
          taker->take(found);
          return true;
        },
        totals);
  } else {
    state_->take_all(
        records.records(), run, [&] { return rows.make_taker(); }, totals);
  }
  RecordMatches found = rows.build(records.size(), kind, state_->threads);
  state_->record_stats(records, run, begin, found.matches.size(), std::move(totals));
  return found;
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
