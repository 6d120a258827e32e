// Conditions: what must stand around an occurrence for it to count.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "lode/match.hpp"

namespace lode {

/// Whether the condition holds for the occurrence at data[start … stop) of `size` bytes, which begin and end where the text
/// (or the record) does, or have a byte more to each side of it.
inline bool condition_holds(Condition condition, std::uint8_t line_terminator, const std::uint8_t* data,
                            std::uint64_t start, std::uint64_t stop, std::uint64_t size) {
  if (condition == Condition::none) return true;
  const bool at_begin = start == 0;
  const bool at_end = stop == size;
  if (condition == Condition::whole_line)
    return (at_begin || data[start - 1] == line_terminator) && (at_end || data[stop] == line_terminator);
  return (at_begin || !is_word_byte(data[start - 1])) && (at_end || !is_word_byte(data[stop]));
}

}  // namespace lode
