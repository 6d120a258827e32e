// Every call of the seam fails once, and once for good from then on: the search throws Error(device), nothing crashes,
// leaks or hangs, and the next search with a sound device gives the right answer.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "faulty_runtime.hpp"
#include "gpu_devices.hpp"
#include "lode/lode.hpp"
#include "search/device_registry.hpp"
#include "support/engines.hpp"

namespace lode::gpu::tests {
namespace {

using host::FaultPlan;

// Compiled kernels must not come from the disk: a call that is left out cannot fail.
class Faults : public testing::TestWithParam<lode::tests::Engine> {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("LODE_CACHE_DIR");
    if (folder != nullptr) cache_before_ = folder;
    ASSERT_EQ(::setenv("LODE_CACHE_DIR", "/dev/null/no-such-folder", 1), 0);
  }
  void TearDown() override {
    if (cache_before_.empty()) {
      ::unsetenv("LODE_CACHE_DIR");
    } else {
      ::setenv("LODE_CACHE_DIR", cache_before_.c_str(), 1);
    }
  }

  // Searches by several entry points with a device that fails as told. Returns whether all answers were right.
  static bool search(const std::shared_ptr<FaultPlan>& faults) {
    const Device device =
        make_gpu_device("faulty", {host::make_faulty_runtime(open_runtime(GetParam().device), faults)});
    SearcherOptions options;
    options.algorithm = GetParam().algorithm;
    options.chunk_bytes = 24;
    const Searcher searcher(Plan::build(PatternSet{"he", "she", "hers"}), options, device);
    const std::string text = "ushers and she, hers; he ushers, she ushers";
    return searcher.find(text) == lode::tests::find_by_meaning(text, searcher.plan().patterns()) &&
           searcher.count(text) == 16 && searcher.count_per_pattern(text) == std::vector<std::uint64_t>{7, 5, 4} &&
           searcher.contains(text);
  }

 private:
  std::string cache_before_;
};

TEST_P(Faults, OfEveryCallReachTheCaller) {
  const auto none = std::make_shared<FaultPlan>();
  ASSERT_TRUE(search(none));
  ASSERT_GT(none->calls(), 20U);
  std::uint64_t failures = 0;
  // Under small effort some calls of the many that are alike.
  const std::uint64_t step = lode::tests::test_effort() == 0 ? 3 : 1;
  for (const bool lost : {false, true}) {
    for (std::uint64_t call = lost ? 1 : 0; call < none->calls(); call += call < 40 ? 1 : step) {
      const auto faults = std::make_shared<FaultPlan>(call, lost);
      try {
        const bool right = search(faults);
        EXPECT_TRUE(right) << "call " << call << " failed, and the answer was wrong";
        EXPECT_FALSE(faults->must_tell()) << "the failure of call " << call << " was swallowed";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
        EXPECT_NE(std::string(error.what()).find("injected failure"), std::string::npos) << error.what();
        ++failures;
      }
    }
  }
  EXPECT_GT(failures, none->calls() / 3);
  EXPECT_TRUE(search(std::make_shared<FaultPlan>()));
}

std::vector<lode::tests::Engine> engines_of_the_host() {
  std::vector<lode::tests::Engine> engines;
  for (const lode::tests::Engine& engine : lode::tests::best_engines())
    if (engine.device == host_without_teams) engines.push_back(engine);
  return engines;
}

INSTANTIATE_TEST_SUITE_P(Engines, Faults, testing::ValuesIn(engines_of_the_host()), lode::tests::name_engine);

// Skips, or fails where the environment demands OpenCL, so that its tests cannot vanish unnoticed.
TEST(OpenCl, IsAmongTheDevices) {
  if (opencl_absence().empty()) return;
  const char* const required = std::getenv("LODE_REQUIRE_OPENCL");
  if (required != nullptr && std::string(required) == "1" && !lode::tests::is_thread_sanitized())
    FAIL() << "OpenCL is not tested: " << opencl_absence();
  GTEST_SKIP() << "OpenCL is not tested: " << opencl_absence();
}

}  // namespace
}  // namespace lode::gpu::tests
