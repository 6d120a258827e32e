// One pattern's part of `vector`, also used by `filter` for classes of few patterns.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cpu/collector.hpp"
#include "cpu/instruction_sets.hpp"
#include "plan/probes.hpp"

namespace lode {

struct VectorPattern {
  VectorPattern(const PlanData& plan, std::uint32_t index);

  std::uint32_t distinct = 0;
  bool ignore_case = false;
  bool probes_decide = false;      // every byte of the pattern is a probe
  std::uint32_t probe_reach = 0;   // highest offset of a probe
  std::size_t probe_count = 0;     // 1 … probes.size(); probes[1] is valid always
  std::array<Probe, 32> probes{};  // rarest first
  std::span<const std::uint8_t> bytes;
};

/// Reports the pattern's occurrences in the collector's range.
using VectorRunner = void (*)(const VectorPattern& pattern, Collector& out);

VectorRunner vector_runner(InstructionSet set);

}  // namespace lode
