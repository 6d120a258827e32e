// content_hash: a 64-bit hash of bytes. With `folded`, bytes that are equal after folding have the same hash.
// With process_seed() nobody can make bytes whose hashes collide; without a seed a hash is the same in every process.
#pragma once

#include <cstdint>
#include <span>

namespace lode {

std::uint64_t content_hash(std::span<const std::uint8_t> bytes, bool folded, std::uint64_t seed = 0);

/// A seed that is drawn at random, once for each process.
std::uint64_t process_seed();

}  // namespace lode
