// Tests --device: an absent device is an error in one line, auto says what it chose, and small work loads no library of
// a GPU.

#include <gtest/gtest.h>

#include <algorithm>

#include "process.hpp"

namespace lode::test {
namespace {

Outcome run_with(std::vector<std::string> arguments, std::vector<std::pair<std::string, std::string>> variables = {}) {
  Invocation invocation;
  invocation.arguments = std::move(arguments);
  invocation.input = "he is here\n";
  invocation.variables = std::move(variables);
  return run(invocation);
}

TEST(DeviceOption, WhatIsAbsentIsAnErrorInOneLine) {
  for (const char* const device : {"cuda", "cuda:3", "cuda:all", "opencl:999", "opencl:x", "gpu", "cuda:", ""}) {
    const Outcome outcome = run_with({"--device", device, "he"}, {{"CUDA_VISIBLE_DEVICES", "-1"}});
    EXPECT_EQ(outcome.status, 2) << device;
    EXPECT_EQ(outcome.output, "") << device;
    EXPECT_TRUE(outcome.errors.starts_with("lode: ")) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find(*device == '\0' ? "device" : device), std::string::npos) << outcome.errors;
  }
}

TEST(DeviceOption, ListNamesEveryDeviceOrSaysWhyItIsAbsent) {
  const Outcome listed = run_with({"--list-devices"}, {{"CUDA_VISIBLE_DEVICES", "-1"}});
  EXPECT_EQ(listed.status, 0);
  EXPECT_TRUE(listed.output.starts_with("cpu\t")) << listed.output;
  EXPECT_NE(listed.output.find("\ncuda\tnot available: "), std::string::npos) << listed.output;
}

TEST(DeviceOption, AutoSaysWhatItChose) {
  const Outcome outcome = run_with({"--stats", "he"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "he is here\n");
  EXPECT_NE(outcome.errors.find("\ndevice: cpu\nchoice: cpu: estimated "), std::string::npos) << outcome.errors;
  const Outcome on_cpu = run_with({"--device", "cpu", "--stats", "he"});
  EXPECT_NE(on_cpu.errors.find("\ndevice: cpu\n"), std::string::npos) << on_cpu.errors;
  EXPECT_EQ(on_cpu.errors.find("choice: "), std::string::npos) << on_cpu.errors;
}

TEST(DeviceOption, SmallJobsLoadNoLibraryOfAGpu) {
  const auto loads = [](const Outcome& outcome, const char* library) {
    return outcome.errors.find(library) != std::string::npos;
  };
  const Outcome listed = run_with({"--list-devices"}, {{"LD_DEBUG", "files"}});
  ASSERT_TRUE(loads(listed, "libcuda") && loads(listed, "libOpenCL")) << "the loader does not list its libraries";
  const Outcome searched = run_with({"he"}, {{"LD_DEBUG", "files"}});
  EXPECT_EQ(searched.output, "he is here\n");
  EXPECT_FALSE(loads(searched, "libcuda"));
  EXPECT_FALSE(loads(searched, "libOpenCL"));
  EXPECT_FALSE(loads(searched, "libnvrtc"));
}

}  // namespace
}  // namespace lode::test
