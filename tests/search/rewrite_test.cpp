// Rewriting against a plain replacement of what the oracle finds, on the CPU: own replacements, views, encodings; what
// replacements may say; what is refused.
#include "lode/rewrite.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lode/error.hpp"
#include "lode/plan.hpp"
#include "lode/stream.hpp"
#include "search/rewriting.hpp"
#include "support/decode_oracle.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/oracle.hpp"
#include "support/scenarios.hpp"
#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

Searcher searcher_of(const PatternSet& patterns, SearcherOptions options = {}, const View& view = {}) {
  if (options.match_kind == MatchKind::overlapping) options.match_kind = MatchKind::leftmost_longest;
  PlanOptions plan_options;
  plan_options.view = view;
  return Searcher(Plan::build(patterns, plan_options), options);
}

TEST(Rewrite, OwnReplacementsEqualAPlainReplacement) {
  Random random = make_random("OwnReplacements");
  const std::uint64_t rounds = test_rounds(20, 60, 600);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ScenarioLimits limits;
    limits.pattern_count = 100;
    limits.text_length = 5000;
    Scenario scenario = draw_scenario(random, limits);
    // Of each pattern, what stands before and behind its matches.
    std::vector<std::pair<std::string, std::string>> around(scenario.patterns.size(), {"<", ">"});
    for (std::uint64_t change = random.below(2 * around.size()); change > 0; --change) {
      const auto id = static_cast<std::uint32_t>(random.below(around.size()));
      around[id] = {std::string(random.below(4), '\0'), std::string(random.below(3), '\n')};
      scenario.patterns.set_replacement(id, around[id].first + "{match}" + around[id].second);
    }
    const MatchKind kind = random.pick(std::vector{MatchKind::leftmost_longest, MatchKind::leftmost_first});
    std::string expected;
    std::uint64_t at = 0;
    for (const Match& match : find_by_meaning(scenario.text, scenario.patterns, {kind})) {
      expected += scenario.text.substr(at, match.offset - at) + around[match.pattern_id].first +
                  scenario.text.substr(match.offset, match.length) + around[match.pattern_id].second;
      at = match.offset + match.length;
    }
    expected += scenario.text.substr(at);
    SearcherOptions options;
    options.match_kind = kind;
    const Searcher searcher = searcher_of(scenario.patterns, options);
    ASSERT_EQ(rewritten(searcher, scenario.text, Replacements::of_patterns("<{match}>")), expected);
    ASSERT_EQ(rewritten_in_pieces(searcher, scenario.text, Replacements::of_patterns("<{match}>"), random), expected);
  }
}

TEST(Rewrite, LeavesTheOriginalAroundAMatchOfAView) {
  const Replacements replacements = Replacements::of_all("<{id}:{match}>");
  const std::string text = "\xFFSTRA\u00DFE  Nr. \u00AD5\u00AD stra\u00DFe\t\n NR 5 \xC3";
  const PatternSet patterns{"strasse nr 5"};
  const Searcher searcher = searcher_of(patterns, {}, View("words"));
  const std::string expected = "\xFF<0:STRA\u00DFE  Nr. \u00AD5>\u00AD <0:stra\u00DFe\t\n NR 5> \xC3";
  EXPECT_EQ(rewritten(searcher, text, replacements), expected);
  Random random = make_random("RewriteInView");
  for (int round = 0; round < 20; ++round)
    ASSERT_EQ(rewritten_in_pieces(searcher, text, replacements, random), expected);
  EXPECT_EQ(expected_text(text, find_in_view(text, patterns, View("words"), {MatchKind::leftmost_longest})), expected);
}

TEST(Rewrite, ReplacementsMayTellOfTheMatch) {
  PatternSet patterns;
  patterns.add("kitty", false, "a cat");
  patterns.add("puppy");
  const Searcher searcher = searcher_of(patterns);
  const auto of = [&](const Replacements& replacements) { return rewritten(searcher, "kitty, puppy.", replacements); };
  EXPECT_EQ(of(Replacements::of_all("")), ", .");
  EXPECT_EQ(of(Replacements::of_all("{id}{label}{{{match}}}")), "0a cat{kitty}, 1puppy{puppy}.");
  EXPECT_EQ(of(Replacements::by_id(std::vector<std::string>{"{match}{match}", "x"})), "kittykitty, x.");
  EXPECT_EQ(of(Replacements([](const Match& match, std::string_view bytes, std::string& out) {
              out += std::to_string(match.offset) += bytes.substr(1);
            })),
            "0itty, 7uppy.");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Replacements::of_all("a {word}"); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Replacements::of_all("a }"); }));
  EXPECT_TRUE(
      throws_error(ErrorKind::invalid_argument, [&] { of(Replacements::by_id(std::vector<std::string>{"x"})); }));
}

TEST(Rewrite, PatternsMayHaveReplacementsOfTheirOwn) {
  PatternSet patterns{"kitty", "puppy", "kitty", "elephant"};
  patterns.set_replacement(3, "{id}{{");
  patterns.set_replacement(0, "a cat");
  patterns.set_replacement(2, "never seen");
  patterns.set_replacement(0, "");
  EXPECT_EQ(patterns.replacement(0), "");
  EXPECT_EQ(patterns.replacement(1), std::nullopt);
  EXPECT_EQ(patterns.replacement(2), "never seen");
  EXPECT_EQ(patterns.replacement(3), "{id}{{");
  const std::string text = "kitty, puppy, elephant.";
  const auto of = [&](const PatternSet& set, const Replacements& replacements, const View& view = {}) {
    return rewritten(searcher_of(set, {}, view), text, replacements);
  };
  EXPECT_EQ(of(patterns, Replacements::of_patterns("<{match}>")), ", <puppy>, 3{.");
  EXPECT_EQ(of(patterns, Replacements::of_patterns(""), View("words")), ", , 3{.");
  EXPECT_EQ(of(patterns, Replacements::of_all("x")), "x, x, x.");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { of(patterns, Replacements::of_patterns()); }));
  patterns.set_replacement(1, "{label}");
  EXPECT_EQ(of(patterns, Replacements::of_patterns()), ", puppy, 3{.");
  patterns.set_forms(1, Forms("base64"));
  EXPECT_EQ(of(patterns, Replacements::of_patterns()), ", puppy, 3{.");
  const Plan saved = Plan::deserialize(Plan::build(patterns).serialize());
  EXPECT_EQ(rewritten(Searcher(saved, searcher_of(patterns).options()), text, Replacements::of_patterns()),
            ", puppy, 3{.");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { patterns.set_replacement(1, "{word}"); }));
  EXPECT_EQ(patterns.replacement(1), "{label}");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [] { Replacements::of_patterns("{"); }));
}

TEST(Rewrite, ReplacementsMayTellTheForm) {
  PatternSet patterns{"GAATTTC", "caf\u00E9"};
  patterns.set_forms(0, Forms("reverse-complement"));
  patterns.set_forms(1, Forms("utf-16le,json"));
  const Searcher searcher = searcher_of(patterns);
  const Replacements replacements = Replacements::of_all("<{form}>");
  const std::string text = "GAATTTC GAAATTC caf\u00E9 caf\\u00e9 c" + std::string("\0a\0f\0\xE9\0", 7);
  const std::string in_utf_16 = encode_by_meaning("<utf-16le>", View("utf-16le"));
  const std::string expected = "<as-given> <reverse-complement> <as-given> <json> " + in_utf_16;
  EXPECT_EQ(rewritten(searcher, text, replacements), expected);
  Random random = make_random("RewriteForms");
  EXPECT_EQ(rewritten_in_pieces(searcher, text, replacements, random), expected);
}

TEST(Rewrite, FormsOfUtf16KeepTheirEncoding) {
  PatternSet patterns{"c\u00F6\U0001D11E"};
  patterns.set_forms(0, Forms("utf-16le,utf-16be"));
  const Searcher searcher = searcher_of(patterns);
  const View little("utf-16le"), big("utf-16be");
  const auto text_of = [&](const std::string& word, const std::string& second, const std::string& third) {
    return "\xFF " + word + " " + encode_by_meaning(second, little) + "\xFF" + encode_by_meaning(third, big) + ".";
  };
  const std::string word(patterns[0]), text = text_of(word, word, word);
  EXPECT_EQ(rewritten(searcher, text, Replacements::of_all("\u2588{match}")),
            text_of("\u2588" + word, "\u2588" + word, "\u2588" + word));
  EXPECT_EQ(rewritten(searcher, text, Replacements::mask("*")), text_of("*******", "****", "****"));
  EXPECT_EQ(rewritten(searcher, text, Replacements::mask("\u2588")),
            text_of("\u2588\u2588\u2588", "\u2588\u2588\u2588", "\u2588\u2588\u2588"));
}

TEST(Rewrite, MasksBytesOrCharacters) {
  const Searcher searcher = searcher_of(PatternSet{"na\u00EFve", "\xFF\xFE"});
  const std::string text = "a na\u00EFve \xFF\xFE.";
  EXPECT_EQ(rewritten(searcher, text, Replacements::mask("*")), "a ****** **.");
  EXPECT_EQ(rewritten(searcher, text, Replacements::mask("\u2588")), "a \u2588\u2588\u2588\u2588\u2588 \u2588\u2588.");
  for (const char* const no_character : {"", "ab", "\xFF", "\u2588\u2588"})
    EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Replacements::mask(no_character); }));
}

TEST(Rewrite, EndsWhenTheSinkHasEnough) {
  const std::string text(1'000'000, 'a');
  const Searcher searcher = searcher_of(PatternSet{"aa"});
  std::size_t calls = 0;
  searcher.rewrite(text, Replacements::of_all("b"), [&](std::string_view) { return ++calls < 3; });
  EXPECT_EQ(calls, 3u);
  calls = 0;
  RewriteStream stream(searcher, Replacements::of_all("b"), [&](std::string_view) { return ++calls < 2; });
  bool wanted = true;
  for (int piece = 0; piece < 20 && wanted; ++piece) wanted = stream.push(text);
  EXPECT_FALSE(wanted);
  EXPECT_EQ(calls, 2u);
}

TEST(Rewrite, IsRefusedWhereMatchesOverlap) {
  const Searcher overlapping(Plan::build(PatternSet{"a"}));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { rewritten(overlapping, "a", Replacements::of_all("b")); }));
}

// Replacing in an encoded text is encoding what replacing makes of the text.
TEST(Rewrite, KeepsTheEncodingOfTheText) {
  struct Encoding {
    std::string name, mark;
    std::vector<std::string> letters;
    std::string one;
  };
  const std::vector<std::string> of_unicode = {"a", "B", "\n", "ä", "П", "п", "中", "𝄞"};
  const std::vector<Encoding> encodings = {
      {"utf-16le", "", of_unicode, "█"},          {"utf-16be", "", of_unicode, "𝄞"},
      {"utf-32le", "", of_unicode, "█"},          {"utf-32be", "", of_unicode, "█"},
      {"utf-16le", "\xFF\xFE", of_unicode, "█"},  {"utf-16be", "\xFE\xFF", of_unicode, "█"},
      {"latin-1", "", {"a", "B", "ä", "Ä"}, "ÿ"}, {"windows-1251", "", {"a", "B", "П", "п"}, "Ж"},
      {"koi8-r", "", {"a", "\n", "П", "п"}, "█"}};
  Random random = make_random("EncodedRewrite");
  const std::uint64_t rounds = test_rounds(40, 200, 2000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Encoding& encoding = random.pick(encodings);
    SCOPED_TRACE("round " + std::to_string(round) + ", " + encoding.name);
    const View own_view(encoding.name);
    const auto draw = [&](std::size_t least, std::size_t most) {
      std::string drawn;
      for (std::uint64_t left = random.between(least, most); left > 0; --left) drawn += random.pick(encoding.letters);
      return drawn;
    };
    PatternSet patterns;
    for (std::uint64_t left = random.between(1, 20); left > 0; --left) patterns.add(draw(1, 3));
    const std::string text = draw(0, 3000);
    const std::vector<std::pair<std::string, Replacements>> all = {
        {"constant", Replacements::of_all("<{id}:{match}>" + encoding.one)},
        {"mask", Replacements::mask(encoding.one)},
        {"function", Replacements([](const Match& match, std::string_view bytes, std::string& out) {
           if (match.pattern_id % 2 == 0) out += bytes;
         })}};
    const auto& [kind, replacements] = random.pick(all);
    SCOPED_TRACE(kind);
    SearcherOptions options;
    if (random.chance(50)) options.chunk_bytes = random.scale(50, 5000);
    const Searcher plain = searcher_of(patterns, options, View("fold"));
    const View view(std::string(encoding.mark.empty() ? encoding.name
                                : random.chance(50)   ? "auto"
                                                      : "utf-16") +
                    ",fold");
    const Searcher searcher = searcher_of(patterns, options, view);
    const std::string encoded = encoding.mark + encode_by_meaning(text, own_view);
    const std::string expected = encoding.mark + encode_by_meaning(rewritten(plain, text, replacements), own_view);
    ASSERT_EQ(rewritten(searcher, encoded, replacements), expected);
    const SourceText source(encoded);
    ASSERT_EQ(rewritten(searcher, Text(source), replacements), expected);
    ASSERT_EQ(rewritten_in_pieces(searcher, encoded, replacements, random), expected);
    // A mask of ASCII keeps all offsets.
    const std::string masked = rewritten(searcher, encoded, Replacements::mask("*"));
    ASSERT_EQ(masked.size(), encoded.size());
    ASSERT_EQ(masked == encoded, !plain.contains(text));
  }
}

TEST(Rewrite, RefusesWhatAnEncodingLacks) {
  const Searcher latin = searcher_of(PatternSet{"a"}, {}, View("latin-1"));
  EXPECT_EQ(rewritten(latin, "xa", Replacements::of_all("é")), "x\xE9");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { rewritten(latin, "xa", Replacements::of_all("П")); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { rewritten(latin, "xa", Replacements::of_all("\xE9")); }));
  EXPECT_EQ(rewritten(latin, "x", Replacements::of_all("П")), "x");
}

TEST(Rewrite, SequencesKeepTheirFilesOtherLines) {
  const std::string text = ">one GATT\nACGA\r\nTTAC\n>two\nGAT\n\nT\n>three\nGA\n>four\nTT\n";
  const Searcher searcher = searcher_of(PatternSet{"gatt"}, {}, View("fasta,fold"));
  EXPECT_EQ(rewritten(searcher, text, Replacements::of_all("<{match}>")),
            ">one GATT\nAC<GA\r\nTT>AC\n>two\n<GAT\n\nT>\n>three\nGA\n>four\nTT\n");
  EXPECT_EQ(rewritten(searcher, text, Replacements::of_all("")), ">one GATT\nACAC\n>two\n\n>three\nGA\n>four\nTT\n");
  for (const std::string character : {"N", "█"}) {
    const auto times = [&](int count) {
      std::string repeated;
      while (count-- > 0) repeated += character;
      return repeated;
    };
    EXPECT_EQ(rewritten(searcher, text, Replacements::mask(character)), ">one GATT\nAC" + times(2) + "\r\n" + times(2) +
                                                                            "AC\n>two\n" + times(3) + "\n\n" +
                                                                            times(1) + "\n>three\nGA\n>four\nTT\n");
  }
}

}  // namespace
}  // namespace lode::tests
