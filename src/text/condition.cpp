#include "text/condition.hpp"

namespace lode {
namespace {

// The units of UTF-16 of a text.
struct Units {
  const std::uint8_t* data;
  bool is_little;

  std::uint32_t at(std::uint64_t place) const {
    return is_little ? data[place] | data[place + 1] << 8 : data[place] << 8 | data[place + 1];
  }
};

constexpr std::uint32_t byte_order_mark = 0xfeff;

bool begins_pair(std::uint32_t unit) { return unit >> 10 == 0xd800 >> 10; }
bool ends_pair(std::uint32_t unit) { return unit >> 10 == 0xdc00 >> 10; }

// A surrogate without its other half is no word character.
bool is_word(std::uint32_t code) { return text::WordCharacters::get().has(code); }
std::uint32_t code_of(std::uint32_t first, std::uint32_t second) {
  return 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff));
}

}  // namespace

bool condition_holds_in_utf_16(Condition condition, std::uint8_t line_terminator, CodeUnit unit,
                               const std::uint8_t* data, std::uint64_t start, std::uint64_t stop, std::uint64_t size) {
  const Units units{data, unit == CodeUnit::utf_16le};
  const bool at_begin = start < 2, at_end = size - stop < 2;
  const std::uint32_t before = at_begin ? 0 : units.at(start - 2), behind = at_end ? 0 : units.at(stop);
  if (condition == Condition::whole_word) {
    if (!at_begin) {
      const bool is_pair = ends_pair(before) && start >= 4 && begins_pair(units.at(start - 4));
      if (is_word(is_pair ? code_of(units.at(start - 4), before) : before)) return false;
    }
    if (at_end) return true;
    const bool is_pair = begins_pair(behind) && size - stop >= 4 && ends_pair(units.at(stop + 2));
    return !is_word(is_pair ? code_of(behind, units.at(stop + 2)) : behind);
  }
  if (!at_begin && before != line_terminator && !(start < 4 && before == byte_order_mark)) return false;
  if (at_end || behind == line_terminator) return true;
  return condition == Condition::whole_line_crlf && size - stop >= 4 && behind == '\r' &&
         units.at(stop + 2) == line_terminator;
}

}  // namespace lode
