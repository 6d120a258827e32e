// Threads runs as many threads as were asked for, at once, even if there are fewer cores.

#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "lode/lode.hpp"

namespace lode::tests {
namespace {

// Lets no thread pass before all have come.
class Meeting {
 public:
  explicit Meeting(unsigned members) : members_(members) {}
  void pass() {
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return failed_ || present_ >= members_; }))
      failed_ = true;
  }
  bool failed() const { return failed_; }

 private:
  const unsigned members_;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned present_ = 0;
  std::atomic<bool> failed_ = false;
};

std::vector<unsigned> more_than_cores() { return {available_threads() + 1, available_threads() + 7}; }

TEST(Threads, AreAsManyAsAskedFor) {
  EXPECT_EQ(thread_count(0), available_threads());
  EXPECT_EQ(thread_count(1), 1U);
  for (const unsigned threads : more_than_cores()) EXPECT_EQ(thread_count(threads), threads);
  EXPECT_EQ(thread_count(UINT32_MAX), 4096U);
}

TEST(Threads, RunAtOnce) {
  for (const unsigned threads : more_than_cores()) {
    Meeting of_shares(threads);
    run_shares(threads, threads, [&](unsigned) { of_shares.pass(); });
    EXPECT_FALSE(of_shares.failed()) << threads << " threads";
    Meeting of_helpers(threads);
    run_with_helpers(
        threads, [&](unsigned) { of_helpers.pass(); }, [&] { of_helpers.pass(); });
    EXPECT_FALSE(of_helpers.failed()) << threads << " threads";
  }
}

// Each thread that reads waits for the others.
class MeetingText final : public RandomAccessText {
 public:
  MeetingText(std::uint64_t size, Meeting& meeting) : size_(size), meeting_(meeting) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t, std::span<char> into) const override {
    meeting_.pass();
    std::fill(into.begin(), into.end(), 'a');
  }

 private:
  const std::uint64_t size_;
  Meeting& meeting_;
};

TEST(Threads, SearchAtOnce) {
  const Plan plan = Plan::build(PatternSet{"aa"});
  for (const unsigned threads : more_than_cores()) {
    for (const Schedule schedule : {Schedule::dynamic_chunks, Schedule::static_chunks}) {
      SearcherOptions options;
      options.threads = threads;
      options.schedule = schedule;
      options.chunk_bytes = 100;
      options.memory_limit_bytes = std::uint64_t{1} << 30;  // enough for the lists of all threads
      const Searcher searcher(plan, options);
      const std::uint64_t size = threads * options.chunk_bytes * 3;
      SearchStats stats;
      RunOptions run;
      run.stats = &stats;
      Meeting of_counts(threads);
      EXPECT_EQ(searcher.count(MeetingText(size, of_counts), run), size - 1);
      EXPECT_FALSE(of_counts.failed()) << threads << " threads";
      EXPECT_EQ(stats.threads, threads);
      Meeting of_lists(threads);
      EXPECT_EQ(searcher.find(MeetingText(size, of_lists), run).size(), size - 1);
      EXPECT_FALSE(of_lists.failed()) << threads << " threads";
    }
  }
}

TEST(Threads, OfSeveralRunsDoTheirWork) {
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> callers;
  for (const unsigned more : {0U, 1U, 2U, 5U}) {
    callers.emplace_back([&, threads = available_threads() + more] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<unsigned> sum = 0;
        run_shares(threads, 20, [&](unsigned share) { sum += share; });
        if (sum != 190 || thread_count(0) != available_threads()) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace lode::tests
