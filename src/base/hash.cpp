#include "base/hash.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lode {

std::uint64_t content_hash(std::span<const std::uint8_t> bytes, bool folded) {
  if (!folded) return XXH3_64bits(bytes.data(), bytes.size());
  std::array<std::uint8_t, 256> block;
  std::uint64_t hash = 1;
  for (std::size_t at = 0; at < bytes.size(); at += block.size()) {
    const std::size_t size = std::min(block.size(), bytes.size() - at);
    for (std::size_t byte = 0; byte < size; ++byte) block[byte] = fold(bytes[at + byte]);
    hash = XXH3_64bits_withSeed(block.data(), size, hash);
  }
  return hash;
}

}  // namespace lode
