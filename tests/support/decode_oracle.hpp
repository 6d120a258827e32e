// What a decoding view makes of a text, character by character, on iconv and the plain meaning of UTF-16 and of lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lode/view.hpp"

namespace lode::tests {

struct DecodedText {
  std::string bytes;
  // For each byte: the begin and the end in the original of the character that it is part of, and whether that is one
  // that no match may hold.
  std::vector<std::uint64_t> begins, ends;
  std::vector<bool> barriers;

  void add(std::string_view character, std::uint64_t begin, std::uint64_t end, bool is_barrier = false) {
    bytes += character;
    begins.resize(bytes.size(), begin);
    ends.resize(bytes.size(), end);
    barriers.resize(bytes.size(), is_barrier);
  }
};

DecodedText decode_by_meaning(std::string_view text, const View& view);
/// UTF-8 in the encoding that the view names, which is not auto, by iconv. It throws std::runtime_error for a character
/// that the encoding lacks.
std::string encode_by_meaning(std::string_view utf8, const View& view);

}  // namespace lode::tests
