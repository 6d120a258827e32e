// Which patterns are scouted for, and that whoever scouts finds what the oracle finds: in letters of several cases and
// lengths, in bytes that are not UTF-8, across blocks, in order.
#include "search/case_scout.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lode/searcher.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"
#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

Plan plan_of(const PatternSet& patterns, const std::string& view = "fold-simple") {
  PlanOptions options;
  options.view = View(view);
  return Plan::build(patterns, options);
}

bool serves(const PatternSet& patterns, const std::string& view = "fold-simple") {
  return CaseScout::make(plan_of(patterns, view).data(), InstructionSet::baseline) != nullptr;
}

TEST(CaseScout, ServesFewPatternsOfWhichAPartHasFewSpellings) {
  EXPECT_TRUE(serves({"пароль"}));
  EXPECT_TRUE(serves({"password"}));
  EXPECT_TRUE(serves({"пароль", "κωδικός"}));
  EXPECT_TRUE(serves({"пароль", "ПАРОЛЬ", "Пароль"}));  // they are one
  EXPECT_TRUE(serves({"\xFF\xFE\xFF\xFE\xFF"}));
  EXPECT_FALSE(serves({"он"}));
  EXPECT_FALSE(serves({"пароль", "он"}));
  EXPECT_FALSE(serves({"ssss"}));
  EXPECT_FALSE(serves({"пароль", "secret", "κωδικός"}));
  EXPECT_FALSE(serves({"пароль"}, "fold"));
  EXPECT_FALSE(serves({"пароль"}, "fold-simple,one-space"));
  PatternSet kept{"пароль", "Ключи"};
  kept.keep_case(1);
  EXPECT_FALSE(serves(kept));
}

TEST(CaseScout, IsQuickIfAPartOfAsciiHasOneSpelling) {
  const auto is_quick = [](const PatternSet& patterns) {
    return CaseScout::make(plan_of(patterns).data(), InstructionSet::baseline)->is_quick();
  };
  EXPECT_TRUE(is_quick({"melchizedek"}));
  EXPECT_TRUE(is_quick({"melchizedek", "kingdom"}));
  EXPECT_FALSE(is_quick({"password"}));  // "word" is too short
  EXPECT_FALSE(is_quick({"melchizedek", "password"}));
  EXPECT_FALSE(is_quick({"melchizedek", "пароль"}));
}

TEST(CaseScout, TellsOfItselfUnlessAnAlgorithmWasAskedFor) {
  SearcherOptions options;
  const auto strategy = [&] { return Searcher(plan_of({"пароль"}), options).strategy(); };
  EXPECT_NE(strategy().find("beyond ASCII, viewed where 48 spellings of parts occur"), std::string::npos);
  options.algorithm = "filter";
  EXPECT_EQ(strategy().find("beyond ASCII"), std::string::npos);
}

TEST(CaseScout, FindsRangesInWhichMatchesBegin) {
  const Plan plan = plan_of({"пароль"});
  const auto scout = CaseScout::make(plan.data(), InstructionSet::baseline);
  std::string text;
  while (text.size() < 100000) text += "ни слова ";
  const auto find = [&](std::uint64_t begin, std::uint64_t end, bool is_worth_it = true) {
    std::vector<CaseScout::Range> ranges;
    EXPECT_EQ(scout->find(text, begin, end, ranges), is_worth_it);
    return ranges;
  };
  EXPECT_TRUE(find(0, text.size()).empty());
  const std::uint64_t place = 50000 / 16 * 16;
  text.insert(place, "ПаРОЛЬ");
  const std::vector<CaseScout::Range> ranges = find(0, text.size());
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_LE(ranges[0].begin, place);
  EXPECT_GT(ranges[0].end, place);
  EXPECT_EQ(find(0, place + 1).size(), 1u);  // it goes on behind the block
  EXPECT_TRUE(find(place + 12, text.size()).empty());
  for (int times = 0; times < 3000; ++times) text += "пароль";
  find(0, text.size(), false);
}

TEST(CaseScout, FindsWhatTheOracleFinds) {
  // Letters with two, three and four cases, of one to three bytes; a surrogate, and bytes that are not UTF-8.
  const std::vector<std::string> letters = {"k",      "K",          "\u212A",    "s",    "\u017F", "о",
                                            "О",      "\u1C82",     "т",         "Т",    "\u1C84", "\u1C85",
                                            "п",      "П",          "я",         "Я",    "ß",      "\u1E9E",
                                            "\u01C4", "\u01C5",     "\u01C6",    "\xFF", "\xD0",   "\xED\xA0\x80",
                                            "中",     "\U00010400", "\U00010428"};
  Random random = make_random("CaseScout");
  const std::uint64_t rounds = test_rounds(300, 1500, 15000);
  std::uint64_t others = 0, scouted = 0, quickly = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<std::string> some;
    for (std::uint64_t left = random.between(2, 6); left > 0; --left) some.push_back(random.pick(letters));
    const bool is_ascii = random.chance(25);  // but for other cases of k and s
    others += is_ascii ? 0 : 1;
    if (is_ascii) some = {"a", "B", "e", "i", random.pick(std::vector<std::string>{"k", "\u212A", "S", "\u017F"})};
    const auto draw = [&](std::uint64_t length) {
      std::string drawn;
      for (; length > 0; --length) drawn += random.pick(some);
      return drawn;
    };
    PatternSet patterns;
    for (std::uint64_t left = random.between(1, 3); left > 0; --left)
      patterns.add(draw(random.between(2, is_ascii ? 14 : 7)));
    std::string text;
    for (std::uint64_t left = random.between(1, 60); left > 0; --left)
      text += random.chance(40) ? draw(random.between(1, 20))
                                : std::string(random.scale(1, 300), random.chance(50) ? '.' : 'k');
    Rules rules;
    rules.match_kind =
        random.pick(std::vector{MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first});
    rules.condition = random.pick(std::vector{Condition::none, Condition::none, Condition::whole_word});
    SearcherOptions options;
    options.match_kind = rules.match_kind;
    options.condition = rules.condition;
    options.threads = static_cast<unsigned>(random.between(1, 2));
    if (random.chance(60)) options.chunk_bytes = random.scale(20, 5000);
    const Searcher searcher(plan_of(patterns), options);
    scouted += searcher.strategy().find("beyond ASCII") != std::string::npos ? 1 : 0;
    quickly += searcher.strategy().find("; viewed where") != std::string::npos ? 1 : 0;
    std::vector<Match> found;
    searcher.find(text, [&](std::span<const Match> matches) {
      found.insert(found.end(), matches.begin(), matches.end());
      return true;
    });
    const std::vector<Match> expected = find_in_view(text, patterns, View("fold-simple"), rules);
    ASSERT_EQ(found, expected) << escape(text);
    ASSERT_EQ(searcher.count(text), expected.size());
  }
  EXPECT_GT(scouted, others / 5);
  EXPECT_GT(quickly, rounds / 100);
}

}  // namespace
}  // namespace lode::tests
