// From nested occurrences the leftmost kinds keep what their definition keeps, whatever the batches in which these
// come.
#include "search/match_kinds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/environment.hpp"

namespace lode::tests {
namespace {

// The definition: of all occurrences at or behind `next` keep the one that starts first. If several do, keep the
// longest, if that is asked for, and then the one with the lowest id. Go on from its end.
std::vector<Match> keep_by_definition(const std::vector<Match>& occurrences, MatchKind kind, std::uint64_t& next) {
  std::vector<Match> kept;
  for (;;) {
    const Match* best = nullptr;
    for (const Match& one : occurrences) {
      if (one.offset < next) continue;
      const auto rank = [&](const Match& match) {
        return std::tuple(match.offset, kind == MatchKind::leftmost_longest ? UINT32_MAX - match.length : 0,
                          match.pattern_id);
      };
      if (best == nullptr || rank(one) < rank(*best)) best = &one;
    }
    if (best == nullptr) return kept;
    kept.push_back(*best);
    next = best->offset + best->length;
  }
}

// Draws nested and overlapping occurrences, sorted by (offset, id). Several have one offset, with lengths in any order.
std::vector<Match> draw_nested(Random& random) {
  std::vector<Match> occurrences;
  const std::uint64_t places = random.between(1, 120);
  const std::uint64_t longest = random.scale(1, 60);
  for (std::uint64_t place = 0; place < places; ++place) {
    if (random.chance(40)) continue;
    for (std::uint32_t id = 0; id < 6; ++id)
      if (random.chance(30)) occurrences.push_back({place, id, static_cast<std::uint32_t>(random.between(1, longest))});
  }
  return occurrences;
}

TEST(KindFilter, KeepsWhatTheDefinitionKeeps) {
  Random random = make_random("KindFilter");
  for (const MatchKind kind : {MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    std::uint64_t all = 0;
    for (int round = 0; round < 2000; ++round) {
      const std::vector<Match> occurrences = draw_nested(random);
      const std::uint64_t not_before = random.chance(50) ? 0 : random.below(60);
      std::uint64_t next = not_before;
      const std::vector<Match> expected = keep_by_definition(occurrences, kind, next);
      KindFilter filter(kind, not_before);
      std::vector<Match> kept;
      for (std::size_t at = 0; at < occurrences.size(); ++at) {
        filter.take(occurrences[at], kept);
        // A batch may end only where an offset does.
        const bool is_last = at + 1 == occurrences.size() || occurrences[at + 1].offset != occurrences[at].offset;
        if (!is_last || !random.chance(30)) continue;
        filter.settle(kept);
        ASSERT_EQ(filter.not_before(), kept.empty() ? not_before : kept.back().offset + kept.back().length);
      }
      filter.settle(kept);
      ASSERT_EQ(kept, expected) << "round " << round;
      ASSERT_EQ(filter.not_before(), next);
      filter.settle(kept);
      ASSERT_EQ(kept.size(), expected.size()) << "nothing is settled twice";
      all += kept.size();
    }
    EXPECT_GT(all, 5000u);
  }
}

// Two filters keep what one does, if the second is told where the first ended.
TEST(KindFilter, GoesOnWhereAnotherCameTo) {
  Random random = make_random("KindFilterSplit");
  for (const MatchKind kind : {MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    for (int round = 0; round < 1000; ++round) {
      const std::vector<Match> occurrences = draw_nested(random);
      std::uint64_t next = 0;
      const std::vector<Match> expected = keep_by_definition(occurrences, kind, next);
      const std::uint64_t cut = random.below(120);
      std::vector<Match> kept;
      std::uint64_t not_before = 0;
      for (const bool is_behind : {false, true}) {
        KindFilter filter(kind, not_before);
        for (const Match& one : occurrences)
          if ((one.offset >= cut) == is_behind) filter.take(one, kept);
        filter.settle(kept);
        not_before = filter.not_before();
      }
      ASSERT_EQ(kept, expected) << "round " << round;
      ASSERT_EQ(not_before, next);
    }
  }
}

// The text is "abcd", and the patterns are abc (0), ab (1), abcd (2), cd (3), d (4).
TEST(KindFilter, KeepsTheFirstOrTheLongest) {
  const std::vector<Match> occurrences{{0, 0, 3}, {0, 1, 2}, {0, 2, 4}, {2, 3, 2}, {3, 4, 1}};
  const auto keep = [&](MatchKind kind, std::uint64_t not_before) {
    KindFilter filter(kind, not_before);
    std::vector<Match> kept;
    for (const Match& one : occurrences) filter.take(one, kept);
    filter.settle(kept);
    return kept;
  };
  EXPECT_EQ(keep(MatchKind::leftmost_longest, 0), (std::vector<Match>{{0, 2, 4}}));
  EXPECT_EQ(keep(MatchKind::leftmost_first, 0), (std::vector<Match>{{0, 0, 3}, {3, 4, 1}}));
  EXPECT_EQ(keep(MatchKind::leftmost_longest, 1), (std::vector<Match>{{2, 3, 2}}));
  EXPECT_EQ(keep(MatchKind::leftmost_first, 4), std::vector<Match>());
}

}  // namespace
}  // namespace lode::tests
