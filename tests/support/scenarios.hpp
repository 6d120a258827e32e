// Draws pattern sets and texts that are difficult for an exact search.
//
// Alphabets have from one letter to all bytes, sets have 1 … 5 000 patterns, and lengths are 1 … 300. Patterns are
// pieces, prefixes, suffixes and near-copies of each other, some are duplicates, and case rules are mixed. Texts have
// whole and almost whole patterns planted in them, at both ends, too. The same Random gives the same scenario.
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

/// Draws a text over the alphabet, with patterns, cut patterns and changed patterns planted in it.
std::string draw_text(Random& random, const PatternSet& patterns, std::string_view alphabet, std::uint64_t length);

/// Cuts the text so that it holds at most about `match_count` matches, because some scenarios match thousands of times
/// at each byte.
void limit_matches(Scenario& scenario, std::uint64_t match_count);

}  // namespace lode::tests
