// How many bytes of a text a scanner is given at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/vector.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// Where each length class is a pass over the block, it should stay in the nearest cache from one to the next.
constexpr std::uint64_t least_block_bytes = std::uint64_t{1} << 15;

/// Never less than twice the longest pattern.
inline std::uint64_t block_bytes_at_least(const PlanData& plan, std::uint64_t bytes) {
  return std::max(bytes, std::uint64_t{plan.patterns.max_length()} * 2);
}

/// A pass over a block finds out anew what is frequent in it: that costs the more the more patterns are scanned one by one.
/// Few patterns are one pass.
inline std::uint64_t choose_block_bytes(const PlanData& plan) {
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 18;
  constexpr std::uint64_t more_bytes = std::uint64_t{1} << 17;
  constexpr std::uint32_t most_patterns_one_by_one = 256;
  return block_bytes_at_least(plan, plan.distinct_count() <= VectorPattern::most_together ? few_bytes
                                    : plan.distinct_count() <= most_patterns_one_by_one   ? more_bytes
                                                                                          : least_block_bytes);
}

}  // namespace lode
