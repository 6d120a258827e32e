// The host's work-groups keep the promises that kernels rely on, and notice what kernels must not do.

#include "work_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "host_dialect.h"
#include "host_runtime.hpp"
#include "seam_helpers.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace lode::gpu::host {
namespace {

GroupLaunch make_launch(u32 groups, u32 items, u32 team, bool exchanges, u32 local_bytes) {
  return {groups, items, team, exchanges, local_bytes};
}

TEST(WorkGroup, RunsEveryItemOfEveryGroupOnce) {
  for (const u32 items : {1U, 2U, 5U, 8U}) {
    std::vector<std::atomic<int>> runs(3 * std::size_t{items});
    run_groups(make_launch(3, items, 1, false, 16), [&] {
      EXPECT_EQ(group_items(), items);
      EXPECT_EQ(group_count(), 3U);
      ++runs[group_index() * items + item_index()];
    });
    for (const std::atomic<int>& times : runs) EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(this_item, nullptr);
}

TEST(WorkGroup, BarriersMakeAllWait) {
  // Each item writes, meets the others, and reads what its neighbour wrote. This is plain memory, so that the thread
  // sanitizer checks it, too.
  std::vector<u32> results(4 * 8);
  run_groups(make_launch(4, 8, 8, false, 8 * sizeof(u32)), [&] {
    LOCAL_MEMORY(local);
    for (u32 round = 0; round < 50; ++round) {
      local[item_index()] = round * 100 + item_index();
      group_sync();
      const u32 seen = local[(item_index() + 1) % 8];
      EXPECT_EQ(seen, round * 100 + (item_index() + 1) % 8);
      results[group_index() * 8 + item_index()] += seen;
      group_sync();
    }
  });
  for (const u32 result : results) EXPECT_GT(result, 0U);
}

TEST(WorkGroup, FillsLocalMemoryWithPoisonBeforeEachGroup) {
  run_groups(make_launch(3, 2, 1, false, 100), [&] {
    LOCAL_MEMORY(local);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(local) % 16, 0U);
    if (item_index() != 0) return;
    const u8* const bytes = reinterpret_cast<const u8*>(local);
    for (int at = 0; at < 100; ++at) EXPECT_EQ(bytes[at], poison_byte);
    std::memset(local, 0, 100);
  });
}

TEST(WorkGroup, AtomicsCount) {
  u32 sum = 0;
  u32 bits = 0;
  std::vector<std::atomic<int>> seen(5 * 8);
  run_groups(make_launch(5, 8, 8, false, 16), [&] {
    ++seen[add_global(&sum, 1)];
    or_global(&bits, 1U << item_index());
  });
  EXPECT_EQ(sum, 40U);
  EXPECT_EQ(bits, 0xFFU);
  for (const std::atomic<int>& times : seen) EXPECT_EQ(times, 1);
}

TEST(WorkGroup, TeamsExchangeAmongThemselves) {
  run_groups(make_launch(2, 8, 4, true, 16), [&] {
    const u32 item = item_index();
    const u32 team = item / 4;
    EXPECT_EQ(LODE_TEAM_EXCHANGES, 1);
    for (u32 round = 0; round < 30; ++round) {
      const u32 value = 1000 * round + item;
      EXPECT_EQ(team_ballot((item ^ round) % 2), round % 2 == 0 ? 0b1010U : 0b0101U);
      EXPECT_EQ(team_ballot(item == round % 8), team == round % 8 / 4 ? 1U << round % 4 : 0U);
      EXPECT_EQ(team_rotate(value), item % 4 == 3 ? value - 3 : value + 1);
      // The teams of a group may do different things.
      if (team == 0) {
        EXPECT_NE(team_any(item == round % 4), 0U);
        team_sync();
      }
      EXPECT_EQ(team_any(item == 5 && round % 2 == 0) != 0, team == 1 && round % 2 == 0);
    }
  });
}

TEST(WorkGroup, WithoutExchangesValuesStayAndAnyIsAlwaysTrue) {
  run_groups(make_launch(1, 4, 4, false, 16), [&] {
    EXPECT_EQ(LODE_TEAM_EXCHANGES, 0);
    EXPECT_EQ(team_any(0), 1U);
    EXPECT_EQ(team_ballot(1), 0U);
    EXPECT_EQ(team_rotate(item_index()), item_index());
    team_sync();
  });
}

TEST(WorkGroup, NoticesItemsAtDifferentBarriers) {
  EXPECT_THROW(run_groups(make_launch(1, 4, 4, false, 16),
                          [&] {
                            if (item_index() == 2) {
                              group_sync();
                            } else {
                              group_sync();
                            }
                          }),
               std::logic_error);
}

TEST(WorkGroupDeathTest, NoticesABarrierThatNotAllReach) {
  if (lode::tests::is_thread_sanitized()) GTEST_SKIP() << "processes with threads must not fork under it";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(run_groups(make_launch(1, 4, 4, false, 16),
                          [&] {
                            if (item_index() != 1) group_sync();
                          }),
               "waits at a barrier to which others do not come");
}

TEST(Dialect, BitsAreWhatTheirNamesSay) {
  lode::tests::Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const u32 low = static_cast<u32>(random.next() >> random.below(33));
    const u32 high = static_cast<u32>(random.next());
    for (u32 bits = 0; bits < 32; ++bits) {
      u32 expected = 0;
      for (u32 bit = 0; bit < 32; ++bit) {
        const u32 from = bit + bits;
        const u32 set = from < 32 ? low >> from & 1 : high >> (from - 32) & 1;
        expected |= set << bit;
      }
      ASSERT_EQ(funnel(low, high, bits), expected);
    }
    u32 count = 0;
    u32 lowest = 32;
    for (u32 bit = 32; bit-- > 0;) {
      if ((high >> bit & 1) == 0) continue;
      ++count;
      lowest = bit;
    }
    ASSERT_EQ(count_bits(high), count);
    if (high != 0) {
      ASSERT_EQ(lowest_bit(high), lowest);
    }
    // Computes the product by halves of words.
    const u64 carry = (u64{low & 0xFFFF} * (high & 0xFFFF) >> 16) + (u64{low >> 16} * (high & 0xFFFF) & 0xFFFFFFFF);
    const u64 middle = (carry & 0xFFFFFFFF) + u64{low & 0xFFFF} * (high >> 16);
    ASSERT_EQ(multiply_high(low, high), static_cast<u32>(u64{low >> 16} * (high >> 16) + (middle >> 16)));
  }
}

// A wrong use of the seam must not look like a device's failure, because a search would then continue on another
// device.
TEST(HostRuntime, ComplainsOfMisuse) {
  const std::shared_ptr<Runtime> runtime = make_host_runtime({});
  const std::shared_ptr<Runtime> other = make_host_runtime({});
  EXPECT_THROW(runtime->make_buffer(0), std::logic_error);
  const std::unique_ptr<Buffer> buffer = runtime->make_buffer(8);
  const std::unique_ptr<Queue> queue = runtime->make_queue();
  char bytes[16] = {};
  EXPECT_THROW(queue->write(*buffer, 4, bytes, 5), std::logic_error);
  EXPECT_THROW(queue->read(*buffer, 9, bytes, 1), std::logic_error);
  EXPECT_THROW(queue->clear(*buffer, 2, 4), std::logic_error);
  EXPECT_THROW(runtime->compile({"", "no_such_kernel", {}}), std::logic_error);
  EXPECT_THROW(runtime->compile({"", "lode_naive", {{"LODE_MODE", 0}}}), std::logic_error);
  EXPECT_THROW(
      runtime->compile({"", "lode_naive", {{"LODE_MODE", 0}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 4}, {"LODE_NONE", 4}}}),
      std::logic_error);
  const KernelSource source{"", "lode_naive", {{"LODE_MODE", 0}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 4}}};
  const std::unique_ptr<Kernel> kernel = runtime->load_kernel(source, runtime->compile(source));
  EXPECT_THROW(queue->launch(*kernel, {1, 4, 64}, {}), std::logic_error);
  EXPECT_THROW(queue->launch(*kernel, {1, 4, 1 << 20}, {}), std::logic_error);
  EXPECT_THROW(queue->launch(*kernel, {1, 64, 64}, {}), std::logic_error);
}

TEST(HostRuntime, RunsOutOfMemory) {
  HostDevice device;
  device.memory_bytes = 1000;
  device.max_buffer_bytes = 600;
  const std::shared_ptr<Runtime> runtime = make_host_runtime(device);
  EXPECT_TRUE(lode::tests::throws_error(ErrorKind::device, [&] { runtime->make_buffer(601); }));
  std::unique_ptr<Buffer> first = runtime->make_buffer(600);
  EXPECT_TRUE(lode::tests::throws_error(ErrorKind::device, [&] { runtime->make_buffer(401); }));
  const std::unique_ptr<Buffer> second = runtime->make_buffer(400);
  first.reset();
  const std::unique_ptr<Buffer> third = runtime->make_buffer(600);
}

TEST(HostRuntime, DoesNothingBeforeWait) {
  const std::shared_ptr<Runtime> runtime = make_host_runtime({});
  const std::unique_ptr<Buffer> buffer = runtime->make_buffer(4);
  const std::unique_ptr<Queue> queue = runtime->make_queue();
  u32 value = 1;
  u32 result = 0;
  queue->write(*buffer, 0, &value, 4);
  queue->read(*buffer, 0, &result, 4);
  value = 2;
  EXPECT_EQ(result, 0U);
  queue->wait();
  EXPECT_EQ(result, 2U);
}

}  // namespace
}  // namespace lode::gpu::host
