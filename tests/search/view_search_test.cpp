// Searches through a view, on every engine: all ways of asking, kinds and conditions, blocks of all sizes, ranges, and
// texts that are read piece by piece.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/decode_oracle.hpp"
#include "support/engines.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/view_oracle.hpp"
#include "support/view_texts.hpp"

namespace lode::tests {
namespace {

class ViewSearches : public testing::TestWithParam<Engine> {
 protected:
  static Plan build(const PatternSet& patterns, const View& view) {
    PlanOptions options;
    options.view = view;
    return Plan::build(patterns, options);
  }
  static Searcher make_searcher(const Plan& plan, SearcherOptions options = {}) {
    const Engine& engine = GetParam();
    options.algorithm = engine.algorithm;
    options.instruction_set = engine.instruction_set;
    return Searcher(plan, options, engine.device == "cpu" ? Device::cpu() : open_test_device(engine.device));
  }
};

class PiecewiseText final : public RandomAccessText {
 public:
  explicit PiecewiseText(std::string_view text) : text_(text) {}
  std::uint64_t size() const override { return text_.size(); }
  void read(std::uint64_t offset, std::span<char> into) const override {
    ASSERT_LE(offset + into.size(), text_.size());
    std::copy_n(text_.data() + offset, into.size(), into.data());
  }

 private:
  std::string_view text_;
};

TEST_P(ViewSearches, FindWholeSegmentsAndTellTheOriginal) {
  const Searcher fold = make_searcher(build(PatternSet{"ss", "s", "STRASSE"}, View("fold")));
  EXPECT_EQ(fold.find("Stra\xC3\x9F"
                      "e s"),
            (std::vector<Match>{{0, 1, 1}, {0, 2, 7}, {4, 0, 2}, {8, 1, 1}}));
  const Searcher words = make_searcher(build(PatternSet{"to be, or not"}, View("words")));
  EXPECT_EQ(words.find("To be -\n  or not"), (std::vector<Match>{{0, 0, 16}}));
  EXPECT_EQ(words.plan().patterns()[0], "to be or not");
  PatternSet mixed{"k"};
  mixed.add("K", true);
  mixed.add("\xD0\x9F", true);
  const Searcher ignoring = make_searcher(Plan::build(mixed));
  EXPECT_EQ(ignoring.plan().view(), View("fold-simple"));
  EXPECT_EQ(ignoring.find("k\xE2\x84\xAA \xD0\xBF"), (std::vector<Match>{{0, 0, 1}, {0, 1, 1}, {1, 1, 3}, {5, 2, 2}}));
  EXPECT_EQ(words.plan().patterns().label(0), "to be, or not");
}

TEST_P(ViewSearches, AgreeWithTheOracle) {
  Random random = make_random("ViewSearches " + testing::PrintToString(GetParam()));
  const bool is_gpu = GetParam().device != "cpu";
  std::uint64_t found = 0;
  const std::uint64_t rounds = test_rounds_on(GetParam().device, 25, 250, 20'000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // A set may mix patterns that ignore case with others.
    const unsigned ignoring = random.chance(60) ? 0 : random.chance(50) ? 100 : 50;
    const unsigned keeping = random.chance(70) ? 0 : 50;
    View view = random_view(random);
    while (view.empty() && ignoring == 0) view = random_view(random);
    const std::string text = random.chance(30) ? "s" + mostly_ascii_text(random, random.between(1, is_gpu ? 5 : 30))
                                               : troublesome_text(random, random.scale(1, is_gpu ? 60 : 400));
    PatternSet patterns;
    const std::uint64_t wanted = random.between(1, 8);
    while (patterns.size() < wanted) {
      const std::uint64_t begin = random.below(text.size());
      const std::string pattern =
          random.chance(50) ? troublesome_text(random, random.between(1, 3)) : text.substr(begin, random.between(1, 6));
      const bool ignores_case = random.chance(ignoring), keeps_case = random.chance(keeping);
      View of_pattern = view;
      if (view.folds() && keeps_case) of_pattern = view.without_fold();
      if (!view.folds() && ignores_case) of_pattern = view.with(ViewStep::fold_simple);
      if (view_by_meaning(pattern, of_pattern).empty()) continue;
      const std::uint32_t id = patterns.add(pattern, ignores_case);
      if (keeps_case) patterns.keep_case(id);
    }
    Rules rules;
    rules.match_kind = random.pick(std::vector{MatchKind::overlapping, MatchKind::overlapping,
                                               MatchKind::leftmost_longest, MatchKind::leftmost_first});
    rules.condition = random.chance(70)   ? Condition::none
                      : random.chance(50) ? Condition::whole_word
                                          : Condition::whole_line;
    SearcherOptions options;
    options.match_kind = rules.match_kind;
    options.condition = rules.condition;
    options.chunk_bytes = random.chance(60) ? random.between(1, 40) : 0;
    options.threads = static_cast<unsigned>(random.between(1, 3));
    SCOPED_TRACE("round " + std::to_string(round) + ", view " + view.name() + ", blocks of " +
                 std::to_string(options.chunk_bytes) + ", text " + escape(text));
    const Plan plan = build(patterns, view);
    const std::string why = refusal(GetParam().algorithm, plan);
    if (!why.empty()) continue;
    const Searcher searcher = make_searcher(Plan::deserialize(plan.serialize()), options);
    EXPECT_EQ(searcher.plan().view(), plan.view());
    const std::vector<Match> expected = find_in_view(text, patterns, view, rules);
    found += expected.size();
    ASSERT_EQ(searcher.find(text), expected);
    ASSERT_EQ(searcher.find(PiecewiseText(text)), expected);
    if (is_gpu) {
      ASSERT_EQ(searcher.find(ResidentText(searcher.device(), text)), expected);
    }
    ASSERT_EQ(searcher.count(text), expected.size());
    ASSERT_EQ(searcher.contains(text), !expected.empty());
    ASSERT_EQ(searcher.first(text), expected.empty() ? std::nullopt : std::optional(expected.front()));
    std::vector<std::uint64_t> per_pattern(patterns.size());
    for (const Match& match : expected) ++per_pattern[match.pattern_id];
    ASSERT_EQ(searcher.count_per_pattern(text), per_pattern);
    if (!may_span(plan, '\n') && rules.match_kind == MatchKind::overlapping) {
      const auto in_line_of = [&](const Match& match) {
        return static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + match.offset, '\n'));
      };
      std::set<std::uint64_t> lines;
      for (const Match& match : expected) lines.insert(in_line_of(match));
      ASSERT_EQ(searcher.count_lines(text), lines.size());
      SearcherOptions by_line = options;
      by_line.one_per_line = true;
      std::set<std::uint64_t> found_lines;
      for (const Match& match : make_searcher(plan, by_line).find(text)) found_lines.insert(in_line_of(match));
      ASSERT_EQ(found_lines, lines);
    }
    if (rules.match_kind != MatchKind::overlapping) continue;
    RunOptions run;
    run.begin = random.below(text.size() + 1);
    run.end = random.between(run.begin, text.size());
    ASSERT_EQ(searcher.find(text, run), cut_range(expected, run.begin, run.end)) << run.begin << " to " << run.end;
    ASSERT_EQ(searcher.find(PiecewiseText(text), run), cut_range(expected, run.begin, run.end));
    ASSERT_EQ(searcher.count(text, run), cut_range(expected, run.begin, run.end).size());
  }
  EXPECT_TRUE(found > 0 || rounds < 10) << "nothing was found";
}

// A text in an encoding, or of sequences, now and then damaged; and the view that decodes it.
std::string decodable_text(Random& random, std::string& encoding, std::uint64_t pieces) {
  using namespace std::string_literals;
  static const std::vector<std::string> encodings = {"utf-16",       "utf-16le",   "utf-16be", "utf-32", "utf-32le",
                                                     "utf-32be",     "auto",       "latin-1",  "koi8-r", "windows-1251",
                                                     "windows-1252", "iso-8859-5", "fasta",    "fastq"};
  encoding = random.pick(encodings);
  std::string text;
  if (encoding == "fasta" || encoding == "fastq") {
    const std::vector<std::string> lines = {">one", ">", ";note", "@two", "+",         "IIII",
                                            "ACGT", "A", "CG",    "",     "ACGTACGTAC"};
    while (pieces-- > 0) text += random.pick(lines) + (random.chance(20) ? "\r\n" : random.chance(95) ? "\n" : "");
    return text;
  }
  const bool is_wide = encoding.starts_with("utf-") || encoding == "auto";
  if (!is_wide) {
    while (pieces-- > 0) text += random.bytes("as. \xC1\xE1\xD3\xF3\xDF\x98\xD2", 1);
    return text;
  }
  const std::size_t unit_bytes = encoding.starts_with("utf-32") ? 4 : 2;
  const bool is_big_endian = encoding.ends_with("be");
  const std::vector<std::uint32_t> units = {'a',   'b',  's',    ' ',   '.',    '\n',   0x41F,
                                            0x43F, 0xDF, 0x4E2D, 0x301, 0xD801, 0xDC00, 0xFFFD};
  if (encoding == "auto" && random.chance(30)) return "\xEF\xBB\xBF" + troublesome_text(random, pieces);
  if (random.chance(50) || encoding == "auto") text += unit_bytes == 2 ? "\xFF\xFE"s : "\xFF\xFE\0\0"s;
  if (is_big_endian) std::reverse(text.begin(), text.end());
  while (pieces-- > 0) {
    const std::uint32_t unit = random.chance(70) ? units[random.below(5)] : random.pick(units);
    for (std::size_t byte = 0; byte < unit_bytes; ++byte)
      text += static_cast<char>(unit >> 8 * (is_big_endian ? unit_bytes - 1 - byte : byte));
  }
  if (random.chance(10)) text += 'a';
  return text;
}

TEST_P(ViewSearches, DecodeWhatTheyRead) {
  Random random = make_random("ViewSearches.DecodeWhatTheyRead " + testing::PrintToString(GetParam()));
  const bool is_gpu = GetParam().device != "cpu";
  std::uint64_t found = 0;
  const std::uint64_t rounds = test_rounds_on(GetParam().device, 40, 300, 20'000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::string encoding;
    const std::string text = decodable_text(random, encoding, random.scale(1, is_gpu ? 40 : 300));
    const View others = random_view(random);
    const View view(encoding + (others.empty() ? "" : "," + others.name()));
    EXPECT_EQ(View(view.name()), view);
    const std::string plain = decode_by_meaning(text, view).bytes + "a";
    PatternSet patterns;
    while (patterns.size() < 4) {
      std::string pattern = plain.substr(random.below(plain.size()), random.between(1, 6));
      if (random.chance(20)) pattern = random.bytes("acgtACGTs", random.between(1, 3));
      if (others.empty() || !view_by_meaning(pattern, others).empty()) patterns.add(pattern);
    }
    Rules rules;
    rules.match_kind = random.pick(std::vector{MatchKind::overlapping, MatchKind::leftmost_longest});
    rules.condition = random.chance(60)   ? Condition::none
                      : random.chance(50) ? Condition::whole_word
                                          : Condition::whole_line;
    SearcherOptions options;
    options.match_kind = rules.match_kind;
    options.condition = rules.condition;
    options.chunk_bytes = random.chance(60) ? random.between(1, 40) : 0;
    options.threads = static_cast<unsigned>(random.between(1, 3));
    SCOPED_TRACE("round " + std::to_string(round) + ", view " + view.name() + ", blocks of " +
                 std::to_string(options.chunk_bytes) + ", text " + escape(text));
    const Plan plan = build(patterns, view);
    if (!refusal(GetParam().algorithm, plan).empty()) continue;
    const Searcher searcher = make_searcher(Plan::deserialize(plan.serialize()), options);
    const std::vector<Match> expected = find_in_view(text, patterns, view, rules);
    found += expected.size();
    ASSERT_EQ(searcher.find(text), expected);
    ASSERT_EQ(searcher.find(PiecewiseText(text)), expected);
    ASSERT_EQ(searcher.count(text), expected.size());
    std::vector<Match> streamed;
    Stream stream(searcher, [&](std::span<const Match> batch) {
      streamed.insert(streamed.end(), batch.begin(), batch.end());
      return true;
    });
    for (std::size_t at = 0; at < text.size(); at += 7) stream.push(std::string_view(text).substr(at, 7));
    stream.finish();
    ASSERT_EQ(streamed, expected);
    if (rules.match_kind != MatchKind::overlapping) continue;
    RunOptions run;
    run.begin = random.below(text.size() + 1);
    run.end = random.between(run.begin, text.size());
    ASSERT_EQ(searcher.find(text, run), cut_range(expected, run.begin, run.end)) << run.begin << " to " << run.end;
    ASSERT_EQ(searcher.count(text, run), cut_range(expected, run.begin, run.end).size());
  }
  EXPECT_TRUE(found > 0 || rounds < 10) << "nothing was found";
}

// Lines that are equally long and far apart, and more lines of other lengths than a decoder takes at once.
TEST_P(ViewSearches, FindAcrossLinesOfSequences) {
  std::string text = ">one\nACGT\n" + std::string(300, '\n') + "ACGT\nACGT\n\nACGT\r\nACGT\n>two\n";
  for (std::size_t line = 0; line < 600; ++line) text += std::string("ACGTACG").substr(0, 3 + line % 5) + "\n";
  const PatternSet patterns{"TACGTA", "GTAC", "ACG", "ACGA"};
  const Plan plan = build(patterns, View("fasta"));
  if (!refusal(GetParam().algorithm, plan).empty()) GTEST_SKIP() << refusal(GetParam().algorithm, plan);
  EXPECT_EQ(make_searcher(plan).find(text), find_in_view(text, patterns, View("fasta"), Rules()));
}

// Threads look for such characters piece by piece, and blocks and stretches end somewhere in the text.
// The places are those of a vector and of a chunk, and their edges. To other devices a step of chunks is a launch.
TEST_P(ViewSearches, FindWhatFoldsIntoAsciiAtEachPlace) {
  const Plan plan = Plan::build(PatternSet({"xk", "sx"}, true));
  struct Places {
    std::uint64_t chunk_bytes, step, end;
  };
  const std::uint64_t rarer = GetParam().device == "cpu" ? 1 : 7;
  for (const auto [chunk_bytes, step, end] :
       {Places{1, 16, 100}, Places{3, 5, 100}, Places{16, 1, 34}, Places{0, 1, 100}}) {
    SearcherOptions options;
    options.chunk_bytes = chunk_bytes;
    options.threads = 2;
    const Searcher searcher = make_searcher(plan, options);
    for (std::size_t before = 1; before < end; before += step * rarer) {
      const std::string text = std::string(before, 'x') + "\xE2\x84\xAA" + std::string(40, '-') + "\xC5\xBFx";
      ASSERT_EQ(searcher.find(text), (std::vector<Match>{{before - 1, 0, 4}, {before + 43, 1, 3}}))
          << before << " bytes before, blocks of " << chunk_bytes;
    }
  }
}

TEST_P(ViewSearches, FindTheSameInStreams) {
  Random random = make_random("ViewSearches.FindTheSameInStreams " + testing::PrintToString(GetParam()));
  const bool is_gpu = GetParam().device != "cpu";
  for (std::uint64_t round = 0; round < test_rounds_on(GetParam().device, 25, 250, 20'000); ++round) {
    View view;
    while (view.empty()) view = random_view(random);
    const std::string text = random.chance(10) ? std::string(300, ' ') + "a" + std::string(300, ' ') + "b"
                                               : troublesome_text(random, random.scale(1, is_gpu ? 60 : 400));
    PatternSet patterns;
    while (patterns.size() < 4) {
      const std::string pattern = random.chance(50) ? troublesome_text(random, random.between(1, 3))
                                                    : text.substr(random.below(text.size()), random.between(1, 6));
      if (!view_by_meaning(pattern, view).empty()) patterns.add(pattern);
    }
    Rules rules;
    rules.match_kind = random.pick(std::vector{MatchKind::overlapping, MatchKind::leftmost_longest});
    rules.condition = random.chance(60) ? Condition::none : Condition::whole_word;
    SearcherOptions options;
    options.match_kind = rules.match_kind;
    options.condition = rules.condition;
    options.memory_limit_bytes = random.chance(50) ? random.between(1, 100) : 0;
    SCOPED_TRACE("round " + std::to_string(round) + ", view " + view.name() + ", limit " +
                 std::to_string(options.memory_limit_bytes) + ", text " + escape(text));
    const Plan plan = build(patterns, view);
    if (!refusal(GetParam().algorithm, plan).empty()) continue;
    const Searcher searcher = make_searcher(plan, options);
    std::vector<Match> found;
    Stream stream(searcher, [&](std::span<const Match> batch) {
      found.insert(found.end(), batch.begin(), batch.end());
      return true;
    });
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t bytes = random.between(1, 50);
      stream.push(std::string_view(text).substr(at, bytes));
      at += bytes;
      if (random.chance(20)) stream.flush();
    }
    stream.finish();
    ASSERT_EQ(found, find_in_view(text, patterns, view, rules));
  }
}

// The blank belongs to what is viewed with the comma, because no cut lies between them.
TEST_P(ViewSearches, CountNothingBehindTheirRange) {
  const Plan plan = build(PatternSet{" b"}, View("drop-punctuation,one-space"));
  if (!refusal(GetParam().algorithm, plan).empty()) GTEST_SKIP() << refusal(GetParam().algorithm, plan);
  RunOptions run;
  run.end = 2;
  const Searcher searcher = make_searcher(plan);
  EXPECT_EQ(searcher.count("a, b", run), 0U);
  EXPECT_EQ(searcher.count("a, b"), 1U);
}

TEST_P(ViewSearches, CountLines) {
  const std::string text = "one\nTwo ONE\n\nthree\noNe";
  const Searcher fold = make_searcher(build(PatternSet{"one", "two"}, View("fold")));
  EXPECT_EQ(fold.count_lines(text), 3U);
  const Searcher spaces = make_searcher(build(PatternSet{"one two"}, View("fold,one-space")));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { spaces.count_lines(text); }));
  EXPECT_EQ(spaces.count(text), 1U);
}

// If each block viewed all of a long segment, or of a long run of what is dropped, this would take long.
TEST_P(ViewSearches, ViewALongRunOnce) {
  const std::uint64_t bytes = GetParam().device == "cpu" ? test_rounds(1 << 16, 1 << 18, 1 << 18) : 1 << 13;
  SearcherOptions options;
  options.chunk_bytes = 64;
  options.threads = 2;
  const std::string blanks(bytes, ' ');
  std::string marks;
  while (marks.size() < bytes) marks += "\xCC\x81";
  for (const auto& [view, run] : {std::pair("one-space", blanks), std::pair("drop-space", blanks),
                                  std::pair("drop-marks", marks), std::pair("nfc", marks)}) {
    const Plan plan = build(PatternSet{"t", "zt"}, View(view));
    if (!refusal(GetParam().algorithm, plan).empty()) continue;
    const std::string text = "ca" + run + "t";
    EXPECT_EQ(make_searcher(plan, options).find(text), (std::vector<Match>{{text.size() - 1, 0, 1}})) << view;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ViewSearches, testing::ValuesIn(best_engines()), name_engine);

TEST(PlanWithView, NamesThePatternThatItEmpties) {
  PlanOptions options;
  options.view = View("drop-punctuation");
  try {
    Plan::build(PatternSet{"a", "..."}, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_pattern);
    EXPECT_NE(std::string(error.what()).find("pattern 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lode::tests
