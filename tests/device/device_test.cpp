// Tests the names of devices, instruction sets, algorithms and error kinds.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "lode/lode.hpp"
#include "support/errors.hpp"

namespace lode::tests {
namespace {

TEST(Device, CpuIsThereAndOpens) {
  const std::vector<DeviceInfo> devices = list_devices();
  const auto cpu =
      std::find_if(devices.begin(), devices.end(), [](const DeviceInfo& info) { return info.name == "cpu"; });
  ASSERT_NE(cpu, devices.end());
  EXPECT_TRUE(cpu->available);
  EXPECT_FALSE(cpu->description.empty());
  EXPECT_EQ(open_device("cpu").name(), "cpu");
  EXPECT_EQ(open_device("auto").name(), "auto");
  EXPECT_TRUE(open_device("cpu").is_cpu());
  EXPECT_TRUE(open_device("auto").is_auto());
  EXPECT_EQ(Device::cpu().name(), "cpu");
}

TEST(Device, WhatIsNotThereSaysWhy) {
  const std::vector<DeviceInfo> devices = list_devices();
  for (const DeviceInfo& device : devices) {
    EXPECT_EQ(device.available, device.reason.empty()) << device.name;
  }
  for (const char* api : {"cuda", "opencl"}) {
    const bool there = std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& device) {
      return device.available && device.name.starts_with(api);
    });
    if (!there) {
      EXPECT_TRUE(throws_error(ErrorKind::device, [&] { open_device(api); })) << api;
    }
    const std::string beyond = std::string(api) + ":999999";
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { open_device(beyond); })) << beyond;
  }
}

TEST(Device, NamesThatAreNoneAreRefused) {
  for (const char* name : {"", "gpu", "abacus", "cpu:1", "cuda:", "cuda:x", "opencl:all", "CPU"}) {
    EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { open_device(name); })) << name;
  }
}

TEST(InstructionSets, AreKnownNamesAndEndWithWhatEveryProcessorHas) {
  const std::set<std::string> known = {"avx512vbmi", "avx2", "sse4", "neon", "baseline"};
  const std::vector<std::string> sets = cpu_instruction_sets();
  ASSERT_FALSE(sets.empty());
#if defined(__aarch64__)
  EXPECT_EQ(sets.back(), "neon");
#else
  EXPECT_EQ(sets.back(), "baseline");
#endif
  EXPECT_EQ(std::set<std::string>(sets.begin(), sets.end()).size(), sets.size());
  for (const std::string& set : sets) EXPECT_TRUE(known.contains(set)) << set;
}

TEST(Algorithms, AreTheNamedOnesEachWithItsWords) {
  std::set<std::string> names;
  for (const AlgorithmInfo& algorithm : list_algorithms()) {
    names.insert(algorithm.name);
    EXPECT_FALSE(algorithm.summary.empty()) << algorithm.name;
    EXPECT_FALSE(algorithm.serves.empty()) << algorithm.name;
    EXPECT_TRUE(refusal(algorithm.name, PatternSet{"kitty"}).empty()) << algorithm.name;
  }
  for (const char* name : {"naive", "vector", "balanced", "rabin-karp", "boyer-moore", "filter"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_FALSE(names.contains("auto"));
}

TEST(ErrorKinds, HaveTheirNames) {
  EXPECT_STREQ(name_of(ErrorKind::invalid_argument), "invalid_argument");
  EXPECT_STREQ(name_of(ErrorKind::damaged_plan), "damaged_plan");
  EXPECT_STREQ(name_of(ErrorKind::cancelled), "cancelled");
}

}  // namespace
}  // namespace lode::tests
