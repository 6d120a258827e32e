// Either schedule gives each chunk to one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "search/chunks.hpp"

namespace lode::tests {
namespace {

TEST(ChunkQueue, GivesSharesOrWhatIsNext) {
  ChunkQueue fixed(7, 3, Schedule::static_chunks);  // the shares are 0 1, 2 3, and 4 5 6
  EXPECT_EQ(fixed.next(1, 2), ChunkQueue::none) << "its first chunk is not below the limit";
  EXPECT_EQ(fixed.next(1, 3), 2u);
  EXPECT_EQ(fixed.next(1, 3), ChunkQueue::none);
  EXPECT_FALSE(fixed.finished(1));
  EXPECT_FALSE(fixed.claim(2)) << "a thread has it";
  EXPECT_FALSE(fixed.claim(5)) << "4 comes before it";
  EXPECT_TRUE(fixed.claim(3));
  EXPECT_FALSE(fixed.claim(3));
  EXPECT_TRUE(fixed.finished(1));
  EXPECT_EQ(fixed.next(1, 100), ChunkQueue::none);
  EXPECT_FALSE(fixed.claim(7)) << "there is none";
  for (const std::uint64_t chunk : {4, 5, 6}) EXPECT_EQ(fixed.next(2, 100), chunk);
  EXPECT_FALSE(fixed.finished());
  EXPECT_TRUE(fixed.claim(0));
  EXPECT_EQ(fixed.next(0, 100), 1u);
  EXPECT_TRUE(fixed.finished());

  ChunkQueue dynamic(3, 2, Schedule::dynamic_chunks);
  EXPECT_EQ(dynamic.next(1, 100), 0u);
  EXPECT_EQ(dynamic.next(0, 1), ChunkQueue::none);
  EXPECT_FALSE(dynamic.claim(2));
  EXPECT_TRUE(dynamic.claim(1));
  EXPECT_FALSE(dynamic.finished(0));
  EXPECT_EQ(dynamic.next(0, 100), 2u);
  EXPECT_TRUE(dynamic.finished(0) && dynamic.finished(1) && dynamic.finished());
  EXPECT_TRUE(ChunkQueue(0, 4, Schedule::static_chunks).finished());
}

// Threads take their own chunks. One of them also claims the next chunk in order, as a thread does that waits for
// results.
TEST(ChunkQueue, GivesEachChunkToOneThread) {
  for (const Schedule schedule : {Schedule::dynamic_chunks, Schedule::static_chunks}) {
    for (const std::uint64_t chunks : {1, 3, 1000, 100'000}) {
      constexpr unsigned shares = 4;
      ChunkQueue queue(chunks, shares, schedule);
      std::vector<std::vector<std::uint64_t>> taken(shares + 1);
      std::latch all_run(shares + 1);
      std::vector<std::thread> threads;
      for (unsigned share = 0; share < shares; ++share) {
        threads.emplace_back([&, share] {
          all_run.arrive_and_wait();
          for (std::uint64_t limit = 1; !queue.finished(share); ++limit)
            for (std::uint64_t chunk = 0; (chunk = queue.next(share, limit * 100)) != ChunkQueue::none;)
              taken[share].push_back(chunk);
        });
      }
      all_run.arrive_and_wait();
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
        if (queue.claim(chunk)) taken[shares].push_back(chunk);
      for (std::thread& thread : threads) thread.join();
      EXPECT_TRUE(queue.finished());
      std::vector<std::uint64_t> all;
      for (unsigned share = 0; share <= shares; ++share) {
        EXPECT_TRUE(std::is_sorted(taken[share].begin(), taken[share].end()));
        all.insert(all.end(), taken[share].begin(), taken[share].end());
        for (const std::uint64_t chunk : taken[share]) {
          if (schedule == Schedule::dynamic_chunks || share == shares) break;
          ASSERT_TRUE(chunks * share / shares <= chunk && chunk < chunks * (share + 1) / shares) << chunk;
        }
      }
      std::sort(all.begin(), all.end());
      ASSERT_EQ(all.size(), chunks);
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) ASSERT_EQ(all[chunk], chunk);
    }
  }
}

}  // namespace
}  // namespace lode::tests
