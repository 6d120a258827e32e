// Conditions: what must stand around an occurrence for it to count.
//
// A condition reads the text around a spelling in UTF-16 in its code units, and around any other in UTF-8.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "lode/match.hpp"
#include "text/word_characters.hpp"

namespace lode {

/// How many bytes before an occurrence a condition looks at: a character of UTF-8, or of UTF-16.
inline constexpr std::uint64_t condition_bytes_before = text::most_character_bytes;
/// The most bytes behind an occurrence that a condition looks at.
inline constexpr std::uint64_t most_condition_bytes_behind = text::most_character_bytes;

enum class CodeUnit : std::uint8_t { utf_8, utf_16le, utf_16be };

/// Whether the condition holds for a spelling in UTF-16 at data[start … stop). A lone byte at either end of the text is
/// no unit, so the text ends there. A line may begin behind the text's byte order mark.
bool condition_holds_in_utf_16(Condition condition, std::uint8_t line_terminator, CodeUnit unit,
                               const std::uint8_t* data, std::uint64_t start, std::uint64_t stop, std::uint64_t size);

/// Decides whether an occurrence meets the condition.
class ConditionCheck {
 public:
  /// `units` has those of each distinct pattern; it is empty if all are UTF-8. It must outlive the check.
  ConditionCheck(Condition condition, char line_terminator, std::span<const CodeUnit> units)
      : condition_(condition), line_terminator_(static_cast<std::uint8_t>(line_terminator)), units_(units) {}

  /// False if every occurrence counts.
  bool is_wanted() const { return condition_ != Condition::none; }

  /// How many bytes behind an occurrence the condition looks at.
  std::uint64_t bytes_behind() const {
    if (condition_ == Condition::none) return 0;
    if (condition_ == Condition::whole_word || !units_.empty()) return most_condition_bytes_behind;
    return condition_ == Condition::whole_line ? 1 : 2;
  }

  /// Whether the condition holds for the occurrence of a distinct pattern at data[start … stop) of `size` bytes. These
  /// begin and end where the text (or the record) does, or hold all that the condition looks at.
  bool holds(std::uint32_t distinct, const std::uint8_t* data, std::uint64_t start, std::uint64_t stop,
             std::uint64_t size) const {
    if (condition_ == Condition::none) return true;
    if (!units_.empty() && units_[distinct] != CodeUnit::utf_8)
      return condition_holds_in_utf_16(condition_, line_terminator_, units_[distinct], data, start, stop, size);
    const bool at_begin = start == 0;
    const bool at_end = stop == size;
    if (condition_ == Condition::whole_word)
      return (at_begin || !text::is_in_word(data, start - 1, size)) && (at_end || !text::is_in_word(data, stop, size));
    if (!at_begin && data[start - 1] != line_terminator_) return false;
    if (at_end || data[stop] == line_terminator_) return true;
    return condition_ == Condition::whole_line_crlf && size - stop > 1 && data[stop] == '\r' &&
           data[stop + 1] == line_terminator_;
  }

 private:
  Condition condition_;
  std::uint8_t line_terminator_;
  std::span<const CodeUnit> units_;
};

}  // namespace lode
