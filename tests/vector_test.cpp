// `vector` where it takes ways that small texts do not reach: pieces larger than caches, and letters of which few are
// looked at.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/entry_points.hpp"

namespace lode::tests {
namespace {

Plan make_plan(const std::string& pattern, bool ignore_case) {
  PatternSet patterns;
  patterns.add(pattern, ignore_case);
  return Plan::build(std::move(patterns));
}

// 17 MiB, more than caches hold, which `vector` reads in another way: `a`, with `z` and `q` here and there.
std::string make_large_text(std::mt19937_64& random) {
  std::string text((std::size_t{17} << 20) + 5, 'a');
  for (int times = 0; times < 20'000; ++times) text[random() % text.size()] = random() % 2 == 0 ? 'z' : 'Q';
  return text;
}

TEST(Vector, FindsInTextsLargerThanCachesWhatBoyerMooreFinds) {
  std::mt19937_64 random(11);
  const std::string letters = make_large_text(random);
  for (const std::size_t distance : {1u, 2u, 7u, 31u, 62u, 63u, 64u, 100u}) {
    for (const bool is_turned : {false, true}) {
      std::string pattern(distance + 3, 'a');
      pattern[1] = is_turned ? 'Q' : 'z';
      pattern[1 + distance] = is_turned ? 'z' : 'Q';
      std::string text = letters;
      for (int times = 0; times < 500; ++times) text.replace(random() % (text.size() - 200), pattern.size(), pattern);
      text.replace(0, pattern.size(), pattern);
      text.replace(text.size() - pattern.size(), pattern.size(), pattern);
      for (const bool ignore_case : {false, true}) {
        const Plan plan = make_plan(pattern, ignore_case);
        SearcherOptions options;
        options.algorithm = "boyer-moore";
        const std::vector<Match> expected = Searcher(plan, options).find(text);
        EXPECT_GE(expected.size(), 500u);
        options.algorithm = "vector";
        for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{1'000'001}}) {
          options.chunk_bytes = chunk_bytes;
          const Searcher searcher(plan, options);
          ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << distance << is_turned << ignore_case;
          ASSERT_EQ(searcher.count(text), expected.size()) << distance << is_turned << ignore_case;
        }
      }
    }
  }
}

// Of a few letters of which some are rare, with the pattern and what differs from it in one byte here and there.
TEST(Vector, TellsNearMissesOfFewLettersApart) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 120; ++round) {
    const std::string letters = std::string("ACGT").substr(0, 2 + random() % 3);
    const auto draw = [&] { return letters[random() % 3 == 0 ? random() % letters.size() : random() % 2]; };
    std::string pattern(4 + random() % 40, ' ');
    std::generate(pattern.begin(), pattern.end(), draw);
    std::string text;
    while (text.size() < 30'000) {
      for (std::uint64_t left = random() % 40; left > 0; --left) text += draw();
      std::string near = pattern;
      if (random() % 4 != 0) near[random() % near.size()] = letters[random() % letters.size()];
      text += near;
    }
    const bool ignore_case = round % 2 == 0;
    const Plan plan = make_plan(pattern, ignore_case);
    SearcherOptions options;
    options.algorithm = "naive";
    const std::vector<Match> expected = Searcher(plan, options).find(text);
    options.algorithm = "vector";
    for (const std::string& set : cpu_instruction_sets()) {
      options.instruction_set = set;
      const Searcher searcher(plan, options);
      ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << set << " " << pattern;
      ASSERT_EQ(searcher.count(text), expected.size()) << set << " " << pattern;
    }
  }
}

}  // namespace
}  // namespace lode::tests
