// Collector: takes the occurrences that a scanner finds in one range of a piece.
//
// Scanners call emit() for every occurrence they verify, in any order, or where fewer questions suffice add(), add_alike()
// or list_places(). The collector drops those that start outside the range or fail the condition, and counts or lists the
// others. A list that reaches its limit stays incomplete and says so: the range has to be split and scanned again.
//
// Where only one match of each line is wanted, the first that is emitted makes its line known. Further places in that
// line are then of no use: scanners may ask and leave them out. Records may take the place of lines.
// Not shared between threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "cpu/scan/lines.hpp"
#include "cpu/scan/piece.hpp"
#include "lode/options.hpp"
#include "plan/plan_data.hpp"
#include "text/condition.hpp"

namespace lode {

class Collector {
 public:
  enum class Mode { count, count_per_pattern, count_lines, list };

  Collector(Mode mode, const PlanData& plan, const SearcherOptions& options, InstructionSet set)
      : plan_(plan),
        mode_(mode),
        condition_(plan.condition_check(options.condition, options.line_terminator)),
        line_terminator_(static_cast<std::uint8_t>(options.line_terminator)),
        one_per_line_(mode == Mode::count_lines || (mode == Mode::list && options.one_per_line)),
        lines_(set) {
    if (mode == Mode::count_per_pattern) per_distinct_.resize(plan.distinct_count());
  }

  /// From the next range on, one match is wanted of each record, and none that crosses a record's end. The ranges lie
  /// in the bytes of records [first, last). Null: all matches are wanted again. Precondition: Mode::list, and no
  /// condition.
  void want_one_per_record(const Records* records, std::uint64_t first, std::uint64_t last) {
    records_ = records;
    first_record_ = first;
    last_record_ = last;
    one_per_line_ = records != nullptr;
  }

  /// Starts a range: occurrences that start at piece.data[begin … end) are wanted. Clears the list, keeps the counts.
  void start_range(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t limit) {
    piece_ = piece;
    begin_ = begin;
    end_ = end;
    limit_ = limit;
    listed_ = 0;
    room_ = std::min<std::uint64_t>(limit_, list_.size());
    overflowed_ = false;
    has_lines_ = false;
    single_count_ = 0;
  }

  /// Takes an occurrence. `start` is relative to the piece; start + length <= piece.size.
  [[gnu::always_inline]] void emit(std::uint64_t start, std::uint32_t distinct, std::uint32_t length) {
    if (start < begin_ || start >= end_) return;
    if (condition_.is_wanted() && !condition_.holds(distinct, piece_.data, start, start + length, piece_.size)) return;
    if (one_per_line_) {
      if (!has_lines_) [[unlikely]] {
        const SingleLine line = records_ == nullptr ? take_single_line(start) : SingleLine::none;
        if (line == SingleLine::known) return;
        if (line == SingleLine::none) find_lines();
      }
      if (has_lines_) [[likely]] {
        if (lines_.is_known(start - begin_) || (records_ != nullptr && crosses_record_end(start, length))) return;
        lines_.set_known(start - begin_);
      }
      ++total_;
      if (mode_ == Mode::count_lines) return;
    }
    if (mode_ == Mode::list) {
      if (listed_ < room_ || make_room()) [[likely]]
        list_[listed_++] = {piece_.base + start, distinct, length};
      return;
    }
    add(distinct, 1);
  }

  /// True where only numbers of occurrences matter, so that add() may replace emit() for starts known to be wanted.
  bool takes_counts() const {
    return (mode_ == Mode::count || mode_ == Mode::count_per_pattern) && !condition_.is_wanted();
  }
  void add(std::uint32_t distinct, std::uint64_t occurrences) {
    if (mode_ == Mode::count_per_pattern)
      per_distinct_[distinct] += occurrences;
    else
      total_ += occurrences * plan_.multiplicity(distinct);
  }

  /// True where each occurrence counts the same, whatever its pattern, so that add_alike() may replace emit() for
  /// starts known to be wanted.
  bool counts_alike() const { return mode_ == Mode::count && !condition_.is_wanted() && !plan_.has_duplicates(); }
  void add_alike(std::uint64_t occurrences) { total_ += occurrences; }

  /// True where each occurrence is listed, so that list_places() may replace emit() for starts known to be wanted.
  bool takes_places() const { return mode_ == Mode::list && !condition_.is_wanted() && !one_per_line_; }
  /// Lists an occurrence at `at` + n for each bit n of `bits` that is set.
  [[gnu::always_inline]] void list_places(std::uint64_t at, std::uint64_t bits, std::uint32_t distinct,
                                          std::uint32_t length) {
    if (room_ - listed_ < 68) [[unlikely]] {
      for (; bits != 0; bits &= bits - 1)
        if (listed_ < room_ || make_room()) list_[listed_++] = match_at(at, bits, distinct, length);
      return;
    }
    // The first two are written whether there are so many or not: a branch on it would be mispredicted about as often
    // as a word has some.
    constexpr std::uint64_t most_often = 2;
    Match* const to = list_.data() + listed_;
    const auto count = static_cast<std::uint64_t>(std::popcount(bits));
    for (std::uint64_t place = 0; place < most_often; ++place, bits &= bits - 1)
      to[place] = match_at(at, bits, distinct, length);
    for (std::uint64_t first = most_often; first < count; first += 4)
      for (std::uint64_t place = first; place < first + 4; ++place, bits &= bits - 1)
        to[place] = match_at(at, bits, distinct, length);
    listed_ += count;
  }

  bool one_per_line() const { return one_per_line_; }
  bool one_per_record() const { return records_ != nullptr; }
  /// Only with one_per_line(): the range's lines, whose places are relative to begin(). They are found when they are
  /// first asked for, or once a range has many matches, so that rare patterns save a pass over the text.
  const Lines& lines() {
    if (!has_lines_) find_lines();
    return lines_;
  }
  /// Only with one_per_line(), and before the range is scanned: no match is wanted of the line in which it begins.
  void leave_out_first_line() { take_single_line(begin_); }
  /// Only with one_per_line(): whether a match is known of the line that goes on behind the range.
  bool is_last_line_known() const {
    if (has_lines_) return lines_.is_known(end_ - begin_);
    return single_count_ != 0 && single_ends_[single_count_ - 1] > end_;
  }

  void add_candidates(std::uint64_t places) { candidates_ += places; }

  const Piece& piece() const { return piece_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  bool overflowed() const { return overflowed_; }
  std::uint64_t candidates() const { return candidates_; }
  std::uint64_t total() const { return total_; }  // the number of matches, or of lines with Mode::count_lines
  const std::vector<std::uint64_t>& per_distinct() const { return per_distinct_; }  // Mode::count_per_pattern
  /// With Mode::list: what was listed, until the next range starts. pattern_id holds the distinct index.
  std::span<Match> list() { return {list_.data(), listed_}; }

 private:
  Match match_at(std::uint64_t at, std::uint64_t bits, std::uint32_t distinct, std::uint32_t length) const {
    return {piece_.base + at + static_cast<unsigned>(std::countr_zero(bits)), distinct, length};
  }

  bool crosses_record_end(std::uint64_t start, std::uint64_t length) const {
    return lines_.has_ends(start - begin_, length - 1 + records_->gap());
  }

  [[gnu::noinline]] void find_lines() {
    if (records_ != nullptr) {
      // What starts in the range may cross the ends of records behind it.
      const std::uint64_t reach = plan_.patterns.max_length() + records_->gap();
      const std::uint64_t size = std::min(end_ - begin_ + reach, piece_.size - begin_);
      lines_.start(piece_.base + begin_, size, *records_, first_record_, last_record_);
      has_lines_ = true;
      return;
    }
    lines_.start({piece_.data + begin_, end_ - begin_}, line_terminator_);
    for (std::uint32_t line = 0; line < single_count_; ++line) lines_.set_known(single_places_[line] - begin_);
    has_lines_ = true;
  }

  // Makes the line of a match at `place` known, by looking for the line's end alone. `none`: there is no room for one
  // more line.
  enum class SingleLine { known, added, none };
  [[gnu::noinline]] SingleLine take_single_line(std::uint64_t place) {
    std::uint32_t at = single_count_;  // the first line whose known match lies behind the place
    while (at != 0 && single_places_[at - 1] > place) --at;
    if (at != 0 && place < single_ends_[at - 1]) return SingleLine::known;
    const void* const found = std::memchr(piece_.data + place, line_terminator_, end_ - place);
    const std::uint64_t end =
        found == nullptr ? end_ + 1
                         : static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - piece_.data) + 1;
    if (at != single_count_ && single_places_[at] < end) {
      single_places_[at] = place;
      return SingleLine::known;
    }
    if (single_count_ == most_single_lines) return SingleLine::none;
    std::copy_backward(single_places_ + at, single_places_ + single_count_, single_places_ + single_count_ + 1);
    std::copy_backward(single_ends_ + at, single_ends_ + single_count_, single_ends_ + single_count_ + 1);
    single_places_[at] = place;
    single_ends_[at] = end;
    ++single_count_;
    return SingleLine::added;
  }

  // Makes room for more matches. Returns false where the list has reached its limit.
  [[gnu::noinline]] bool make_room() {
    overflowed_ = listed_ >= limit_;
    if (overflowed_) return false;
    list_.resize(std::max<std::size_t>(64, list_.size() * 2));
    room_ = std::min<std::uint64_t>(limit_, list_.size());
    return true;
  }

  const PlanData& plan_;
  Mode mode_;
  ConditionCheck condition_;
  std::uint8_t line_terminator_;
  bool one_per_line_;
  const Records* records_ = nullptr;  // not null where one match of each record is wanted
  std::uint64_t first_record_ = 0;
  std::uint64_t last_record_ = 0;
  Piece piece_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t limit_ = 0;
  bool overflowed_ = false;
  std::uint64_t candidates_ = 0;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> per_distinct_;
  std::vector<Match> list_;  // its first listed_ are valid
  std::uint64_t listed_ = 0;
  std::uint64_t room_ = 0;  // matches that may be listed before make_room() is asked
  Lines lines_;             // the range's lines, valid where has_lines_
  bool has_lines_ = false;  // true only where one_per_line_
  // Until lines_ are found, these are the lines with a match, in order: the first known match, and the place behind the
  // line's terminator, or end_ + 1 where the line goes on behind the range.
  static constexpr std::uint32_t most_single_lines = 32;
  std::uint64_t single_places_[most_single_lines];
  std::uint64_t single_ends_[most_single_lines];
  std::uint32_t single_count_ = 0;
};

}  // namespace lode
