// Scenarios: drawn pattern sets and texts that give an exact search trouble.
//
// Alphabets from one letter to all bytes, sets of 1 … 5 000 patterns, lengths 1 … 300, patterns that are
// pieces, prefixes, suffixes and near-copies of each other, duplicates, mixed case rules; texts with whole
// and almost whole patterns planted, at both ends, too. The same Random gives the same scenario.
#pragma once

#include <string>

#include "lode/pattern_set.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::tests {

struct ScenarioLimits {
  std::uint32_t pattern_count = 5000;
  std::uint64_t pattern_length = 300;
  std::uint64_t text_length = 20000;
  std::uint64_t match_count = 300'000;
};

struct Scenario {
  PatternSet patterns;
  std::string text;
  std::string alphabet;
};

Scenario draw_scenario(Random& random, const ScenarioLimits& limits = {});

/// A text over the alphabet with patterns, cut patterns and changed patterns planted in it.
std::string draw_text(Random& random, const PatternSet& patterns, std::string_view alphabet, std::uint64_t length);

/// Cuts the text so that it holds about `match_count` matches at most: some scenarios match thousands of
/// times a byte.
void limit_matches(Scenario& scenario, std::uint64_t match_count);

}  // namespace lode::tests
