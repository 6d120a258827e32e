// FilterClass: one length class of a plan, with the Bloom filter that the CPU asks before it looks at buckets.
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
  const std::uint8_t* patterns_end;    // no byte from here on belongs to a pattern
  std::uint32_t word_count_log2 = 0;   // 2^word_count_log2 words of bits
  std::vector<std::uint32_t> bits;     // blocked Bloom filter of the windows' hashes

  std::uint32_t word_of(std::uint32_t hash) const { return hash >> (32 - word_count_log2); }
  static std::uint32_t wanted_bits(std::uint32_t hash) {
    return std::uint32_t{1} << (hash & 31) | std::uint32_t{1} << (hash >> 5 & 31) | std::uint32_t{1} << (hash >> 10 & 31);
  }
  bool passes(std::uint32_t hash) const { return (bits[word_of(hash)] & wanted_bits(hash)) == wanted_bits(hash); }
};

}  // namespace lode
