// UnicodeData tells the properties of code points. Its tables are made of the lists of unicode_tables.hpp when they are
// first used, which takes a millisecond.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lode::text {

inline constexpr char32_t last_code_point = 0x10FFFF;

/// The facts about a code point. Mappings are numbers for UnicodeData::mapping(); 0: it maps to itself.
struct CharacterFacts {
  enum Flag : std::uint8_t { white_space = 1, ignorable = 2, punctuation = 4, mark = 8, composes_backward = 16 };
  std::uint8_t flags = 0;
  std::uint8_t combining_class = 0;
  std::uint16_t simple_fold = 0;
  std::uint16_t full_fold = 0;
  std::uint16_t canonical = 0;   // its canonical decomposition,
  std::uint16_t compatible = 0;  // and its compatible one

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

class UnicodeData {
 public:
  static constexpr std::size_t block_size = 256;

  static const UnicodeData& get();

  const CharacterFacts& operator[](char32_t code) const {
    return code > last_code_point ? blocks_[0][0] : blocks_[block_of_[code / block_size]][code % block_size];
  }
  /// Whether a code point and all others of its block have no facts, which says nothing of Hangul syllables.
  bool is_plain_block(char32_t code) const { return block_of_[code / block_size] == 0; }
  std::span<const char32_t> mapping(std::uint16_t number) const {
    return std::span(mapped_).subspan(starts_[number], starts_[number + 1] - starts_[number]);
  }
  /// The code point that both make together; 0 if they do not compose.
  char32_t composed(char32_t first, char32_t second) const;
  /// Appends the decomposition of a code point, Hangul included.
  void decompose(char32_t code, bool compatible, std::u32string& out) const;

 private:
  UnicodeData();
  CharacterFacts& facts(char32_t code);
  std::uint16_t add_mapping(std::span<const char32_t> codes);

  using Block = std::array<CharacterFacts, block_size>;
  std::vector<Block> blocks_;            // the first one is of code points without facts
  std::vector<std::uint16_t> block_of_;  // for each block_size code points
  std::vector<char32_t> mapped_;         // all mappings, one after the other
  std::vector<std::uint32_t> starts_;    // of each mapping, and one more
  std::unordered_map<std::uint64_t, char32_t> compositions_;
};

/// A code point and all others that simple folding makes the same; the code point itself first.
std::vector<char32_t> case_variants(char32_t code);

/// One character of UTF-8, or a byte that belongs to none.
struct DecodedCharacter {
  char32_t code = 0;
  std::uint32_t length = 1;
  bool is_valid = false;
};
/// Decodes the first character of a text that is not empty. Overlong forms, surrogates, and what is cut or above U+10FFFF
/// are no characters.
inline DecodedCharacter decode_utf8(std::string_view text) {
  const auto byte_at = [&](std::size_t at) -> char32_t { return static_cast<std::uint8_t>(text[at]); };
  // The six bits of a byte that goes on; more if it does not.
  const auto bits_at = [&](std::size_t at) { return byte_at(at) ^ 0x80; };
  const char32_t first = byte_at(0);
  if (first < 0x80) return {first, 1, true};
  if (first < 0xC2 || text.size() < 2) return {first, 1, false};
  const char32_t second = bits_at(1);
  if (second > 0x3F) return {first, 1, false};
  if (first < 0xE0) return {(first & 0x1F) << 6 | second, 2, true};
  if (text.size() < 3) return {first, 1, false};
  const char32_t third = bits_at(2);
  if (third > 0x3F) return {first, 1, false};
  if (first < 0xF0) {
    const char32_t code = (first & 0xF) << 12 | second << 6 | third;
    const bool is_valid = code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
    return {code, is_valid ? 3U : 1U, is_valid};
  }
  if (text.size() < 4) return {first, 1, false};
  const char32_t fourth = bits_at(3);
  if (fourth > 0x3F) return {first, 1, false};
  const char32_t code = (first & 0x7) << 18 | second << 12 | third << 6 | fourth;
  const bool is_valid = first < 0xF5 && code >= 0x10000 && code <= last_code_point;
  return {code, is_valid ? 4U : 1U, is_valid};
}
/// Whether a byte is not one of those behind the first of a character.
inline bool begins_character(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) != 0x80; }
/// Whether bytes that are not empty begin with the first byte of a character, and end with the last of one.
inline bool is_whole_characters(std::string_view bytes) {
  if (!begins_character(bytes.front())) return false;
  std::size_t last = bytes.size() - 1;
  while (!begins_character(bytes[last])) --last;
  const DecodedCharacter character = decode_utf8(bytes.substr(last));
  return character.is_valid && last + character.length == bytes.size();
}
/// Writes a character, and returns its length.
inline std::size_t encode_utf8(char32_t code, char* to) {
  if (code < 0x80) {
    to[0] = static_cast<char>(code);
    return 1;
  }
  const auto following = [code](unsigned shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x800) {
    to[0] = static_cast<char>(0xC0 | code >> 6);
    to[1] = following(0);
    return 2;
  }
  if (code < 0x10000) {
    to[0] = static_cast<char>(0xE0 | code >> 12);
    to[1] = following(6);
    to[2] = following(0);
    return 3;
  }
  to[0] = static_cast<char>(0xF0 | code >> 18);
  to[1] = following(12);
  to[2] = following(6);
  to[3] = following(0);
  return 4;
}
inline void append_utf8(char32_t code, std::string& out) {
  std::array<char, 4> bytes{};
  out.append(bytes.data(), encode_utf8(code, bytes.data()));
}

}  // namespace lode::text
