// Tests the kernel `filter` through the seam and without the engine: sets of more patterns than `vector` takes over, of
// every stride, folded and not, with all four forms of its filters, and with chains of entries that have one hash.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "gpu_devices.hpp"
#include "kernel_trials.hpp"
#include "limited_runtime.hpp"

namespace lode::gpu::tests {
namespace {

// How much local memory there is. It decides where the first filter lies and whether there is a second. `cached` is
// tight local memory in a unit that has more, and uses the rest as cache.
enum class Room { usual, tight, cached, none };

std::string name_of(Room room) {
  constexpr const char* names[] = {"usual", "tight", "cached", "none"};
  return names[static_cast<int>(room)];
}

std::shared_ptr<Runtime> open_with_room(const std::string& name, Room room) {
  std::shared_ptr<Runtime> runtime = open_runtime(name);
  if (room == Room::usual) return runtime;
  Limits limits = runtime->limits();
  // A team needs 40 bytes of queues for each of its items, and at least 1 KiB for the first filter.
  limits.local_bytes = std::min(limits.local_bytes, room == Room::none ? 1100U : 2200U + 40 * limits.team_items);
  limits.unit_local_bytes = room == Room::cached ? 64U << 10 : limits.local_bytes;
  return make_limited_runtime(std::move(runtime), limits);
}

class FilterKernel : public testing::TestWithParam<std::tuple<std::string, Room>> {
 protected:
  FilterKernel()
      : trials_(open_with_room(std::get<0>(GetParam()), std::get<1>(GetParam())),
                "FilterKernel " + std::get<0>(GetParam()) + name_of(std::get<1>(GetParam()))),
        random_(trials_.random()) {}

  static bool is_host() { return std::get<0>(GetParam()).starts_with("host"); }
  static Room room() { return std::get<1>(GetParam()); }

  // Takes some bytes of the text, in another case if `ignores_case`.
  std::string part_of(const std::string& text, std::uint64_t length, bool ignores_case) {
    std::string part = text.substr(random_.below(text.size() - length), length);
    for (char& byte : part)
      if (ignores_case && random_.chance(50)) byte = static_cast<char>(std::toupper(static_cast<unsigned char>(byte)));
    return part;
  }

  // `shape` chooses the lengths: 0 means short, 1 medium, 2 long, 3 one set of many patterns, 4 long beginnings in
  // common.
  Trial draw(std::uint64_t shape, bool folds) {
    Trial trial;
    const std::string_view alphabet = shape == 0 ? "abAB_\n" : "abcdEFGH _\n\x01\x80@`\xc3\xa9\xd7";
    trial.text = random_.bytes(alphabet, 16 * random_.between(20, is_host() ? 60 : 200));
    const std::string common = random_.bytes("xyz", 90);
    if (shape == 4)
      for (std::uint64_t at = 0; at + 120 < trial.text.size(); at += random_.between(91, 140))
        trial.text.replace(at, common.size(), common);
    PatternSet set;
    const std::uint64_t patterns = room() == Room::usual  ? random_.between(20, 60)
                                   : room() == Room::none ? random_.between(100, 300)
                                                          : random_.between(300, 600);
    while (set.size() < patterns) {
      constexpr std::uint64_t lengths[] = {3, 9, 16, 17, 33, 200};
      const std::uint64_t length = shape == 0   ? random_.between(2, 4)
                                   : shape == 1 ? random_.between(6, 16)
                                   : shape == 2 ? random_.between(17, 60)
                                   : shape == 3 ? lengths[random_.below(std::size(lengths))]
                                                : random_.between(1, 8);
      const bool ignores_case = folds && random_.chance(80);
      std::string pattern =
          random_.chance(60) ? part_of(trial.text, length, ignores_case) : random_.bytes(alphabet, length);
      if (shape == 4) pattern = common + pattern.substr(0, random_.between(1, 2));
      set.add(pattern, ignores_case);
    }
    trial.plan = Plan::build(set);
    trials_.place_piece(trial);
    trial.piece.condition = static_cast<std::uint32_t>(random_.chance(60) ? LODE_CONDITION_NONE : random_.below(3));
    trial.piece.line_terminator = '\n';
    return trial;
  }

  // Records the constants that the passes of `filter` were given.
  void note(const Algorithm& algorithm) {
    for (const Pass& pass : algorithm.passes()) {
      if (pass.file != "filter") continue;
      ++passes_;
      for (const auto& [name, value] : pass.constants) values_[name].insert(value);
    }
  }

  KernelTrials trials_;
  lode::tests::Random& random_;
  std::uint64_t passes_ = 0;
  std::map<std::string, std::set<std::int64_t>> values_;
};

TEST_P(FilterKernel, FindsWhatALoopOverPlacesFinds) {
  // OpenCL compiles a kernel for each set and mode, which takes most of the time.
  const std::uint64_t rounds =
      is_host() ? lode::tests::test_rounds(20, 60, 1000) : lode::tests::test_rounds(5, 20, 200);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const Trial trial = draw(round % 5, round % 2 == 1);
    SearcherOptions options;
    // A larger group has longer queues, which take more of the local memory.
    options.gpu_group_items = room() != Room::usual || random_.chance(80) ? 8 : 16;
    const std::unique_ptr<Algorithm> algorithm =
        make_algorithm("filter", AlgorithmSetup{trials_.runtime(), trial.plan.data(), options});
    note(*algorithm);
    const auto groups = static_cast<std::uint32_t>(random_.between(1, 3));
    const std::uint64_t modes = is_host() ? 3 : 1;
    for (std::uint64_t mode = 0; mode < modes; ++mode)
      trials_.check(trial, *algorithm, static_cast<std::uint32_t>((round + mode) % 3), groups);
    if (HasFatalFailure()) return;
  }
  // The sets must have produced all these kinds. A few rounds need not produce every kind.
  EXPECT_GE(passes_, rounds / 2);
  EXPECT_EQ(values_["LODE_FOLD"], (std::set<std::int64_t>{0, 1}));
  EXPECT_GE(values_["LODE_STRIDE"].size(), is_host() ? 3U : 1U);
  EXPECT_EQ(values_["LODE_FIRST_LOCAL"].contains(1), room() != Room::none);
  const bool caches = room() == Room::cached && trials_.runtime().limits().team_items != 0;
  EXPECT_EQ(values_["LODE_FIRST_LOCAL"].contains(0), room() == Room::none || caches);
  if (room() == Room::tight) {
    EXPECT_GT(*values_["LODE_SECOND_LOG2"].rbegin(), 0);
    EXPECT_GE(values_["LODE_FIRST_BITS"].size(), is_host() ? 2U : 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, FilterKernel,
                         testing::Combine(testing::ValuesIn(runtime_names()),
                                          testing::Values(Room::usual, Room::tight, Room::cached, Room::none)),
                         [](const auto& info) {
                           return lode::tests::make_test_name(std::get<0>(info.param)) + "_" +
                                  name_of(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace lode::gpu::tests
