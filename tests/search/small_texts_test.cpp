// Tests texts that are short beside the patterns. Their matches are listed and added up, and the counts must be those
// of longer texts.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/oracle.hpp"

namespace lode::tests {
namespace {

// Many patterns occur rarely, some of them twice, and of 300 others many start at one place.
Plan make_plan_of_many(std::uint32_t count) {
  Random random(13);
  PatternSet patterns;
  while (patterns.size() < 300) patterns.add(std::string(patterns.size() + 1, 'a'));
  while (patterns.size() < count) patterns.add(random.bytes("bcdefgh", 8));
  patterns.add("aa");
  return Plan::build(patterns);
}

TEST(SmallTexts, CountsAreAddedToTheCallers) {
  Random random = make_random("CountsAreAddedToTheCallers");
  const Plan plan = make_plan_of_many(20'000);
  const std::uint32_t count = plan.patterns().size();
  for (const char* const device : {"cpu", "auto"}) {
    for (const MatchKind kind : {MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
      SearcherOptions options;
      options.match_kind = kind;
      const Searcher searcher(plan, options, open_device(device));
      // The text of one letter has too many matches to list, and the last text is too long for that.
      for (const std::string& text :
           {std::string(), random.bytes("abcdefgh", 300), std::string(2000, 'a'), random.bytes("abcdefgh", 30'000)}) {
        std::vector<std::uint64_t> expected(count, 5);
        const std::vector<Match> matches = searcher.find(text);
        for (const Match& match : matches) expected[match.pattern_id] += 2;
        std::vector<std::uint64_t> counts(count, 5);
        SearchStats stats;
        RunOptions run;
        run.stats = &stats;
        std::uint64_t last_done = 0;
        run.progress = [&](std::uint64_t done, std::uint64_t total) {
          EXPECT_GE(done, last_done);
          EXPECT_EQ(total, text.size());
          last_done = done;
        };
        searcher.add_counts(text, counts, run);
        EXPECT_EQ(stats.matches, matches.size());
        EXPECT_EQ(last_done, text.size());
        searcher.add_counts(text, counts);
        EXPECT_EQ(counts, expected) << text.size() << " bytes on " << device;
        if (kind == MatchKind::overlapping) {
          RunOptions part;
          part.begin = text.size() / 3;
          part.end = text.size() / 2;
          std::vector<std::uint64_t> of_part(count);
          for (const Match& match : cut_range(matches, part.begin, part.end)) ++of_part[match.pattern_id];
          EXPECT_EQ(searcher.count_per_pattern(text, part), of_part);
        }
      }
      std::vector<std::uint64_t> too_few(count - 1);
      EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { searcher.add_counts("a", too_few); }));
    }
  }
}

TEST(SmallTexts, CountsOfManyTextsAddUp) {
  const Searcher searcher(make_plan_of_many(300'000));
  std::vector<std::uint64_t> counts(searcher.plan().patterns().size());
  for (int text = 0; text < 2000; ++text) searcher.add_counts("a text of bcdefghbcdefgh", counts);
  EXPECT_EQ(counts[0], 2000U);
}

}  // namespace
}  // namespace lode::tests
