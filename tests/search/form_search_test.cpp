// Searches for patterns with forms, on every engine: all ways of asking, kinds, blocks of all sizes, views, saved plans
// and records.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/form_oracle.hpp"

namespace lode::tests {
namespace {

using namespace std::string_literals;

class FormSearches : public testing::TestWithParam<Engine> {
 protected:
  static Device device() { return GetParam().device == "cpu" ? Device::cpu() : open_test_device(GetParam().device); }
  static SearcherOptions with_engine(SearcherOptions options = {}) {
    options.algorithm = GetParam().algorithm;
    options.instruction_set = GetParam().instruction_set;
    return options;
  }
  // What is found of one pattern.
  static std::vector<Match> find(const std::string& pattern, const char* forms, const std::string& text,
                                 bool ignore_case = false) {
    PatternSet patterns;
    patterns.set_forms(patterns.add(pattern, ignore_case), Forms(forms));
    const Plan plan = Plan::build(patterns);
    if (const std::string why = refusal(GetParam().algorithm, plan); !why.empty()) {
      EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { Searcher(plan, with_engine(), device()); })) << why;
      return Searcher(plan).find(text);
    }
    return Searcher(plan, with_engine(), device()).find(text);
  }
};

struct FormCase {
  const char* forms;
  std::string pattern, text;
  std::vector<Match> expected;
  bool ignore_case = false;
};

TEST_P(FormSearches, FindTheCasesOfTheTable) {
  using enum Form;
  const std::vector<FormCase> cases = {
      {"utf-16le", "ab", "ab a\0b\0 \0a\0b"s, {{0, 0, 2}, {3, 0, 4, utf_16le}}},
      {"utf-16be", "ab", "ab a\0b\0 \0a\0b"s, {{0, 0, 2}, {8, 0, 4, utf_16be}}},
      {"utf-16le,utf-16be",
       "\xF0\x90\x90\x80",
       "\xD8\x01\xDC\x00\xD8\x01\xD8\x00\xDC"s,
       {{0, 0, 4, utf_16be}, {5, 0, 4, utf_16le}}},
      // The Kelvin sign, and the long s; a byte of another unit is not a letter.
      {"utf-16le", "ks", "K\0\x7F\x01*!S\0"s, {{0, 0, 4, utf_16le}, {4, 0, 4, utf_16le}}, true},
      {"utf-16le", "\xC3\xA9", "\xC9\0\xE9\0\xC3\0"s, {{0, 0, 2, utf_16le}, {2, 0, 2, utf_16le}}, true},
      // The small and the capital letter es are U+0441 and U+0421; U+0461 differs from it in the case of a byte.
      {"utf-16le", "\xD1\x81", "\x41\x04\x21\x04\x61\x04"s, {{0, 0, 2, utf_16le}, {2, 0, 2, utf_16le}}, true},
      {"reverse-complement", "GAATTTC", "GAATTTCxGAAATTC", {{0, 0, 7}, {8, 0, 7, reverse_complement}}},
      {"reverse-complement", "ACGT", "ACGTACGT", {{0, 0, 4}, {4, 0, 4}}},
      {"reverse-complement", "acRu", "aYguAyGT", {{0, 0, 4, reverse_complement}}},
      {"iupac", "ARn", "ARnAAaAGtATt", {{0, 0, 3}, {3, 0, 3, iupac}, {6, 0, 3, iupac}}},
      {"iupac", "UY", "UYUCUTUU", {{0, 0, 2}, {2, 0, 2, iupac}, {6, 0, 2, iupac}}},
      {"iupac,reverse-complement", "GGNA", "GGCATTCC", {{0, 0, 4, iupac}, {4, 0, 4, reverse_complement}}},
      {"base64", "abc", "YWJj", {{0, 0, 4, base64}}},
      {"base64", "ab", "YWI=YWJ", {}},
      {"base64", "lode", "bG9kZQ== xsb2RlxxMbG9kZ eG9kZQ", {{0, 0, 5, base64}, {10, 0, 5, base64}, {18, 0, 5, base64}}},
      {"base64", "\xFB\xEF\xBE", "++++ ---- +-+-", {{0, 0, 4, base64}, {5, 0, 4, base64}}},
      {"json",
       "\xC3\xA9\"\n",
       "\xC3\xA9\"\n\\u00e9\\\"\\n\\u00E9\\\"\\n",
       {{0, 0, 4}, {4, 0, 10, json}, {14, 0, 10, json}}},
      {"json", "\xF0\x9F\x98\x80", "\\ud83d\\ude00\\uD83D\\uDE00\\uD83d\\ude00", {{0, 0, 12, json}, {12, 0, 12, json}}},
      {"json", "\xC3\xA9", "\\u00C9\\u00e9", {{0, 0, 6, json}, {6, 0, 6, json}}, true},
      {"json", "plain", "plain", {{0, 0, 5}}},
  };
  for (const FormCase& row : cases) {
    EXPECT_EQ(find(row.pattern, row.forms, row.text, row.ignore_case), row.expected)
        << row.forms << " of " << escape(row.pattern) << " in " << escape(row.text);
    PatternSet patterns;
    patterns.set_forms(patterns.add(row.pattern, row.ignore_case), Forms(row.forms));
    EXPECT_EQ(find_forms(row.text, patterns), row.expected)
        << "the oracle, " << row.forms << " of " << escape(row.pattern);
  }
}

const std::vector<std::string>& letters_of_texts() {
  static const std::vector<std::string> letters = {
      "a",  "b",  "k",  "S",    "\xC3\xA9", "\xC3\x9F",     "\xD0\x94", "\xD1\x81", "\xF0\x90\x90\x80", "\xE4\xB8\xAD",
      "\"", "\\", "\n", "\x01", " ",        "\xE2\x84\xAA", "\xCF\x82"};
  return letters;
}

// Draws a set with forms, of text or of DNA.
PatternSet draw_patterns(Random& random, bool is_dna, unsigned ignoring, unsigned keeping) {
  PatternSet patterns;
  const std::uint64_t wanted = random.between(1, 5);
  while (patterns.size() < wanted) {
    std::string pattern;
    const std::uint64_t length = random.between(1, is_dna ? 6 : 4);
    while (pattern.empty() || (random.chance(90) && pattern.size() < length * (is_dna ? 1 : 2)))
      pattern +=
          is_dna ? random.bytes(random.chance(80) ? "ACGT" : "acgtACGTURYN", 1) : random.pick(letters_of_texts());
    // Some patterns equal others.
    if (!patterns.empty() && random.chance(10))
      pattern = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
    const std::uint32_t id = patterns.add(pattern, random.chance(ignoring), random.chance(20) ? "label" : "");
    if (!patterns.ignore_case(id) && random.chance(keeping)) patterns.keep_case(id);
    Forms forms;
    for (const char* const name : {"utf-16le", "utf-16be", "base64", "json"})
      if (random.chance(is_dna ? 15 : 40)) forms = forms.with(Forms(name));
    for (const char* const name : {"iupac", "reverse-complement"})
      if (is_dna && random.chance(60)) forms = forms.with(Forms(name));
    patterns.set_forms(id, forms);
  }
  return patterns;
}

// A text that is made of spellings, with other cases, pieces of them and noise between.
std::string draw_text(Random& random, const PatternSet& patterns, std::uint64_t pieces) {
  std::vector<std::string> spellings;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const std::vector<OracleSpelling> all = spell_by_meaning(patterns[id], patterns.forms(id), true);
    for (std::size_t at = 0; at < all.size(); at += 1 + all.size() / 40) spellings.push_back(all[at].bytes);
  }
  // What conditions look at: ends of lines, words and blanks in UTF-16, a pair of surrogates and halves of it.
  static const std::vector<std::string> around = {"\n\0"s,
                                                  "\0\n"s,
                                                  "\r\0\n\0"s,
                                                  "\0\r\0\n"s,
                                                  " \0"s,
                                                  "\0 "s,
                                                  "a\0"s,
                                                  "\0a"s,
                                                  "\xFF\xFE",
                                                  "\xFE\xFF",
                                                  "\x01\xD8\x00\xDC"s,
                                                  "\xD8\x01\xDC\x00"s,
                                                  "\x3D\xD8\x00\xDE"s,
                                                  "\x01\xD8",
                                                  "\x00\xDC"s};
  std::string text = random.chance(10) ? random.pick(around) : "";
  while (pieces-- > 0) {
    std::string piece = random.pick(spellings);
    if (random.chance(20)) piece = piece.substr(0, random.between(1, piece.size()));
    if (random.chance(20))
      for (char& byte : piece)
        if (random.chance(50) && std::isalpha(static_cast<unsigned char>(byte)) != 0) byte ^= 0x20;
    text += piece;
    if (random.chance(30)) text += random.bytes("aAk \n\0GC"s, random.between(1, 3));
    if (random.chance(30)) text += random.pick(around);
    if (random.chance(5)) text += "\xE2\x84\xAA";
  }
  return text;
}

// Whether the same bytes are a spelling in UTF-16, and one in other units. Patterns that ignore case are not told apart
// from others, so this may say so too often.
bool may_mix_units(const PatternSet& patterns) {
  std::map<std::string, std::set<Form>> units;
  for (std::uint32_t id = 0; id < patterns.size(); ++id)
    for (OracleSpelling& one : spell_by_meaning(patterns[id], patterns.forms(id), true)) {
      const bool is_utf_16 = one.form == Form::utf_16le || one.form == Form::utf_16be;
      for (char& byte : one.bytes) byte = fold(byte);
      units[one.bytes].insert(is_utf_16 ? one.form : Form::as_given);
    }
  return std::any_of(units.begin(), units.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

Condition draw_condition(Random& random) {
  return random.pick(
      std::vector{Condition::whole_word, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf});
}

TEST_P(FormSearches, AgreeWithTheOracle) {
  Random random = make_random("FormSearches " + testing::PrintToString(GetParam()));
  const bool is_gpu = GetParam().device != "cpu";
  std::uint64_t found = 0;
  const std::uint64_t rounds = test_rounds_on(GetParam().device, 20, 150, 10'000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const bool is_dna = random.chance(40);
    const unsigned ignoring = random.chance(50) ? 0 : random.chance(50) ? 100 : 50;
    const View view = random.chance(80) ? View() : View(random.pick(std::vector{"fold-simple"s, "nfc"s}));
    const bool is_nfc = view == View("nfc");
    const PatternSet patterns =
        draw_patterns(random, is_dna, is_nfc ? 0 : ignoring, view.folds() && random.chance(50) ? 40 : 0);
    const std::string text = draw_text(random, patterns, random.scale(1, is_gpu ? 20 : 60));
    PlanOptions plan_options;
    plan_options.view = view;
    const Plan built = Plan::build(patterns, plan_options);
    ASSERT_EQ(built.patterns().size(), patterns.size());
    for (std::uint32_t id = 0; view.empty() && built.view().empty() && id < patterns.size(); ++id)
      ASSERT_EQ(built.patterns()[id], patterns[id]);
    const Plan plan = Plan::deserialize(built.serialize());
    ASSERT_EQ(plan.serialize(), built.serialize());
    if (!refusal(GetParam().algorithm, plan).empty()) continue;
    Rules rules;
    rules.match_kind =
        random.pick(std::vector{MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first});
    SearcherOptions options = with_engine();
    options.match_kind = rules.match_kind;
    if (random.chance(40)) options.condition = rules.condition = draw_condition(random);
    options.chunk_bytes = random.chance(60) ? random.between(1, 40) : 0;
    options.threads = static_cast<unsigned>(random.between(1, 3));
    SCOPED_TRACE("round " + std::to_string(round) + ", view " + view.name() + ", " + describe(patterns) + ", text " +
                 escape(text));
    if (rules.condition != Condition::none && may_mix_units(patterns)) continue;
    const Searcher searcher(plan, options, device());
    const std::vector<Match> expected = find_forms(text, patterns, view, rules);
    found += static_cast<std::uint64_t>(std::count_if(expected.begin(), expected.end(),
                                                      [](const Match& match) { return match.form != Form::as_given; }));
    for (int entry_point = 0; entry_point < entry_point_count; ++entry_point)
      ASSERT_TRUE(check_entry_point(static_cast<EntryPoint>(entry_point), searcher, text, expected, random))
          << "entry point " << entry_point;
  }
  EXPECT_TRUE(found > 0 || rounds < 10) << "nothing was found";
}

TEST_P(FormSearches, FindTheSameInRecords) {
  Random random = make_random("FormSearches.FindTheSameInRecords " + testing::PrintToString(GetParam()));
  for (std::uint64_t round = 0; round < test_rounds_on(GetParam().device, 15, 120, 5'000); ++round) {
    const PatternSet patterns = draw_patterns(random, random.chance(40), random.chance(60) ? 0 : 60, 0);
    Rules rules;
    if (random.chance(40) && !may_mix_units(patterns)) rules.condition = draw_condition(random);
    std::string bytes;
    std::vector<std::uint64_t> ends{0};
    std::vector<std::vector<Match>> expected;
    for (std::uint64_t record = random.between(1, 30); record > 0; --record) {
      const std::string text = draw_text(random, patterns, random.below(5));
      expected.push_back(find_forms(text, patterns, {}, rules));
      bytes += text;
      ends.push_back(bytes.size());
    }
    const Plan plan = Plan::build(patterns);
    if (!refusal(GetParam().algorithm, plan).empty()) continue;
    SearcherOptions options = with_engine();
    options.threads = static_cast<unsigned>(random.between(1, 3));
    options.condition = rules.condition;
    SCOPED_TRACE("round " + std::to_string(round) + ", " + describe(patterns) + ", records " + escape(bytes));
    const RecordSearcher searcher(plan, options, device());
    const Records records = Records::with_offsets(bytes, ends);
    std::vector<std::int32_t> cells(records.size() * patterns.size(), -1);
    std::vector<std::uint64_t> per_record(records.size()), per_pattern(patterns.size());
    for (std::size_t record = 0; record < expected.size(); ++record)
      for (const Match& match : expected[record]) {
        std::int32_t& cell = cells[record * patterns.size() + match.pattern_id];
        if (cell < 0) cell = static_cast<std::int32_t>(match.offset);
        ++per_record[record];
        ++per_pattern[match.pattern_id];
      }
    const auto check = [&](const RecordSource& source) {
      RecordStats stats;
      RecordRunOptions run;
      run.stats = &stats;
      std::vector<std::int32_t> dense(cells.size());
      searcher.first_dense(source, dense, run);
      ASSERT_EQ(dense, cells);
      ASSERT_EQ(stats.search.matches,
                cells.size() - static_cast<std::size_t>(std::count(cells.begin(), cells.end(), -1)));
      std::vector<std::int32_t> listed(cells.size(), -1);
      searcher.first(source, [&](std::span<const RecordHit> hits) {
        for (const RecordHit& hit : hits) {
          std::int32_t& cell = listed[hit.record * patterns.size() + hit.pattern_id];
          EXPECT_EQ(cell, -1) << "a pattern is listed twice in record " << hit.record;
          cell = static_cast<std::int32_t>(hit.offset);
        }
        return true;
      });
      ASSERT_EQ(listed, cells);
      const RecordHits sparse = searcher.first(source);
      ASSERT_EQ(sparse.offsets.size(), stats.search.matches);
      std::vector<std::uint8_t> bits(records.size() * searcher.contains_row_bytes());
      searcher.contains(source, bits);
      for (std::size_t at = 0; at < cells.size(); ++at) {
        const std::size_t record = at / patterns.size(), id = at % patterns.size();
        ASSERT_EQ(bits[record * searcher.contains_row_bytes() + id / 8] >> id % 8 & 1, cells[at] < 0 ? 0 : 1);
      }
      ASSERT_EQ(searcher.count_per_record(source), per_record);
      ASSERT_EQ(searcher.count_per_pattern(source), per_pattern);
    };
    check(records);
    if (GetParam().device == "cpu") continue;
    const ResidentRecords resident(device(), records);
    check(resident);
  }
}

TEST_P(FormSearches, AskAroundUtf16InItsUnits) {
  const auto find_with = [](Condition condition, const char* forms, const std::string& text) {
    PatternSet patterns;
    patterns.set_forms(patterns.add("ab"), Forms(forms));
    const Plan plan = Plan::build(patterns);
    const bool is_refused = !refusal(GetParam().algorithm, plan).empty();
    SearcherOptions options = is_refused ? SearcherOptions() : with_engine();
    options.condition = condition;
    std::vector<std::uint64_t> offsets;
    for (const Match& match : Searcher(plan, options, is_refused ? Device::cpu() : device()).find(text))
      offsets.push_back(match.offset);
    return offsets;
  };
  using Offsets = std::vector<std::uint64_t>;
  // “ab” in quotes U+201C; xab; ab behind a letter that is a pair, U+10400, and behind a smiley.
  EXPECT_EQ(find_with(Condition::whole_word, "utf-16le",
                      "\x1C\x20"
                      "a\0b\0\x1D\x20x\0a\0b\0 \0\x01\xD8\x00\xDC"
                      "a\0b\0\x3D\xD8\x00\xDE"
                      "a\0b\0"s),
            (Offsets{2, 28}));
  EXPECT_EQ(find_with(Condition::whole_word, "utf-16be", "\0a\0b\0_\0a\0b\0-\0a\0b\xD8\x01\xDC\x00"s), Offsets{});
  EXPECT_EQ(find_with(Condition::whole_line, "utf-16le",
                      "\xFF\xFE"
                      "a\0b\0\n\0a\0b\0\r\0\n\0"s),
            Offsets{2});
  EXPECT_EQ(find_with(Condition::whole_line_crlf, "utf-16le",
                      "\xFF\xFE"
                      "a\0b\0\n\0a\0b\0\r\0\n\0"s),
            (Offsets{2, 8}));
  EXPECT_EQ(find_with(Condition::whole_line, "utf-16be", "\0a\0b\0\n\xFE\xFF\0a\0b"s), Offsets{0});
}

TEST_P(FormSearches, RefuseConditionsOfBytesInTwoUnits) {
  PatternSet patterns{"ab", "a\0b\0"s};
  patterns.set_forms(0, Forms("utf-16le"));
  SearcherOptions options = with_engine();
  EXPECT_NO_THROW(Searcher(Plan::build(patterns), {}, device()));
  options.condition = Condition::whole_word;
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { Searcher(Plan::build(patterns), options, device()); }));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { RecordSearcher(Plan::build(patterns), options, device()); }));
}

INSTANTIATE_TEST_SUITE_P(Engines, FormSearches, testing::ValuesIn(best_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
