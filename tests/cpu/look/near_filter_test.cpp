// Tables in registers let every window of their class pass, wherever it stands, and little else; the map behind them, too.
#include "cpu/look/near_filter.hpp"

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

constexpr std::uint64_t every_place = ~std::uint64_t{0};

// Random patterns of one class, and its windows.
struct NearWindows {
  NearWindows(Random& random, std::uint64_t least_length, std::uint64_t most_length, bool ignore_case)
      : plan(Plan::build(near_patterns(random, least_length, most_length, ignore_case))),
        length_class(*std::find_if(plan.data().filter.classes.begin(), plan.data().filter.classes.end(),
                                   [](const LengthClass& one) { return one.window >= NearFilter::least_bytes; })) {
    for (std::uint64_t at = 0; at < length_class.entry_count; ++at) {
      const WindowEntry& entry = plan.data().filter.entries[length_class.first_entry + at];
      const std::uint8_t* const first = plan.data().bytes(entry.distinct).data() + entry.offset;
      windows.emplace_back(reinterpret_cast<const char*>(first), length_class.window);
      if (!ignore_case) continue;
      for (char& byte : windows.back())
        if (is_letter(static_cast<std::uint8_t>(byte)) && random.chance(50)) byte = static_cast<char>(byte ^ 0x20);
    }
  }

  Plan plan;
  LengthClass length_class;
  std::vector<std::string> windows;  // those that ignore case have letters of any

 private:
  static PatternSet near_patterns(Random& random, std::uint64_t least_length, std::uint64_t most_length,
                                  bool ignore_case) {
    PatternSet patterns;
    for (int left = 100; left > 0; --left)
      patterns.add(near_text(random, random.between(least_length, most_length)), ignore_case);
    return patterns;
  }

 public:
  static std::string near_text(Random& random, std::uint64_t size) {
    std::string bytes(size, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    return bytes;
  }
};

template <class Check>
void for_near_windows(const char* name, Check check) {
  Random random = make_random(name);
  for (const bool ignore_case : {false, true}) {
    for (const auto& [least_length, most_length] : {std::pair{4, 4}, std::pair{5, 5}, std::pair{8, 20}}) {
      SCOPED_TRACE(std::to_string(least_length) + " bytes or more" + (ignore_case ? ", of any case" : ""));
      const auto length = static_cast<std::uint64_t>(least_length);
      const NearWindows made(random, length, static_cast<std::uint64_t>(most_length), ignore_case);
      ASSERT_GE(made.windows.size(), 100u);
      for (std::uint32_t offset = 0; offset + NearFilter::least_bytes <= made.length_class.window; ++offset) {
        const NearFilter filter(made.plan.data(), made.length_class, offset);
        ASSERT_EQ(filter.folded(), ignore_case);
        ASSERT_EQ(filter.bytes(), std::min(made.length_class.window - offset, NearFilter::most_bytes));
        check(random, made, filter);
      }
    }
  }
}

TEST(NearFilter, MapsEveryWindowAndFewOthers) {
  for_near_windows("NearFilterMap", [](Random& random, const NearWindows& made, const NearFilter& filter) {
    for (const std::string& window : made.windows) {
      const std::string eight = window + NearWindows::near_text(random, 8);
      EXPECT_TRUE(filter.passes_map(reinterpret_cast<const std::uint8_t*>(eight.data())));
    }
    const std::string text = NearWindows::near_text(random, 20'008);
    std::uint64_t passed = 0;
    for (std::uint64_t at = 0; at < 20'000; ++at)
      passed += filter.passes_map(reinterpret_cast<const std::uint8_t*>(text.data()) + at) ? 1 : 0;
    EXPECT_LE(passed, 2 * 20'000 * made.windows.size() / 65'536 + 20);
  });
}

// Each window sets one bit of 4096 in each of two tables, and few set the same.
TEST(NearFilter, IsAsDenseAsItsWindowsAreMany) {
  for_near_windows("NearFilterDensity", [](Random&, const NearWindows& made, const NearFilter& filter) {
    const double most = static_cast<double>(made.windows.size()) / 4096;
    EXPECT_LE(filter.density(), most * most);
    EXPECT_GE(filter.density(), 0.7 * most * most);
  });
  const Plan plan = Plan::build(PatternSet{"puppy"});
  LengthClass one = plan.data().filter.classes[0];
  ASSERT_GE(one.window, NearFilter::least_bytes);
  one.entry_count = 1;
  EXPECT_EQ(NearFilter(plan.data(), one, 0).density(), 1.0 / 4096 / 4096);
}

// A runner that lists a place for each 'x' shows which words are asked for.
TEST(NearFilter, AsksTheRunnerOfEachWordOfASample) {
  const NearRunner runner = [](const NearFilter& filter, const std::uint8_t* at, std::uint64_t count, std::uint64_t,
                               std::uint16_t*) {
    return static_cast<std::size_t>(std::count(at, at + 64 * count + filter.bytes() - 1, 'x'));
  };
  const Plan plan = Plan::build(PatternSet{"puppy"});
  const NearFilter filter(plan.data(), plan.data().filter.classes[0], 0);
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

TEST(NearFilter, ListsEveryWindowAtEveryAlignment) {
  const std::vector<InstructionSet> sets = instruction_sets();
  const auto set =
      std::find_if(sets.begin(), sets.end(), [](InstructionSet one) { return near_runners(one).list != nullptr; });
  if (set == sets.end()) GTEST_SKIP() << "this machine lacks AVX-512 VBMI or GFNI";
  const NearRunners runners = near_runners(*set);
  ASSERT_NE(runners.list_words, nullptr);
  GuardedMemory memory(65'536 + 64);
  for_near_windows("NearFilterRunners", [&](Random& random, const NearWindows& made, const NearFilter& filter) {
    const std::uint64_t count = made.windows.size() + 1;
    ASSERT_LE(count * 64, 65'536u);
    const std::uint64_t sampled_some = random.next();
    for (std::uint64_t alignment = 0; alignment < 64; ++alignment) {
      std::string bytes = NearWindows::near_text(random, count * 64 + filter.offset() + filter.bytes() - 1);
      for (std::size_t window = 0; window + 1 < count; ++window)
        bytes.replace(64 * window + alignment, made.windows[window].size(), made.windows[window]);
      const std::string_view text = memory.place_at_end(bytes);  // so no byte behind is read
      const auto* const at = reinterpret_cast<const std::uint8_t*>(text.data());
      const auto list = [&](std::uint64_t sampled) {
        std::vector<std::uint16_t> places(count * 64 + 64);
        places.resize(runners.list(filter, at, count, sampled, places.data()));
        return places;
      };
      const std::vector<std::uint16_t> all = list(every_place);
      ASSERT_TRUE(std::is_sorted(all.begin(), all.end()));
      for (std::size_t window = 0; window + 1 < count; ++window)
        ASSERT_TRUE(std::binary_search(all.begin(), all.end(), 64 * window + alignment))
            << window << " at " << alignment;
      ASSERT_LE(static_cast<double>(all.size() - (count - 1)),
                2 * filter.density() * static_cast<double>(64 * count) + 40);
      for (const std::uint64_t sampled : {std::uint64_t{0}, 0x1111111111111111u << alignment % 4, sampled_some}) {
        std::vector<std::uint16_t> expected = all;
        std::erase_if(expected, [&](std::uint16_t place) { return (sampled >> place % 64 & 1) == 0; });
        ASSERT_EQ(list(sampled), expected);
        // Words in any order: those of the list in the order in which their words come.
        std::vector<std::uint32_t> starts(count);
        std::vector<std::uint16_t> of_words;
        for (std::size_t word = 0; word < count; ++word) {
          const std::size_t from = word * 7919 % count;
          starts[word] = static_cast<std::uint32_t>(64 * from);
          for (const std::uint16_t place : expected)
            if (place / 64 == from) of_words.push_back(static_cast<std::uint16_t>(64 * word + place % 64));
        }
        std::vector<std::uint16_t> places(count * 64 + 64);
        places.resize(runners.list_words(filter, at, starts.data(), count, sampled, places.data()));
        ASSERT_EQ(places, of_words);
      }
    }
    const double passes = expected_passes(runners.list, filter, NearWindows::near_text(random, 64 * 512 + 64));
    EXPECT_NEAR(passes, filter.density(), 0.4 * filter.density() + 0.0005);
  });
}

}  // namespace
}  // namespace lode::tests
