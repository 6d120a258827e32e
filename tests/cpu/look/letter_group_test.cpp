// Groups of letters count what a plain loop counts. Searches use them only if a sample of the text says that they pay,
// so they are tested here directly.
#include "cpu/look/letter_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/guarded_memory.hpp"

namespace lode::tests {
namespace {

std::optional<LetterGroup> make_group(const PlanData& plan, std::string_view sample) {
  std::vector<std::uint32_t> distincts(plan.distinct_count());
  std::iota(distincts.begin(), distincts.end(), 0u);
  return LetterGroup::make(plan, distincts, sample);
}

// The number of occurrences of each distinct pattern that start in text[begin … end).
std::vector<std::uint64_t> count_plainly(const PlanData& plan, std::string_view text, std::size_t begin,
                                         std::size_t end) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::vector<std::uint64_t> counts(plan.distinct_count());
  for (std::uint32_t distinct = 0; distinct < counts.size(); ++distinct) {
    const auto pattern = plan.bytes(distinct);
    for (std::size_t at = begin; at < end && at + pattern.size() <= text.size(); ++at)
      counts[distinct] += equal_bytes(bytes + at, pattern.data(), pattern.size(), plan.ignore_case(distinct)) ? 1 : 0;
  }
  return counts;
}

lode::Collector count_by_letters(const LetterGroup& group, const PlanData& plan, InstructionSet set,
                                 std::string_view text, std::size_t begin, std::size_t end) {
  lode::Collector out(lode::Collector::Mode::count_per_pattern, plan, SearcherOptions{}, set);
  out.start_range({reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), 0}, begin, end, 0);
  letter_group_runner(set)(group, out);
  return out;
}

TEST(LetterGroups, CountWhatAPlainLoopCounts) {
  Random random = make_random("LetterGroups");
  GuardedMemory memory(20'000);
  std::uint64_t all = 0;
  for (int round = 0; round < 150; ++round) {
    const std::string alphabet = std::string(
                                     "aAbBcCdDeE\xfe\xff"
                                     "fFgGhHiIjJ")
                                     .substr(0, random.between(1, 22));
    std::string bytes = random.bytes(alphabet, round % 3 == 0 ? random.below(700) : random.below(20'000));
    PatternSet patterns;
    for (std::uint64_t left = random.between(1, 20); left > 0; --left) {
      const std::uint64_t length = random.chance(70) ? random.between(1, 8) : random.between(9, 300);
      const bool is_of_text = random.chance(60) && bytes.size() > length;
      patterns.add(
          is_of_text ? bytes.substr(random.below(bytes.size() - length), length) : random.bytes(alphabet, length),
          random.chance(30));
    }
    for (int times = 0; times < 20; ++times) {  // there are matches at both ends, too
      const std::string_view put = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
      if (put.size() > bytes.size()) continue;
      const std::size_t last = bytes.size() - put.size();
      bytes.replace(times == 0 ? 0 : times == 1 ? last : random.below(last + 1), put.size(), put);
    }
    const Plan plan = Plan::build(patterns);
    const std::optional<LetterGroup> group = make_group(plan.data(), bytes.empty() ? "a" : bytes);
    ASSERT_TRUE(group);
    for (const std::string_view text : {memory.place_at_end(bytes), memory.place_at_begin(bytes)}) {
      const std::size_t begin = random.chance(50) ? 0 : random.below(text.size() + 1);
      const std::size_t end = random.chance(50) ? text.size() : random.between(begin, text.size());
      const std::vector<std::uint64_t> expected = count_plainly(plan.data(), text, begin, end);
      all += std::accumulate(expected.begin(), expected.end(), std::uint64_t{0});
      for (const InstructionSet set : instruction_sets())
        ASSERT_EQ(count_by_letters(*group, plan.data(), set, text, begin, end).per_distinct(), expected)
            << name_of(set) << ", round " << round << ", " << begin << " to " << end << " of " << text.size();
    }
  }
  EXPECT_GT(all, 100'000u);
}

// These long patterns occur at every other place, or differ only in their last byte. So the budget of comparisons is
// soon spent.
TEST(LetterGroups, LeaveLongPatternsThatNearlyMatchToABoundedSearch) {
  std::string repeated;
  while (repeated.size() < 1200) repeated += "ab";
  std::string different = repeated;
  different.back() = 'a';
  const std::string text = std::string(100, 'b') + repeated + repeated + repeated + repeated + repeated;
  const Plan plan = Plan::build(PatternSet{repeated, different, "ab", "bb"});
  const std::optional<LetterGroup> group = make_group(plan.data(), text);
  ASSERT_TRUE(group);
  const std::vector<std::uint64_t> expected = count_plainly(plan.data(), text, 0, text.size());
  ASSERT_EQ(std::count(expected.begin(), expected.end(), 0), 1);
  for (const InstructionSet set : instruction_sets()) {
    const lode::Collector out = count_by_letters(*group, plan.data(), set, text, 0, text.size());
    EXPECT_EQ(out.per_distinct(), expected) << name_of(set);
    EXPECT_LT(out.candidates(), 200u) << name_of(set);
  }
}

TEST(LetterGroups, AreNoneOfMoreLettersOrPatterns) {
  const std::string letters = "qwertyuiopasdfghjklzxcvbnm0123456789";
  const auto make = [](const PatternSet& patterns) {
    return make_group(Plan::build(patterns).data(), "text").has_value();
  };
  EXPECT_TRUE(make(PatternSet{letters.substr(0, LetterGroup::most_letters)}));
  EXPECT_FALSE(make(PatternSet{letters.substr(0, 20), letters.substr(LetterGroup::most_letters - 19, 20)}));
  PatternSet many;
  while (many.size() < LetterGroup::most_patterns) many.add(std::string(many.size() + 1, 'a'));
  EXPECT_TRUE(make(many));
  many.add("b");
  EXPECT_FALSE(make(many));
}

}  // namespace
}  // namespace lode::tests
