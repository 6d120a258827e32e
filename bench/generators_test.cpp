#include "generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lode/searcher.hpp"

namespace lode::bench {
namespace {

constexpr std::uint64_t text_bytes = (std::uint64_t{2} << 20) + 12345;

std::shared_ptr<const WordChain> chain() {
  static const auto trained = WordChain::train(LODE_BENCH_SAMPLE);
  return trained;
}

std::string made(const TextGenerator& text, std::uint64_t offset, std::uint64_t bytes) {
  std::string out(bytes, '\0');
  text.fill(offset, out);
  return out;
}

class EveryTextKind : public testing::TestWithParam<std::string> {};

TEST_P(EveryTextKind, PiecesAreTheSameAsTheWhole) {
  const TextGenerator text(text_kind_of(GetParam()), 3, chain());
  const std::string whole = made(text, 0, text_bytes);
  const std::uint64_t block = TextGenerator::block_bytes;
  for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{1}, block - 1, block, block + 1, 3 * block - 7}) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100}, block, 2 * block + 3}) {
      EXPECT_EQ(made(text, begin, size), whole.substr(begin, size)) << begin << " " << size;
    }
  }
}

class EveryRandomKind : public EveryTextKind {};

TEST_P(EveryRandomKind, SeedsDifferAndNothingIsTiled) {
  const TextKind kind = text_kind_of(GetParam());
  const TextGenerator text(kind, 3, chain());
  const std::string first = made(text, 0, 4096);
  EXPECT_NE(first, made(TextGenerator(kind, 4, chain()), 0, 4096));
  std::set<std::string> blocks;
  for (std::uint64_t block = 0; block < 64; ++block) {
    blocks.insert(made(text, block * TextGenerator::block_bytes, 64));
  }
  EXPECT_EQ(blocks.size(), 64u);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Texts, EveryTextKind, testing::ValuesIn(text_kind_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Texts, EveryRandomKind, testing::Values("english", "dna", "dna-reads", "random", "log"),
                         test_name);

TEST(Prose, KeepsToItsLinesAndWords) {
  const std::string text = made(TextGenerator(TextKind::english, 5, chain()), 0, TextGenerator::block_bytes);
  std::set<std::string_view> words;
  for (std::uint32_t id = 0; id < chain()->word_count(); ++id) words.insert(chain()->word(id));
  std::size_t line_begin = 0;
  std::size_t word_begin = 0;
  std::size_t unknown = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ' ' && text[at] != '\n') continue;
    if (at > word_begin) unknown += words.count(std::string_view(text).substr(word_begin, at - word_begin)) == 0;
    word_begin = at + 1;
    if (text[at] == ' ') continue;
    EXPECT_LE(at - line_begin, 72u);
    line_begin = at + 1;
  }
  EXPECT_LE(unknown, 1u) << "only the last word of a block may be cut";
}

struct PatternCase {
  std::string text;
  PatternRequest request;
  bool present_is_sure;  // drawn from the very text
};

class EveryPatternKind : public testing::TestWithParam<PatternCase> {};

TEST_P(EveryPatternKind, IsDistinctFitsAndIsPresentAsAsked) {
  const PatternCase& row = GetParam();
  const TextGenerator text(text_kind_of(row.text), 3, chain());
  const std::string bytes = made(text, 0, text_bytes);
  for (const double share : {0.0, 0.5, 1.0}) {
    PatternRequest request = row.request;
    request.share_present = share;
    const std::vector<std::string> patterns = make_patterns(request, text, text_bytes);
    EXPECT_EQ(patterns, make_patterns(request, text, text_bytes));
    EXPECT_EQ(std::set<std::string>(patterns.begin(), patterns.end()).size(), request.count);
    PatternSet set;
    for (const std::string& pattern : patterns) {
      EXPECT_GE(pattern.size(), request.min_length);
      EXPECT_LE(pattern.size(), request.max_length);
      set.add(pattern);
    }
    const std::vector<std::uint64_t> counts = Searcher(Plan::build(set)).count_per_pattern(bytes);
    const auto present = static_cast<double>(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; }));
    const double asked = share * static_cast<double>(request.count);
    if (share == 0) {
      EXPECT_EQ(present, 0);
    }
    if (row.present_is_sure) {
      EXPECT_EQ(present, asked);
    } else {
      EXPECT_GE(present, 0.3 * asked);
      EXPECT_LE(present, asked);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, EveryPatternKind,
    testing::Values(
        PatternCase{"english", {.kind = PatternKind::english, .count = 2000}, false},
        PatternCase{"english", {.kind = PatternKind::english, .count = 10, .min_length = 8, .max_length = 8}, false},
        PatternCase{"dna", {.kind = PatternKind::dna, .count = 1000, .min_length = 20}, true},
        PatternCase{"dna-reads", {.kind = PatternKind::dna, .count = 1000, .min_length = 20}, true},
        PatternCase{"random", {.kind = PatternKind::random, .count = 1000, .min_length = 6}, true},
        PatternCase{"log", {.kind = PatternKind::log, .count = 300, .min_length = 8}, true}));

TEST(WorstCases, ShareWhatTheirNameSays) {
  const TextGenerator text(TextKind::english, 1, chain());
  const auto set_of = [&](PatternKind kind) {
    return make_patterns({.kind = kind, .count = 500, .min_length = 12, .max_length = 12}, text, text_bytes);
  };
  std::set<std::string> prefixes;
  for (const std::string& pattern : set_of(PatternKind::common_prefix)) prefixes.insert(pattern.substr(0, 8));
  EXPECT_EQ(prefixes.size(), 1u);
  std::set<std::string> suffixes;
  for (const std::string& pattern : set_of(PatternKind::common_suffix)) suffixes.insert(pattern.substr(4));
  EXPECT_EQ(suffixes.size(), 1u);
  std::set<std::string> ends;
  for (const std::string& p : set_of(PatternKind::one_letter)) ends.insert(p.substr(0, 4) + p.substr(8));
  EXPECT_EQ(ends.size(), 1u);
}

TEST(WorstCases, OfNearlyRepeatedTextsAndPatternsDifferInOneLetterHereAndThere) {
  const TextGenerator text(TextKind::nearly_repeated, 1);
  const std::string bytes = made(text, 0, text_bytes);
  EXPECT_NE(bytes, made(TextGenerator(TextKind::nearly_repeated, 2), 0, text_bytes));
  for (std::size_t at = 0; at + 64 <= bytes.size(); at += 64) {
    const std::string piece = bytes.substr(at, 64);
    EXPECT_EQ(std::count(piece.begin(), piece.end(), 'a'), 63);
    EXPECT_EQ(std::count(piece.begin(), piece.end(), 'b'), 1);
  }
  const PatternRequest request{.kind = PatternKind::nearly_repeated, .count = 50, .min_length = 100, .max_length = 100};
  std::size_t repeated = 0;
  for (const std::string& pattern : make_patterns(request, text, text_bytes)) {
    const auto others = std::count(pattern.begin(), pattern.end(), 'b');
    EXPECT_EQ(std::count(pattern.begin(), pattern.end(), 'a') + others, 100);
    EXPECT_LE(others, 1);
    repeated += others == 0;
  }
  EXPECT_EQ(repeated, 1u);
}

TEST(Phrases, LongerThanALineHaveNoLineEnds) {
  const TextGenerator text(TextKind::english, 1, chain());
  const PatternRequest request{.kind = PatternKind::english, .count = 10, .min_length = 128, .max_length = 128};
  for (const std::string& pattern : make_patterns(request, text, text_bytes)) {
    EXPECT_EQ(pattern.size(), 128u);
    EXPECT_EQ(pattern.find('\n'), pattern.npos);
  }
}

TEST(WorstCases, HaveEachLengthOnceAndNoLineEnds) {
  const TextGenerator text(TextKind::english, 1, chain());
  std::set<std::size_t> lengths;
  for (const std::string& pattern : make_patterns(
           {.kind = PatternKind::every_length, .count = 200, .min_length = 8, .max_length = 207}, text, text_bytes)) {
    lengths.insert(pattern.size());
    EXPECT_EQ(pattern.find('\n'), pattern.npos);
  }
  EXPECT_EQ(lengths.size(), 200u);
  EXPECT_EQ(*lengths.begin(), 8u);
  EXPECT_EQ(*lengths.rbegin(), 207u);
  // More than there are lengths begin again.
  const PatternRequest again{.kind = PatternKind::every_length, .count = 9, .min_length = 20, .max_length = 22};
  std::map<std::size_t, int> found;
  for (const std::string& pattern : make_patterns(again, text, text_bytes)) ++found[pattern.size()];
  EXPECT_EQ(found, (std::map<std::size_t, int>{{20, 3}, {21, 3}, {22, 3}}));
}

TEST(Refusals, SayWhy) {
  const TextGenerator text(TextKind::dna, 1);
  EXPECT_THROW(TextGenerator(TextKind::english, 1), std::runtime_error);
  EXPECT_THROW(text_kind_of("prose"), std::runtime_error);
  EXPECT_THROW(pattern_kind_of(""), std::runtime_error);
  EXPECT_THROW(WordChain("too few words"), std::runtime_error);
  const PatternRequest more_than_there_are{.kind = PatternKind::dna, .count = 400, .min_length = 1, .max_length = 4};
  EXPECT_THROW(make_patterns(more_than_there_are, text, text_bytes), std::runtime_error);
}

}  // namespace
}  // namespace lode::bench
