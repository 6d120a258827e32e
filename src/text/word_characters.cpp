#include "text/word_characters.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "text/unicode.hpp"
#include "text/unicode_tables.hpp"

namespace lode::text {

WordCharacters::WordCharacters() : words_(number_words) {
  using Block = std::array<std::uint32_t, block_words>;
  std::vector<Block> all(blocks);
  for (const tables::Range& range : std::span(tables::word_characters, tables::word_characters_count))
    for (std::uint32_t code = range.first; code <= range.last; ++code)
      all[code / 256][code % 256 / 32] |= std::uint32_t{1} << (code % 32);
  std::map<Block, std::uint32_t> numbers;
  for (std::size_t at = 0; at < blocks; ++at) {
    const auto [number, is_new] = numbers.try_emplace(all[at], static_cast<std::uint32_t>(numbers.size()));
    if (is_new) words_.insert(words_.end(), all[at].begin(), all[at].end());
    words_[at / 4] |= number->second << (at % 4 * 8);  // there are fewer than 256 (tests/text/word_characters_test.cpp)
  }
}

const WordCharacters& WordCharacters::get() {
  static const WordCharacters characters;
  return characters;
}

bool is_in_word_beyond_ascii(const std::uint8_t* data, std::uint64_t place, std::uint64_t size) {
  const auto goes_on = [&](std::uint64_t at) { return (data[at] & 0xC0) == 0x80; };
  const std::uint64_t least = place - std::min(place, most_character_bytes - 1);
  std::uint64_t first = place;
  while (first > least && goes_on(first)) --first;
  const std::uint64_t bytes = std::min(size - first, most_character_bytes);
  const DecodedCharacter character =
      decode_utf8(std::string_view(reinterpret_cast<const char*>(data) + first, static_cast<std::size_t>(bytes)));
  return character.is_valid && place - first < character.length && WordCharacters::get().has(character.code);
}

}  // namespace lode::text
