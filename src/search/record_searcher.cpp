#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/threads.hpp"
#include "lode/error.hpp"
#include "lode/records.hpp"
#include "plan/algorithms.hpp"
#include "search/auto_search.hpp"
#include "search/gpu_search.hpp"
#include "search/record_flags.hpp"
#include "search/record_run.hpp"

namespace lode {
namespace {

constexpr std::size_t batch_hits = 4096;
constexpr std::size_t least_to_compact = std::size_t{1} << 16;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The ids that a distinct pattern stands for.
class Ids {
 public:
  explicit Ids(const PlanData& plan) : plan_(plan), has_duplicates_(plan.has_duplicates()) {}
  template <class Use>
  void for_each(std::uint32_t distinct, Use use) const {
    if (!has_duplicates_) return use(distinct);
    for (const std::uint32_t id : plan_.group(distinct)) use(id);
  }

 private:
  const PlanData& plan_;
  const bool has_duplicates_;
};

using Total = std::atomic<std::uint64_t>;

template <class Cell>
class DenseTaker final : public RecordTaker {
 public:
  DenseTaker(const PlanData& plan, Cell* cells, Total& hits)
      : ids_(plan), columns_(plan.patterns.size()), cells_(cells), hits_(hits) {}
  ~DenseTaker() override { hits_ += found_; }

  void begin(std::uint64_t first, std::uint64_t last) override {
    std::memset(cells_ + first * columns_, 0xff, (last - first) * columns_ * sizeof(Cell));  // -1
  }
  void take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found)
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        Cell& cell = cells_[occurrence.record * columns_ + id];
        found_ += cell < 0 ? 1 : 0;
        if (cell < 0 || static_cast<std::uint64_t>(cell) > occurrence.offset)
          cell = static_cast<Cell>(occurrence.offset);
      });
  }

 private:
  const Ids ids_;
  const std::uint64_t columns_;
  Cell* const cells_;
  Total& hits_;
  std::uint64_t found_ = 0;
};

class ContainsTaker final : public RecordTaker {
 public:
  ContainsTaker(const PlanData& plan, std::uint8_t* bits, std::uint64_t row_bytes, Total& hits)
      : ids_(plan), row_bytes_(row_bytes), bits_(bits), hits_(hits) {}
  ~ContainsTaker() override { hits_ += found_; }

  void begin(std::uint64_t first, std::uint64_t last) override {
    std::memset(bits_ + first * row_bytes_, 0, (last - first) * row_bytes_);
  }
  void take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found)
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        std::uint8_t& byte = bits_[occurrence.record * row_bytes_ + id / 8];
        const auto bit = static_cast<std::uint8_t>(1u << id % 8);
        found_ += (byte & bit) == 0 ? 1 : 0;
        byte |= bit;
      });
  }

 private:
  const Ids ids_;
  const std::uint64_t row_bytes_;
  std::uint8_t* const bits_;
  Total& hits_;
  std::uint64_t found_ = 0;
};

// One byte a record, 1 where anything occurs.
class AnyTaker final : public RecordTaker {
 public:
  explicit AnyTaker(std::uint8_t* any) : any_(any) {}
  void begin(std::uint64_t first, std::uint64_t last) override { std::memset(any_ + first, 0, last - first); }
  void take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found) any_[occurrence.record] = 1;
  }

 private:
  std::uint8_t* const any_;
};

class RecordCountTaker final : public RecordTaker {
 public:
  RecordCountTaker(const PlanData& plan, std::uint64_t* counts) : plan_(plan), counts_(counts) {}
  void begin(std::uint64_t, std::uint64_t) override {}
  void take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found)
      counts_[occurrence.record] += plan_.multiplicity(occurrence.distinct);
  }

 private:
  const PlanData& plan_;
  std::uint64_t* const counts_;
};

class PatternCountTaker final : public RecordTaker {
 public:
  PatternCountTaker(const PlanData& plan, std::vector<std::uint64_t>& sums, std::mutex& mutex)
      : counts_(plan.distinct_count()), sums_(sums), mutex_(mutex) {}
  ~PatternCountTaker() override {
    const std::lock_guard lock(mutex_);
    for (std::size_t distinct = 0; distinct < counts_.size(); ++distinct) sums_[distinct] += counts_[distinct];
  }
  void begin(std::uint64_t, std::uint64_t) override {}
  void take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found) ++counts_[occurrence.distinct];
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t>& sums_;
  std::mutex& mutex_;
};

bool comes_before(const RecordOccurrence& a, const RecordOccurrence& b) {
  if (a.record != b.record) return a.record < b.record;
  return a.distinct != b.distinct ? a.distinct < b.distinct : a.offset < b.offset;
}

// Leaves of each record and pattern the first occurrence, sorted by both.
void keep_first(std::vector<RecordOccurrence>& occurrences) {
  std::sort(occurrences.begin(), occurrences.end(), comes_before);
  const auto is_same = [](const RecordOccurrence& a, const RecordOccurrence& b) {
    return a.record == b.record && a.distinct == b.distinct;
  };
  occurrences.erase(std::unique(occurrences.begin(), occurrences.end(), is_same), occurrences.end());
}

// Turns occurrences in order of records into hits, batch by batch.
class HitSender {
 public:
  HitSender(const PlanData& plan, const RecordHitSink& sink)
      : ids_(plan), expands_(plan.has_duplicates()), sink_(sink) {}

  /// Of a record that is not complete, more may follow in the next call.
  bool take(std::span<const RecordOccurrence> found) {
    for (const RecordOccurrence& occurrence : found) {
      if (!open_.empty() && open_.back().record != occurrence.record && !close()) return false;
      open_.push_back(occurrence);
      if (open_.size() >= compact_at_) {
        keep_first(open_);
        compact_at_ = std::max(least_to_compact, 2 * open_.size());
      }
    }
    return true;
  }
  bool finish() { return close() && (batch_.empty() || send()); }
  std::uint64_t hits() const { return hits_; }

 private:
  bool close() {
    keep_first(open_);
    const auto begin = static_cast<std::ptrdiff_t>(batch_.size());
    for (const RecordOccurrence& occurrence : open_)
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        batch_.push_back({occurrence.record, occurrence.offset, id});
      });
    if (expands_)
      std::sort(batch_.begin() + begin, batch_.end(),
                [](const RecordHit& a, const RecordHit& b) { return a.pattern_id < b.pattern_id; });
    open_.clear();
    compact_at_ = least_to_compact;
    return batch_.size() < batch_hits || send();
  }
  bool send() {
    hits_ += batch_.size();
    const bool wanted = sink_(batch_);
    batch_.clear();
    return wanted;
  }

  const Ids ids_;
  const bool expands_;
  const RecordHitSink& sink_;
  std::vector<RecordOccurrence> open_;  // of one record
  std::size_t compact_at_ = least_to_compact;
  std::vector<RecordHit> batch_;
  std::uint64_t hits_ = 0;
};

// What a call has done, for its statistics.
struct CallTotals {
  std::uint64_t candidates = 0;
  std::uint64_t flagged = 0;
  std::uint64_t false_positives = 0;
  double flag_seconds = 0;
  double verify_seconds = 0;
  CallReport report;
};

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
  std::unique_ptr<Scanner> scanner = {};        // of the CPU; of what rabin-karp flags
  std::unique_ptr<RecordFlagger> flagger = {};  // rabin-karp; else null
  std::unique_ptr<GpuSearch> gpu = {};          // where the device is GPUs and there is no flagger; else null
  std::unique_ptr<AutoSearch> automatic = {};   // where the device is `auto` and there is no flagger; else null

  const PlanData& data() const { return plan.data(); }
  RecordSetup setup() const { return {{plan.data(), *scanner, engine_options, set, threads}, options.condition}; }

  OrderedSearch search_of_gpu(CallTotals& totals) const {
    return [this, &totals](const Text& text, const RunOptions& run,
                           const std::function<bool(std::span<const Match>)>& take) {
      if (automatic) return automatic->run_ordered(text, run, false, take, totals.report);
      totals.report.device = device.name();
      return gpu->run_ordered(text, run, false, take);
    };
  }
  /// Whether the CPU searches these records.
  bool is_for_cpu(const Records& records, CallTotals& totals) const {
    if (gpu) return false;
    if (automatic) return !automatic->wants_gpu(records.total_bytes(), totals.report);
    totals.report.device = device.name();
    return true;
  }

  void take_all(const Records& records, const RecordRunOptions& run, const MakeRecordTaker& make_taker,
                CallTotals& totals) const {
    if (flagger) return take_flagged(records, run, make_taker, totals);
    totals.candidates += is_for_cpu(records, totals)
                             ? take_on_cpu(setup(), records, {}, run, make_taker)
                             : take_in_order(setup(), records, search_of_gpu(totals), run, make_taker);
  }

  /// Gives what occurs to `take`, in order of records; `take` returns false to end.
  void list_all(const Records& records, const RecordRunOptions& run,
                const std::function<bool(std::span<const RecordOccurrence>)>& take, CallTotals& totals) const {
    if (flagger) return list_flagged(records, run, take, totals);
    OrderedSearch search = search_of_gpu(totals);
    if (is_for_cpu(records, totals))
      search = [this](const Text& text, const RunOptions& part, const auto& take_matches) {
        return run_ordered(setup().cpu, text, part, take_matches);
      };
    totals.candidates += list_in_order(setup(), records, search, run, take);
  }

  // Hands records on by their numbers in the whole, and notes which of them hold a match.
  class PartTaker final : public RecordTaker {
   public:
    PartTaker(std::unique_ptr<RecordTaker> taker, std::uint64_t first, std::uint8_t* flags)
        : taker_(std::move(taker)), first_(first), flags_(flags) {}
    void begin(std::uint64_t first, std::uint64_t last) override { taker_->begin(first_ + first, first_ + last); }
    void take(std::span<const RecordOccurrence> found) override {
      renumbered_.assign(found.begin(), found.end());
      for (RecordOccurrence& occurrence : renumbered_) {
        flags_[occurrence.record] = flagged_and_matched;
        occurrence.record += first_;
      }
      taker_->take(renumbered_);
    }

   private:
    std::unique_ptr<RecordTaker> taker_;
    const std::uint64_t first_;
    std::uint8_t* const flags_;
    std::vector<RecordOccurrence> renumbered_;
  };
  static constexpr std::uint8_t flagged_and_matched = 2;

  /// Part by part: flags records, then searches the flagged ones. `after_part` returns false to end.
  void run_flagged(const Records& records, const RecordRunOptions& run, const MakeRecordTaker& make_taker,
                   CallTotals& totals, const std::function<bool()>& after_part) const {
    totals.report.device = device.name();
    const std::uint64_t total_bytes = records.total_bytes();
    RecordRunOptions quiet;
    quiet.stop = run.stop;
    auto begin = Clock::now();
    flagger->run(records, run.stop, [&](std::uint64_t first, std::span<std::uint8_t> flags) {
      totals.flag_seconds += seconds_since(begin);
      begin = Clock::now();
      const Records part = records.slice(first, first + flags.size());
      totals.candidates += take_on_cpu(setup(), part, flags, quiet,
                                       [&] { return std::make_unique<PartTaker>(make_taker(), first, flags.data()); });
      for (const std::uint8_t flag : flags) {
        totals.flagged += flag != 0 ? 1 : 0;
        totals.false_positives += flag == 1 ? 1 : 0;
      }
      if (run.progress) run.progress(records.end_of(first + flags.size() - 1) - records.begin_of(0), total_bytes);
      const bool wanted = after_part();
      totals.verify_seconds += seconds_since(begin);
      begin = Clock::now();
      return wanted;
    });
  }

  void take_flagged(const Records& records, const RecordRunOptions& run, const MakeRecordTaker& make_taker,
                    CallTotals& totals) const {
    run_flagged(records, run, make_taker, totals, [] { return true; });
  }

  void list_flagged(const Records& records, const RecordRunOptions& run,
                    const std::function<bool(std::span<const RecordOccurrence>)>& take, CallTotals& totals) const {
    class ListTaker final : public RecordTaker {
     public:
      ListTaker(std::vector<RecordOccurrence>& all, std::mutex& mutex) : all_(all), mutex_(mutex) {}
      ~ListTaker() override {
        keep_first(list_);
        const std::lock_guard lock(mutex_);
        all_.insert(all_.end(), list_.begin(), list_.end());
      }
      void begin(std::uint64_t, std::uint64_t) override {}
      void take(std::span<const RecordOccurrence> found) override {
        list_.insert(list_.end(), found.begin(), found.end());
        if (list_.size() < compact_at_) return;
        keep_first(list_);
        compact_at_ = std::max(least_to_compact, 2 * list_.size());
      }

     private:
      std::vector<RecordOccurrence> list_;
      std::size_t compact_at_ = least_to_compact;
      std::vector<RecordOccurrence>& all_;
      std::mutex& mutex_;
    };
    std::vector<RecordOccurrence> all;
    std::mutex mutex;
    run_flagged(
        records, run, [&] { return std::make_unique<ListTaker>(all, mutex); }, totals,
        [&] {
          std::sort(all.begin(), all.end(), comes_before);
          const bool wanted = all.empty() || take(all);
          all.clear();
          return wanted;
        });
  }

  void record_stats(const Records& records, const RecordRunOptions& run, Clock::time_point begin, std::uint64_t matches,
                    CallTotals totals) const {
    if (run.stats == nullptr) return;
    RecordStats& stats = *run.stats;
    stats = {};
    stats.search.algorithm = algorithm;
    stats.search.device = std::move(totals.report.device);
    stats.search.choice = std::move(totals.report.choice);
    stats.search.warning = std::move(totals.report.warning);
    stats.search.instruction_set = instruction_set;
    stats.search.threads = threads;
    stats.search.bytes = records.total_bytes();
    stats.search.candidates = totals.candidates;
    stats.search.matches = matches;
    stats.search.seconds = seconds_since(begin);
    stats.records = records.size();
    stats.flagged_records = totals.flagged;
    stats.false_positives = totals.false_positives;
    stats.flag_seconds = totals.flag_seconds;
    stats.verify_seconds = totals.verify_seconds;
  }

  template <class Cell>
  void first_dense(const Records& records, std::span<Cell> cells, const RecordRunOptions& run) const {
    const auto begin = Clock::now();
    const std::uint64_t needed = dense_cells(records.size(), plan.patterns().size());
    if (cells.size() < needed)
      throw Error(ErrorKind::limit, "a matrix of " + std::to_string(records.size()) + " records and " +
                                        std::to_string(plan.patterns().size()) + " patterns needs " +
                                        std::to_string(needed) + " cells, not " + std::to_string(cells.size()));
    if constexpr (sizeof(Cell) == 4) {
      if (const std::uint64_t longest = records.total_bytes() > INT32_MAX ? records.longest() : 0; longest > INT32_MAX)
        throw Error(ErrorKind::limit, "a record of " + std::to_string(longest) + " bytes needs cells of 64 bits");
    }
    Total hits{0};
    CallTotals totals;
    take_all(
        records, run, [&] { return std::make_unique<DenseTaker<Cell>>(data(), cells.data(), hits); }, totals);
    record_stats(records, run, begin, hits, std::move(totals));
  }
};

RecordSearcher::RecordSearcher(Plan plan, SearcherOptions options, const Device& device)
    : state_(new State{std::move(plan), std::move(options), {}, {}, InstructionSet::baseline, {}, 1, device}) {
  State& state = *state_;
  if (state.options.match_kind != MatchKind::overlapping || state.options.one_per_line)
    throw Error(ErrorKind::invalid_argument,
                "records are searched for all occurrences: leave match_kind at overlapping, and one_per_line off");
  state.engine_options = state.options;
  state.engine_options.condition = Condition::none;
  const PatternSet& patterns = state.plan.patterns();
  state.algorithm = resolve_algorithm(state.options.algorithm, patterns).name;
  state.set = choose_instruction_set(state.options.instruction_set);
  state.instruction_set = name_of(state.set);
  state.threads = thread_count(state.options.threads);
  const PlanData& data = state.plan.data();
  if (state.algorithm == RecordFlagger::algorithm) {
    state.flagger = std::make_unique<RecordFlagger>(device, data, state.engine_options, state.threads);
    state.scanner = make_scanner(choose_algorithm(patterns).name, data, state.set);
    return;
  }
  state.scanner = make_scanner(state.algorithm, data, state.set);
  if (device.gpus() != nullptr)
    state.gpu = std::make_unique<GpuSearch>(*device.gpus(), data, state.algorithm, state.engine_options, state.threads);
  else if (device.is_auto())
    state.automatic = std::make_unique<AutoSearch>(device.automatic(), state.setup().cpu, state.algorithm);
}

RecordSearcher::RecordSearcher(RecordSearcher&&) noexcept = default;
RecordSearcher& RecordSearcher::operator=(RecordSearcher&&) noexcept = default;
RecordSearcher::~RecordSearcher() = default;

RecordHits RecordSearcher::first(const Records& records, const RecordRunOptions& run) const {
  RecordHits hits;
  hits.row_starts.resize(records.size() + 1);
  first(
      records,
      [&](std::span<const RecordHit> batch) {
        for (const RecordHit& hit : batch) {
          ++hits.row_starts[hit.record + 1];
          hits.pattern_ids.push_back(hit.pattern_id);
          hits.offsets.push_back(hit.offset);
        }
        return true;
      },
      run);
  for (std::uint64_t record = 0; record < records.size(); ++record)
    hits.row_starts[record + 1] += hits.row_starts[record];
  return hits;
}

void RecordSearcher::first(const Records& records, const RecordHitSink& sink, const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  CallTotals totals;
  HitSender sender(state_->data(), sink);
  bool wanted = true;
  state_->list_all(
      records, run, [&](std::span<const RecordOccurrence> found) { return wanted = sender.take(found); }, totals);
  if (wanted) sender.finish();
  state_->record_stats(records, run, begin, sender.hits(), std::move(totals));
}

void RecordSearcher::first_dense(const Records& records, std::span<std::int32_t> cells,
                                 const RecordRunOptions& run) const {
  state_->first_dense(records, cells, run);
}

void RecordSearcher::first_dense(const Records& records, std::span<std::int64_t> cells,
                                 const RecordRunOptions& run) const {
  state_->first_dense(records, cells, run);
}

std::vector<std::uint8_t> RecordSearcher::contains_any(const Records& records, const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  std::vector<std::uint8_t> any(records.size());
  CallTotals totals;
  state_->take_all(
      records, run, [&] { return std::make_unique<AnyTaker>(any.data()); }, totals);
  std::vector<std::uint8_t> bits((records.size() + 7) / 8);
  std::uint64_t matches = 0;
  for (std::uint64_t record = 0; record < records.size(); ++record) {
    bits[record / 8] |= static_cast<std::uint8_t>(any[record] << record % 8);
    matches += any[record];
  }
  state_->record_stats(records, run, begin, matches, std::move(totals));
  return bits;
}

std::uint64_t RecordSearcher::contains_row_bytes() const noexcept { return (plan().patterns().size() + 7) / 8; }

void RecordSearcher::contains(const Records& records, std::span<std::uint8_t> bits, const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  const std::uint64_t needed = dense_cells(records.size(), contains_row_bytes());
  if (bits.size() < needed)
    throw Error(ErrorKind::limit, "the bits of " + std::to_string(records.size()) + " records and " +
                                      std::to_string(plan().patterns().size()) + " patterns need " +
                                      std::to_string(needed) + " bytes, not " + std::to_string(bits.size()));
  Total hits{0};
  CallTotals totals;
  state_->take_all(
      records, run,
      [&] { return std::make_unique<ContainsTaker>(state_->data(), bits.data(), contains_row_bytes(), hits); }, totals);
  state_->record_stats(records, run, begin, hits, std::move(totals));
}

std::vector<std::uint64_t> RecordSearcher::count_per_record(const Records& records, const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  std::vector<std::uint64_t> counts(records.size());
  CallTotals totals;
  state_->take_all(
      records, run, [&] { return std::make_unique<RecordCountTaker>(state_->data(), counts.data()); }, totals);
  std::uint64_t matches = 0;
  for (const std::uint64_t count : counts) matches += count;
  state_->record_stats(records, run, begin, matches, std::move(totals));
  return counts;
}

std::vector<std::uint64_t> RecordSearcher::count_per_pattern(const Records& records,
                                                             const RecordRunOptions& run) const {
  const auto begin = Clock::now();
  const PlanData& plan = state_->data();
  std::vector<std::uint64_t> sums(plan.distinct_count());
  std::mutex mutex;
  CallTotals totals;
  state_->take_all(
      records, run, [&] { return std::make_unique<PatternCountTaker>(plan, sums, mutex); }, totals);
  std::vector<std::uint64_t> counts(plan.patterns.size());
  std::uint64_t matches = 0;
  const Ids ids(plan);
  for (std::uint32_t distinct = 0; distinct < sums.size(); ++distinct)
    ids.for_each(distinct, [&](std::uint32_t id) {
      counts[id] = sums[distinct];
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

}  // namespace lode
