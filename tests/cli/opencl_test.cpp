// Tests the command on an OpenCL device, if there is one. Processes that start with nothing compiled share the device
// and the cache.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "opencl.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

// The entries of the cache by name, with their inodes, which change if an entry is replaced.
std::map<std::string, ino_t> entries_of(const std::filesystem::path& cache) {
  std::map<std::string, ino_t> entries;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(cache, none)) {
    struct stat status {};
    EXPECT_EQ(::lstat(entry.path().c_str(), &status), 0) << entry.path();
    entries[entry.path().filename().string()] = status.st_ino;
  }
  return entries;
}

TEST(OpenClCommand, ProcessesShareTheDeviceAndAColdCache) {
  if (const std::string reason = opencl_absence(); !reason.empty()) GTEST_SKIP() << reason;
  const TemporaryFolder folder;
  std::string text, patterns;
  for (int number = 0; number < 20'000; ++number) text += "line " + std::to_string(number * 7919 % 20'000) + "\n";
  for (int number = 0; number < 1000; ++number) patterns += "line " + std::to_string(number) + "\n";
  folder.write("text", text);
  folder.write("patterns", patterns);
  std::filesystem::create_directory(folder.path() / "pocl");
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = {"--device", "cpu", "--count-per-pattern", "-f", "patterns", "text"};
  const Outcome expected = run(invocation);
  ASSERT_EQ(expected.status, 0);

  const std::filesystem::path cache = folder.path() / "lode";
  invocation.arguments[1] = "opencl:0";
  invocation.variables = {{"LODE_CACHE_DIR", cache.string()}, {"POCL_CACHE_DIR", (folder.path() / "pocl").string()}};
  const auto is_right = [&](const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.output == expected.output) << outcome.output.substr(0, 200);
    EXPECT_EQ(outcome.errors, "");
    return outcome.status == 0 && outcome.output == expected.output;
  };
  Outcome second;
  Invocation first = invocation;
  first.meanwhile = [&](pid_t, int) {
    Invocation other = invocation;
    other.meanwhile = [&](pid_t, int) {
      EXPECT_TRUE(entries_of(cache).empty()) << "the second began with a warm cache";
    };
    second = run(other);
  };
  EXPECT_TRUE(is_right(run(first)));
  EXPECT_TRUE(is_right(second));

  const std::map<std::string, ino_t> entries = entries_of(cache);
  const auto ends = [](const char* ending) {
    return [ending](const auto& entry) { return entry.first.ends_with(ending); };
  };
  EXPECT_GT(std::count_if(entries.begin(), entries.end(), ends(".kernel")), 1);
  for (const auto& [name, number] : entries)
    EXPECT_TRUE(name.ends_with(".kernel") || name.ends_with(".fact")) << name << " was left behind";
  EXPECT_TRUE(is_right(run(invocation)));
  EXPECT_EQ(entries_of(cache), entries) << "an entry was not used";
}

}  // namespace
}  // namespace lode::test
