// Sieve: at most 64 patterns, looked for at every place by tables that stay in registers.
//
// Idea: each pattern gives a *core*, its rarest neighbouring bytes: as many as the shortest pattern has, but four at
// least and eight at most; a pattern of two or three bytes gives them all. Patterns lie in eight *bins*, and an entry
// of a table has a bit for each bin. Each table belongs to some bytes of the core. It is asked for the text's bytes
// that would be these; the AND of all answers is a byte for each place of the text, the bins that may have a core
// there.
// With byte permutes of whole registers (AVX-512 VBMI) a look-up is of two neighbouring bytes, hashed to seven bits.
// Otherwise it is of the two halves of one byte, as in Hyperscan's Teddy. What passes is compared with the bin's
// eight patterns at once, by the eight bytes from the core on.
// Example: `kitty` in bin 3 and `puppy` in bin 7, whose bits are 08 and 80. At the first `p` of `puppy` the tables of
// pairs, which look at the first two, two in the middle and the last two bytes, say `pu` 80, `up` 80, `py` 80. The AND
// is 80: bin 7.
// Worst case: a text in which everything passes, and long patterns agree with most of it at every place. Where
// comparing them takes too long, a bounded search takes over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/instruction_sets.hpp"
#include "cpu/scan/collector.hpp"
#include "cpu/verify/bounded_search.hpp"
#include "cpu/verify/pattern_head.hpp"
#include "plan/pair_counts.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class Sieve {
 public:
  enum class Tests { pairs, halves };

  static constexpr std::uint32_t bins = 8;
  static constexpr std::uint32_t bin_members = 8;  // the most members of a bin
  static constexpr std::uint32_t most_patterns = bins * bin_members;
  static constexpr std::uint32_t least_core_bytes = 4;  // a pattern of two or three bytes gives them all
  static constexpr std::uint32_t most_core_bytes = 8;
  static constexpr std::uint32_t pair_tests = 3;
  static constexpr std::uint32_t half_tests = 4;
  static constexpr std::uint32_t most_core_offset = 60;  // the highest offset of a core in its pattern
  static constexpr std::uint32_t pair_entries = 128;
  static constexpr std::size_t most_counted_bytes = std::size_t{1} << 16;  // bytes of a sample

  // Where in the core the two bytes of a look-up lie. They are neighbours, in either order.
  struct PairPlaces {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::uint32_t last() const { return std::max(first, second); }
  };

  struct Tables {
    alignas(64) std::uint8_t pairs[pair_tests][pair_entries] = {};  // for Tests::pairs
    alignas(64) std::uint8_t low_halves[half_tests][16] = {};       // for Tests::halves
    alignas(64) std::uint8_t high_halves[half_tests][16] = {};
    // The eight bytes from a core on fit member m of bin b where (bytes & masks[b][m]) == values[b][m].
    alignas(64) std::uint64_t values[bins][bin_members] = {};
    alignas(64) std::uint64_t masks[bins][bin_members] = {};
    PatternHead members[bins][bin_members];  // the offset is the core's; the length is 0 where there is no member
  };

  /// A sieve of distinct patterns, each of at least two bytes. Precondition: 1 <= distincts.size() <= most_patterns.
  Sieve(const PlanData& plan, std::span<const std::uint32_t> distincts, InstructionSet set);

  /// How many bins pass at a place, on average over the sample of the text. Without a sample the text's bytes are taken
  /// to be independent, and as frequent as in the patterns.
  double expected_passes() const { return expected_passes_; }

  const PlanData& plan() const { return *plan_; }
  Tests tests() const { return tests_; }
  const Tables& tables() const { return tables_; }
  bool folded() const { return folded_; }  // whether text is folded by loose_fold_mask before it is asked for
  std::uint32_t max_core_offset() const { return max_core_offset_; }

  const BoundedSearch& bounded() const { return bounded_; }
  /// Reports the occurrences in the collector's range whose cores lie at `place` or behind it.
  void scan_in_bounded_time(Collector& out, std::uint64_t place) const;

  /// Where in the core the bytes of each look-up lie.
  const std::array<PairPlaces, pair_tests>& pair_places() const { return pair_places_; }
  const std::array<std::uint32_t, half_tests>& half_places() const { return half_places_; }

  /// The entry of a table of pairs that belongs to two bytes.
  static constexpr std::uint32_t pair_entry(std::uint8_t first, std::uint8_t second) {
    return (first ^ static_cast<std::uint32_t>(second) << 2) % pair_entries;
  }

 private:
  struct Frequencies {
    std::array<double, 256> of_byte{};
    std::array<double, pair_entries> of_pair_entry{};
  };

  std::uint32_t choose_core(std::span<const std::uint8_t> pattern, bool ignore_case, std::uint32_t span,
                            const PairCounts& pairs) const;
  void add_core(std::uint32_t bin, std::span<const std::uint8_t> core);
  double count_passes(std::string_view sample) const;
  double estimate_passes(const Frequencies& frequencies) const;

  const PlanData* plan_;
  Tests tests_;
  std::array<PairPlaces, pair_tests> pair_places_{};
  std::array<std::uint32_t, half_tests> half_places_{};
  bool folded_ = false;
  std::uint32_t max_core_offset_ = 0;
  double expected_passes_ = 0;
  Tables tables_;
  BoundedSearch bounded_;
};

/// Reports the occurrences of the sieve's patterns in the collector's range.
using SieveRunner = void (*)(const Sieve& sieve, Collector& out);

/// What the instruction set looks up in tables, and the function that scans with it.
Sieve::Tests sieve_tests(InstructionSet set);
SieveRunner sieve_runner(InstructionSet set);

}  // namespace lode
