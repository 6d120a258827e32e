// Tests the executor by itself, with a scanner that finds more than memory should hold.

#include "search/executor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/environment.hpp"
#include "support/memory.hpp"

namespace lode::tests {
namespace {

// Finds the patterns [0, count) at every place.
class CrowdedScanner final : public Scanner {
 public:
  explicit CrowdedScanner(std::uint32_t count) : count_(count) {}
  void scan(lode::Collector& out) const override {
    for (std::uint64_t place = out.begin(); place < out.end() && !out.overflowed(); ++place)
      for (std::uint32_t distinct = 0; distinct < count_; ++distinct) out.emit(place, distinct, 1);
  }

 private:
  std::uint32_t count_;
};

// The sink is slow, so that other threads go ahead as far as they may.
TEST(Executor, ListsKeepToTheMemoryLimit) {
  constexpr std::uint32_t count = 100;
  PatternSet patterns;
  while (patterns.size() < count) patterns.add(std::string(patterns.size() + 1, 'a'));
  const Plan plan = Plan::build(patterns);
  const CrowdedScanner scanner(count);
  const std::string text(is_sanitized() ? std::size_t{1} << 15 : std::size_t{1} << 17, 'a');
  for (const std::uint64_t limit_bytes : {std::uint64_t{8} << 20, std::uint64_t{64} << 20}) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      SearcherOptions options;
      options.chunk_bytes = 8192;
      options.memory_limit_bytes = limit_bytes;
      const ExecutorSetup setup{plan.data(), scanner, options, choose_instruction_set({}), threads};
      std::uint64_t received = 0;
      std::uint64_t wrong = 0;
      const PeakMemory peak;
      run_ordered(setup, text, {}, [&](std::span<const Match> found) {
        if (received == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        for (const Match& match : found) {
          wrong += match.offset != received / count || match.pattern_id != received % count;
          ++received;
        }
        return true;
      });
      EXPECT_EQ(received, text.size() * count);
      EXPECT_EQ(wrong, 0U);
      if (is_sanitized()) continue;
      // Half of the limit is for lists. Threads and their heaps take the rest here.
      EXPECT_LT(peak.growth_bytes(), limit_bytes / 2 + (std::uint64_t{8} << 20))
          << threads << " threads, limit " << limit_bytes;
    }
  }
}

// Only the list of the thread that delivers has room for all matches of one place.
TEST(Executor, PlacesWithMoreMatchesThanAListHoldsAreDelivered) {
  constexpr std::uint32_t count = 6000;
  PatternSet patterns;
  while (patterns.size() < count) patterns.add("pattern " + std::to_string(patterns.size()));
  const Plan plan = Plan::build(patterns);
  const CrowdedScanner scanner(count);
  const std::string text(200, 'a');
  for (const unsigned threads : {1U, 4U}) {
    SearcherOptions options;
    options.chunk_bytes = 10;
    options.memory_limit_bytes = 1 << 20;
    const ExecutorSetup setup{plan.data(), scanner, options, choose_instruction_set({}), threads};
    std::uint64_t received = 0;
    std::uint64_t wrong = 0;
    run_ordered(setup, text, {}, [&](std::span<const Match> found) {
      for (const Match& match : found) {
        wrong += match.offset != received / count || match.pattern_id != received % count;
        ++received;
      }
      return true;
    });
    EXPECT_EQ(received, text.size() * count) << threads << " threads";
    EXPECT_EQ(wrong, 0U);
  }
}

}  // namespace
}  // namespace lode::tests
