// Conditions: what must stand around an occurrence for it to count.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "lode/match.hpp"
#include "text/word_characters.hpp"

namespace lode {

/// How many bytes before an occurrence a condition looks at: a character of UTF-8.
inline constexpr std::uint64_t condition_bytes_before = text::most_character_bytes;
/// The most bytes behind an occurrence that a condition looks at.
inline constexpr std::uint64_t most_condition_bytes_behind = text::most_character_bytes;

/// How many bytes behind an occurrence this condition looks at.
constexpr std::uint64_t condition_bytes_behind(Condition condition) {
  switch (condition) {
    case Condition::none: return 0;
    case Condition::whole_word: return text::most_character_bytes;
    case Condition::whole_line: return 1;
    case Condition::whole_line_crlf: return 2;
  }
  return most_condition_bytes_behind;
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
  return (at_begin || !text::is_in_word(data, start - 1, size)) && (at_end || !text::is_in_word(data, stop, size));
}

}  // namespace lode
