// PatternHead: the first bytes of a pattern and what else is asked of it first, so that most candidates are decided by
// one line of the cache, and without a branch (pattern_head-inl.hpp compares them).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.hpp"

namespace lode {

struct PatternHead {
  static constexpr std::size_t bytes = 16;

  std::uint8_t first[bytes] = {};  // folded if the pattern ignores case; 0 behind a shorter one's end
  std::uint32_t distinct = 0;
  std::uint16_t compared = 0;    // a bit for each byte of `first` that is the pattern's
  std::uint8_t offset = 0;       // where in the pattern lies what was found in the text
  std::uint8_t ignore_case : 1;  // 0 or 1
  std::uint8_t length : 7;       // the pattern's; 17 for all of more than 16 bytes

  PatternHead() : ignore_case(0), length(0) {}
  PatternHead(std::span<const std::uint8_t> pattern, bool folded, std::uint32_t distinct_index)
      : distinct(distinct_index),
        ignore_case(folded ? 1 : 0),
        length(static_cast<std::uint8_t>(std::min(pattern.size(), bytes + 1)) & 0x7f) {
    compared = static_cast<std::uint16_t>((1u << std::min(pattern.size(), bytes)) - 1);
    pattern.size() >= bytes ? std::memcpy(first, pattern.data(), bytes)
                            : std::memcpy(first, pattern.data(), pattern.size());
    if (folded)
      for (std::uint8_t& byte : first) byte = fold(byte);
  }

  bool is_whole() const { return length <= bytes; }
};
static_assert(sizeof(PatternHead) == 24);

}  // namespace lode
