// Tests what replaces verification that takes too long. The automaton finds what a plain loop finds, by rows and by
// links, and a bounded search reports exactly the occurrences that were left to it.
#include "cpu/verify/bounded_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/guarded_memory.hpp"
#include "support/oracle.hpp"

namespace lode::tests {
namespace {

using Way = BoundedSearch::Way;
using Occurrences = std::vector<Match>;

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

// Makes random patterns of few letters, so that they are prefixes and suffixes of each other.
PatternSet make_patterns(Random& random, std::string_view alphabet, std::uint64_t count, bool ignore_case) {
  PatternSet patterns;
  for (std::uint64_t left = count; left > 0; --left)
    patterns.add(random.bytes(alphabet, random.chance(80) ? random.between(1, 6) : random.between(7, 90)), ignore_case);
  return patterns;
}

std::string random_text(Random& random, std::string_view alphabet, const PatternSet& patterns) {
  std::string text;
  const std::uint64_t size = random.below(3000);
  while (text.size() < size)
    text += random.chance(50) ? random.bytes(alphabet, random.below(20))
                              : std::string(patterns[static_cast<std::uint32_t>(random.below(patterns.size()))]);
  return text;
}

std::vector<std::uint32_t> all_distincts(const PlanData& plan) {
  std::vector<std::uint32_t> distincts(plan.distinct_count());
  std::iota(distincts.begin(), distincts.end(), 0u);
  return distincts;
}

// The distinct patterns, with their numbers as ids.
PatternSet distinct_patterns(const PlanData& plan) {
  PatternSet patterns;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const auto bytes = plan.bytes(distinct);
    patterns.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, plan.ignore_case(distinct));
  }
  return patterns;
}

void sort(Occurrences& occurrences) {
  std::sort(occurrences.begin(), occurrences.end(), [](const Match& a, const Match& b) {
    return std::tie(a.offset, a.pattern_id) < std::tie(b.offset, b.pattern_id);
  });
}

TEST(Automaton, FindsWhatThePlainMeaningFinds) {
  Random random = make_random("Automaton");
  GuardedMemory memory(4096);
  std::uint64_t all = 0;
  // The filler has all 256 bytes, which are too many for rows.
  std::string filler;
  for (int at = 0; at < 40'000; ++at) filler += static_cast<char>(random.below(256));
  for (int round = 0; round < 300; ++round) {
    const bool by_links = round % 30 == 0;
    const bool ignore_case = round % 2 == 0;
    const std::string alphabet = std::string("abAB\xffzZ").substr(0, random.between(1, 7));
    PatternSet patterns = make_patterns(random, alphabet, random.between(1, 30), ignore_case);
    const std::string bytes = random_text(random, alphabet, patterns);
    if (by_links) patterns.add(filler, ignore_case);
    const Plan plan = Plan::build(patterns);
    const Automaton automaton(plan.data(), all_distincts(plan.data()));
    const Automaton backward(plan.data(), all_distincts(plan.data()), Automaton::Direction::backward);
    ASSERT_NE(automaton.has_rows(), by_links);
    ASSERT_NE(backward.has_rows(), by_links);
    const Occurrences occurrences = list_occurrences(bytes, distinct_patterns(plan.data()));
    for (const std::string_view text : {memory.place_at_end(bytes), memory.place_at_begin(bytes)}) {
      const std::uint64_t begin = random.chance(50) ? 0 : random.below(text.size() + 1);
      const std::uint64_t end = random.chance(50) ? text.size() : random.between(begin, text.size());
      Occurrences found;
      automaton.scan(bytes_of(text), begin, end, text.size(), [&](std::uint64_t at, const Automaton::Output& output) {
        found.push_back({at - output.length, output.distinct, output.length});
      });
      sort(found);
      ASSERT_EQ(found, cut_range(occurrences, begin, end))
          << "round " << round << ", " << begin << " to " << end << " of " << text.size();
      all += found.size();

      std::vector<std::uint32_t> longest(end - begin);
      backward.find_longest(bytes_of(text), begin, end, text.size(), longest);
      found.clear();
      for (std::uint64_t at = begin; at < end; ++at) {
        std::uint32_t longer = UINT32_MAX;
        for (std::uint32_t output = longest[at - begin]; output != 0; output = backward.outputs()[output].next) {
          const Automaton::Output& one = backward.outputs()[output];
          ASSERT_LT(one.length, longer);
          longer = one.length;
          found.push_back({at, one.distinct, one.length});
        }
      }
      sort(found);
      ASSERT_EQ(found, cut_range(occurrences, begin, end)) << "backward, round " << round;
    }
  }
  EXPECT_GT(all, 100'000u);
}

TEST(BoundedSearch, HashesFewLengthsOfManyBytes) {
  EXPECT_EQ(BoundedSearch::choose(1000, 1), Way::automaton);
  EXPECT_EQ(BoundedSearch::choose(1'000'000, 4), Way::hashes);
  EXPECT_EQ(BoundedSearch::choose(1'000'000, 5), Way::automaton);
  EXPECT_EQ(BoundedSearch::choose(100'000'000, 3000), Way::hashes) << "an automaton would take much memory";
}

// All ranges together may compare once as many bytes as setting up an automaton costs, beside the budget of each range.
TEST(BoundedSearch, LendsWhatSettingItUpCosts) {
  const Plan plan = Plan::build(PatternSet{std::string(1000, 'a')});
  const BoundedSearch search(plan.data());
  const auto spend_all = [&] {
    ComparisonBudget budget = search.budget(10);
    std::uint64_t spent = 0;
    for (; !budget.is_spent(); ++spent) budget.spend(1);
    return spent;
  };
  { ComparisonBudget unused = search.budget(10); }
  {
    ComparisonBudget within_its_own = search.budget(10);
    within_its_own.spend(160);
  }
  const std::uint64_t of_first = spend_all();
  EXPECT_GT(of_first, 1000u);
  EXPECT_EQ(spend_all(), 161u);
}

// A pattern has a window for each residue of the stride. The window that counts stands at a multiple of the stride.
TEST(BoundedSearch, ReportsWhatHasItsWindowBehindThePlace) {
  Random random = make_random("BoundedSearch");
  std::uint64_t all = 0;
  std::uint64_t left_out = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string alphabet = std::string("abAB").substr(0, random.between(1, 4));
    PatternSet patterns = make_patterns(random, alphabet, random.between(1, 20), false);
    for (std::uint64_t left = random.below(20); left > 0; --left)
      patterns.add(random.bytes(alphabet, random.between(1, 9)), true);
    const std::string text = random_text(random, alphabet, patterns);
    const Plan plan = Plan::build(patterns);
    const PlanData& data = plan.data();
    const auto stride = static_cast<std::uint32_t>(random.between(1, 4));
    std::vector<BoundedSearch::Window> windows;
    std::vector<std::vector<std::uint32_t>> offsets(data.distinct_count());
    for (std::uint32_t distinct = 0; distinct < data.distinct_count(); ++distinct) {
      for (std::uint32_t residue = 0; residue < stride; ++residue) {
        offsets[distinct].push_back(residue + stride * static_cast<std::uint32_t>(random.below(20)));
        windows.push_back({distinct, offsets[distinct].back()});
      }
    }
    const std::uint64_t begin = random.below(text.size() + 1);
    const std::uint64_t end_of_range = random.between(begin, text.size());
    const std::uint64_t end = random.chance(50) ? end_of_range : random.between(begin, end_of_range);
    const std::uint64_t place = random.between(begin, end);
    Occurrences expected = cut_range(list_occurrences(text, distinct_patterns(data)), begin, end);
    left_out += std::erase_if(expected, [&](const Match& match) {
      const std::uint64_t residue = (stride - match.offset % stride) % stride;
      return match.offset + offsets[match.pattern_id][residue] < place;
    });
    for (const Way way : {Way::automaton, Way::hashes}) {
      const BoundedSearch search(data, instruction_sets().front(), stride, way);
      lode::Collector out(lode::Collector::Mode::list, data, SearcherOptions{}, instruction_sets().front());
      out.start_range({bytes_of(text), text.size(), 0}, begin, end_of_range, UINT64_MAX);
      search.scan(out, place, end, [&] { return windows; });
      Occurrences found(out.list().begin(), out.list().end());
      sort(found);
      ASSERT_EQ(found, expected) << "round " << round << ", stride " << stride << ", "
                                 << (way == Way::hashes ? "hashes" : "automaton");
      all += found.size();
    }
  }
  EXPECT_GT(all, 20'000u);
  EXPECT_GT(left_out, 1'000u);
}

}  // namespace
}  // namespace lode::tests
