// Tests a GPU that opens and then fails. `auto` warns, and the CPU finishes the search; if the GPU was asked for by
// name, it is an error. The GPU is an OpenCL device of this machine, behind a layer (fakes/failing_gpu.c) that lets it
// run a certain number of kernels and no more.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "opencl.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

// `auto` would take a CUDA device before others.
const std::pair<std::string, std::string> no_cuda{"CUDA_VISIBLE_DEVICES", "-1"};

class FailingGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = opencl_absence({no_cuda}); !reason.empty()) GTEST_SKIP() << reason;
    folder_.write("few", "he\n");
    folder_.write("short", "he is here\n");
    const Outcome outcome = search(0, {"--device", "opencl:0", "-c", "-f", "few", "short"});
    if (outcome.status != 0) return;
    const char* const required = std::getenv("LODE_REQUIRE_OPENCL");
    if (required != nullptr && *required == '1') FAIL() << "the OpenCL loader knows no layers";
    GTEST_SKIP() << "the OpenCL loader knows no layers";
  }

  /// Writes a text in which each MiB begins with one of the patterns. boyer-moore runs a kernel for each pattern and
  /// piece.
  void write_job(std::size_t pattern_count, std::size_t mebibytes) {
    std::string patterns, text;
    const auto pattern = [](std::size_t id) { return "pattern of some length, number " + std::to_string(10'000 + id); };
    for (std::size_t id = 0; id < pattern_count; ++id) patterns += pattern(id) + "\n";
    offsets_.clear();
    for (std::size_t at = 0; at < mebibytes; ++at) {
      const std::size_t id = at * 7 % pattern_count;
      offsets_ += std::to_string(text.size()) + "\t" + std::to_string(id) + "\n";
      text += pattern(id);
      text.append(mebibyte - pattern(id).size() - 1, '.');
      text += '\n';
    }
    folder_.write("patterns", patterns);
    folder_.write("text", text);
  }

  /// Searches with a GPU that runs `launches` kernels.
  Outcome search(std::size_t launches, std::vector<std::string> arguments) const {
    Invocation invocation;
    invocation.folder = folder_.path();
    invocation.arguments = std::move(arguments);
    invocation.variables = {no_cuda,
                            {"OPENCL_LAYERS", LODE_FAKE_DRIVERS "/opencl_layer/failing_gpu.so.1"},
                            {"FAKE_GPU_LAUNCHES", std::to_string(launches)},
                            {"POCL_EXTRA_BUILD_FLAGS", ""},  // the job is large, so its kernels are optimized
                            {"LODE_CACHE_DIR", (folder_.path() / "cache").string()}};
    return run(invocation);
  }

  /// Asks for the offsets of the job. Its text is searched in ten pieces and some bytes, three of them at once.
  Outcome search_job(const std::string& device, std::size_t launches, const std::string& memory_limit) const {
    return search(launches, {"--device", device, "--stats", "--threads", "1", "--algorithm", "boyer-moore",
                             "--memory-limit", memory_limit, "--offsets", "-f", "patterns", "text"});
  }

  /// Lets the GPU pass the self-test, which the cache folder then records.
  void pass_self_test() const {
    const Outcome outcome = search(1'000'000, {"--device", "opencl:0", "-c", "-f", "few", "short"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    ASSERT_EQ(outcome.output, "1\n");
  }

  TemporaryFolder folder_;
  std::string offsets_;  // the offsets of the job, as the command writes them
};

bool has_lines_of_command(const std::string& errors, std::ptrdiff_t count) {
  std::ptrdiff_t found = errors.starts_with("lode: ") ? 1 : 0;
  for (std::size_t at = errors.find("\nlode: "); at != std::string::npos; at = errors.find("\nlode: ", at + 1)) ++found;
  return found == count;
}

TEST_F(FailingGpu, IsRefusedWhereItFailsTheSelfTest) {
  const Outcome outcome = search(0, {"--device", "opencl:0", "-c", "-f", "few", "short"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_TRUE(outcome.errors.starts_with("lode: ")) << outcome.errors;
  EXPECT_NE(outcome.errors.find("opencl:0"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("fails its self-test: OpenCL: clEnqueueNDRangeKernel"), std::string::npos)
      << outcome.errors;
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
}

TEST_F(FailingGpu, ThatWasAskedForIsAnError) {
  write_job(20, 10);
  pass_self_test();
  // The GPU fails in the fifth piece, when the matches of the first two have been written.
  const Outcome outcome = search_job("opencl:0", 4 * 20 + 10, "6M");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(has_lines_of_command(outcome.errors, 1)) << outcome.errors;
  EXPECT_TRUE(outcome.errors.starts_with(
      "lode: text: opencl:0: OpenCL: clEnqueueNDRangeKernel of lode_boyer_moore failed with CL_OUT_OF_RESOURCES"))
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("\nmatches: 0\nfailed: yes, and what that search had found is not counted\n"),
            std::string::npos)
      << outcome.errors;
  EXPECT_FALSE(outcome.output.empty());
  EXPECT_LT(outcome.output.size(), offsets_.size());
  EXPECT_TRUE(offsets_.starts_with(outcome.output)) << outcome.output;
  // If the GPU may run all kernels, the job succeeds.
  const Outcome sound = search_job("opencl:0", 1'000'000, "6M");
  EXPECT_EQ(sound.status, 0);
  EXPECT_EQ(sound.output, offsets_);
  EXPECT_EQ(sound.errors.find("failed"), std::string::npos) << sound.errors;
}

// There are so many bytes and patterns that `auto` expects the CPU to need more than two seconds. The GPU fails in the
// fifth piece, too.
TEST_F(FailingGpu, ThatAutoChoseIsReplacedByTheCpu) {
  constexpr std::size_t pattern_count = 500;
  write_job(pattern_count, 40);
  pass_self_test();
  const Outcome outcome = search_job("auto", 4 * pattern_count + 10, "24M");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, offsets_);
  EXPECT_TRUE(has_lines_of_command(outcome.errors, 1)) << outcome.errors;
  EXPECT_TRUE(
      outcome.errors.starts_with("lode: warning: opencl:0 failed, and the CPU finished the search: OpenCL: "
                                 "clEnqueueNDRangeKernel of lode_boyer_moore failed with CL_OUT_OF_RESOURCES"))
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("\ndevice: cpu\nchoice: opencl:0: estimated "), std::string::npos) << outcome.errors;
}

TEST_F(FailingGpu, ThatFailsTheSelfTestIsNotTakenByAuto) {
  write_job(500, 40);
  const Outcome outcome = search_job("auto", 0, "24M");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, offsets_);
  EXPECT_TRUE(has_lines_of_command(outcome.errors, 1)) << outcome.errors;
  EXPECT_TRUE(outcome.errors.starts_with("lode: warning: opencl:0 is not used: ")) << outcome.errors;
  EXPECT_NE(outcome.errors.find(", and opencl:0 cannot be used\n"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace lode::test
