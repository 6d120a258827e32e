#include "base/hash.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "base/bytes.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lode {

std::uint64_t content_hash(std::span<const std::uint8_t> bytes, bool folded, std::uint64_t seed) {
  if (!folded) return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
  std::array<std::uint8_t, 256> block;
  std::uint64_t hash = seed + 1;
  for (std::size_t at = 0; at < bytes.size(); at += block.size()) {
    const std::size_t size = std::min(block.size(), bytes.size() - at);
    for (std::size_t byte = 0; byte < size; ++byte) block[byte] = fold(bytes[at + byte]);
    hash = XXH3_64bits_withSeed(block.data(), size, hash);
  }
  return hash;
}

std::uint64_t process_seed() {
  static const std::uint64_t seed = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return seed;
}

}  // namespace lode
