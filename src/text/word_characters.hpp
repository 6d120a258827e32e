// Word characters: those of which words consist, by Unicode's standard of regular expressions (UTS 18: letters, marks,
// digits, connecting punctuation, joiners).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace lode::text {

inline constexpr std::uint64_t most_character_bytes = 4;  // of UTF-8

/// A bit for each code point, as kernels read them, too. Equal blocks of 256 code points are stored once:
///   first the number of each block, a byte each, the lowest of a word first; then the blocks, eight words each
class WordCharacters {
 public:
  static constexpr std::size_t blocks = 0x110000 / 256;
  static constexpr std::size_t number_words = blocks / 4, block_words = 256 / 32;

  /// Made when it is first asked for, in some 100 microseconds.
  static const WordCharacters& get();

  /// Precondition: code < 0x110000.
  bool has(std::uint32_t code) const {
    const std::uint32_t block = words_[code / 1024] >> (code / 256 % 4 * 8) & 0xff;
    return (words_[number_words + block * block_words + code % 256 / 32] >> (code % 32) & 1) != 0;
  }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  WordCharacters();

  std::vector<std::uint32_t> words_;
};

/// Whether a byte that is not ASCII belongs to a word character of UTF-8. It looks at three bytes on either side, within
/// data[0 … size).
bool is_in_word_beyond_ascii(const std::uint8_t* data, std::uint64_t place, std::uint64_t size);

/// Whether data[place] belongs to a word character of UTF-8. A byte that is part of no character does not.
inline bool is_in_word(const std::uint8_t* data, std::uint64_t place, std::uint64_t size) {
  return data[place] < 0x80 ? is_word_byte(data[place]) : is_in_word_beyond_ascii(data, place, size);
}

}  // namespace lode::text
