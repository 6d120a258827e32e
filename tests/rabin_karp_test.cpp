// `rabin-karp` where `auto` takes it: many patterns of two letters, of which nobody has made the hashes meet.

#include "plan/rabin_karp.hpp"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <vector>

#include "lode/records.hpp"
#include "support/entry_points.hpp"

namespace lode::tests {
namespace {

// Of two letters, from one seed; each length in turn.
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
  EXPECT_EQ(chosen(std::move(patterns)), "filter");
  PatternSet equal;
  for (std::size_t id = 0; id < many; ++id) equal.add(id % 2 == 0 ? "abababababababababab" : "bbabababababababababa");
  EXPECT_EQ(chosen(std::move(equal)), "filter") << "these are two patterns";
}

// As somebody could make them who knows how hashes are made.
TEST(RabinKarp, IsNotTakenByAutoWhereHashesMeet) {
  std::mt19937_64 random(3);
  PatternSet patterns;
  std::string text;
  while (patterns.size() < 1 << 14) {
    std::string pattern(40, '0');
    for (char& byte : pattern) byte = random() % 2 == 0 ? '0' : '1';
    const std::uint64_t hash = rolling_hash(reinterpret_cast<const std::uint8_t*>(pattern.data()), 40, false);
    if (rolling_key(hash) >> 58 != 0) continue;
    patterns.add(pattern);
    text += pattern;
  }
  SearcherOptions options;
  options.algorithm = "rabin-karp";
  const Plan plan = Plan::build(std::move(patterns));
  const Searcher searcher(plan);
  EXPECT_EQ(searcher.algorithm(), "filter");
  EXPECT_TRUE(compare_matches(searcher.find(text), Searcher(plan, options).find(text)));
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
