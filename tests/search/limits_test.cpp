// Reaches and crosses the limits: long patterns, many patterns, equal ones, mixed lengths, and none at all.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/scenarios.hpp"

namespace lode::tests {
namespace {

class Limits : public testing::TestWithParam<Engine> {
 protected:
  static Configuration configuration() {
    Configuration made;
    made.engine = GetParam();
    return made;
  }
};

TEST_P(Limits, PatternOfOneMebibyte) {
  Random random(1);
  Account account("PatternOfOneMebibyte " + testing::PrintToString(GetParam()));
  const std::string pattern = random.bytes("abcdefgh", max_pattern_length);
  PatternSet patterns;
  patterns.add(pattern);
  patterns.add(pattern.substr(1));
  const Plan plan = Plan::build(patterns);
  const std::string text = "x" + pattern + "y" + pattern.substr(0, max_pattern_length - 1) + "z" + pattern;
  const std::uint64_t last = 2 * max_pattern_length + 2;
  const std::vector<Match> expected = {
      {1, 0, 1 << 20}, {2, 1, (1 << 20) - 1}, {last, 0, 1 << 20}, {last + 1, 1, (1 << 20) - 1}};
  for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{300'000}}) {
    Configuration made = configuration();
    made.chunk_bytes = chunk_bytes;
    made.threads = 2;
    const auto searcher = account.make_searcher(plan, made);
    if (!searcher) continue;
    for (int entry_point = 0; entry_point < entry_point_count; ++entry_point) {
      if (static_cast<EntryPoint>(entry_point) == EntryPoint::stream_of_bytes) continue;
      EXPECT_TRUE(check_entry_point(static_cast<EntryPoint>(entry_point), *searcher, text, expected, random))
          << "entry point " << entry_point;
    }
  }
}

TEST_P(Limits, PatternOfOneMebibyteOfOneLetter) {
  Account account("PatternOfOneMebibyteOfOneLetter " + testing::PrintToString(GetParam()));
  PatternSet patterns;
  patterns.add(std::string(max_pattern_length, 'a'));
  const Plan plan = Plan::build(patterns);
  const auto searcher = account.make_searcher(plan, configuration());
  ASSERT_TRUE(searcher);
  // There are few places, because each costs a comparison of a mebibyte.
  const std::string text = "b" + std::string(max_pattern_length + 20, 'a');
  EXPECT_EQ(searcher->count(text), 21U);
}

TEST_P(Limits, MillionEqualPatterns) {
  const std::uint32_t pattern_count = test_effort() == 0 ? 20'000 : 1'000'000;
  PatternSet patterns;
  patterns.add("kit");
  while (patterns.size() < pattern_count) patterns.add("kitty");
  if (const std::string reason = refusal(GetParam().algorithm, patterns); !reason.empty()) GTEST_SKIP() << reason;
  Account account("MillionEqualPatterns " + testing::PrintToString(GetParam()));
  const Plan plan = Plan::build(patterns);
  EXPECT_EQ(plan.distinct_count(), 2U);
  const auto searcher = account.make_searcher(plan, configuration());
  const std::string text = "a kitty, a kitten, a kitty";
  EXPECT_EQ(searcher->count(text), 2 * (std::uint64_t{pattern_count} - 1) + 3);
  const std::vector<std::uint64_t> counts = searcher->count_per_pattern(text);
  EXPECT_EQ(counts.size(), pattern_count);
  EXPECT_EQ(counts[0], 3U);
  EXPECT_TRUE(std::all_of(counts.begin() + 1, counts.end(), [](std::uint64_t count) { return count == 2; }));
  std::uint32_t next = 0;
  bool is_sound = true;
  searcher->find(text, [&](std::span<const Match> batch) {
    for (const Match& match : batch) {
      if (match.offset != 2) return false;
      is_sound = is_sound && match.pattern_id == next++;
    }
    return true;
  });
  EXPECT_TRUE(is_sound);
  EXPECT_EQ(next, pattern_count);
  SearcherOptions leftmost = make_options(configuration(), {MatchKind::leftmost_longest});
  const std::vector<Match> expected = {{2, 1, 5}, {11, 0, 3}, {21, 1, 5}};
  EXPECT_TRUE(compare_matches(Searcher(plan, leftmost, open_test_device(GetParam().device)).find(text), expected));
}

TEST_P(Limits, AllLengthsUpTo200AtOnce) {
  Random random = make_random("AllLengthsUpTo200AtOnce " + testing::PrintToString(GetParam()));
  Account account("AllLengthsUpTo200AtOnce " + testing::PrintToString(GetParam()));
  for (const std::string alphabet : {"ab", "abcdefghijklmnopqrstuvwxyz"}) {
    PatternSet patterns;
    for (std::uint64_t length = 1; length <= 200; ++length) patterns.add(random.bytes(alphabet, length));
    std::string text = draw_text(random, patterns, alphabet, 20'000);
    const Plan plan = Plan::build(patterns);
    const auto searcher = account.make_searcher(plan, configuration());
    if (!searcher) continue;
    EXPECT_TRUE(compare_matches(searcher->find(text), find_by_index(text, patterns)));
  }
}

TEST_P(Limits, OneShortPatternAmongManyLong) {
  Random random = make_random("OneShortPatternAmongManyLong " + testing::PrintToString(GetParam()));
  const std::uint32_t pattern_count = test_effort() == 0 ? 5000 : 100'000;
  PatternSet patterns;
  while (patterns.size() < pattern_count / 2) patterns.add(random.bytes("abcdefghijklmnopqrstuvwxyz ", 30));
  patterns.add("q");
  while (patterns.size() < pattern_count) patterns.add(random.bytes("abcdefghijklmnopqrstuvwxyz ", 30));
  const std::string text = draw_text(random, patterns, "abcdefghijklmnopqrstuvwxyz ", 200'000);
  if (const std::string reason = refusal(GetParam().algorithm, patterns); !reason.empty()) GTEST_SKIP() << reason;
  Account account("OneShortPatternAmongManyLong " + testing::PrintToString(GetParam()));
  const auto searcher = account.make_searcher(Plan::build(patterns), configuration());
  EXPECT_TRUE(compare_matches(searcher->find(text), find_by_index(text, patterns)));
}

// Many places of these texts are almost a match, so verification would take very long, and other ways have to replace
// it.
void check_all_answers(Account& account, Configuration made, const std::string& text, const PatternSet& patterns) {
  SCOPED_TRACE(std::to_string(patterns.size()) + " patterns");
  const std::vector<Match> expected = find_by_index(text, patterns);
  ASSERT_GE(expected.size(), 10U);
  std::vector<std::uint64_t> counts(patterns.size());
  for (const Match& match : expected) ++counts[match.pattern_id];
  std::uint64_t lines = 0, line_end = 0;
  for (const Match& match : expected) {
    if (match.offset < line_end) continue;
    ++lines;
    line_end = std::min(text.find('\n', match.offset), text.size());
  }
  const Plan plan = Plan::build(patterns);
  for (const std::uint64_t chunk_bytes : {std::uint64_t{0}, std::uint64_t{50'000}}) {
    made.chunk_bytes = chunk_bytes;
    const auto searcher = account.make_searcher(plan, made);
    if (!searcher) continue;
    EXPECT_EQ(searcher->find(text), expected);
    EXPECT_EQ(searcher->count(text), expected.size());
    EXPECT_EQ(searcher->count_per_pattern(text), counts);
    EXPECT_EQ(searcher->count_lines(text), lines);
  }
}

bool has_other_way(const Engine& engine) {
  return engine.algorithm == "auto" || engine.algorithm == "filter" || engine.algorithm == "vector";
}

TEST_P(Limits, AlmostMatchesEverywhere) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "this takes minutes if kernels run on the host";
  if (!has_other_way(GetParam())) GTEST_SKIP() << "this engine has no other way";
  Account account("AlmostMatchesEverywhere " + testing::PrintToString(GetParam()));
  constexpr std::size_t length = 200;
  Random random(7);
  std::string text(100'000, 'a');
  for (std::size_t at = 0; at < text.size(); at += random.between(20, 120)) text[at] = random.chance(30) ? 'b' : 'B';
  for (std::size_t at = 300; at < text.size(); at += 5'000) text.replace(at, length + 3, std::string(length + 3, 'a'));
  for (std::size_t at = 4'000; at < text.size(); at += 7'000) text[at] = '\n';
  for (const std::size_t count : {std::size_t{1}, std::size_t{60}, std::size_t{120}}) {
    for (const bool ignore_case : {false, true}) {
      PatternSet patterns;
      for (std::size_t number = 0; number < count; ++number) {
        std::string pattern(length - (number == 50 ? 1 : 0), 'a');
        if (number != 0) pattern[number] = 'b';
        patterns.add(pattern, ignore_case);
      }
      check_all_answers(account, configuration(), text, patterns);
    }
  }
}

// The short patterns of this set are decided by comparing 16 bytes, also at places where the comparison of the long
// ones is given up. The set is too large for a sieve, and few of its patterns share a window.
TEST_P(Limits, ShortPatternsAmongAlmostMatches) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "this takes minutes if kernels run on the host";
  if (!has_other_way(GetParam())) GTEST_SKIP() << "this engine has no other way";
  Account account("ShortPatternsAmongAlmostMatches " + testing::PrintToString(GetParam()));
  const std::string period = "the quick-brown:FOX jumps;";
  constexpr std::size_t length = 400;
  std::string repeated;
  while (repeated.size() < length + period.size()) repeated += period;
  Random random(12);
  for (const bool ignore_case : {false, true}) {
    PatternSet patterns;
    for (std::size_t from = 0; from < period.size(); ++from) {
      patterns.add(repeated.substr(from, 16), ignore_case);
      for (std::size_t late = 1; late <= 3; ++late) {
        std::string pattern = repeated.substr(from, length);
        pattern[length - 20 * late] = '!';
        patterns.add(pattern, ignore_case);
      }
    }
    std::string text;
    while (text.size() < 100'000) text += period;
    // Almost-matches are rare at first, so that a range is given up behind its begin.
    for (std::size_t at = 0; at < 20'000; at += random.between(5, 50)) text[at] = 'x';
    for (std::size_t at = 30'000; at < text.size() - 2 * length; at += random.between(length, 4 * length)) {
      const std::string_view pattern = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
      text.replace(at, pattern.size(), pattern);
    }
    check_all_answers(account, configuration(), text, patterns);
  }
}

// These sets have so few patterns that a sieve is chosen, which has to give up in the middle of a range.
TEST_P(Limits, AlmostMatchesOfLongPatterns) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "this takes minutes if kernels run on the host";
  if (!has_other_way(GetParam())) GTEST_SKIP() << "this engine has no other way";
  Account account("AlmostMatchesOfLongPatterns " + testing::PrintToString(GetParam()));
  const std::string period = "the quick-brown:FOX jumps;";
  constexpr std::size_t length = 1500;
  std::string repeated;
  while (repeated.size() < length + period.size()) repeated += period;
  Random random(8);
  for (const std::size_t count : {std::size_t{9}, std::size_t{40}}) {
    for (const bool ignore_case : {false, true}) {
      PatternSet patterns;
      // These patterns occur wherever the sieve may give up, and their cores have several offsets.
      for (std::size_t from = 0; from < period.size(); from += 4) patterns.add(repeated.substr(from, 30), ignore_case);
      while (patterns.size() < count) {
        std::string pattern = repeated.substr(0, length - 5 * (patterns.size() % 3));
        pattern[pattern.size() - 1 - patterns.size()] = '!';
        patterns.add(pattern, ignore_case);
      }
      std::string text;
      while (text.size() < 100'000) text += period;
      for (std::size_t at = 0; at < text.size() - 2 * length; at += random.between(length, 4 * length)) {
        const std::string_view pattern = patterns[static_cast<std::uint32_t>(random.below(count))];
        text.replace(at, pattern.size(), pattern);
        text[at + pattern.size() + 7] = '\n';
      }
      check_all_answers(account, configuration(), text, patterns);
    }
  }
}

// There are so many patterns that windows at nearly every place are looked up. They are looked up first in registers,
// if the instruction set can, or by pairs, if these are rare.
TEST_P(Limits, HundredsOfShortPatterns) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "GPUs treat this set like any other";
  Account account("HundredsOfShortPatterns " + testing::PrintToString(GetParam()));
  Random random(10);
  const std::string letters = "etaoinshrdlu ETAOIN\n";
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (const std::string& alphabet : {letters, bytes}) {
    const auto draw = [&](std::size_t length) {
      std::string drawn;
      while (drawn.size() < length) drawn += alphabet[random.below(alphabet.size())];
      return drawn;
    };
    for (const bool ignore_case : {false, true}) {
      // Windows have four, five and more bytes.
      for (const std::size_t shortest : {4U, 5U, 9U}) {
        PatternSet patterns;
        while (patterns.size() < 300) {
          std::string pattern = draw(random.between(shortest, shortest + 4));
          std::replace(pattern.begin(), pattern.end(), '\n', ' ');  // lines are counted, too
          patterns.add(pattern, ignore_case);
        }
        std::string text;
        while (text.size() < 50'000) {
          const std::string_view pattern = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
          text += pattern.substr(0, random.between(1, pattern.size()));
          text += draw(random.below(20));
        }
        check_all_answers(account, configuration(), text, patterns);
      }
    }
  }
}

// The text repeats a pattern without its last letters, which stand there now and then: a look at the first letters finds
// a candidate at every period.
TEST_P(Limits, PeriodsThatLackOneLetter) {
  Account account("PeriodsThatLackOneLetter " + testing::PrintToString(GetParam()));
  Random random(11);
  for (const char* pattern : {"abcdefghabcdefgi", "abcdefghijabcdefghijabcdefghizzz", "etaoinshrdlqetaoinshrdlu"}) {
    const std::string_view bytes(pattern);
    std::string text;
    while (text.size() < 40'000) text += bytes.substr(0, bytes.size() / 2);
    // Puts the whole pattern there, or its last letter in the right place, mostly with another letter wrong.
    for (std::size_t at = 20'000; at + 100 < text.size(); at += random.between(60, 500)) {
      at = at / (bytes.size() / 2) * (bytes.size() / 2);
      text.replace(at, bytes.size(), bytes);
      if (random.chance(70)) text[at + random.below(bytes.size() - 1)] = 'x';
    }
    check_all_answers(account, configuration(), text, PatternSet{bytes});
  }
}

// On GPUs `auto` tries two algorithms on the first parts of a text, and goes on with either.
TEST_P(Limits, ChangesOfAlgorithmLoseNothing) {
  if (GetParam().algorithm != "auto") GTEST_SKIP() << "an algorithm that was asked for stays";
  Account account("ChangesOfAlgorithmLoseNothing " + testing::PrintToString(GetParam()));
  Random random(9);
  for (const std::size_t count : {std::size_t{1}, std::size_t{12}}) {
    PatternSet patterns;
    while (patterns.size() < count) {
      std::string pattern(150 + 30 * (patterns.size() % 3), 'a');
      pattern[40 + patterns.size()] = 'b';
      patterns.add(pattern, random.chance(30));
    }
    std::string text(12'000, 'a');
    for (std::size_t at = 0; at < text.size(); at += random.between(50, 300)) text[at] = 'b';
    for (std::size_t at = 100; at + 300 < text.size(); at += 700) text.replace(at, patterns[0].size(), patterns[0]);
    const std::vector<Match> expected = find_by_index(text, patterns);
    ASSERT_GE(expected.size(), 10U);
    Configuration made = configuration();
    made.chunk_bytes = 1024;  // the parts of trials are as large as this
    const auto searcher = account.make_searcher(Plan::build(patterns), made);
    ASSERT_TRUE(searcher);
    for (int entry_point = 0; entry_point < entry_point_count; ++entry_point) {
      EXPECT_TRUE(check_entry_point(static_cast<EntryPoint>(entry_point), *searcher, text, expected, random))
          << count << " patterns, entry point " << entry_point;
    }
    SearchStats stats;
    RunOptions run;
    run.stats = &stats;
    EXPECT_EQ(searcher->count(text, run), expected.size());
    EXPECT_EQ(stats.algorithm.find(searcher->algorithm()), 0U) << stats.algorithm;
  }
}

// An algorithm says which sets it cannot serve. It does not crash, and no other algorithm replaces it.
TEST_P(Limits, RefusesOrServesAnyNumberOfPatternsAndLengths) {
  Account account("RefusesOrServes " + testing::PrintToString(GetParam()));
  PatternSet many;
  for (std::uint32_t id = 0; id < 5000; ++id) many.add("pattern " + std::to_string(id) + ";");
  PatternSet lengths;
  for (std::size_t length = 1; length <= 4200; ++length) lengths.add(std::string(length, 'x'));
  const std::string text = "pattern 17; pattern 4999; xxxxx";
  for (const PatternSet& patterns : {many, lengths, PatternSet{"pattern"}}) {
    const auto searcher = account.make_searcher(Plan::build(patterns), configuration());
    if (!searcher) continue;
    if (GetParam().algorithm != "auto") {
      EXPECT_EQ(searcher->algorithm(), GetParam().algorithm);
    }
    EXPECT_TRUE(compare_matches(searcher->find(text), find_by_index(text, patterns)));
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Limits, testing::ValuesIn(best_engines()), name_engine);

class FrequentPattern : public Limits {};

// One pattern stands at about every tenth place. It has few or many letters, and fits in a word of 64 places or not.
TEST_P(FrequentPattern, OfAnyLengthAndLetters) {
  Random random = make_random("FrequentPattern " + testing::PrintToString(GetParam()));
  Account account("FrequentPattern " + testing::PrintToString(GetParam()));
  const std::size_t text_bytes = GetParam().device == "cpu" ? 12'000 : 1'000;
  const std::string all_letters = "etaoin shrdluETcmfwypv";
  for (const std::size_t length : {2, 3, 5, 9, 20, 33, 64, 66, 130, 300}) {
    for (const std::size_t letter_count : {1, 2, 4, 7, 8, 9, 22}) {
      // Kernels on the host are slow under sanitizers, so every engine takes a third of the cases there.
      if (is_sanitized() && GetParam().device != "cpu" && !random.chance(33)) continue;
      const std::string letters = all_letters.substr(0, letter_count);
      const bool ignore_case = random.chance(40);
      PatternSet patterns;
      patterns.add(random.bytes(letters, length), ignore_case);
      const std::string_view pattern = patterns[0];
      std::string text = random.bytes(letters, random.between(0, 700));
      const std::size_t gap = random.between(1, 200);
      while (text.size() < text_bytes) {
        std::string next(pattern);
        if (random.chance(40)) next[random.below(length)] = random.chance(50) ? 'E' : 't';
        text += next.substr(0, random.chance(20) ? random.below(length) : length);
        if (random.chance(70)) text += random.bytes(letters, random.below(gap));
      }
      const std::vector<Match> expected = find_by_index(text, patterns);
      const auto searcher = account.make_searcher(Plan::build(patterns), configuration());
      ASSERT_TRUE(searcher);
      EXPECT_TRUE(compare_matches(searcher->find(text), expected))
          << length << " bytes, " << letter_count << " letters";
      EXPECT_EQ(searcher->count(text), expected.size()) << length << " bytes, " << letter_count << " letters";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, FrequentPattern, testing::ValuesIn(all_engines()), name_engine);

TEST(PatternSet, KeepsIdsBytesCaseRulesAndLabels) {
  PatternSet patterns;
  EXPECT_TRUE(patterns.empty());
  EXPECT_EQ(patterns.min_length(), 0U);
  EXPECT_EQ(patterns.max_length(), 0U);
  EXPECT_EQ(patterns.add("kitty"), 0U);
  EXPECT_FALSE(patterns.any_ignore_case());
  EXPECT_FALSE(patterns.has_labels());
  EXPECT_EQ(patterns.add(std::string_view("a\0b", 3), true, "with NUL"), 1U);
  EXPECT_EQ(patterns.add("kitty"), 2U);
  EXPECT_EQ(patterns.size(), 3U);
  EXPECT_EQ(patterns[0], "kitty");
  EXPECT_EQ(patterns[1], std::string_view("a\0b", 3));
  EXPECT_EQ(patterns[2], "kitty");
  EXPECT_FALSE(patterns.ignore_case(0));
  EXPECT_TRUE(patterns.ignore_case(1));
  EXPECT_FALSE(patterns.ignore_case(2));
  EXPECT_EQ(patterns.label(0), "");
  EXPECT_EQ(patterns.label(1), "with NUL");
  EXPECT_EQ(patterns.label(2), "");
  EXPECT_EQ(patterns.total_bytes(), 13U);
  EXPECT_EQ(patterns.min_length(), 3U);
  EXPECT_EQ(patterns.max_length(), 5U);
}

TEST(PatternSet, TakesListsWithOneCaseRule) {
  const std::vector<std::string_view> list = {"a", "bc"};
  const PatternSet patterns(list, true);
  EXPECT_EQ(patterns.size(), 2U);
  EXPECT_TRUE(patterns.ignore_case(0) && patterns.ignore_case(1));
}

TEST(PatternSet, RefusesWhatIsBeyondTheLimits) {
  PatternSet patterns;
  EXPECT_TRUE(throws_error(ErrorKind::invalid_pattern, [&] { patterns.add(""); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_pattern, [] { PatternSet set{"a", ""}; }));
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { patterns.add(std::string(max_pattern_length + 1, 'a')); }));
  EXPECT_TRUE(patterns.empty()) << "a refused pattern left something behind";
  patterns.add(std::string(max_pattern_length, 'a'));
  EXPECT_EQ(patterns.size(), 1U);
}

TEST(PatternSet, HoldsSixteenMillionPatternsAndNotOneMore) {
  if (test_effort() == 0) GTEST_SKIP() << "this takes long under sanitizers; raise LODE_TEST_EFFORT to run it";
  PatternSet patterns;
  patterns.reserve(max_pattern_count, max_pattern_count * 4);
  while (patterns.size() < max_pattern_count) {
    const std::uint32_t id = patterns.size();
    patterns.add(std::string_view(reinterpret_cast<const char*>(&id), 4));
  }
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { patterns.add("a"); }));
  EXPECT_EQ(patterns.size(), max_pattern_count);
}

}  // namespace
}  // namespace lode::tests
