// Runs the case table through every engine.
//
// Each row is shifted 0 … 260 bytes to the right, so that it crosses the edges of vectors, words and chunks, with and
// without bytes behind it. One configuration sees all rows at all shifts. The others see a sample of shifts that still
// has every vector width and its neighbours.

#include <gtest/gtest.h>

#include <vector>

#include "support/cases.hpp"
#include "support/engines.hpp"
#include "support/entry_points.hpp"

namespace lode::tests {
namespace {

constexpr std::uint64_t largest_shift = 260;

class CaseTable : public testing::TestWithParam<Engine> {
 protected:
  // False once so much has failed that more failures would only bury the first.
  static bool run_row(const Case& row, const Searcher& searcher, const Configuration& configuration,
                      std::uint64_t shift, EntryPoint entry_point, Random& random) {
    const Padding padding = find_padding(row);
    if (!padding.exists && shift > 0) return true;
    const std::uint64_t behind = padding.exists && random.chance(50) ? random.below(80) : 0;
    const std::string text = std::string(shift, padding.byte) + row.text + std::string(behind, padding.byte);
    const testing::AssertionResult result = check_entry_point(entry_point, searcher, text, row.matches(shift), random);
    EXPECT_TRUE(result) << "row " << row.name << " shifted by " << shift << ", " << behind << " bytes behind, "
                        << "entry point " << static_cast<int>(entry_point) << ", " << describe(configuration);
    return result || ++failure_count_ < 20;
  }

  static void SetUpTestSuite() { failure_count_ = 0; }

  inline static int failure_count_ = 0;
};

// Each row makes a device compile one kernel or more. So under small effort an engine takes part of the rows on such a
// device, and each engine and test takes others. The same holds for a sanitized host's device. The host's kernels see
// all rows in the optimized build.
bool takes_row(Random& random) {
  const std::string& device = CaseTable::GetParam().device;
  const bool is_host = device.starts_with("host");
  const bool is_cheap = device == "cpu" || (is_host && !is_sanitized());
  return test_effort() > 0 || is_cheap || random.chance(is_host ? 40 : 12);
}

std::string current_test_name() {
  return std::string("CaseTable ") + testing::UnitTest::GetInstance()->current_test_info()->name();
}

TEST_P(CaseTable, IsFoundAtEveryShift) {
  Random random = make_random(current_test_name());
  Account account(current_test_name());
  const std::uint64_t step = test_effort() > 0 ? 1 : GetParam().device == "cpu" ? 13 : 53;
  Configuration configuration;
  configuration.engine = GetParam();
  for (const Case& row : case_table()) {
    const auto searcher = account.make_searcher(Plan::build(row.pattern_set()), configuration, row.rules());
    if (!searcher) continue;
    for (std::uint64_t shift = 0; shift <= largest_shift; shift += step) {
      if (!run_row(row, *searcher, configuration, shift, EntryPoint::find_list, random)) return;
      const auto other = static_cast<EntryPoint>(random.below(entry_point_count));
      if (!run_row(row, *searcher, configuration, shift, other, random)) return;
    }
  }
}

TEST_P(CaseTable, IsFoundByEveryEntryPoint) {
  Random random = make_random(current_test_name());
  Account account(current_test_name());
  Configuration configuration;
  configuration.engine = GetParam();
  for (const Case& row : case_table()) {
    if (!takes_row(random)) continue;
    const auto searcher = account.make_searcher(Plan::build(row.pattern_set()), configuration, row.rules());
    if (!searcher) continue;
    for (int entry_point = 0; entry_point < entry_point_count; ++entry_point) {
      const std::uint64_t shift = random.chance(30) ? 0 : random.below(largest_shift + 1);
      if (!run_row(row, *searcher, configuration, shift, static_cast<EntryPoint>(entry_point), random)) return;
    }
  }
}

// Tests all chunk sizes × threads × schedules × memory limits, and on GPUs × sizes of work-groups.
TEST_P(CaseTable, IsFoundInEveryConfiguration) {
  Random random = make_random(current_test_name());
  Account account(current_test_name());
  const std::vector<std::uint64_t> shifts = {0,  1,  2,  3,  4,  7,  8,   15,  16,  17,  31,  32,
                                             33, 47, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257};
  const std::uint64_t runs_per_row = test_rounds(GetParam().device == "cpu" ? 2 : 1, 8, 100);
  for (const Case& row : case_table()) {
    if (!takes_row(random)) continue;
    const Plan plan = Plan::build(row.pattern_set());
    for (std::uint64_t run = 0; run < runs_per_row; ++run) {
      const Configuration configuration = draw_configuration(random, GetParam());
      const auto searcher = account.make_searcher(plan, configuration, row.rules());
      if (!searcher) break;
      // Only lists show whether a GPU kept to the configuration.
      if (GetParam().device != "cpu" &&
          !run_row(row, *searcher, configuration, random.pick(shifts), EntryPoint::find_list, random))
        return;
      for (int draw = 0; draw < 3; ++draw) {
        const auto entry_point = static_cast<EntryPoint>(random.below(entry_point_count));
        if (!run_row(row, *searcher, configuration, random.pick(shifts), entry_point, random)) return;
      }
    }
  }
  if (GetParam().device != "cpu") {
    EXPECT_GT(account.least_run_with_gpu_limits(), 0U) << "a GPU was never asked to keep to a limit";
  }
}

// One piece has more matches than the list of a GPU with little memory holds.
TEST_P(CaseTable, IsFoundWhereListsAreFull) {
  Random random = make_random(current_test_name());
  Account account(current_test_name());
  Case row;
  row.name = "full_lists";
  row.text = std::string(3000, 'a');
  for (std::uint32_t id = 0; id < 4; ++id) row.patterns.emplace_back(std::string(id + 1, 'a'));
  for (std::uint64_t offset = 0; offset < row.text.size(); ++offset)
    for (std::uint32_t id = 0; id < 4 && offset + id < row.text.size(); ++id) row.expected.emplace_back(offset, id);
  const Plan plan = Plan::build(row.pattern_set());
  for (std::uint64_t run = 0; run < test_rounds(2, 6, 30); ++run) {
    Configuration configuration = draw_configuration(random, GetParam());
    configuration.chunk_bytes = 0;
    configuration.memory_limit_bytes = random.pick(std::vector<std::uint64_t>{40'000, 100'000, 1 << 20});
    const auto searcher = account.make_searcher(plan, configuration, row.rules());
    ASSERT_TRUE(searcher);
    for (const EntryPoint entry_point : {EntryPoint::find_list, EntryPoint::count_per_pattern, EntryPoint::first}) {
      if (!run_row(row, *searcher, configuration, random.below(100), entry_point, random)) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, CaseTable, testing::ValuesIn(all_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
