#include "search/match_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/environment.hpp"

namespace lode::tests {
namespace {

void expect_sorted(std::vector<Match> matches) {
  std::vector<Match> expected = matches;
  std::sort(expected.begin(), expected.end(), is_reported_before);
  MatchSorter sorter;
  sorter.sort(matches);
  EXPECT_EQ(matches, expected);
}

TEST(MatchSorter, SortsByPlaceThenPattern) {
  Random random = make_random("MatchSorter");
  for (const std::uint64_t count : {0U, 1U, 2U, 63U, 64U, 65U, 1000U, 5000U, 70'000U}) {
    for (const std::uint64_t range : {1U, 2U, 1000U, 1U << 18}) {
      std::vector<Match> matches;
      for (std::uint64_t at = 0; at < count; ++at)
        matches.emplace_back((std::uint64_t{1} << 40) + random.below(range), static_cast<std::uint32_t>(at * 7 % count),
                             3);
      expect_sorted(matches);
    }
  }
}

TEST(MatchSorter, SortsPlacesThatAreFarApart) {
  std::vector<Match> matches;
  for (std::uint32_t at = 0; at < 100; ++at) matches.emplace_back(at % 2 == 0 ? UINT64_MAX - at : at, at, 1);
  expect_sorted(matches);
}

TEST(MatchSorter, SortsOneListAfterTheOther) {
  MatchSorter sorter;
  for (const std::uint32_t count : {3000U, 100U, 2000U}) {
    std::vector<Match> matches;
    for (std::uint32_t at = count; at != 0; --at) matches.emplace_back(at / 2, at, 1);
    sorter.sort(matches);
    EXPECT_TRUE(std::is_sorted(matches.begin(), matches.end(), is_reported_before)) << count;
    EXPECT_EQ(matches.front(), Match(0, 1, 1));
    EXPECT_EQ(matches.back(), Match(count / 2, count, 1));
  }
}

}  // namespace
}  // namespace lode::tests
