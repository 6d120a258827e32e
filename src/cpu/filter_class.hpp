// FilterClass: one length class of a plan, with the bit table that the CPU tests before it looks at buckets.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan_data.hpp"

namespace lode {

struct FilterClass {
  FilterClass(const PlanData& data, const LengthClass& length_class);

  const PlanData& plan;
  const LengthClass& made;
  const std::uint32_t* bucket_starts;  // of this class: 2^bucket_bits + 1
  const WindowEntry* entries;          // of this class
  std::uint32_t bit_count_log2 = 0;    // 2^bit_count_log2 bits, found by the top bits of a window's hash
  std::vector<std::uint32_t> bits;
};

}  // namespace lode
