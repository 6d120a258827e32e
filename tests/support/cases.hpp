// The one table of cases: what must be found where, worked out by hand.
//
// Each row is independent. It runs through every algorithm, instruction set, chunking and entry point, each time
// shifted by padding. So a row needs no variants at other offsets. The oracles must pass the table, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lode/match.hpp"
#include "lode/pattern_set.hpp"
#include "support/oracle.hpp"

namespace lode::tests {

struct CasePattern {
  CasePattern(const char* pattern) : bytes(pattern) {}  // NOLINT(google-explicit-constructor)
  CasePattern(std::string pattern, bool ignore = false) : bytes(std::move(pattern)), ignore_case(ignore) {}

  std::string bytes;
  bool ignore_case = false;
};

struct Case {
  std::string name;  // must be unique in the table
  std::string text;
  std::vector<CasePattern> patterns;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;  // (offset, id), in sorted order
  MatchKind match_kind = MatchKind::overlapping;
  Condition condition = Condition::none;
  char line_terminator = '\n';

  Rules rules() const { return {match_kind, condition, line_terminator}; }
  PatternSet pattern_set() const;
  /// The expected matches with their lengths, moved `shift` bytes to the right.
  std::vector<Match> matches(std::uint64_t shift = 0) const;
};

const std::vector<Case>& case_table();

/// A byte that can stand around the row's text without changing what is found. It is in no pattern, under no case rule,
/// and the condition takes it for an edge. It does not exist if every byte is taken.
struct Padding {
  bool exists = false;
  char byte = '\0';
};
Padding find_padding(const Case& row);

}  // namespace lode::tests
