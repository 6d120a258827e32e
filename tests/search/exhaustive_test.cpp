// Tests everything that is small, exhaustively.
//
// All sets of one and two patterns (and a part of the sets of three) over {a, b} with lengths 1 … 3 are searched in all
// texts over {a, b} up to length 10. All pairs of pattern byte and text byte are compared under both case rules, at
// every place of a pattern.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/engines.hpp"
#include "support/entry_points.hpp"

namespace lode::tests {
namespace {

std::vector<std::string> all_strings(std::string_view alphabet, std::size_t shortest, std::size_t longest) {
  std::vector<std::string> strings;
  std::vector<std::string> last = {""};
  for (std::size_t length = 0; length <= longest; ++length) {
    if (length >= shortest) strings.insert(strings.end(), last.begin(), last.end());
    std::vector<std::string> longer;
    for (const std::string& shorter : last) {
      for (const char byte : alphabet) longer.push_back(shorter + byte);
    }
    last = std::move(longer);
  }
  return strings;
}

PatternSet make_set(const std::vector<std::string>& patterns, bool ignore_case = false) {
  PatternSet set;
  for (const std::string& pattern : patterns) set.add(pattern, ignore_case);
  return set;
}

std::vector<std::vector<std::string>> sets_of_one_and_two(const std::vector<std::string>& patterns) {
  std::vector<std::vector<std::string>> sets;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    sets.push_back({patterns[i]});
    for (std::size_t k = i; k < patterns.size(); ++k) sets.push_back({patterns[k], patterns[i]});
  }
  return sets;
}

std::string join(const std::vector<std::string>& texts, char separator) {
  std::string joined;
  for (const std::string& text : texts) joined += text + separator;
  return joined;
}

// Each algorithm runs on its best instruction set. The case table runs the others.
class Exhaustive : public testing::TestWithParam<Engine> {
 protected:
  static Configuration configuration() {
    Configuration made;
    made.engine = GetParam();
    return made;
  }
};

TEST_P(Exhaustive, SetsOfOneAndTwoInAllTexts) {
  Account account("Exhaustive " + testing::PrintToString(GetParam()));
  const std::vector<std::string> texts = all_strings("ab", 0,
                                                     test_effort() > 0            ? 10
                                                     : GetParam().device == "cpu" ? 6
                                                                                  : 3);
  for (const std::vector<std::string>& patterns : sets_of_one_and_two(all_strings("ab", 1, 3))) {
    const Plan plan = Plan::build(make_set(patterns));
    const auto searcher = account.make_searcher(plan, configuration());
    if (!searcher) continue;
    for (const std::string& text : texts) {
      ASSERT_TRUE(compare_matches(searcher->find(text), find_by_meaning(text, plan.patterns())))
          << describe(plan.patterns()) << "\n  in " << text;
    }
  }
}

TEST_P(Exhaustive, KindsAndConditionsInAllTexts) {
  Random random = make_random("Exhaustive " + testing::PrintToString(GetParam()));
  Account account("Exhaustive " + testing::PrintToString(GetParam()));
  const std::vector<std::string> texts = all_strings("ab \n", 0, test_effort() == 0 ? 3 : 5);
  for (const std::vector<std::string>& patterns : std::vector<std::vector<std::string>>{{"a", "ab"},
                                                                                        {"ab", "a", "b"},
                                                                                        {"a b", "a"},
                                                                                        {"aa", "a"},
                                                                                        {" ", "a"},
                                                                                        {"a\n", "a"},
                                                                                        {"aba", "ab", "ba"},
                                                                                        {"\n", "b"}}) {
    const Plan plan = Plan::build(make_set(patterns));
    for (const MatchKind kind : {MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
      for (const Condition condition :
           {Condition::none, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf}) {
        const Rules rules{kind, condition, '\n'};
        const auto searcher = account.make_searcher(plan, configuration(), rules);
        if (!searcher) continue;
        for (const std::string& text : texts) {
          if (test_effort() == 0 && GetParam().device != "cpu" && !random.chance(8)) continue;
          const auto entry_point = static_cast<EntryPoint>(random.below(entry_point_count));
          ASSERT_TRUE(
              check_entry_point(entry_point, *searcher, text, find_by_meaning(text, plan.patterns(), rules), random))
              << "entry point " << static_cast<int>(entry_point) << ", " << describe(rules) << "\n  "
              << describe(plan.patterns()) << "\n  in " << escape(text);
        }
      }
    }
  }
}

TEST_P(Exhaustive, SetsOfThreeInOneTextOfAllTexts) {
  Random random = make_random("Exhaustive " + testing::PrintToString(GetParam()));
  Account account("Exhaustive " + testing::PrintToString(GetParam()));
  const std::string text = join(all_strings("ab", 0, 8), 'c');
  const std::vector<std::string> patterns = all_strings("ab", 1, 4);
  const unsigned percent = test_effort() == 0 ? 1 : test_effort() == 1 ? 10 : 100;
  for (const std::string& first : patterns) {
    for (const std::string& second : patterns) {
      for (const std::string& third : patterns) {
        if (!random.chance(percent)) continue;
        if (test_effort() == 0 && GetParam().device != "cpu" && !random.chance(15)) continue;
        const Plan plan = Plan::build(make_set({first, second, third}));
        const Rules rules = draw_rules(random);
        const auto searcher = account.make_searcher(plan, configuration(), rules);
        if (!searcher) continue;
        ASSERT_TRUE(compare_matches(searcher->find(text), find_by_meaning(text, plan.patterns(), rules)))
            << describe(rules) << "\n  " << describe(plan.patterns());
      }
    }
  }
}

// Compares each pattern byte with every text byte, alone and at each place of a longer pattern. In longer patterns only
// the bytes at the edges of the folded ranges are tried.
TEST_P(Exhaustive, PairsOfBytes) {
  Random random = make_random("PairsOfBytes " + testing::PrintToString(GetParam()));
  Account account("Exhaustive " + testing::PrintToString(GetParam()));
  const std::string edges("\0\x10\x20\x30@AMZ[^_`amz{~\x7F\x80\xC1\xDA\xE1\xFA\xFF", 23);
  std::string all_bytes;
  for (int code = 0; code < 256; ++code) all_bytes += static_cast<char>(code);
  for (const std::size_t length : {1, 2, 3, 5, 9, 17}) {
    for (std::size_t place = 0; place < length; place += length < 9 ? 1 : 4) {
      const auto around = [&](char byte) {
        return std::string(place, '-') + byte + std::string(length - place - 1, '+');
      };
      std::string text;
      for (const char byte : all_bytes) text += around(byte) + "...";
      for (const char byte : length == 1 && test_effort() > 0 ? all_bytes : edges) {
        for (const bool ignore_case : {false, true}) {
          if (test_effort() == 0 && GetParam().device != "cpu" && length > 1 && !random.chance(8)) continue;
          const Plan plan = Plan::build(make_set({around(byte)}, ignore_case));
          const auto searcher = account.make_searcher(plan, configuration());
          if (!searcher) continue;
          ASSERT_TRUE(compare_matches(searcher->find(text), find_by_meaning(text, plan.patterns())))
              << describe(plan.patterns());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Exhaustive, testing::ValuesIn(best_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
