// Texts lie directly beside pages that cannot be touched, so an engine that reads one byte too many dies here.
//
// Lengths are 0 … 300 and some of 1300 … 1500. The text's end lies at the end of the last readable page, and then its
// beginning at the beginning of the first. Patterns begin, end and almost match at both edges.

#include <gtest/gtest.h>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/guarded_memory.hpp"
#include "support/scenarios.hpp"

namespace lode::tests {
namespace {

class GuardPages : public testing::TestWithParam<Engine> {};

std::vector<PatternSet> sets_to_guard() {
  std::vector<PatternSet> sets;
  sets.push_back(PatternSet{"a"});
  sets.push_back(PatternSet{"ab"});
  sets.push_back(PatternSet{"abc"});
  sets.push_back(PatternSet{"abcabcab"});
  sets.push_back(PatternSet({"ABcabcabcabcaBCABC"}, true));
  sets.push_back(PatternSet{"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"});
  sets.push_back(PatternSet{"c", "bc", "abc"});
  sets.push_back(PatternSet{"abca", "bcab", "cabc", "zzzz", "zyzy"});
  sets.push_back(
      PatternSet({"abcabc", "bcabcabc", "abcabcabcabcabcabc", "cabcabcabcabcabcabcabcabcabcabcabcab"}, true));
  // An engine puts bytes behind the text, as they are or folded. These patterns occur in them, but must not be found.
  const std::string letters = "qwertyuiopasdfghjklzxcvbnm";
  sets.push_back(PatternSet{std::string(4, '\0'), letters, "0123456789-=[];"});
  sets.push_back(PatternSet({"    ", letters, "0123456789-=[];"}, true));
  Random random(1);
  PatternSet many;
  while (many.size() < 300) many.add(random.bytes("abc", random.between(1, 40)), random.chance(20));
  sets.push_back(std::move(many));
  PatternSet many_long;
  while (many_long.size() < 2000) many_long.add(random.bytes("abc", random.between(12, 60)));
  sets.push_back(std::move(many_long));
  std::string bytes;  // a pair of these is rare
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (const bool ignore_case : {false, true}) {
    PatternSet of_bytes;
    while (of_bytes.size() < 300) of_bytes.add(random.bytes(bytes, random.between(5, 12)), ignore_case);
    sets.push_back(std::move(of_bytes));
  }
  return sets;
}

TEST_P(GuardPages, AreNeverTouched) {
  const std::string name = "GuardPages " + testing::PrintToString(GetParam());
  Random random = make_random(name);
  Account account(name);
  constexpr std::size_t most_bytes = 1500;
  GuardedMemory memory(most_bytes);
  const std::size_t step = test_effort() == 0 ? 7 : test_effort() == 1 ? 2 : 1;
  std::size_t first = 0;
  for (const PatternSet& patterns : sets_to_guard()) {
    // The first thousand bytes of a text and its last are scanned in other ways than the rest. Sets that are alike take
    // turns with the lengths.
    std::vector<std::size_t> lengths;
    first = (first + 1) % step;
    for (std::size_t length = first; length <= 300; length += step) lengths.push_back(length);
    for (std::size_t length = 1300; length <= most_bytes; length += 7 * step) lengths.push_back(length);
    const Plan plan = Plan::build(patterns);
    const Rules rules = draw_rules(random);
    const auto searcher = account.make_searcher(plan, {GetParam()}, rules);
    if (!searcher) continue;
    for (const std::size_t length : lengths) {
      std::string text = draw_text(random, patterns, "abc", length);
      if (random.chance(50)) {
        for (std::size_t i = 0; i < length; ++i) text[i] = "abc"[i % 3];
      }
      const std::vector<Match> expected = find_by_index(text, patterns, rules);
      for (const bool at_end : {true, false}) {
        const std::string_view placed = at_end ? memory.place_at_end(text) : memory.place_at_begin(text);
        ASSERT_TRUE(check_entry_point(EntryPoint::find_list, *searcher, placed, expected, random))
            << describe(patterns) << "\n  " << describe(rules) << "\n  in " << text;
        const auto other = static_cast<EntryPoint>(random.below(entry_point_count));
        ASSERT_TRUE(check_entry_point(other, *searcher, placed, expected, random))
            << static_cast<int>(other) << "\n  " << describe(patterns) << "\n  " << describe(rules) << "\n  in "
            << text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, GuardPages, testing::ValuesIn(all_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
