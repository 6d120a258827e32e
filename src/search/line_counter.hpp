// LineCounter: counts the lines in which matches start, for devices that only list matches. Matches come in order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lode/match.hpp"

namespace lode {

class LineCounter {
 public:
  /// Precondition: no pattern contains the terminator.
  LineCounter(std::string_view text, char terminator) : text_(text), terminator_(terminator) {}

  void take(std::span<const Match> found) {
    for (const Match& match : found) {
      if (match.offset < next_line_) continue;
      ++count_;
      next_line_ = line_start_from(match.offset + 1);
    }
  }
  std::uint64_t count() const { return count_; }

  /// The first place, from `offset` on, at which a line starts; the text's size if there is none.
  std::uint64_t line_start_from(std::uint64_t offset) const {
    if (offset == 0) return 0;
    const std::size_t end = offset > text_.size() ? std::string_view::npos : text_.find(terminator_, offset - 1);
    return end == std::string_view::npos ? text_.size() : end + 1;
  }

 private:
  std::string_view text_;
  char terminator_;
  std::uint64_t next_line_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace lode
