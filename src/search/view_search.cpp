#include "search/view_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

// Bytes of the original that a thread views at a time.
constexpr std::uint64_t most_block_bytes = std::uint64_t{1} << 20, least_block_bytes = std::uint64_t{1} << 12;
// The most memory that a byte may take: a byte that is not UTF-8 is a span, for which a growing list has room twice.
constexpr std::uint64_t viewed_bytes_for_byte = 2 * (sizeof(ViewedSpan) + 2);
constexpr std::uint64_t least_slack_bytes = 256;

// Brings places of a viewed text back to the original, in increasing order.
class PlaceMapper {
 public:
  explicit PlaceMapper(const ViewedText& viewed) : viewed_(viewed) {}

  /// Whether a segment begins at a viewed place. If so, `original` is set.
  bool begin(std::uint64_t place, std::uint64_t& original) {
    const std::vector<ViewedSpan>& spans = viewed_.spans;
    while (at_ + 1 < spans.size() && spans[at_ + 1].viewed <= place) ++at_;
    const ViewedSpan& span = spans[at_];
    if (span.is_segment ? place != span.viewed : !text::begins_character(viewed_.bytes[place])) return false;
    original = span.original + (place - span.viewed);
    return true;
  }
  /// Whether a segment ends at a viewed place, behind the last one that begin() was asked for.
  bool end(std::uint64_t place, std::uint64_t& original) const {
    const std::vector<ViewedSpan>& spans = viewed_.spans;
    std::size_t at = at_;
    while (at + 1 < spans.size() && spans[at + 1].viewed < place) ++at;
    const ViewedSpan& span = spans[at];
    if (place == viewed_.end_of(at)) {
      original = span.original_end;
      return true;
    }
    original = span.original + (place - span.viewed);
    return !span.is_segment && text::begins_character(viewed_.bytes[place]);
  }

 private:
  const ViewedText& viewed_;
  std::size_t at_ = 0;
};

}  // namespace

// A piece of the original: all of a text in memory, or what was read of another one.
class ViewSearch::Window {
 public:
  explicit Window(const Text& text) : text_(text), size_(text.size()) {
    if (text.source() == nullptr) bytes_ = text.bytes();
  }

  std::uint64_t size() const { return size_; }
  /// Makes the window hold at least [begin, end), as far as the text goes.
  void hold(std::uint64_t begin, std::uint64_t end) {
    end = std::min(end, size_);
    if (text_.source() == nullptr || (begin >= base_ && end <= base_ + bytes_.size())) return;
    buffer_.resize(end - begin);
    text_.source()->read(begin, buffer_);
    base_ = begin;
    bytes_ = {buffer_.data(), buffer_.size()};
  }
  std::string_view bytes() const { return bytes_; }
  std::uint64_t base() const { return base_; }
  bool reaches_end() const { return base_ + bytes_.size() == size_; }

 private:
  const Text& text_;
  const std::uint64_t size_;
  std::vector<char> buffer_;
  std::string_view bytes_;
  std::uint64_t base_ = 0;
};

// One call of run_ordered().
class ViewSearch::Run {
 public:
  Run(const ViewSearch& search, const Text& text, const RunOptions& run)
      : search_(search),
        run_(run),
        text_(text),
        size_(text.size()),
        end_(std::min(run.end, size_)),
        begin_(std::min(run.begin, end_)),
        reach_(search.plan_.patterns.max_length()) {}

  std::uint64_t operator()(bool ends_early, const TakeMatches& take, CallReport& report) {
    std::vector<Block> blocks;
    for (unsigned count = 0; count < search_.threads_; ++count) blocks.emplace_back(text_);
    std::uint64_t candidates = 0, at = begin_ == end_ ? end_ : cut_before(begin_, blocks.front().window);
    const std::uint64_t chosen = search_.options_.chunk_bytes;
    const std::uint64_t room = MemoryPlan(search_.options_.memory_limit_bytes).viewed_blocks_bytes() / blocks.size();
    const std::uint64_t usual =
        chosen != 0 ? chosen : std::clamp(room / viewed_bytes_for_byte, least_block_bytes, most_block_bytes);
    // A search that may end early begins with little.
    std::uint64_t width = chosen == 0 && ends_early ? usual / 16 : usual;
    while (at < end_) {
      if (run_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
      const std::uint64_t blocks_wanted = std::min<std::uint64_t>(blocks.size(), (end_ - at + width - 1) / width);
      run_ranges(search_.threads_, blocks_wanted, 1, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t index = first; index < last; ++index)
          view(blocks[index], at + index * width, std::min(end_, at + (index + 1) * width), index != 0);
      });
      for (std::uint64_t index = 0; index < blocks_wanted; ++index) {
        const Block& block = blocks[index];
        if (block.core != 0 && !search_block(block, ends_early, take, report, candidates)) return candidates;
        at = block.end;
        if (run_.progress && at > begin_) run_.progress(std::min(at, end_) - begin_, end_ - begin_);
      }
      width = usual;
    }
    return candidates;
  }

 private:
  struct Block {
    explicit Block(const Text& text) : window(text) {}
    Window window;
    ViewedText viewed;
    std::uint64_t core = 0;  // viewed bytes of the block itself
    std::uint64_t end = 0;   // the cut at which it ends
  };

  // The last cut at or before a place.
  std::uint64_t cut_before(std::uint64_t place, Window& window) const {
    for (std::uint64_t slack = least_slack_bytes;; slack *= 4) {
      const std::uint64_t first = place - std::min(place, slack);
      window.hold(first, place + 4);
      for (std::uint64_t at = place + 1; at-- > first;) {
        const std::string_view rest = window.bytes().substr(at - window.base());
        if (!rest.empty() && text::begins_character(rest.front()) && search_.viewer_.next_cut(rest, 0) == 0) return at;
      }
      if (first == 0) return 0;
    }
  }

  // Views the text from `begin`, or from the first cut behind it, to the first cut at or behind `end`, and as much more
  // as a match that begins there may reach.
  void view(Block& block, std::uint64_t begin, std::uint64_t end, bool seeks_cut) const {
    for (std::uint64_t slack = least_slack_bytes + 4 * reach_;; slack *= 4) {
      Window& window = block.window;
      window.hold(begin - std::min<std::uint64_t>(begin, 3), end + slack);
      const std::uint64_t base = window.base();
      const std::string_view bytes = window.bytes();
      block.viewed.bytes.clear();
      block.viewed.spans.clear();
      std::size_t at = begin - base;
      if (seeks_cut) at = search_.viewer_.next_cut(bytes, at);
      const bool ends_text = window.reaches_end();
      if (base + at < end) at = search_.viewer_.append(bytes, at, end - base, base, block.viewed);
      block.core = block.viewed.bytes.size();
      block.end = base + at;
      while (at < bytes.size() && block.viewed.bytes.size() < block.core + reach_)
        at = search_.viewer_.append(bytes, at, std::min<std::size_t>(bytes.size(), at + reach_), base, block.viewed);
      // The window's end may cut the last segment, and a condition looks two bytes behind a match.
      if (ends_text || at + 2 < bytes.size()) return;
    }
  }

  bool search_block(const Block& block, bool ends_early, const TakeMatches& take, CallReport& report,
                    std::uint64_t& candidates) const {
    RunOptions part;
    part.end = block.core;
    part.stop = run_.stop;
    CallReport of_block;
    of_block.device = report.device;
    PlaceMapper mapper(block.viewed);
    std::vector<Match> matches;
    bool wanted = true;
    candidates += search_.viewed_->run_ordered(
        block.viewed.bytes, part, ends_early,
        [&](std::span<const Match> found) {
          matches.clear();
          for (const Match& match : found) add(match, block, mapper, matches);
          return wanted = matches.empty() || take(matches);
        },
        of_block);
    if (report.warning.empty()) report = std::move(of_block);
    return wanted;
  }

  void add(const Match& match, const Block& block, PlaceMapper& mapper, std::vector<Match>& matches) const {
    std::uint64_t begin = 0, end = 0;
    if (!mapper.begin(match.offset, begin) || begin < begin_ || begin >= end_) return;
    if (!mapper.end(match.offset + match.length, end)) return;
    const std::string_view bytes = block.window.bytes();
    const std::uint64_t base = block.window.base();
    if (!condition_holds(search_.options_.condition, static_cast<std::uint8_t>(search_.options_.line_terminator),
                         reinterpret_cast<const std::uint8_t*>(bytes.data()), begin - base, end - base, bytes.size()))
      return;
    const std::uint64_t length = std::min<std::uint64_t>(end - begin, UINT32_MAX);
    matches.push_back({begin, match.pattern_id, static_cast<std::uint32_t>(length)});
  }

  const ViewSearch& search_;
  const RunOptions& run_;
  const Text& text_;
  const std::uint64_t size_, end_, begin_, reach_;
};

ViewSearch::ViewSearch(std::shared_ptr<const Backend> viewed, const PlanData& plan, const SearcherOptions& options,
                       unsigned threads)
    : viewed_(std::move(viewed)), plan_(plan), options_(options), viewer_(plan.view), threads_(threads) {}

std::uint64_t ViewSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                      CallReport& report) const {
  if (text.resident() != nullptr)
    throw Error(ErrorKind::unsupported, "a resident text is searched as it lies; a plan with a view cannot search it");
  return Run(*this, text, run)(ends_early, take, report);
}

Totals ViewSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                              CallReport& report) const {
  Totals totals;
  if (mode == Collector::Mode::count_per_pattern) totals.per_distinct.resize(plan_.distinct_count());
  std::uint64_t line_end = 0;  // the lines before this place are counted
  const auto take = [&](std::span<const Match> found) {
    for (const Match& match : found) {
      if (mode == Collector::Mode::count_per_pattern) {
        ++totals.per_distinct[match.pattern_id];
      } else if (mode == Collector::Mode::count) {
        totals.occurrences += plan_.multiplicity(match.pattern_id);
      } else if (match.offset >= line_end) {
        ++totals.occurrences;
        const std::size_t end = text.bytes().find(options_.line_terminator, match.offset);
        line_end = end == std::string_view::npos ? text.size() : end + 1;
      }
    }
    return !stop_at_first || totals.occurrences == 0;
  };
  totals.candidates = run_ordered(text, run, stop_at_first, take, report);
  return totals;
}

}  // namespace lode
