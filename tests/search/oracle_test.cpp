// The hand-written table judges the oracles before they judge the engine.

#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/cases.hpp"
#include "support/engines.hpp"

namespace lode::tests {
namespace {

TEST(CaseTableItself, HasUniqueNamesAndSortedExpectations) {
  std::set<std::string> names;
  for (const Case& row : case_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(std::is_sorted(row.expected.begin(), row.expected.end())) << row.name;
    for (const auto& [offset, id] : row.expected) EXPECT_LT(id, row.patterns.size()) << row.name;
  }
  EXPECT_GT(names.size(), 100U);
}

TEST(Oracle, FindByMeaningPassesTheTable) {
  for (const Case& row : case_table()) {
    EXPECT_EQ(find_by_meaning(row.text, row.pattern_set(), row.rules()), row.matches()) << row.name;
  }
}

TEST(Oracle, FindByIndexPassesTheTable) {
  for (const Case& row : case_table()) {
    EXPECT_EQ(find_by_index(row.text, row.pattern_set(), row.rules()), row.matches()) << row.name;
  }
}

TEST(Oracle, PaddingChangesNothing) {
  for (const Case& row : case_table()) {
    const Padding padding = find_padding(row);
    if (!padding.exists) continue;
    const std::string shifted = std::string(5, padding.byte) + row.text + std::string(3, padding.byte);
    EXPECT_EQ(find_by_meaning(shifted, row.pattern_set(), row.rules()), row.matches(5)) << row.name;
  }
}

TEST(Oracle, FoldsLettersAndNothingElse) {
  for (int code = 0; code < 256; ++code) {
    const char byte = static_cast<char>(code);
    const bool is_upper = code >= 0x41 && code <= 0x5A;
    EXPECT_EQ(fold(byte), is_upper ? static_cast<char>(code + 0x20) : byte) << code;
  }
}

}  // namespace

}  // namespace lode::tests
