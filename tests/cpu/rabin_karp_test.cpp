// Tests `rabin-karp` beyond the table of cases: long patterns that overlap, lanes of any length, and when `auto` takes
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "lode/records.hpp"
#include "support/entry_points.hpp"

namespace lode::tests {
namespace {

// Makes patterns of two letters, always the same ones. Their lengths are the given ones in turn.
PatternSet make_two_letter_set(std::size_t count, std::span<const std::size_t> lengths) {
  std::mt19937_64 random(7);
  PatternSet patterns;
  for (std::size_t id = 0; id < count; ++id) {
    std::string pattern(lengths[id % lengths.size()], '0');
    for (char& byte : pattern) byte = random() % 2 == 0 ? '0' : '1';
    patterns.add(pattern);
  }
  return patterns;
}

std::string make_letters(std::size_t size, std::uint32_t letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, 'a');
  for (char& byte : text) byte = static_cast<char>('a' + random() % letters);
  return text;
}

TEST(RabinKarp, IsTakenByAutoWhereWindowsOfTwoLettersTellLittle) {
  constexpr std::size_t many = 1 << 14;
  const auto chosen = [](PatternSet patterns) { return Searcher(Plan::build(std::move(patterns))).algorithm(); };
  EXPECT_EQ(chosen(make_two_letter_set(many, {{40, 33}})), "rabin-karp");
  EXPECT_EQ(chosen(make_two_letter_set(many - 1, {{40, 33}})), "filter");
  EXPECT_EQ(chosen(make_two_letter_set(many, {{40, 16}})), "filter");
  EXPECT_EQ(chosen(make_two_letter_set(many, {{60, 61, 62, 63, 64, 65, 66, 67, 68}})), "filter");
  EXPECT_EQ(chosen(make_two_letter_set(many, {{40, 257}})), "filter");
  PatternSet patterns = make_two_letter_set(many, {{40, 33}});
  patterns.add("2");
  EXPECT_EQ(chosen(patterns), "rabin-karp") << "a short pattern adds a length";
  patterns.add("21111111111111111111");
  EXPECT_EQ(chosen(std::move(patterns)), "filter");
  PatternSet equal;
  for (std::size_t id = 0; id < many; ++id) equal.add(id % 2 == 0 ? "abababababababababab" : "bbabababababababababa");
  EXPECT_EQ(chosen(std::move(equal)), "filter") << "these are two patterns";
}

// These patterns are longer than those that are rolled side by side. If a match is known to overlap another one, only
// the rest of it is compared.
TEST(RabinKarp, FindsLongPatternsThatOverlapThemselvesAndEachOther) {
  for (const std::uint32_t period : {1u, 3u, 26u, 700u}) {
    const std::string round = make_letters(period, 26, period);
    std::string endless;
    while (endless.size() < 4000) endless += round;
    PatternSet patterns;
    for (const std::size_t length : {1024u, 1025u, 1300u}) {
      for (std::uint32_t start = 0; start < std::min(period, 30u); ++start) patterns.add(endless.substr(start, length));
      // These are near misses that differ in the first, a middle or the last byte.
      for (const std::size_t changed : {std::size_t{0}, length / 2, length - 1}) {
        std::string pattern = endless.substr(1, length);
        pattern[changed] = '!';
        patterns.add(pattern);
      }
    }
    std::string text;
    for (std::size_t part = 0; part < 8; ++part) {
      text += endless.substr(part, 1000 + part * 300);
      text += part % 2 == 0 ? "!" : "";
    }
    const Plan plan = Plan::build(std::move(patterns));
    SearcherOptions options;
    options.algorithm = "naive";
    const std::vector<Match> expected = Searcher(plan, options).find(text);
    EXPECT_GT(expected.size(), 100u);
    options.algorithm = "rabin-karp";
    EXPECT_TRUE(compare_matches(Searcher(plan, options).find(text), expected)) << "period " << period;
  }
}

// Places lie in lanes, behind them, and around the ends of pieces, for each length of a text.
TEST(RabinKarp, RollsTextsOfAnyLength) {
  const std::string letters = make_letters(4096, 2, 11);
  PatternSet patterns;
  for (const std::size_t length : {1u, 2u, 7u, 8u, 9u, 40u})
    patterns.add(letters.substr(length, length), length % 2 == 0);
  const Plan plan = Plan::build(std::move(patterns));
  SearcherOptions options;
  for (std::size_t size = 100; size < 1200; size += size < 300 ? 1 : 37) {
    const std::string_view text = std::string_view(letters).substr(0, size);
    options.algorithm = "naive";
    const std::vector<Match> expected = Searcher(plan, options).find(text);
    options.algorithm = "rabin-karp";
    for (const std::string& set : cpu_instruction_sets()) {
      options.instruction_set = set;
      ASSERT_TRUE(compare_matches(Searcher(plan, options).find(text), expected)) << set << ", " << size << " bytes";
    }
    options.instruction_set.clear();
  }
}

TEST(RabinKarp, FindsAmongTwoLettersWhatFilterFinds) {
  const PatternSet patterns = make_two_letter_set(20000, {{18, 20, 33}});
  std::string text;
  for (std::uint32_t id = 0; id < 3000; ++id) text += patterns[id * 5 % patterns.size()];
  const Plan plan = Plan::build(patterns);
  const Searcher searcher(plan);
  ASSERT_EQ(searcher.algorithm(), "rabin-karp");
  SearcherOptions options;
  options.algorithm = "filter";
  const std::vector<Match> expected = Searcher(plan, options).find(text);
  EXPECT_GE(expected.size(), 3000u);
  EXPECT_TRUE(compare_matches(searcher.find(text), expected));
  EXPECT_EQ(searcher.count(text), expected.size());
  const Records records = Records::with_length(text, text.size() / 100, 100, 100);
  const RecordSearcher of_records(plan);
  EXPECT_EQ(of_records.algorithm(), "filter");
  options.algorithm = "rabin-karp";
  EXPECT_EQ(of_records.first(records).offsets, RecordSearcher(plan, options).first(records).offsets);
}

}  // namespace
}  // namespace lode::tests
