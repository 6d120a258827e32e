// One pattern's part of `vector`, also used by `filter` for classes of few patterns.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/instruction_sets.hpp"
#include "cpu/scan/collector.hpp"
#include "cpu/verify/bounded_search.hpp"
#include "plan/probes.hpp"

namespace lode {

struct VectorPattern {
  static constexpr std::size_t most_together = 4;  // the most patterns that one pass scans
  static constexpr std::size_t usual_letters = 4;  // letters that are worth marking at once

  VectorPattern(const PlanData& plan, std::uint32_t index);

  std::uint32_t distinct = 0;
  bool ignore_case = false;
  bool probes_decide = false;      // every byte of the pattern is a probe
  std::uint32_t probe_reach = 0;   // the highest offset of a probe
  std::size_t probe_count = 0;     // 1 … probes.size(); a single probe stands in probes[1], too
  std::array<Probe, 32> probes{};  // rarest first
  // The first different bytes of the probes. If there are at most usual_letters, those with most probes come first.
  std::array<Probe, 8> letters{};
  std::size_t letter_count = 0;
  std::array<std::uint8_t, 32> letter_of{};  // the letter of each probe; letters.size() if it is none
  bool letters_decide = false;               // every byte of the pattern is a probe and a letter
  std::span<const std::uint8_t> bytes;

  bool is_decided_by_two() const { return probe_count <= 2 && probes_decide; }

  /// Reports the occurrences that start at [begin, end), in a time that no text can make long.
  void scan_in_bounded_time(Collector& out, std::uint64_t begin, std::uint64_t end) const {
    bounded_.scan(out, begin, end, [this] { return std::vector{BoundedSearch::Window{distinct, 0}}; });
  }

 private:
  void sort_letters();

  BoundedSearch bounded_;
};

/// Reports the patterns' occurrences in the collector's range.
using VectorRunner = void (*)(std::span<const VectorPattern> patterns, Collector& out);

VectorRunner vector_runner(InstructionSet set);

}  // namespace lode
