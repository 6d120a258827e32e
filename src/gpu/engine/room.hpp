// Room: whether a device can hold a plan's tables and still has memory for the text and the lists of a search.
//
// Only the device's limits and the most that tables may take decide, so that equal devices decide alike, whatever else
// lies on them.
#pragma once

#include <cstdint>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// The most memory that an algorithm's tables may take on a device.
struct TableBytes {
  std::uint64_t once = 0;         // however few patterns there are
  std::uint64_t per_pattern = 0;  // for each distinct pattern
  std::uint64_t per_byte = 0;     // for each byte of all patterns
};

/// The number of distinct patterns, and their bytes.
struct PatternAmount {
  std::uint64_t patterns = 0;
  std::uint64_t bytes = 0;  // all patterns together
};

/// Whether such tables, and the patterns themselves, fit into the device's buffers and into their share of its memory.
bool has_room(const Limits& limits, const TableBytes& tables, const PatternAmount& amount);

}  // namespace lode::gpu
