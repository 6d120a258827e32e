// PairTable: a table of all pairs of bytes, asked for a pair at each sampled place before any window is hashed.
//
// Idea: where bytes are many and pairs rare, two bytes tell nearly as much as a window, and asking for them takes two
// loads and a shift, no multiplication. For a pair that stands in the table a second table is asked, by a hash of the
// pair and two more bytes, behind it or before it as its pattern has them. What passes is a candidate.
// Example: 1000 patterns of random bytes, looked at from every fourth place, are 4000 of 65 536 pairs: one place in 16
// passes, with two more bytes one in 140.
// Worst case: a text made of the patterns' first bytes. Every place passes and is verified, and the look-ups come on
// top.
// Loses where letters are few (DNA) or pairs frequent (prose), which a sample of the text tells.
#pragma once

#include <cstdint>
#include <vector>

#include "base/instruction_sets.hpp"
#include "plan/pair_counts.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class PairTable {
 public:
  static constexpr std::uint32_t bytes_before = 2;  // bytes before a sampled place that are read
  // A class that this table serves has the stride 4 and patterns of at least five bytes. So any pair has two more
  // bytes on one side.
  static constexpr std::uint32_t stride = 4;

  /// Looks at the pair that lies `offset` bytes behind the begin of each window of a class.
  /// Preconditions: length_class.stride == stride; offset + 2 <= length_class.window.
  PairTable(const PlanData& plan, const LengthClass& length_class, std::uint32_t offset);

  std::uint32_t offset() const { return offset_; }
  bool folded() const { return folded_; }
  /// A bit for each pair, by its number: whether it stands in the table.
  const std::uint32_t* pairs() const { return pairs_.data(); }
  /// 2^16 bits for pairs with two bytes more, by after_index() and before_index().
  const std::uint32_t* neighbours() const { return neighbours_.data(); }

  /// The share of pairs that are in the table, in a text that has each pair as often as `counts` says. With
  /// `of_patterns` the counts are of the patterns, and of each pair one is left out: the one that set its bit.
  double expected_passes(const PairCounts& counts, bool of_patterns) const;

  /// The index of four bytes as a number: a pair and the two behind it, or the two before it and the pair.
  static constexpr std::uint32_t after_index(std::uint32_t bytes) { return bytes * 0x9E3779B1u >> 16; }
  static constexpr std::uint32_t before_index(std::uint32_t bytes) { return bytes * 0x85EBCA77u >> 16; }

 private:
  std::uint32_t offset_;
  bool folded_;
  std::vector<std::uint32_t> pairs_;
  std::vector<std::uint32_t> neighbours_;
};

/// Lists the sampled places that pass, as distances from `at`, and returns how many there are. Sampled are the
/// multiples of the stride in `count` times 64 bytes from `at` on. `places` has room for all and 64 more. Reads
/// bytes_before bytes before `at`, and for each place the window and the two bytes behind it.
using PairRunner = std::size_t (*)(const PairTable& table, const std::uint8_t* at, std::uint64_t count,
                                   std::uint16_t* places);

/// All ways to do so that the instruction set has, and the one that is faster on this processor. Gathers are, on
/// Intel's.
std::vector<PairRunner> pair_runners(InstructionSet set);
PairRunner pair_runner(InstructionSet set);

}  // namespace lode
