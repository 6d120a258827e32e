// A search has as many work-items in a work-group as were asked for, or as many as local memory has room for, and
// reports the number.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "device/registry.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"

namespace lode::gpu::tests {
namespace {

// A tile of the largest degree of cascading takes 1540 bytes for each work-item.
unsigned group_items_of(const std::string& algorithm, unsigned cascade, std::uint32_t local_bytes) {
  host::HostDevice settings;
  settings.local_bytes = local_bytes;
  SearcherOptions options;
  options.algorithm = algorithm;
  options.gpu_cascade = cascade;
  options.gpu_group_items = 8;
  const Searcher searcher(Plan::build(PatternSet{"abc"}), options,
                          make_gpu_device("host", {host::make_host_runtime(settings)}));
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_EQ(searcher.count("an abc, and another abc", run), 2U);
  return stats.gpu_group_items;
}

TEST(GroupItems, AreThoseThatLocalMemoryHasRoomFor) {
  EXPECT_EQ(group_items_of("boyer-moore", 64, 16 << 10), 8U);
  EXPECT_EQ(group_items_of("boyer-moore", 64, 8 << 10), 4U);
  EXPECT_EQ(group_items_of("boyer-moore", 1, 8 << 10), 8U);
  EXPECT_EQ(group_items_of("naive", 0, 16 << 10), 8U);
}

TEST(GroupItems, AreNoneOnTheCpu) {
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_EQ(Searcher(Plan::build(PatternSet{"abc"})).count("abc", run), 1U);
  EXPECT_EQ(stats.gpu_group_items, 0U);
}

}  // namespace
}  // namespace lode::gpu::tests
