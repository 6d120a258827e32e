// Conditions: what must stand around an occurrence for it to count.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "lode/match.hpp"

namespace lode {

/// How many bytes behind an occurrence a condition looks at. Before it, a condition looks at one.
constexpr std::uint64_t bytes_behind(Condition condition) {
  return condition == Condition::none ? 0 : condition == Condition::whole_line_crlf ? 2 : 1;
}

/// Whether the condition holds for the occurrence at data[start … stop) of `size` bytes. These begin and end where the
/// text (or the record) does, or hold all that the condition looks at.
inline bool condition_holds(Condition condition, std::uint8_t line_terminator, const std::uint8_t* data,
                            std::uint64_t start, std::uint64_t stop, std::uint64_t size) {
  if (condition == Condition::none) return true;
  const bool at_begin = start == 0;
  const bool at_end = stop == size;
  if (condition == Condition::whole_line || condition == Condition::whole_line_crlf) {
    if (!at_begin && data[start - 1] != line_terminator) return false;
    if (at_end || data[stop] == line_terminator) return true;
    return condition == Condition::whole_line_crlf && size - stop > 1 && data[stop] == '\r' &&
           data[stop + 1] == line_terminator;
  }
  return (at_begin || !is_word_byte(data[start - 1])) && (at_end || !is_word_byte(data[stop]));
}

}  // namespace lode
