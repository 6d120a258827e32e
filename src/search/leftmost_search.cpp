#include "search/leftmost_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "cpu/verify/automaton.hpp"
#include "lode/error.hpp"
#include "search/match_kinds.hpp"
#include "text/condition.hpp"

namespace lode {
namespace {

// Ranges begin short and grow, so that little is listed in vain if a text begins with a thousand occurrences a byte.
constexpr std::uint64_t first_range_bytes = 16;
constexpr std::uint64_t range_growth = 8;
constexpr std::uint64_t longest_range_bytes = std::uint64_t{1} << 16;
// An occurrence is listed in vain if it exceeds most_for_match for each match taken. With more than most_in_vain of
// them, occurrences count as many, and listing them all ends.
constexpr std::uint64_t most_in_vain = 4096;
constexpr std::uint64_t most_for_match = 4;
// Listing a range costs as much as listing so many occurrences.
constexpr std::uint64_t listed_for_range = 256;
constexpr std::uint64_t backward_block_bytes = std::uint64_t{1} << 16;
// After rare_bytes of text, listing is the faster way again if matches cover less than one byte in bytes_for_covered.
constexpr std::uint64_t rare_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t bytes_for_covered = 64;

// Gives pieces of a text: the whole text if it is in memory, else a buffer with the bytes that are asked for.
class TextWindow {
 public:
  TextWindow(const Text& text, std::uint64_t max_length)
      : text_(text), reach_(max_length + most_condition_bytes_behind) {
    if (text.source() == nullptr) {
      piece_ = {reinterpret_cast<const std::uint8_t*>(text.bytes().data()), text.bytes().size(), 0};
    }
  }

  /// A piece that holds the places [begin, end), what a condition looks at before them, and behind them as much as a
  /// pattern and a condition do.
  const Piece& around(std::uint64_t begin, std::uint64_t end) {
    if (text_.source() == nullptr) return piece_;
    const std::uint64_t first = begin - std::min(begin, condition_bytes_before);
    buffer_.resize(std::min(text_.size(), end + reach_) - first);
    text_.source()->read(first, buffer_);
    piece_ = {reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size(), first};
    return piece_;
  }

 private:
  const Text& text_;
  const std::uint64_t reach_;
  std::vector<char> buffer_;
  Piece piece_;
};

// Returns the index of the first value, from `from` on, that is not 0; if there is none, the number of values.
std::uint64_t first_nonzero(std::span<const std::uint32_t> values, std::uint64_t from) {
  while (from < values.size() && values[from] == 0) ++from;
  return from;
}

}  // namespace

// Places: tells which patterns start at a place. It has a backward automaton for each case rule.
class LeftmostSearch::Places {
 public:
  Places(const PlanData& plan, MatchKind kind) {
    for (const bool ignore_case : {false, true}) {
      std::vector<std::uint32_t> distincts;
      for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
        if (plan.ignore_case(distinct) == ignore_case) distincts.push_back(distinct);
      if (distincts.empty()) continue;
      Rule& rule = rules_.emplace_back(Automaton(plan, distincts, Automaton::Direction::backward));
      if (kind == MatchKind::leftmost_first) rule.fill_lowest();
    }
  }

  struct Rule {
    explicit Rule(Automaton backward) : automaton(std::move(backward)) {}

    /// Fills `lowest`. Shorter patterns come first, because the outputs that follow an output are shorter ones. Equal
    /// lengths occur in damaged plans only; there the stable order keeps the output first that the others lead to.
    void fill_lowest() {
      const auto outputs = automaton.outputs();
      std::vector<std::uint32_t> by_length(outputs.size());
      std::iota(by_length.begin(), by_length.end(), 0U);
      std::stable_sort(by_length.begin(), by_length.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return outputs[a].length < outputs[b].length; });
      lowest.resize(outputs.size());
      for (const std::uint32_t output : by_length) {
        const std::uint32_t of_shorter = lowest[outputs[output].next];
        const bool shorter_is_lower =
            outputs[output].next != 0 && outputs[of_shorter].distinct < outputs[output].distinct;
        lowest[output] = shorter_is_lower ? of_shorter : output;
      }
    }

    Automaton automaton;
    // leftmost_first: for each output, the one with the lowest distinct index among it and those that follow.
    std::vector<std::uint32_t> lowest;
  };
  const std::vector<Rule>& rules() const { return rules_; }

 private:
  std::vector<Rule> rules_;
};

// One call of find().
class LeftmostSearch::Run {
 public:
  Run(const LeftmostSearch& search, const Text& text, const RunOptions& run, const MatchSink& sink)
      : search_(search),
        plan_(search.plan_.data()),
        text_(text),
        run_(run),
        sink_(sink),
        end_(std::min(run.end, text.size())),
        begin_(std::min(run.begin, end_)),
        at_(begin_),
        kinds_(search.options_.match_kind, run.not_before == nullptr ? 0 : *run.not_before) {}

  Found find(const List& list, CallReport& report) {
    const PatternSet& patterns = plan_.patterns;
    const bool may_nest = patterns.min_length() < patterns.max_length();
    std::uint64_t width = may_nest ? first_range_bytes : longest_range_bytes;
    do {
      const bool is_whole = width >= longest_range_bytes;
      list_part(is_whole ? end_ : std::min(end_, at_ + width), may_nest, is_whole, list, report);
      if (!are_many()) {
        width *= in_vain() * range_growth < most_in_vain ? range_growth : 2;
      } else if (is_readable()) {
        find_at_places();
      } else {
        list_in_short_ranges(list, report);
      }
    } while (wanted_ && at_ < end_);
    if (run_.not_before != nullptr) *run_.not_before = kinds_.not_before();
    return {candidates_, taken_};
  }

 private:
  std::uint64_t in_vain() const { return listed_ - std::min(listed_, most_for_match * (taken_ - settled_)); }
  bool are_many() const { return in_vain() > most_in_vain; }
  // Whether automata may read the text: it lies here, as the patterns know it, and they take little memory.
  bool is_readable() const {
    return text_.resident() == nullptr && plan_.view.empty() &&
           plan_.patterns.total_bytes() <= Automaton::most_pattern_bytes;
  }

  bool deliver() {
    for (Match& match : kept_) {
      const std::uint32_t distinct = match.pattern_id;
      match.pattern_id = plan_.lowest_id(distinct);
      if (plan_.forms.empty()) continue;
      match.form = static_cast<Form>(plan_.spelled_forms[match.pattern_id]);
      match.pattern_id = plan_.spelled_ids[match.pattern_id];
    }
    taken_ += kept_.size();
    return wanted_ = kept_.empty() || sink_(kept_);
  }

  RunOptions part_until(std::uint64_t end) const {
    RunOptions part = run_;
    part.begin = at_;
    part.end = end;
    part.not_before = nullptr;
    if (run_.progress) {
      part.progress = [this, before = at_ - begin_](std::uint64_t done, std::uint64_t) {
        run_.progress(before + done, end_ - begin_);
      };
    }
    return part;
  }

  /// Lists the occurrences that start in [at_, end), and moves at_ to the place that was reached. Several parts share
  /// one report: it keeps that of the first part, then that of the rest of the text, but above all one with a warning.
  void list_part(std::uint64_t end, bool ends_where_many, bool is_rest, const List& list, CallReport& report) {
    bool is_complete = true;
    CallReport of_part;
    candidates_ += list(part_until(end), of_part, [&](std::span<const Match> found) {
      kept_.clear();
      for (const Match& match : found) kinds_.take(match, kept_);
      kinds_.settle(kept_);
      listed_ += found.size();
      if (!found.empty()) at_ = found.back().offset + 1;
      if (!deliver()) return false;
      is_complete = !ends_where_many || !are_many();
      return is_complete;
    });
    if (is_complete) at_ = end;
    const bool tells_most = report.device.empty() || is_rest || !of_part.warning.empty();
    if (report.warning.empty() && tells_most) report = std::move(of_part);
  }

  /// Goes on by automata, and moves at_ to the end, or to a place where occurrences have become rare.
  void find_at_places() {
    const Places& places = search_.places();
    const std::uint64_t longest_pattern = plan_.patterns.max_length();
    const std::uint64_t block = std::max(backward_block_bytes, 2 * longest_pattern);
    TextWindow window(text_, longest_pattern);
    std::vector<std::vector<std::uint32_t>> longest(places.rules().size());
    std::uint64_t since_bytes = 0, since_covered = 0;
    at_ = std::min(end_, std::max(at_, kinds_.not_before()));
    while (wanted_ && at_ < end_) {
      if (run_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
      const std::uint64_t end = std::min(end_, at_ + block);
      const Piece& piece = window.around(at_, end);
      for (std::size_t rule = 0; rule < longest.size(); ++rule) {
        longest[rule].resize(end - at_);
        places.rules()[rule].automaton.find_longest(piece.data, at_ - piece.base, end - piece.base, piece.size,
                                                    longest[rule]);
      }
      kept_.clear();
      std::vector<std::uint64_t> next(longest.size(), at_);  // each rule's next place with an occurrence
      for (std::uint64_t place = at_;; place = std::max(place + 1, kinds_.not_before())) {
        for (std::size_t rule = 0; rule < longest.size(); ++rule)
          if (next[rule] <= place) next[rule] = at_ + first_nonzero(longest[rule], place - at_);
        place = *std::min_element(next.begin(), next.end());
        if (place >= end) break;
        found_.clear();
        for (std::size_t rule = 0; rule < longest.size(); ++rule)
          if (next[rule] == place) add_wanted(places.rules()[rule], longest[rule][place - at_], piece, place);
        if (found_.empty()) continue;
        take_place();
        since_covered += std::max(place, kinds_.not_before()) - place;
      }
      if (!deliver()) return;
      since_bytes += end - at_;
      at_ = std::max(end, std::min(end_, kinds_.not_before()));
      if (run_.progress) run_.progress(at_ - begin_, end_ - begin_);
      if (since_bytes < rare_bytes) continue;
      if (since_covered * bytes_for_covered < since_bytes) break;
      since_bytes = since_covered = 0;
    }
    listed_ = 0;
    settled_ = taken_;
  }

  /// Adds the best of the rule's patterns that start at the place and meet the condition, if there is one. (For
  /// leftmost_first with a condition it adds all of them, and take_place() finds the lowest.)
  void add_wanted(const Places::Rule& rule, std::uint32_t output, const Piece& piece, std::uint64_t place) {
    const SearcherOptions& options = search_.options_;
    const auto outputs = rule.automaton.outputs();
    const bool is_first = options.match_kind == MatchKind::leftmost_first;
    if (options.condition == Condition::none) {
      const Automaton::Output& wanted = outputs[is_first ? rule.lowest[output] : output];
      found_.push_back({place, wanted.distinct, wanted.length});
      return;
    }
    const ConditionCheck condition = plan_.condition_check(options.condition, options.line_terminator);
    const std::uint64_t start = place - piece.base;
    for (; output != 0; output = outputs[output].next) {
      const Automaton::Output& one = outputs[output];
      if (!condition.holds(one.distinct, piece.data, start, start + one.length, piece.size)) continue;
      found_.push_back({place, one.distinct, one.length});
      if (!is_first) return;
    }
  }

  void take_place() {
    std::sort(found_.begin(), found_.end(), [](const Match& a, const Match& b) { return a.pattern_id < b.pattern_id; });
    for (const Match& match : found_) kinds_.take(match, kept_);
    kinds_.settle(kept_);
  }

  void list_in_short_ranges(const List& list, CallReport& report) {
    for (std::uint64_t width = first_range_bytes; wanted_ && at_ < end_;) {
      const std::uint64_t listed_before = listed_, taken_before = taken_;
      list_part(std::min(end_, at_ + width), false, false, list, report);
      at_ = std::max(at_, std::min(end_, kinds_.not_before()));
      const std::uint64_t listed = listed_ - listed_before, taken = taken_ - taken_before;
      if (listed > listed_for_range + most_for_match * taken) {
        width = std::max<std::uint64_t>(1, width / 4);
      } else if (listed < listed_for_range / 2 + taken) {
        width = std::min(2 * width, longest_range_bytes);
      }
    }
  }

  const LeftmostSearch& search_;
  const PlanData& plan_;
  const Text& text_;
  const RunOptions& run_;
  const MatchSink& sink_;
  const std::uint64_t end_, begin_;
  std::uint64_t at_;  // all matches that start before this place are decided
  KindFilter kinds_;
  std::vector<Match> kept_, found_;
  std::uint64_t listed_ = 0, taken_ = 0, candidates_ = 0;
  std::uint64_t settled_ = 0;  // matches taken before the current count of listed_ began
  bool wanted_ = true;
};

LeftmostSearch::LeftmostSearch(const Plan& plan, const SearcherOptions& options) : plan_(plan), options_(options) {}
LeftmostSearch::~LeftmostSearch() = default;

const LeftmostSearch::Places& LeftmostSearch::places() const {
  std::call_once(places_wanted_,
                 [this] { places_ = std::make_unique<const Places>(plan_.data(), options_.match_kind); });
  return *places_;
}

LeftmostSearch::Found LeftmostSearch::find(const Text& text, const RunOptions& run, const List& list,
                                           const MatchSink& sink, CallReport& report) const {
  return Run(*this, text, run, sink).find(list, report);
}

}  // namespace lode
