// Tests the kernels of all algorithms but `filter`, through the seam and without the engine. Random patterns stand at
// every place of pieces that begin and end anywhere, in all modes and with small work-groups. The answer is that of a
// loop over places.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "gpu_devices.hpp"
#include "kernel_trials.hpp"

namespace lode::gpu::tests {
namespace {

class AlgorithmKernels : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  AlgorithmKernels()
      : trials_(open_runtime(std::get<0>(GetParam())),
                "AlgorithmKernels " + std::get<0>(GetParam()) + std::get<1>(GetParam())),
        random_(trials_.random()) {}

  bool is_host() const { return std::get<0>(GetParam()).starts_with("host"); }

  void check(const Trial& trial, const SearcherOptions& options, std::uint32_t mode, std::uint32_t groups) {
    const std::unique_ptr<Algorithm> algorithm =
        make_algorithm(std::get<1>(GetParam()), AlgorithmSetup{trials_.runtime(), trial.plan.data(), options});
    ASSERT_TRUE(algorithm);
    trials_.check(trial, *algorithm, mode, groups);
  }

  KernelTrials trials_;
  lode::tests::Random& random_;
};

TEST_P(AlgorithmKernels, FindWhatALoopOverPlacesFinds) {
  const std::uint64_t rounds = is_host() ? lode::tests::test_rounds(60, 250, 2000)
                                         : lode::tests::test_rounds(10, 20, 2000);  // compiling takes most of the time
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Trial trial;
    const std::string alphabet = random_.chance(30)   ? "a"
                                 : random_.chance(50) ? "aAbB"
                                                      : "aK@k`b_ \n\x01\x80\xc3\xa9\xd7";
    const auto blocks = random_.chance(20) ? random_.between(1, 3) : random_.between(4, is_host() ? 60 : 400);
    trial.text = random_.bytes(alphabet, 16 * blocks);
    PatternSet set;
    const std::uint64_t patterns = random_.chance(50) ? 1 : random_.between(2, 11);
    while (set.size() < patterns) {
      const std::uint64_t length = random_.chance(75)   ? random_.between(1, 5)
                                   : random_.chance(80) ? random_.between(6, 40)
                                                        : random_.between(100, 400);
      std::string pattern = random_.bytes(alphabet, length);
      if (length > 3 && length < trial.text.size() && random_.chance(70))
        pattern = trial.text.substr(random_.below(trial.text.size() - length), length);
      set.add(pattern, random_.chance(40));
    }
    trial.plan = Plan::build(set);
    trials_.place_piece(trial);
    trial.piece.condition = random_.chance(60)   ? LODE_CONDITION_NONE
                            : random_.chance(50) ? LODE_CONDITION_WHOLE_WORD
                                                 : LODE_CONDITION_WHOLE_LINE;
    trial.piece.line_terminator = '\n';
    SearcherOptions options;
    options.gpu_cascade = static_cast<unsigned>(random_.below(4));
    options.gpu_group_items = random_.chance(80) ? 8 : 16;
    SCOPED_TRACE("round " + std::to_string(round));
    check(trial, options, static_cast<std::uint32_t>(random_.below(3)),
          static_cast<std::uint32_t>(random_.between(1, 3)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(AlgorithmKernels, ServePatternsLongerThanTheirTiles) {
  const std::uint64_t rounds = lode::tests::test_rounds(4, 10, 100);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Trial trial;
    trial.text = random_.bytes(random_.chance(50) ? "a" : "ab", 16 * random_.between(200, 500));
    PatternSet set;
    const std::uint64_t length = random_.between(1000, 3000);
    set.add(trial.text.substr(random_.below(trial.text.size() - length), length), random_.chance(50));
    set.add(random_.bytes("aB", random_.between(1025, 9000)), true);
    trial.plan = Plan::build(set);
    trials_.place_piece(trial);
    SearcherOptions options;
    options.gpu_cascade = random_.chance(50) ? 1 : 64;
    options.gpu_group_items = 8;
    SCOPED_TRACE("round " + std::to_string(round));
    check(trial, options, static_cast<std::uint32_t>(random_.below(3)), 2);
    if (HasFatalFailure()) return;
  }
}

TEST_P(AlgorithmKernels, ServeLargeSets) {
  // The other algorithms take one pass for every few patterns.
  const std::uint32_t patterns = std::get<1>(GetParam()) == "rabin-karp" ? 9000 : 40;
  Trial trial;
  trial.text = random_.bytes("abcdefgh", 16 * 100);
  PatternSet set;
  while (set.size() < patterns)
    set.add(random_.bytes("abcdefgh", patterns < 100 ? random_.between(1, 3) : random_.between(5, 6)),
            random_.chance(5));
  trial.plan = Plan::build(set);
  trials_.place_piece(trial);
  SearcherOptions options;
  options.gpu_group_items = 8;
  for (const std::uint32_t mode : {LODE_MODE_COUNT, LODE_MODE_PER_DISTINCT, LODE_MODE_LIST})
    check(trial, options, mode, 2);
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  return lode::tests::make_test_name(std::get<0>(info.param)) + "_" +
         lode::tests::make_test_name(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Devices, AlgorithmKernels,
                         testing::Combine(testing::ValuesIn(runtime_names()),
                                          testing::Values("vector", "balanced", "rabin-karp", "boyer-moore")),
                         name_of_case);

}  // namespace
}  // namespace lode::gpu::tests
