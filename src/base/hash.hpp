// content_hash: a 64-bit hash of bytes, the same for bytes that are equal after folding where asked.
// With process_seed() nobody can make bytes whose hashes meet; without a seed it is the same in every process.
#pragma once

#include <cstdint>
#include <span>

namespace lode {

std::uint64_t content_hash(std::span<const std::uint8_t> bytes, bool folded, std::uint64_t seed = 0);

/// Drawn at random, once for each process.
std::uint64_t process_seed();

}  // namespace lode
