// The tables in registers let every window of their class pass, wherever it stands, and little else. So does their map.
#include "cpu/look/near_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lode/lode.hpp"
#include "plan/plan_data.hpp"
#include "support/environment.hpp"
#include "support/guarded_memory.hpp"

namespace lode::tests {
namespace {

std::string near_text(Random& random, std::uint64_t size) {
  std::string bytes(size, ' ');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

// A class of windows of one length, each of its own pattern. One window of another class stands before them.
struct NearWindows {
  NearWindows(Random& random, std::uint32_t count, std::uint32_t window, bool ignore_case) {
    PatternSet patterns;
    for (std::uint32_t id = 0; id < 1 + count; ++id) patterns.add(near_text(random, 20), ignore_case);
    plan = Plan::build(patterns).data();
    plan.filter.entries = {{0, 0, 0}};
    for (std::uint32_t distinct = 1; distinct < 1 + count; ++distinct) {
      const auto offset = static_cast<std::uint16_t>(random.below(20 - window + 1));
      plan.filter.entries.push_back({distinct, offset, 0});
      windows.emplace_back(reinterpret_cast<const char*>(plan.bytes(distinct).data()) + offset, window);
      for (char& byte : windows.back())
        if (ignore_case && is_letter(static_cast<std::uint8_t>(byte)) && random.chance(50))
          byte = static_cast<char>(byte ^ 0x20);
    }
    length_class = {.window = window, .fold = ignore_case ? 1U : 0U, .first_entry = 1, .entry_count = count};
  }

  PlanData plan;
  LengthClass length_class;
  std::vector<std::string> windows;  // windows have letters of both cases if case is ignored
};

template <class Check>
void for_near_windows(const char* name, Check check) {
  Random random = make_random(name);
  for (const bool ignore_case : {false, true}) {
    for (const std::uint32_t window : {4, 5, 7, 16}) {
      const NearWindows made(random, 400, window, ignore_case);
      for (std::uint32_t offset = 0; offset + NearTable::least_bytes <= window; offset += 1 + offset) {
        SCOPED_TRACE(std::to_string(window) + " bytes from " + std::to_string(offset) +
                     (ignore_case ? ", folded" : ""));
        const NearTable filter(made.plan, made.length_class, offset);
        ASSERT_EQ(filter.bytes(), std::min(window - offset, NearTable::most_bytes));
        check(random, made, filter);
      }
    }
  }
}

TEST(NearTable, MapsEveryWindowAndFewOthers) {
  for_near_windows("NearTableMap", [](Random& random, const NearWindows& made, const NearTable& filter) {
    for (const std::string& window : made.windows) {
      const std::string eight = window + near_text(random, 8);
      EXPECT_TRUE(filter.passes_map(reinterpret_cast<const std::uint8_t*>(eight.data())));
    }
    const std::string text = near_text(random, 20'008);
    std::uint64_t passed = 0;
    for (std::uint64_t at = 0; at < 20'000; ++at)
      passed += filter.passes_map(reinterpret_cast<const std::uint8_t*>(text.data()) + at) ? 1 : 0;
    EXPECT_LE(passed, 2 * 20'000 * made.windows.size() / 65'536);
  });
}

// Each window sets one bit of 4096 in each of two tables, and few windows set the same bit.
TEST(NearTable, IsAsDenseAsItsWindowsAreMany) {
  for_near_windows("NearTableDensity", [](Random&, const NearWindows& made, const NearTable& filter) {
    const double most = static_cast<double>(made.windows.size()) / 4096;
    EXPECT_LE(filter.density(), most * most);
    EXPECT_GE(filter.density(), 0.7 * most * most);
  });
  Random random = make_random("NearTableOfOne");
  const NearWindows one(random, 1, 5, false);
  EXPECT_EQ(NearTable(one.plan, one.length_class, 0).density(), 1.0 / 4096 / 4096);
}

// This runner lists a place for each 'x', which shows for which words it was called.
TEST(NearTable, AsksTheRunnerOfEachWordOfASample) {
  const NearRunner runner = [](const NearTable& filter, const std::uint8_t* at, std::uint64_t count, std::uint64_t,
                               std::uint16_t*) {
    return static_cast<std::size_t>(std::count(at, at + 64 * count + filter.bytes() - 1, 'x'));
  };
  Random random = make_random("NearTableSample");
  const NearWindows made(random, 50, 5, false);
  const NearTable filter(made.plan, made.length_class, 0);
  const std::size_t behind = filter.bytes() - 1;
  for (const std::size_t words : {16, 17, 37, 512}) {
    std::string sample(64 * words + behind, '.');
    for (std::size_t word = 0; word < words; word += 3) sample[64 * word + 30] = 'x';
    EXPECT_EQ(expected_passes(runner, filter, sample),
              static_cast<double>((words + 2) / 3) / static_cast<double>(64 * words));
  }
  for (const std::size_t size : {std::size_t{0}, behind, 64 * 16 + behind - 1})
    EXPECT_EQ(expected_passes(runner, filter, std::string(size, 'x')), filter.density()) << size;
}

TEST(NearTable, ListsEveryWindowAtEveryAlignment) {
  const std::vector<InstructionSet> sets = instruction_sets();
  const auto set =
      std::find_if(sets.begin(), sets.end(), [](InstructionSet one) { return near_runners(one).list != nullptr; });
  if (set == sets.end()) GTEST_SKIP() << "this machine lacks AVX-512 VBMI or GFNI";
  const NearRunners runners = near_runners(*set);
  GuardedMemory memory(65'536);
  for_near_windows("NearTableRunners", [&](Random& random, const NearWindows& made, const NearTable& filter) {
    const std::uint64_t count = made.windows.size() + 1;
    for (std::uint64_t alignment = 0; alignment < 64; ++alignment) {
      std::string bytes = near_text(random, count * 64 + filter.offset() + filter.bytes() - 1);
      for (std::size_t window = 0; window + 1 < count; ++window)
        bytes.replace(64 * window + alignment, made.windows[window].size(), made.windows[window]);
      // The text ends at the end of memory, so that reading a byte behind it would fail.
      const auto* const at = reinterpret_cast<const std::uint8_t*>(memory.place_at_end(bytes).data());
      std::vector<std::uint16_t> all(count * 64 + 64);
      all.resize(runners.list(filter, at, count, ~std::uint64_t{0}, all.data()));
      for (std::size_t window = 0; window + 1 < count; ++window)
        ASSERT_TRUE(std::binary_search(all.begin(), all.end(), 64 * window + alignment)) << "at " << alignment;
      ASSERT_LE(all.size(),
                count + 40 + static_cast<std::uint64_t>(128 * filter.density() * static_cast<double>(count)));

      const std::uint64_t sampled = random.pick(std::vector{std::uint64_t{0}, 0x1111111111111111u, random.next()});
      std::vector<std::uint16_t> places(all.size() + 64);
      places.resize(runners.list(filter, at, count, sampled, places.data()));
      std::erase_if(all, [&](std::uint16_t place) { return (sampled >> place % 64 & 1) == 0; });
      ASSERT_EQ(places, all);

      std::vector<std::uint32_t> starts;  // the same words in another order
      std::vector<std::uint16_t> expected;
      for (std::size_t word = 0; word < count; ++word) {
        const std::size_t from = 64 * (word * 7919 % count);
        starts.push_back(static_cast<std::uint32_t>(from));
        for (auto place = std::lower_bound(all.begin(), all.end(), from); place != all.end() && *place < from + 64;
             ++place)
          expected.push_back(static_cast<std::uint16_t>(64 * word + *place % 64));
      }
      places.resize(count * 64 + 64);
      places.resize(runners.list_words(filter, at, starts.data(), count, sampled, places.data()));
      ASSERT_EQ(places, expected);
    }
    const double passes = expected_passes(runners.list, filter, near_text(random, 64 * 512 + 64));
    EXPECT_NEAR(passes, filter.density(), 0.4 * filter.density());
  });
}

}  // namespace
}  // namespace lode::tests
