// The oracle: what a search must report, written directly from the meaning of a match.
//
// There are two of them, on purpose unlike the engine and unlike each other. `find_by_meaning` is the definition
// itself: it compares every pattern at every offset, byte by byte. `find_by_index` looks up every substring of every
// pattern length in a std::unordered_map, and serves texts of megabytes. Both pass the case table before they judge
// anything. Only tests link them.
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

/// By place, then by pattern, form and length.
bool is_before(const Match& a, const Match& b);

/// Whether the condition accepts a match at text[offset, offset + length).
bool meets_condition(std::string_view text, std::uint64_t offset, std::uint64_t length, const Rules& rules);

/// Every occurrence that meets the condition, sorted by (offset, id). The match kind is not yet applied.
std::vector<Match> list_occurrences(std::string_view text, const PatternSet& patterns, const Rules& rules = {});

/// The occurrences that a match kind keeps of sorted ones. No match starts before `not_before`.
std::vector<Match> apply_match_kind(const std::vector<Match>& occurrences, MatchKind kind,
                                    std::uint64_t not_before = 0);

/// The occurrences that start in [begin, end).
std::vector<Match> cut_range(const std::vector<Match>& occurrences, std::uint64_t begin, std::uint64_t end);

std::vector<Match> find_by_meaning(std::string_view text, const PatternSet& patterns, const Rules& rules = {});
std::vector<Match> find_by_index(std::string_view text, const PatternSet& patterns, const Rules& rules = {});

}  // namespace lode::tests
