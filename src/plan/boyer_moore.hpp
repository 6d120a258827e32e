// Tables of `boyer-moore` for one pattern.
//
// Source: R. S. Boyer, J. S. Moore, "A fast string searching algorithm" (1977); Galil's rule: Z. Galil (1979).
// Worked example, GCAGAGAG: bad character A 1, C 6, G 2, any other 8; suffix lengths 1 0 0 2 0 4 0 8; good-suffix
// shifts 7 7 7 2 7 4 7 1; period 7, so after a match the pattern moves by 7 and its first byte is known to match.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lode {

struct BoyerMooreTables {
  explicit BoyerMooreTables(std::span<const std::uint8_t> bytes, bool ignore_case);

  std::vector<std::uint8_t> pattern;  // folded where case is ignored
  bool ignore_case = false;
  /// The distance from the pattern's last byte to the byte's last occurrence before it; the length where there is none.
  std::array<std::uint32_t, 256> bad_character{};
  /// suffix_length[i] is the length of the longest suffix of the pattern that ends at i.
  std::vector<std::uint32_t> suffix_length;
  /// good_suffix[i] is the shift where the bytes behind i match and byte i does not.
  std::vector<std::uint32_t> good_suffix;
  std::uint32_t period = 0;  // the shift after a match, 1 … length
};

}  // namespace lode
