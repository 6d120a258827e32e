// All ways to ask for pairs list the same places. A search uses only the way that suits its processor, so tests of
// searches would not reach the others.
#include "cpu/look/pair_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

class PairRunners : public testing::TestWithParam<bool> {};

TEST_P(PairRunners, ListWhatAPlainLoopLists) {
  const bool ignore_case = GetParam();
  Random random = make_random("PairRunners");
  PatternSet patterns;
  for (int pattern = 0; pattern < 200; ++pattern) {
    std::string bytes(random.between(8, 20), ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    patterns.add(bytes, ignore_case);
  }
  const Plan plan = Plan::build(patterns);
  const std::vector<LengthClass>& classes = plan.data().filter.classes;
  const auto served = std::find_if(classes.begin(), classes.end(),
                                   [](const LengthClass& made) { return made.stride == PairTable::stride; });
  ASSERT_NE(served, classes.end());
  const PairTable filter(plan.data(), *served, 0);
  ASSERT_EQ(filter.folded(), ignore_case);

  constexpr std::uint64_t most = 64;  // counts blocks of 64 bytes
  std::string text(most * 64 + 32, ' ');
  for (char& byte : text) byte = static_cast<char>(random.next());
  for (int put = 0; put < 200; ++put) {
    const std::string_view pattern = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
    text.replace(random.below(text.size() - pattern.size()), pattern.size(), pattern);
  }
  const auto* const at = reinterpret_cast<const std::uint8_t*>(text.data()) + PairTable::bytes_before;
  const auto has = [](const std::uint32_t* bits, std::uint32_t bit) { return (bits[bit / 32] >> bit % 32 & 1) != 0; };
  const std::uint32_t fold = ignore_case ? loose_fold_mask : 0;
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{16}, std::uint64_t{17}, most}) {
    std::vector<std::uint16_t> expected;
    for (std::uint64_t place = 0; place < count * 64; place += PairTable::stride) {
      const std::uint32_t after = load_u32(at + place) | fold;
      const std::uint32_t before = load_u32(at + place - PairTable::bytes_before) | fold;
      if (has(filter.pairs(), after & 0xffff) && (has(filter.neighbours(), PairTable::after_index(after)) ||
                                                  has(filter.neighbours(), PairTable::before_index(before))))
        expected.push_back(static_cast<std::uint16_t>(place));
    }
    ASSERT_FALSE(expected.empty() && count == most);
    for (const InstructionSet set : instruction_sets()) {
      const std::vector<PairRunner> runners = pair_runners(set);
      ASSERT_FALSE(runners.empty());
      for (std::size_t way = 0; way < runners.size(); ++way) {
        std::vector<std::uint16_t> places(count * 64 / PairTable::stride + 64);
        places.resize(runners[way](filter, at, count, places.data()));
        EXPECT_EQ(places, expected) << name_of(set) << ", way " << way << ", " << count * 64 << " bytes";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CaseRules, PairRunners, testing::Bool(),
                         [](const auto& info) { return info.param ? "Ignored" : "Heeded"; });

}  // namespace
}  // namespace lode::tests
