// The oracle: what a search must report, written straight from the meaning of a match.
//
// Two of them, on purpose unlike the engine and unlike each other. `find_by_meaning` is the definition
// itself: every offset times every pattern, byte by byte. `find_by_index` looks every substring of every
// pattern length up in a std::unordered_map, for texts of megabytes. Both pass the case table before they
// judge anything. Linked only into tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lode/match.hpp"
#include "lode/pattern_set.hpp"

namespace lode::tests {

struct Rules {
  MatchKind match_kind = MatchKind::overlapping;
  Condition condition = Condition::none;
  char line_terminator = '\n';
};

char fold(char byte);
bool is_word_byte(char byte);

/// Does the condition let a match at text[offset, offset + length) stand?
bool meets_condition(std::string_view text, std::uint64_t offset, std::uint64_t length, const Rules& rules);

/// Every occurrence that meets the condition, sorted by (offset, id); the match kind is not yet applied.
std::vector<Match> list_occurrences(std::string_view text, const PatternSet& patterns, const Rules& rules = {});

/// What is left of sorted occurrences once the match kind is applied. No match starts before `not_before`.
std::vector<Match> apply_match_kind(const std::vector<Match>& occurrences, MatchKind kind,
                                    std::uint64_t not_before = 0);

/// The occurrences that start in [begin, end).
std::vector<Match> cut_range(const std::vector<Match>& occurrences, std::uint64_t begin, std::uint64_t end);

std::vector<Match> find_by_meaning(std::string_view text, const PatternSet& patterns, const Rules& rules = {});
std::vector<Match> find_by_index(std::string_view text, const PatternSet& patterns, const Rules& rules = {});

}  // namespace lode::tests
