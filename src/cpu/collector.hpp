// Collector: takes the occurrences that a scanner finds in one range of a piece.
//
// Where only one match of each line is wanted, the first that is emitted marks its line, and the rest of the range's
// places in that line are no longer wanted: scanners may ask and leave them out.
//
// Scanners call emit() for every occurrence they verify, in any order; the collector drops those that start outside
// the range or fail the condition, and then counts or lists them. A list that reaches its limit stays incomplete and
// says so: the range has to be split and scanned again. Not shared between threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "cpu/piece.hpp"
#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class Collector {
 public:
  enum class Mode { count, count_per_pattern, count_lines, list };

  Collector(Mode mode, const PlanData& plan, const SearcherOptions& options)
      : plan_(plan),
        mode_(mode),
        condition_(options.condition),
        line_terminator_(static_cast<std::uint8_t>(options.line_terminator)),
        one_per_line_(mode == Mode::count_lines || (mode == Mode::list && options.one_per_line)) {
    if (mode == Mode::count_per_pattern) per_distinct_.resize(plan.distinct_count());
  }

  /// Starts a range: occurrences that start at piece.data[begin … end) are wanted. Clears the list, keeps the counts.
  void start_range(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t limit) {
    piece_ = piece;
    begin_ = begin;
    end_ = end;
    limit_ = limit;
    list_.clear();
    overflowed_ = false;
    if (one_per_line_) marks_.assign((end - begin + 63) / 64, 0);
  }

  /// `start` is relative to the piece; start + length <= piece.size.
  void emit(std::uint64_t start, std::uint32_t distinct, std::uint32_t length) {
    if (start < begin_ || start >= end_) return;
    if (condition_ != Condition::none && !condition_holds(start, length)) return;
    if (one_per_line_) {
      if (is_marked(start)) return;
      mark_line(start);
      ++total_;
      if (mode_ == Mode::count_lines) return;
    }
    if (mode_ == Mode::list) {
      if (list_.size() < limit_) [[likely]]
        list_.push_back({piece_.base + start, distinct, length});
      else
        overflowed_ = true;
      return;
    }
    add(distinct, 1);
  }

  /// True where only numbers of occurrences matter, so that add() may replace emit() for starts known to be wanted.
  bool takes_counts() const {
    return (mode_ == Mode::count || mode_ == Mode::count_per_pattern) && condition_ == Condition::none;
  }
  void add(std::uint32_t distinct, std::uint64_t occurrences) {
    if (mode_ == Mode::count_per_pattern)
      per_distinct_[distinct] += occurrences;
    else
      total_ += occurrences * plan_.multiplicity(distinct);
  }

  bool one_per_line() const { return one_per_line_; }
  /// Only with one_per_line(): a match of the line in which `place` lies is known. False outside the range.
  bool is_marked(std::uint64_t place) const {
    const std::uint64_t bit = place - begin_;
    return place >= begin_ && place < end_ && (marks_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  /// The same for the 64 places from `place` on, the first as the lowest bit. Only for places of the range.
  std::uint64_t marked_bits(std::uint64_t place) const {
    const std::uint64_t bit = place - begin_;
    const std::uint64_t low = marks_[bit / 64] >> (bit % 64);
    if (bit % 64 == 0 || bit / 64 + 1 == marks_.size()) return low;
    return low | marks_[bit / 64 + 1] << (64 - bit % 64);
  }
  bool are_64_marked(std::uint64_t place) const {
    return place >= begin_ && place + 64 <= end_ && marked_bits(place) == ~std::uint64_t{0};
  }

  /// Only with one_per_line(): from now on a match of the line of `start` is known. `start` lies in the range.
  void mark_line(std::uint64_t start) {
    const auto* data = piece_.data;
    const void* before = start == begin_ ? nullptr : memrchr(data + begin_, line_terminator_, start - begin_);
    const void* after = std::memchr(data + start, line_terminator_, end_ - start);
    const std::uint64_t first =
        before == nullptr ? 0
                          : static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(before) - data) + 1 - begin_;
    const std::uint64_t last =
        after == nullptr ? end_ - begin_
                         : static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(after) - data) - begin_;
    if (first >= last) return;
    const std::uint64_t first_word = first / 64;
    const std::uint64_t last_word = (last - 1) / 64;
    const std::uint64_t from_first = ~std::uint64_t{0} << (first % 64);
    const std::uint64_t to_last = ~std::uint64_t{0} >> (63 - (last - 1) % 64);
    if (first_word == last_word) {
      marks_[first_word] |= from_first & to_last;
      return;
    }
    marks_[first_word] |= from_first;
    for (std::uint64_t word = first_word + 1; word < last_word; ++word) marks_[word] = ~std::uint64_t{0};
    marks_[last_word] |= to_last;
  }

  void add_candidates(std::uint64_t places) { candidates_ += places; }

  const Piece& piece() const { return piece_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  bool overflowed() const { return overflowed_; }
  std::uint64_t candidates() const { return candidates_; }
  std::uint64_t total() const { return total_; }  // Mode::count: ids; count_lines: lines
  const std::vector<std::uint64_t>& per_distinct() const { return per_distinct_; }  // Mode::count_per_pattern
  std::vector<Match>& list() { return list_; }  // Mode::list; pattern_id holds the distinct index

 private:
  bool condition_holds(std::uint64_t start, std::uint64_t length) const {
    const std::uint64_t stop = start + length;
    const bool at_begin = start == 0;
    const bool at_end = stop == piece_.size;
    if (condition_ == Condition::whole_line)
      return (at_begin || piece_.data[start - 1] == line_terminator_) &&
             (at_end || piece_.data[stop] == line_terminator_);
    return (at_begin || !is_word_byte(piece_.data[start - 1])) && (at_end || !is_word_byte(piece_.data[stop]));
  }

  const PlanData& plan_;
  Mode mode_;
  Condition condition_;
  std::uint8_t line_terminator_;
  bool one_per_line_;
  Piece piece_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t limit_ = 0;
  bool overflowed_ = false;
  std::uint64_t candidates_ = 0;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> per_distinct_;
  std::vector<Match> list_;
  std::vector<std::uint64_t> marks_;  // one_per_line: a bit for each place of the range; else empty
};

}  // namespace lode
