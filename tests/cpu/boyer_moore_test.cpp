// Tests the tables of boyer-moore: the worked example of the source, and any pattern against the definitions of the
// rules.

#include "plan/boyer_moore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::tests {
namespace {

BoyerMooreTables make_tables(std::string_view pattern, bool ignore_case = false) {
  return BoyerMooreTables({reinterpret_cast<const std::uint8_t*>(pattern.data()), pattern.size()}, ignore_case);
}

using Numbers = std::vector<std::uint32_t>;

TEST(BoyerMooreTables, AreThoseOfTheSource) {
  const BoyerMooreTables tables = make_tables("GCAGAGAG");
  for (int code = 0; code < 256; ++code) {
    const std::uint32_t expected = code == 'A' ? 1 : code == 'C' ? 6 : code == 'G' ? 2 : 8;
    EXPECT_EQ(tables.bad_character[static_cast<std::size_t>(code)], expected) << code;
  }
  EXPECT_EQ(tables.suffix_length, (Numbers{1, 0, 0, 2, 0, 4, 0, 8}));
  EXPECT_EQ(tables.good_suffix, (Numbers{7, 7, 7, 2, 7, 4, 7, 1}));
  EXPECT_EQ(tables.period, 7U);
}

TEST(BoyerMooreTables, OfOneByte) {
  const BoyerMooreTables tables = make_tables("a");
  EXPECT_EQ(tables.suffix_length, Numbers{1});
  EXPECT_EQ(tables.good_suffix, Numbers{1});
  EXPECT_EQ(tables.period, 1U);
}

TEST(BoyerMooreTables, FoldThePatternWhereCaseIsIgnored) {
  EXPECT_EQ(make_tables("GcAgAgaG", true).good_suffix, make_tables("GCAGAGAG").good_suffix);
  EXPECT_EQ(make_tables("GcAgAgaG", true).suffix_length, make_tables("GCAGAGAG").suffix_length);
  EXPECT_EQ(make_tables("GcAgAgaG", true).period, 7U);
  EXPECT_EQ(make_tables("GcAgAgaG").period, 7U);
}

// Compares the tables with the definitions, by trying one shift after the other.
void expect_tables_by_definition(const std::string& pattern) {
  const BoyerMooreTables tables = make_tables(pattern);
  const std::size_t length = pattern.size();
  for (int code = 0; code < 256; ++code) {
    std::size_t distance = length;
    for (std::size_t i = 0; i + 1 < length; ++i) {
      if (pattern[i] == static_cast<char>(code)) distance = length - 1 - i;
    }
    ASSERT_EQ(tables.bad_character[static_cast<std::size_t>(code)], distance) << escape(pattern);
  }
  for (std::size_t i = 0; i < length; ++i) {
    std::size_t suffix = 0;
    while (suffix <= i && pattern[i - suffix] == pattern[length - 1 - suffix]) ++suffix;
    ASSERT_EQ(tables.suffix_length[i], suffix) << escape(pattern) << " at " << i;
    // The smallest shift that keeps the bytes behind i and brings another byte to i, or moves the begin of the pattern
    // past i.
    std::size_t shift = 1;
    for (; shift < length; ++shift) {
      bool fits = shift > i || pattern[i - shift] != pattern[i];
      for (std::size_t k = i + 1; k < length && fits; ++k) fits = shift > k || pattern[k - shift] == pattern[k];
      if (fits) break;
    }
    ASSERT_EQ(tables.good_suffix[i], shift) << escape(pattern) << " at " << i;
  }
  std::size_t period = 1;
  while (!std::equal(pattern.begin() + static_cast<std::ptrdiff_t>(period), pattern.end(), pattern.begin())) ++period;
  ASSERT_EQ(tables.period, period) << escape(pattern);
}

TEST(BoyerMooreTables, FollowTheirDefinitions) {
  Random random = make_random("FollowTheirDefinitions");
  for (std::uint64_t round = 0; round < test_rounds(500, 5000, 100'000); ++round) {
    expect_tables_by_definition(random.bytes(round % 2 == 0 ? "ab" : "abc", random.between(1, 24)));
    if (HasFatalFailure()) return;
  }
  for (const std::string& pattern : {std::string(50, 'a'), std::string("abababab"), std::string("aabaaabaab")}) {
    expect_tables_by_definition(pattern);
  }
}

}  // namespace
}  // namespace lode::tests
