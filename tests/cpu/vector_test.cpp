// Tests `vector` in ways that small texts do not reach: pieces larger than caches, letters of which few are looked at,
// few patterns at once. It also tests sets of which `filter` leaves some patterns to `vector`.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu/look/sieve.hpp"
#include "support/entry_points.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

Plan make_plan(const std::string& pattern, bool ignore_case) {
  PatternSet patterns;
  patterns.add(pattern, ignore_case);
  return Plan::build(std::move(patterns));
}

// Makes 17 MiB of `a`, with `z` and `Q` here and there. That is more than caches hold, so `vector` reads it in another
// way.
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

// Texts of 4 MiB and more are scanned in parts side by side, as long as the pattern's rarest bytes are rare. These
// texts have zones in which they are frequent, and others in which almost-matches spend the budget of comparisons, in
// any of the parts.
TEST(Vector, ScansPartsOfLargeTextsSideBySide) {
  std::mt19937_64 random(29);
  std::string period(2000, 'p');
  for (char& byte : period) byte = static_cast<char>('!' + random() % 90);
  std::string periodic;
  for (int times = 0; times < 20; ++times) periodic += period;
  const std::vector<std::string> patterns = {
      "F", "k", "Qz", "Qzj", "needle", "NeEdLe in it", std::string(90, 'z') + "Q", periodic + "Z"};
  for (std::size_t round = 0; round < test_rounds(1, 3, 3) * patterns.size(); ++round) {
    const std::string& pattern = patterns[round % patterns.size()];
    std::string text((std::size_t{4} << 20) + 7 * round, ' ');
    // With few letters candidates of these patterns are frequent, and with many they are rare.
    const unsigned letters = std::array{220u, 60u, 18u}[(round % patterns.size() + round / patterns.size()) % 3];
    for (char& byte : text) byte = static_cast<char>('A' + random() % letters);
    const auto at_random = [&](std::size_t length) { return random() % (text.size() - length); };
    for (int times = 0; times < 30; ++times) {
      std::string zone(1000 + random() % 5000, ' ');
      for (char& byte : zone) byte = pattern[random() % pattern.size()];
      text.replace(at_random(zone.size()), zone.size(), zone);
    }
    for (int times = 0; times < 12; ++times)
      text.replace(at_random(2 * periodic.size()), 2 * periodic.size(), periodic + periodic);
    for (int times = 0; times < 100; ++times) text.replace(at_random(pattern.size()), pattern.size(), pattern);
    text.replace(0, pattern.size(), pattern);
    text.replace(text.size() - pattern.size(), pattern.size(), pattern);
    const bool ignore_case = round % 2 == 0;
    const Plan plan = make_plan(pattern, ignore_case);
    SearcherOptions options;
    options.algorithm = "boyer-moore";
    const std::vector<Match> expected = Searcher(plan, options).find(text);
    ASSERT_GE(expected.size(), 20u);
    std::uint64_t lines = 0;
    std::size_t line_end = 0;
    for (const Match& match : expected) {
      if (match.offset < line_end) continue;
      ++lines;
      line_end = std::min(text.find('\n', match.offset), text.size());
    }
    options.algorithm = "vector";
    for (const std::string& set : cpu_instruction_sets()) {
      options.instruction_set = set;
      for (const std::uint64_t chunk_bytes : {0u, 20'481u, 99'999u}) {
        options.chunk_bytes = chunk_bytes;
        const Searcher searcher(plan, options);
        ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << round << " " << set << " " << chunk_bytes;
        ASSERT_EQ(searcher.count(text), expected.size()) << round << " " << set << " " << chunk_bytes;
        ASSERT_EQ(searcher.count_lines(text), lines) << round << " " << set << " " << chunk_bytes;
      }
    }
  }
}

// The text has a few letters, some of them rare. The pattern stands in it here and there, and so does the pattern with
// one byte changed.
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

// Up to four patterns go in one pass. A rare one stays in it to the end, and a frequent one until it is seen to be
// frequent. A long one that occurs at every other place stays until the budget of comparisons is spent. Others ignore
// case, and one is longer than the text.
TEST(Vector, ScansAFewPatternsTogether) {
  std::mt19937_64 random(17);
  std::string repeated;
  while (repeated.size() < 1200) repeated += "\x01\x02";
  for (int round = 0; round < 40; ++round) {
    PatternSet patterns;
    std::vector<std::string> drawn;
    for (std::size_t left = 2 + static_cast<std::size_t>(round) % 6; left > 0; --left) {
      std::string pattern(random() % 3 == 0 ? 1 + random() % 3 : 4 + random() % 60, ' ');
      for (char& byte : pattern) byte = static_cast<char>(random() % 256);
      drawn.push_back(pattern);
      patterns.add(pattern, round % 4 == 3 && left % 3 == 0);
    }
    if (round % 5 == 0) patterns.add(repeated);
    if (round % 7 == 0) patterns.add(std::string(50'000, 'x'));
    std::string text(30'000 + random() % 100, ' ');
    for (char& byte : text) byte = static_cast<char>(random() % 256);
    for (int times = 0; times < 60; ++times) {
      const std::string& planted = drawn[random() % drawn.size()];
      text.replace(random() % (text.size() - 100), planted.size(), planted);
    }
    for (const std::string& planted : drawn) text.replace(text.size() - planted.size(), planted.size(), planted);
    for (std::size_t at = text.size() / 2; at < text.size() / 2 + 3000; at += 40) text.replace(at, 1, drawn[0], 0, 1);
    if (round % 5 == 0) text.replace(20'000, 4 * repeated.size(), repeated + repeated + repeated + repeated);
    const Plan plan = Plan::build(std::move(patterns));
    SearcherOptions options;
    options.algorithm = "naive";
    const std::vector<Match> expected = Searcher(plan, options).find(text);
    ASSERT_GE(expected.size(), 20u);
    options.algorithm = "vector";
    for (const std::string& set : cpu_instruction_sets()) {
      options.instruction_set = set;
      for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{4'999}}) {
        options.chunk_bytes = chunk_bytes;
        const Searcher searcher(plan, options);
        ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << round << " " << set << " " << chunk_bytes;
        ASSERT_EQ(searcher.count(text), expected.size()) << round << " " << set << " " << chunk_bytes;
      }
    }
  }
}

// A round of places is probed before any candidate is looked at. Almost-matches, whose first probes are right, stand at
// every 50th to 50000th place, so that rounds are of all kinds and lengths, and occurrences stand among them. The
// pattern is searched alone, and in one pass with others, some of which two probes decide. Some chunks hardly have room
// for a group.
TEST(Vector, LooksAtCandidatesAfterARound) {
  std::mt19937_64 random(31);
  const std::vector<std::string> others = {"#%", "$", "&+#%", "@@#"};
  for (const std::uint64_t distance : {50u, 300u, 1'000u, 5'000u, 50'000u}) {
    for (std::size_t count = 0; count <= others.size(); ++count) {
      PatternSet patterns;
      patterns.add("%bc$ef#h");
      for (std::size_t other = 0; other < count; ++other) patterns.add(others[other]);
      std::string text(200'000 + random() % 300, 'e');
      for (std::size_t at = 0; at + 10 < text.size(); at += 9 + random() % distance) {
        text.replace(at, 8, random() % 4 == 0 ? "%bc$ef#h" : "%bc$xf#h");
        if (random() % 3 == 0) text.replace(at, 4, random() % 2 == 0 ? "&+#%" : "@@#x");
      }
      text.replace(text.size() - 8, 8, "%bc$ef#h");
      const Plan plan = Plan::build(std::move(patterns));
      SearcherOptions options;
      options.algorithm = "naive";
      const std::vector<Match> expected = Searcher(plan, options).find(text);
      ASSERT_FALSE(expected.empty());
      options.algorithm = "vector";
      for (const std::string& set : cpu_instruction_sets()) {
        options.instruction_set = set;
        for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{9'973}, std::uint64_t{71}}) {
          options.chunk_bytes = chunk_bytes;
          const Searcher searcher(plan, options);
          ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << distance << " " << count << " " << set;
          ASSERT_EQ(searcher.count(text), expected.size()) << distance << " " << count << " " << set;
        }
      }
    }
  }
}

// Few places whose two bytes are no pattern pass, whichever tables the instruction set has.
TEST(Filter, SievesPatternsOfTwoBytes) {
  std::mt19937_64 random(37);
  std::string text(std::size_t{1} << 16, ' ');
  for (char& byte : text) byte = static_cast<char>(random() % 256);
  PatternSet patterns;
  for (std::size_t at = 0; at < 16; ++at) patterns.add(std::string_view(text).substr(at * 100, 2));
  PlanOptions plan_options;
  plan_options.text_sample = text;
  const Plan plan = Plan::build(std::move(patterns), plan_options);
  std::vector<std::uint32_t> distincts(plan.data().distinct_count());
  std::iota(distincts.begin(), distincts.end(), 0u);
  ASSERT_EQ(distincts.size(), 16u);
  for (const InstructionSet set : {InstructionSet::sse4, InstructionSet::avx2, InstructionSet::avx512vbmi})
    EXPECT_LT(Sieve(plan.data(), distincts, set).expected_passes(), 0.01);  // the exact share is 16 / 65536
}

// A sieve takes no pattern of one byte, and none that would let too much pass. These are searched by themselves.
TEST(Filter, ServesShortPatternsBesideFewOthers) {
  std::mt19937_64 random(23);
  for (const std::size_t letters : {2u, 4u, 8u, 32u, 200u}) {
    std::string text(std::size_t{1} << 16, ' ');
    for (char& byte : text) byte = static_cast<char>('0' + random() % letters);
    for (const std::size_t others : {1u, 3u, 7u, 20u, 60u}) {
      for (const std::vector<std::string>& shorter : std::vector<std::vector<std::string>>{
               {"1"}, {"\n"}, {"0", "01"}, {"0", "1", "2", "3"}, {"0", "1", "2", "3", "4"}}) {
        PatternSet patterns;
        for (const std::string& one : shorter) patterns.add(one);
        for (std::size_t left = others; left > 0; --left)
          patterns.add(std::string_view(text).substr(random() % (text.size() - 60), 8 + random() % 50));
        PlanOptions plan_options;
        plan_options.text_sample = text;
        const Plan plan = Plan::build(std::move(patterns), plan_options);
        SearcherOptions options;
        options.algorithm = "rabin-karp";
        const std::vector<Match> expected = Searcher(plan, options).find(text);
        options.algorithm = "filter";
        for (const std::string& set : cpu_instruction_sets()) {
          options.instruction_set = set;
          const Searcher searcher(plan, options);
          ASSERT_EQ(searcher.count(text), expected.size()) << letters << " " << others << " " << set;
          ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << letters << " " << others << " " << set;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lode::tests
