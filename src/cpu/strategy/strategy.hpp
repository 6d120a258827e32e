// Strategy: how `filter` looks for which patterns of a plan. Every choice before the scan is made here, by the costs of
// costs.hpp and the limits of strategy.cpp.
//
// Small length classes are sieved together (look/sieve.hpp). A class of few patterns, or of short ones that occur
// often, is scanned pattern by pattern as `vector` does. All other classes are looked up by their windows (look/windows.cpp);
// a near table or pairs may take the place of the Bloom filter. Each class gets what costs least in a text like the
// plan's sample. Where few patterns share their letters and counting by these costs less than all of the above, the
// strategy counts by them (look/letter_group.hpp).
// Example: 30 words and 10 000 phrases of 30 bytes, with a sample of prose. The words are sieved, the phrases are
// looked up by windows of 16 bytes at every fourth place.
// A look that had to be built for its estimate is kept in the strategy, so that a scanner builds nothing twice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu/look/letter_group.hpp"
#include "cpu/look/sieve.hpp"
#include "cpu/look/window_class.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// Estimated costs in cycles for each byte of a text like the sample.
struct Estimate {
  std::optional<double> cycles;     // the cost of the chosen way; absent where nothing was estimated
  std::optional<double> otherwise;  // the cost of the way turned down; infinite where there was none
};

struct Strategy {
  /// One length class that is looked up by its windows.
  struct Windows {
    std::size_t length_class = 0;       // its index in the plan
    bool is_counted_by_probes = false;  // where occurrences are only counted, its patterns are scanned one by one
    FirstLook first_look;
    Estimate estimate;
  };

  std::unique_ptr<const Sieve> sieve;  // null where no class is sieved
  std::size_t sieved_patterns = 0;
  Estimate sieve_estimate;
  std::vector<std::uint32_t> probed;  // distinct patterns that are scanned one by one
  Estimate probed_estimate;           // of those that are not left out of a sieve
  std::vector<Windows> windows;
  std::optional<LetterGroup> letters;  // where set, it counts all patterns if occurrences are only counted
  Estimate letters_estimate;
};

Strategy choose_strategy(const PlanData& plan, InstructionSet set);

/// The strategy in words, as in "8 by a sieve of halves of bytes (0.39 cycles a byte, else 1.21)".
std::string describe(const Strategy& strategy, const PlanData& plan);

/// The distinct patterns of a length class, sorted.
std::vector<std::uint32_t> members_of(const PlanData& plan, const LengthClass& length_class);

}  // namespace lode
