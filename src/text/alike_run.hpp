// append_alike_run: rewrites characters that stay as long as they were, 64 bytes at a time.
//
//   text      R a m m , _ _ П А Р _ 中 ß       of a view that folds, and for which blanks and commas are one space;
//   viewed    r a m m _ . . п а р _ 中         a dot: a blank that joins the one before it. ß ends the run: it is ss
//
// Characters of one byte are told apart by sets. For those of two bytes there is a page of the 128 that share all but the
// last bit of their first byte; a text has mostly those of one page. Of those of three bytes, Chinese and Hangul are told
// by their first byte alone, because no step changes them, and punctuation by three rows of 64.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/instruction_sets.hpp"
#include "text/view_writer.hpp"

namespace lode::text {

class Viewer;

/// A set of ASCII characters. 0x42 is bit 4 of entry 2, so a look-up for each half of a byte tells whether it is there.
class AsciiSet {
 public:
  void insert(std::uint8_t character) {
    bits_[character & 0xF] = static_cast<std::uint8_t>(bits_[character & 0xF] | 1 << (character >> 4));
    is_empty_ = false;
  }
  bool has(std::uint8_t character) const { return (bits_[character & 0xF] >> (character >> 4) & 1) != 0; }
  bool empty() const { return is_empty_; }
  const std::uint8_t* bits() const { return bits_.data(); }

 private:
  alignas(16) std::array<std::uint8_t, 16> bits_{};
  bool is_empty_ = true;
};

/// What a view makes of characters that stay as long as they were, but for those of two bytes.
struct AlikeRules {
  bool folds = false;         // ASCII letters become small
  bool joins_spaces = false;  // a run of spaces is one
  bool decomposes = false;    // a character behind may belong to the same segment
  AsciiSet spaces;            // what becomes a space
  AsciiSet dropped;
  // For the first byte 0xE0 + n of three the number 0xE if all such characters are kept, or else 0.
  alignas(16) std::array<std::uint8_t, 16> kept_leads{};

  bool keeps_lead(std::uint8_t byte) const { return byte >> 4 == 0xE && kept_leads[byte & 0xF] != 0; }
};

/// What a view makes of the 128 characters whose first byte is `lead` or the next one.
struct AlikePage {
  static constexpr std::uint8_t known = 0x80;

  std::uint8_t lead = 1;  // no byte has it but for the last bit
  // For the last bit of the first byte and the last six of the second one how such bits change, and `known`. 0: it may
  // not stay on the page, or no segment begins there.
  alignas(16) std::array<std::uint8_t, 128> changes{};

  static std::size_t index(std::uint8_t first, std::uint8_t second) { return (first & 1U) << 6 | (second & 0x3FU); }
  std::uint8_t change_of(std::uint8_t first, std::uint8_t second) const {
    const bool is_here = (first & 0xFE) == lead && (second & 0xC0) == 0x80;
    return is_here ? changes[index(first, second)] : std::uint8_t{0};
  }
};

/// What a view makes of the 64 characters of three bytes that begin with the same two.
struct AlikeRow {
  static constexpr std::uint8_t kept = 0xFF;

  std::uint8_t first = 0, second = 0;
  alignas(16) std::array<std::uint8_t, 64> becomes{};  // an ASCII character, or `kept`; 0: anything else

  bool has(char32_t code) const { return code >> 6 == ((first & 0xFU) << 6 | (second & 0x3FU)); }
};
/// The rows that are frequent: Chinese and Japanese punctuation, wide punctuation and letters, and quotation marks and
/// dashes.
struct AlikeRows {
  std::array<AlikeRow, 3> all{{{0xE3, 0x80, {}}, {0xEF, 0xBC, {}}, {0xE2, 0x80, {}}}};

  bool has(char32_t code) const {
    return std::any_of(all.begin(), all.end(), [&](const AlikeRow& row) { return row.has(code); });
  }
};

/// Tables that were made for a text. At first they are empty: characters are then looked at one by one.
struct AlikeTables {
  const AlikePage* page;  // of the last characters of two bytes
  const AlikeRows* rows;
};
extern const AlikeTables no_alike_tables;

/// Appends characters from `at` on that begin before `until`, as far as these rules go. Returns the place that it
/// reached.
using AppendAlikeRun = std::size_t (*)(const Viewer& viewer, const AlikeRules& rules, AlikeTables& tables,
                                       std::string_view text, std::size_t at, std::size_t until, ViewWriter& writer);
AppendAlikeRun alike_run_appender(InstructionSet set);

}  // namespace lode::text
