// Drivers of GPUs that are there but cannot be used are listed with the reason, refused with it if they are asked for,
// and ignored by `auto`. The drivers are libraries of the tests (fakes/), which the loader finds before any others.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "process.hpp"

namespace lode::test {
namespace {

Outcome run_with_drivers(const std::vector<std::string>& drivers, std::vector<std::string> arguments,
                         std::vector<std::pair<std::string, std::string>> variables = {}) {
  std::string folders;
  for (const std::string& driver : drivers) folders += (folders.empty() ? "" : ":") + (LODE_FAKE_DRIVERS "/" + driver);
  Invocation invocation;
  invocation.arguments = std::move(arguments);
  invocation.input = "he is here\n";
  invocation.variables = std::move(variables);
  invocation.variables.emplace_back("LD_LIBRARY_PATH", folders);
  return run(invocation);
}

struct Fault {
  std::string name;  // may have only letters and digits
  std::string driver;
  std::string listed_as;
  std::string reason;
  std::vector<std::string> asked_for_as;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

const std::vector<Fault> faults = {
    {"CudaWithoutAFunction",
     "cuda_9",
     "cuda",
     "the NVIDIA driver is too old: its libcuda.so.1 lacks cuDevicePrimaryCtxRelease_v2",
     {"cuda", "cuda:0", "cuda:3", "cuda:all"}},
    {"CudaOfAnEarlierVersion",
     "cuda_10",
     "cuda",
     "the NVIDIA driver is too old: it knows CUDA 10.2, and 11.0 is needed: update it",
     {"cuda", "cuda:0", "cuda:3", "cuda:all"}},
    {"OpenClLoaderWithoutAFunction",
     "opencl_1_1",
     "opencl",
     "the OpenCL loader is older than OpenCL 1.2: it has no clEnqueueFillBuffer",
     {"opencl", "opencl:0", "opencl:3"}},
    {"OpenClOfAnEarlierVersion",
     "opencl_faulty",
     "opencl:0",
     "it offers 'OpenCL 1.1 Museum', and OpenCL 1.2 is needed: update its driver",
     {"opencl", "opencl:0"}},
    {"OpenClWithoutCompiler", "opencl_faulty", "opencl:1", "its driver has no compiler", {"opencl:1"}},
    {"OpenClThatIsNotAvailable", "opencl_faulty", "opencl:2", "its driver says it is not available", {"opencl:2"}},
    {"OpenClOfAnotherByteOrder", "opencl_faulty", "opencl:3", "it is big-endian", {"opencl:3"}},
};

class UselessDrivers : public testing::TestWithParam<Fault> {};

TEST_P(UselessDrivers, AreListedWithTheReason) {
  const Fault& fault = GetParam();
  const Outcome listed = run_with_drivers({fault.driver}, {"--list-devices"});
  EXPECT_EQ(listed.status, 0);
  EXPECT_EQ(listed.errors, "");
  const std::string line = "\n" + fault.listed_as + "\tnot available: " + fault.reason + "\n";
  EXPECT_NE(listed.output.find(line), std::string::npos) << listed.output;
}

TEST_P(UselessDrivers, AreRefusedWithTheReason) {
  const Fault& fault = GetParam();
  for (const std::string& device : fault.asked_for_as) {
    const Outcome outcome = run_with_drivers({fault.driver}, {"--device", device, "he"});
    EXPECT_EQ(outcome.status, 2) << device;
    EXPECT_EQ(outcome.output, "") << device;
    const std::string named = device == "opencl" || device == "cuda" ? device + ":0" : device;
    EXPECT_NE(outcome.errors.find(named), std::string::npos) << outcome.errors;
    EXPECT_TRUE(outcome.errors.ends_with(": " + fault.reason + "\n")) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, UselessDrivers, testing::ValuesIn(faults),
                         [](const testing::TestParamInfo<Fault>& info) { return info.param.name; });

// `auto` expects the CPU to need long for this text, so it looks for a GPU. No usable driver is found.
TEST(UselessDriversOfBothKinds, AreNothingToAuto) {
  const TemporaryFolder folder;
  std::string patterns;
  for (int number = 0; number < 2000; ++number)
    patterns += "pattern of some length, number " + std::to_string(number) + "\n";
  folder.write("patterns", patterns);
  folder.write("text", std::string(std::size_t{9} << 20, '.') + "pattern of some length, number 7\n");
  const Outcome outcome =
      run_with_drivers({"cuda_10", "opencl_faulty"},
                       {"--stats", "--threads", "1", "--algorithm", "boyer-moore", "--count-matches", "-f",
                        folder.path() / "patterns", folder.path() / "text"},
                       {{"LODE_CACHE_DIR", folder.path() / "cache"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "1\n");
  EXPECT_NE(outcome.errors.find(", and there is no GPU\n"), std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("lode: "), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace lode::test
