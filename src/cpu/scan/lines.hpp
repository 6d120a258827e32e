// Lines: the lines of one range of a text, or the records that lie in it, and for which of them a match is known.
//
// Places are relative to the start of the range. A line ends with its terminator. The last one of the range may go on
// behind it, so a place at or behind the end belongs to that line, or to the one that begins there. Terminators are
// kept as bits, 64 places to a word, so that scanners can look for lines with a few operations on words.
// Not shared between threads.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/instruction_sets.hpp"
#include "lode/record_layout.hpp"

namespace lode {

class Lines {
 public:
  explicit Lines(InstructionSet set);

  /// Begins a range of which no match is known. Its bytes are not looked at later.
  void start(std::span<const std::uint8_t> range, std::uint8_t terminator);
  /// Begins a range of `size` bytes, from `begin` on, in the bytes of records [first, last). What is said of lines
  /// holds for records then, each with the gap behind it. The last byte of a record, or of its gap, stands for a
  /// terminator. Empty records are no lines.
  void start(std::uint64_t begin, std::uint64_t size, const Records& records, std::uint64_t first, std::uint64_t last);

  /// The terminators at the 64 places from `place` on, the first as the lowest bit. None stand behind the range.
  /// `place` lies in the range or less than 64 places behind it.
  std::uint64_t ends(std::uint64_t place) const {
    const std::uint64_t low = ends_[place / 64] >> (place % 64);
    return place % 64 == 0 ? low : low | ends_[place / 64 + 1] << (64 - place % 64);
  }

  /// With records only: line `number` is [begin_of(number), begin_of(number + 1)).
  std::uint64_t count() const { return line_count_; }
  std::uint32_t begin_of(std::uint64_t number) const { return begins_[number]; }
  bool is_number_known(std::uint64_t number) const { return (known_[number / 64] >> (number % 64) & 1) != 0; }
  /// Whether a terminator stands at one of the `count` places from `place` on.
  bool has_ends(std::uint64_t place, std::uint64_t count) const {
    for (; count > 64 && place < size_; place += 64, count -= 64)
      if (ends(place) != 0) return true;
    return count != 0 && place < size_ && ends(place) << (64 - count) != 0;
  }

  [[gnu::always_inline]] bool is_known(std::uint64_t place) const {
    const std::uint64_t line = line_of(place);
    return (known_[line / 64] >> (line % 64) & 1) != 0;
  }
  [[gnu::always_inline]] void set_known(std::uint64_t place) {
    const std::uint64_t line = line_of(place);
    known_[line / 64] |= std::uint64_t{1} << (line % 64);
    ++known_count_;
  }
  /// How often set_known() was called since start().
  std::uint64_t known_count() const { return known_count_; }
  /// Whether a match is known of every line that has one of the `count` (1 … 64) places from `place` on.
  [[gnu::always_inline]] bool are_known(std::uint64_t place, std::uint64_t count) const {
    const std::uint64_t first = line_of(place);
    const std::uint64_t wanted = ~std::uint64_t{0} >> (63 - (line_of(place + count - 1) - first));
    const std::uint64_t low = known_[first / 64] >> (first % 64);
    const std::uint64_t known = first % 64 == 0 ? low : low | known_[first / 64 + 1] << (64 - first % 64);
    return (known & wanted) == wanted;
  }

 private:
  // Makes room for a range of `size` bytes.
  void resize(std::uint64_t size);
  // Begins with no line known. `ended` is the number of terminators in the whole range.
  void finish(std::uint64_t ended);

  // The number of the line of a place; a terminator belongs to the line that it ends. Inlined into code for one
  // instruction set, this counts bits by one instruction.
  [[gnu::always_inline]] std::uint64_t line_of(std::uint64_t place) const {
    if (place >= size_) return line_count_ - 1;
    const std::uint64_t before = ends_[place / 64] & ((std::uint64_t{1} << (place % 64)) - 1);
    return ends_before_[place / 64] + static_cast<std::uint64_t>(std::popcount(before));
  }

  std::uint64_t (*find_ends_)(std::span<const std::uint8_t>, std::uint8_t, std::uint64_t*, std::uint64_t*);
  std::uint64_t size_ = 0;
  std::uint64_t line_count_ = 0;  // includes the line after the last terminator
  std::uint64_t known_count_ = 0;
  std::vector<std::uint64_t> ends_;         // a bit for each place of the range, and two words of zeros
  std::vector<std::uint64_t> ends_before_;  // the number of terminators before each word of ends_
  std::vector<std::uint64_t> known_;        // a bit for each line, and a word more
  std::vector<std::uint32_t> begins_;       // with records: the begin of each line, and the end of the last
};

}  // namespace lode
