// The size of a block, the range of a chunk that a scanner is given at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/vector.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// A scanner may go over a block once for each length class. The block should stay in the nearest cache meanwhile.
constexpr std::uint64_t least_block_bytes = std::uint64_t{1} << 15;

/// A block of at least `bytes`, and of at least twice the longest pattern.
inline std::uint64_t block_bytes_at_least(const PlanData& plan, std::uint64_t bytes) {
  return std::max(bytes, std::uint64_t{plan.patterns.max_length()} * 2);
}

/// Chooses the size of blocks by the number of patterns. A scan by probes finds out anew in each block what is frequent
/// there, so that sets small enough to be probed get larger blocks. Few patterns share one pass and get the largest.
inline std::uint64_t choose_block_bytes(const PlanData& plan) {
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 18;
  constexpr std::uint64_t more_bytes = std::uint64_t{1} << 17;
  constexpr std::uint32_t most_patterns_one_by_one = 256;
  return block_bytes_at_least(plan, plan.distinct_count() <= VectorPattern::most_together ? few_bytes
                                    : plan.distinct_count() <= most_patterns_one_by_one   ? more_bytes
                                                                                          : least_block_bytes);
}

}  // namespace lode
