// A search stays within its limit of memory on the devices and on the host, even if matches are so dense that every
// list is full. This is tested with one device and with several.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "search/gpu_search.hpp"

namespace lode::gpu::tests {
namespace {

struct Case {
  std::size_t devices;
  std::uint64_t limit_bytes;
  std::uint64_t chunk_bytes;
};

class MemoryLimit : public testing::TestWithParam<Case> {};

// The text is long enough for every slot of every device, and each piece has a place at which a list is too small.
std::string make_text(const Case& given) {
  std::string text(given.limit_bytes / 2 + 100'000, '.');
  for (std::size_t at = 5000; at + 5000 < text.size(); at += 60'000) text.replace(at, 5000, std::string(5000, 'a'));
  return text;
}

TEST_P(MemoryLimit, BoundsWhatASearchTakes) {
  const Case given = GetParam();
  GpuDevices devices;
  std::vector<std::shared_ptr<host::HostMemory>> memories;
  for (std::size_t device = 0; device < given.devices; ++device) {
    host::HostDevice settings;
    settings.team_items = 0;
    settings.max_group_items = 4;
    memories.push_back(settings.memory);
    devices.runtimes.push_back(host::make_host_runtime(settings));
  }
  const std::string text = make_text(given);
  const Plan plan = Plan::build(PatternSet{"a", "aa", "aaa"});
  SearcherOptions options;
  options.threads = 2;
  options.memory_limit_bytes = given.limit_bytes;
  options.chunk_bytes = given.chunk_bytes;
  std::vector<Match> expected;
  for (std::uint64_t offset = 0; offset < text.size(); ++offset)
    for (std::uint32_t length = 1; length <= 3 && text.compare(offset, length, std::string(length, 'a')) == 0; ++length)
      expected.push_back({offset, length - 1, length});

  const GpuSearch search(devices, plan.data(), "filter", options, 2);
  std::uint64_t tables_bytes = 0;
  for (const auto& memory : memories) tables_bytes += memory->buffers.used();
  EXPECT_LT(tables_bytes, 10'000U * given.devices);
  std::vector<Match> found;
  std::uint64_t parts = 0;
  const auto take = [&](std::span<const Match> part) {
    found.insert(found.end(), part.begin(), part.end());
    ++parts;
    return true;
  };
  CallReport report;
  search.run_ordered(text, {}, false, take, report);
  EXPECT_TRUE(found == expected) << found.size() << " matches for " << expected.size();
  EXPECT_GT(parts, expected.size() * sizeof(Match) / (given.limit_bytes / 10)) << "no list was full";
  EXPECT_EQ(search.run_counts(text, {}, Collector::Mode::count_per_pattern, false, report).per_distinct.size(), 3U);

  std::uint64_t device_bytes = 0, host_bytes = 0;
  for (const auto& memory : memories) {
    device_bytes += memory->buffers.peak();
    host_bytes += memory->pinned.peak();
  }
  // Lists that come back become matches, which take twice as much.
  const std::uint64_t matches_bytes = 3 * given.limit_bytes / 20 * 2;
  EXPECT_LE(device_bytes - tables_bytes, given.limit_bytes);
  EXPECT_LE(host_bytes + matches_bytes, given.limit_bytes);
  // The search also makes use of what it may take.
  EXPECT_GT(device_bytes - tables_bytes, given.limit_bytes / 3);
}

INSTANTIATE_TEST_SUITE_P(Limits, MemoryLimit,
                         testing::Values(Case{1, 2 << 20, 0}, Case{2, 2 << 20, 0}, Case{3, 3 << 20, 0},
                                         Case{1, 2 << 20, 1 << 20}),
                         [](const auto& info) {
                           const Case& given = info.param;
                           return std::to_string(given.devices) + "_devices_" +
                                  std::to_string(given.limit_bytes >> 20) + "_MiB" +
                                  (given.chunk_bytes != 0 ? "_large_chunks" : "");
                         });

}  // namespace
}  // namespace lode::gpu::tests
