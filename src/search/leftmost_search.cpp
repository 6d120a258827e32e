#include "search/leftmost_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "search/match_kinds.hpp"
#include "search/nested_patterns.hpp"

namespace lode {
namespace {

// The first ranges are short and grow, so that not much is listed in vain of a text that begins with a thousand
// occurrences a byte.
constexpr std::uint64_t first_range_bytes = 16;
constexpr std::uint64_t range_growth = 8;
constexpr std::uint64_t longest_range_bytes = std::uint64_t{1} << 16;
// Occurrences are many from so many in vain on.
constexpr std::uint64_t most_in_vain = 4096;
constexpr std::uint64_t most_for_match = 4;
// A range of its own costs as much as so many occurrences.
constexpr std::uint64_t listed_for_range = 256;
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 16;

// Bytes of a text, as a piece that holds what is asked for.
class TextWindow {
 public:
  TextWindow(const Text& text, std::uint64_t max_length)
      : text_(text), reach_(max_length + bytes_behind(Condition::whole_line_crlf)) {
    if (text.source() == nullptr) {
      piece_ = {reinterpret_cast<const std::uint8_t*>(text.bytes().data()), text.bytes().size(), 0};
    }
  }

  /// A byte before the place, and behind it all that a pattern and a condition may look at.
  const Piece& around(std::uint64_t place) {
    if (text_.source() == nullptr) return piece_;
    const std::uint64_t size = text_.size();
    const std::uint64_t wanted_end = std::min(size, place + reach_);
    if (buffer_.empty() || place < begin_ + 1 || wanted_end > piece_.base + piece_.size) {
      begin_ = place == 0 ? 0 : place - 1;
      buffer_.resize(std::min(size - begin_, 1 + reach_ + window_bytes));
      text_.source()->read(begin_, buffer_);
      piece_ = {reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size(), begin_};
    }
    return piece_;
  }

 private:
  const Text& text_;
  const std::uint64_t reach_;
  std::uint64_t begin_ = 0;
  std::vector<char> buffer_;
  Piece piece_;
};

SearcherOptions options_for_roots(const SearcherOptions& options) {
  SearcherOptions of_roots;
  of_roots.threads = options.threads;
  of_roots.chunk_bytes = options.chunk_bytes;
  of_roots.memory_limit_bytes = options.memory_limit_bytes;
  of_roots.instruction_set = options.instruction_set;
  return of_roots;
}

PlanOptions plan_options(const SearcherOptions& options) {
  PlanOptions of_plan;
  of_plan.threads = options.threads;
  return of_plan;
}

}  // namespace

struct LeftmostSearch::Nested {
  Nested(const Plan& plan, const SearcherOptions& options)
      : patterns(plan.data()),
        searcher(Plan::build(patterns.roots(), plan_options(options)), options_for_roots(options)) {}

  NestedPatterns patterns;
  Searcher searcher;  // of its roots
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
        width *= range_growth;
      } else if (text_.resident() == nullptr) {
        find_from_roots();
      } else {
        list_in_short_ranges(list, report);
      }
    } while (wanted_ && at_ < end_);
    if (run_.not_before != nullptr) *run_.not_before = kinds_.not_before();
    return {candidates_, taken_};
  }

 private:
  bool are_many() const { return listed_ > most_in_vain + most_for_match * taken_; }

  bool deliver() {
    for (Match& match : kept_) match.pattern_id = plan_.lowest_id(match.pattern_id);
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

  /// Lists what starts from at_ on, and moves at_ to where it got. Of all parts the report keeps the first, the one that is
  /// the rest of the text, and above all the one that has something to warn of.
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

  void find_from_roots() {
    const Nested& nested = search_.nested();
    const SearcherOptions& options = search_.options_;
    const NestedPatterns::Rules rules{options.match_kind, options.condition,
                                      static_cast<std::uint8_t>(options.line_terminator)};
    TextWindow window(text_, plan_.patterns.max_length());
    at_ = std::min(end_, std::max(at_, kinds_.not_before()));
    SearchStats stats;
    RunOptions part = part_until(end_);
    part.stats = &stats;
    const auto take = [&](std::span<const Match> roots) {
      kept_.clear();
      for (std::size_t i = 0; i < roots.size();) {
        const std::uint64_t place = roots[i].offset;
        std::size_t next = i + 1;
        while (next < roots.size() && roots[next].offset == place) ++next;
        if (place >= kinds_.not_before()) take_place(nested.patterns, roots.subspan(i, next - i), window, rules);
        i = next;
      }
      return deliver();
    };
    nested.searcher.find(text_, take, part);
    candidates_ += stats.candidates;
    at_ = end_;
  }

  /// Of a root that ignores case and one that does not both may begin the wanted match.
  void take_place(const NestedPatterns& patterns, std::span<const Match> roots, TextWindow& window,
                  const NestedPatterns::Rules& rules) {
    const std::uint64_t place = roots.front().offset;
    const Piece& piece = window.around(place);
    found_.clear();
    for (const Match& root : roots) {
      if (const auto wanted = patterns.match(root.pattern_id, piece.data, place - piece.base, piece.size, rules)) {
        found_.push_back({place, wanted->distinct, wanted->length});
      }
    }
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
  std::uint64_t at_;  // all that starts before is decided
  KindFilter kinds_;
  std::vector<Match> kept_, found_;
  std::uint64_t listed_ = 0, taken_ = 0, candidates_ = 0;
  bool wanted_ = true;
};

LeftmostSearch::LeftmostSearch(const Plan& plan, const SearcherOptions& options) : plan_(plan), options_(options) {}
LeftmostSearch::~LeftmostSearch() = default;

const LeftmostSearch::Nested& LeftmostSearch::nested() const {
  std::call_once(nested_wanted_, [this] { nested_ = std::make_unique<const Nested>(plan_, options_); });
  return *nested_;
}

LeftmostSearch::Found LeftmostSearch::find(const Text& text, const RunOptions& run, const List& list,
                                           const MatchSink& sink, CallReport& report) const {
  return Run(*this, text, run, sink).find(list, report);
}

}  // namespace lode
