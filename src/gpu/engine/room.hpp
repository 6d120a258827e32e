// Room: whether a device can hold a plan's tables and still has memory for the text and the lists of a search.
//
// Decided by the device's limits and by what tables take at most, so that equal devices decide alike, whatever else lies
// on them.
#pragma once

#include <cstdint>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// What an algorithm's tables take of a device's memory, at most.
struct TableBytes {
  std::uint64_t once = 0;         // however few patterns there are
  std::uint64_t per_pattern = 0;  // for each distinct pattern
  std::uint64_t per_byte = 0;     // for each byte of one
};

/// Distinct patterns.
struct PatternAmount {
  std::uint64_t patterns = 0;
  std::uint64_t bytes = 0;  // of all of them
};

/// Whether such tables, and the patterns themselves, fit into a device's share for them and into its buffers.
bool has_room(const Limits& limits, const TableBytes& tables, const PatternAmount& amount);

}  // namespace lode::gpu
