#include "lode/searcher.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "plan/algorithms.hpp"
#include "plan/spellings.hpp"
#include "search/auto_search.hpp"
#include "search/cpu_search.hpp"
#include "search/gpu_search.hpp"
#include "search/id_expander.hpp"
#include "search/leftmost_search.hpp"
#include "search/view_engines.hpp"
#include "search/view_search.hpp"

namespace lode {

std::uint64_t Text::size() const {
  if (resident_ != nullptr) return resident_->size();
  return source_ != nullptr ? source_->size() : bytes_.size();
}

namespace {

// Listing and sorting an occurrence costs about as much as clearing and summing the counters of so many patterns.
constexpr std::uint64_t patterns_per_listed = 16;

// Fills the caller's statistics when the call ends.
class StatsRecorder {
 public:
  StatsRecorder(const Searcher& searcher, unsigned threads, const Text& text, const RunOptions& run)
      : stats_(run.stats), begin_(base::Clock::now()) {
    if (stats_ == nullptr) return;
    *stats_ = {};
    stats_->algorithm = searcher.algorithm();
    stats_->instruction_set = searcher.instruction_set();
    stats_->strategy = searcher.strategy();
    stats_->threads = threads;
    const std::uint64_t end = std::min(run.end, text.size());
    stats_->bytes = end - std::min(run.begin, end);
  }
  void finish(std::uint64_t candidates, std::uint64_t matches, CallReport report) {
    if (stats_ == nullptr) return;
    stats_->device = std::move(report.device);
    if (stats_->device != "cpu") stats_->strategy.clear();
    stats_->choice = std::move(report.choice);
    stats_->rates = std::move(report.rates);
    stats_->warning = std::move(report.warning);
    stats_->candidates = candidates;
    stats_->matches = matches;
    stats_->seconds = base::seconds_since(begin_);
  }

 private:
  SearchStats* stats_;
  base::Clock::time_point begin_;
};

}  // namespace

struct Searcher::State {
  Plan plan;
  SearcherOptions options;
  std::string algorithm;
  InstructionSet set;
  std::string instruction_set;
  unsigned threads;
  Device device;
  SearcherOptions block_options = {};  // those of the search of viewed blocks
  std::shared_ptr<const Backend> backend = {};
  std::unique_ptr<LeftmostSearch> leftmost = {};  // for the leftmost kinds; refers to plan and options

  Totals counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                CallReport& report) const {
    report.device = device.name();
    return backend->run_counts(text, run, mode, stop_at_first, report);
  }
  std::uint64_t ordered(const Text& text, const RunOptions& run, bool ends_early, CallReport& report,
                        const TakeMatches& take) const {
    report.device = device.name();
    return backend->run_ordered(text, run, ends_early, take, report);
  }
  struct Few {
    std::vector<std::uint32_t> found;  // the distinct index of each occurrence
    std::uint64_t candidates = 0;
  };
  // Lists the occurrences in a text that is so short that a counter for each pattern would cost more. Returns nothing
  // if the text is longer, if occurrences are many, or if the backend has counters at hand.
  std::optional<Few> list_few(const Text& text, const RunOptions& run, CallReport& report) const {
    const std::uint64_t most = plan.data().distinct_count() / patterns_per_listed;
    const std::uint64_t end = std::min(run.end, text.size());
    const std::uint64_t bytes = end - std::min(run.begin, end);
    if (backend->has_counters() || text.resident() != nullptr || bytes > most * patterns_per_listed)
      return std::nullopt;
    RunOptions part = run;
    part.progress = {};
    Few few;
    bool complete = true;
    few.candidates = ordered(text, part, false, report, [&](std::span<const Match> found) {
      complete = found.size() <= most - few.found.size();
      if (complete)
        for (const Match& match : found) few.found.push_back(match.pattern_id);
      return complete;
    });
    if (!complete) return std::nullopt;
    if (run.progress && bytes != 0) run.progress(bytes, bytes);
    return few;
  }
  bool lists_to_count() const { return options.match_kind != MatchKind::overlapping || options.one_per_line; }
  // The answer is looked for once, because that reads all bytes of all patterns.
  bool any_match_may_hold_terminator() const {
    std::call_once(terminator_sought, [this] { has_terminator = may_span(plan, options.line_terminator); });
    return has_terminator;
  }

  void make_backend(const std::string& resolved_algorithm) {
    const ViewSearch::ChooseEngine choose_engine = make_backend_without_view(resolved_algorithm);
    if (plan.view().empty()) return;
    // An algorithm that was asked for searches all of the text.
    const bool may_scout = options.algorithm == "auto" && device.gpus() == nullptr;
    backend = std::make_shared<const ViewSearch>(choose_engine, backend->strategy(), plan.data(), options, set,
                                                 may_scout, threads);
  }
  // Returns what searches through a view by means of the backend.
  ViewSearch::ChooseEngine make_backend_without_view(const std::string& resolved_algorithm) {
    if (device.gpus() != nullptr) {
      const auto gpu = std::make_shared<const GpuSearch>(*device.gpus(), plan.data(), algorithm, options, threads);
      backend = gpu;
      if (plan.view().empty()) return {};
      auto of_blocks = gpu;
      if (block_options.condition != options.condition)
        of_blocks = std::make_shared<const GpuSearch>(*device.gpus(), plan.data(), algorithm, block_options, threads);
      return view_on_gpu(gpu, of_blocks);
    }
    if (options.algorithm == "auto" && windows_tell_little(plan.data())) algorithm = "rabin-karp";
    const auto cpu = make_cpu_search(algorithm, plan.data(), options, set, threads);
    backend = cpu;
    const auto of_blocks = cpu->with(block_options, threads);
    if (!device.is_auto()) return view_on_cpu(cpu, of_blocks);
    const auto make_auto = [&](const std::shared_ptr<const CpuSearch>& search) {
      return std::make_shared<const AutoSearch>(device.automatic(), search, algorithm, resolved_algorithm);
    };
    const auto automatic = make_auto(cpu);
    backend = automatic;
    return view_on_auto(automatic, make_auto(of_blocks));
  }

  mutable std::once_flag terminator_sought = {};
  mutable bool has_terminator = false;
};

Searcher::Searcher(Plan plan, SearcherOptions options, const Device& device)
    : state_(new State{std::move(plan), std::move(options), {}, InstructionSet::baseline, {}, 1, device}) {
  State& state = *state_;
  const PatternSet& patterns = state.plan.data().patterns;
  state.plan.data().check_condition(state.options.condition);
  const Algorithm& algorithm = resolve_algorithm(state.options.algorithm, patterns);
  if (state.options.one_per_line && state.options.match_kind != MatchKind::overlapping)
    throw Error(ErrorKind::invalid_argument, "one_per_line goes with overlapping matches only");
  if (state.options.one_per_line) state.options.one_per_line = !state.any_match_may_hold_terminator();
  if (state.options.match_kind != MatchKind::overlapping)
    state.leftmost = std::make_unique<LeftmostSearch>(state.plan, state.options);
  state.algorithm = algorithm.name;
  state.set = choose_instruction_set(state.options.instruction_set);
  state.instruction_set = name_of(state.set);
  state.threads = thread_count(state.options.threads);
  state.block_options = state.options;
  state.block_options.condition = Condition::none;
  state.block_options.one_per_line = false;
  state.make_backend(std::string(algorithm.name));
}

Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;
Searcher::~Searcher() = default;

std::vector<Match> Searcher::find(const Text& text, const RunOptions& run) const {
  std::vector<Match> matches;
  find(
      text,
      [&](std::span<const Match> batch) {
        matches.insert(matches.end(), batch.begin(), batch.end());
        return true;
      },
      run);
  return matches;
}

void Searcher::find(const Text& text, const MatchSink& sink, const RunOptions& run) const {
  find_ordered(text, sink, run, false);
}

void Searcher::find_ordered(const Text& text, const MatchSink& sink, const RunOptions& run, bool ends_early) const {
  StatsRecorder stats(*this, state_->threads, text, run);
  CallReport report;
  if (state_->options.match_kind == MatchKind::overlapping) {
    IdExpander expander(state_->plan.data(), sink);
    const std::uint64_t candidates = state_->ordered(
        text, run, ends_early, report, [&](std::span<const Match> found) { return expander.take(found); });
    stats.finish(candidates, expander.matches(), std::move(report));
    return;
  }
  const auto list = [&](const RunOptions& part, CallReport& of_part, const TakeMatches& take) {
    return state_->ordered(text, part, ends_early, of_part, take);
  };
  const LeftmostSearch::Found found = state_->leftmost->find(text, run, list, sink, report);
  stats.finish(found.candidates, found.matches, std::move(report));
}

std::uint64_t Searcher::count(const Text& text, const RunOptions& run) const {
  if (state_->lists_to_count()) {
    std::uint64_t matches = 0;
    find(
        text,
        [&](std::span<const Match> batch) {
          matches += batch.size();
          return true;
        },
        run);
    return matches;
  }
  StatsRecorder stats(*this, state_->threads, text, run);
  CallReport report;
  const Totals totals = state_->counts(text, run, Collector::Mode::count, false, report);
  stats.finish(totals.candidates, totals.occurrences, std::move(report));
  return totals.occurrences;
}

std::vector<std::uint64_t> Searcher::count_per_pattern(const Text& text, const RunOptions& run) const {
  std::vector<std::uint64_t> counts(plan().patterns().size());
  add_counts(text, counts, run);
  return counts;
}

void Searcher::add_counts(const Text& text, std::span<std::uint64_t> counts, const RunOptions& run) const {
  const PlanData& plan = state_->plan.data();
  if (counts.size() != plan.id_count())
    throw Error(ErrorKind::invalid_argument, "there are " + std::to_string(counts.size()) + " counts for " +
                                                 std::to_string(plan.id_count()) +
                                                 " patterns: there must be one for each");
  if (state_->lists_to_count()) {
    find(
        text,
        [&](std::span<const Match> batch) {
          for (const Match& match : batch) ++counts[match.pattern_id];
          return true;
        },
        run);
    return;
  }
  StatsRecorder stats(*this, state_->threads, text, run);
  std::uint64_t matches = 0;
  const auto add = [&](std::uint32_t distinct, std::uint64_t occurrences) {
    matches += occurrences * plan.multiplicity(distinct);
    if (plan.has_duplicates())
      for (const std::uint32_t id : plan.ids(distinct)) counts[id] += occurrences;
    else
      counts[distinct] += occurrences;
  };
  CallReport report;
  if (const auto few = state_->list_few(text, run, report)) {
    for (const std::uint32_t distinct : few->found) add(distinct, 1);
    stats.finish(few->candidates, matches, std::move(report));
    return;
  }
  const CallReport of_list = std::exchange(report, {});
  const Totals totals = state_->counts(text, run, Collector::Mode::count_per_pattern, false, report);
  if (report.warning.empty()) report.warning = of_list.warning;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
    if (totals.per_distinct[distinct] != 0) add(distinct, totals.per_distinct[distinct]);
  stats.finish(totals.candidates, matches, std::move(report));
}

std::uint64_t Searcher::count_lines(std::string_view text, const RunOptions& run) const {
  if (state_->any_match_may_hold_terminator())
    throw Error(ErrorKind::unsupported, "lines cannot be counted: a match may hold the line terminator");
  StatsRecorder stats(*this, state_->threads, text, run);
  CallReport report;
  const Totals totals = state_->counts(text, run, Collector::Mode::count_lines, false, report);
  stats.finish(totals.candidates, totals.occurrences, std::move(report));
  return totals.occurrences;
}

bool Searcher::contains(const Text& text, const RunOptions& run) const {
  if (run.not_before != nullptr) return first(text, run).has_value();
  StatsRecorder stats(*this, state_->threads, text, run);
  CallReport report;
  const Totals totals = state_->counts(text, run, Collector::Mode::count, true, report);
  stats.finish(totals.candidates, totals.occurrences != 0 ? 1 : 0, std::move(report));
  return totals.occurrences != 0;
}

std::optional<Match> Searcher::first(const Text& text, const RunOptions& run) const {
  std::optional<Match> found;
  find_ordered(
      text,
      [&](std::span<const Match> batch) {
        found = batch.front();
        return false;
      },
      run, true);
  if (found && run.not_before != nullptr) *run.not_before = found->offset + found->length;
  return found;
}

const Plan& Searcher::plan() const noexcept { return state_->plan; }
const Device& Searcher::device() const noexcept { return state_->device; }
const SearcherOptions& Searcher::options() const noexcept { return state_->options; }
const std::string& Searcher::algorithm() const noexcept { return state_->algorithm; }
const std::string& Searcher::instruction_set() const noexcept { return state_->instruction_set; }
std::string Searcher::strategy() const { return state_->backend->strategy(); }

std::vector<AlgorithmInfo> list_algorithms() {
  std::vector<AlgorithmInfo> rows;
  for (const Algorithm& row : algorithms())
    rows.push_back({std::string(row.name), std::string(row.summary), std::string(row.serves)});
  return rows;
}

std::string refusal(std::string_view algorithm, const PatternSet& patterns) {
  if (algorithm == "auto") return {};
  const Algorithm* row = find_algorithm(algorithm);
  if (row == nullptr) return "there is no algorithm " + std::string(algorithm);
  return refusal_of(*row, patterns);
}

std::string refusal(std::string_view algorithm, const Plan& plan) { return refusal(algorithm, plan.data().patterns); }

}  // namespace lode
