// Tests texts of the host that go through several devices at once, searches of one device by several threads, and
// memory of the device that a caller lends.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/registry.hpp"
#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

// These are several devices, and no two are alike.
Device make_devices(std::uint32_t devices) {
  std::vector<std::shared_ptr<Runtime>> runtimes;
  for (std::uint32_t device = 0; device < devices; ++device) {
    host::HostDevice settings;
    settings.team_items = device % 2 == 0 ? 4 : 0;
    settings.max_group_items = device == 2 ? 8 : 4;
    settings.compute_units = 1 + device;
    runtimes.push_back(host::make_host_runtime(settings));
  }
  return make_gpu_device("host:all", runtimes);
}

class SeveralDevices : public testing::TestWithParam<std::uint32_t> {
 protected:
  SeveralDevices() : random_(lode::tests::make_random("SeveralDevices " + std::to_string(GetParam()))) {
    // There are many patterns, some of them equal, and one that spans several pieces.
    set_ = PatternSet{"a", "ab", "ba", "aab", "ab", "bab_b"};
    while (set_.size() < 30) set_.add(random_.bytes("ab_", random_.between(3, 9)), random_.chance(30));
    text_ = random_.bytes("aabbB_ ", 600);
    for (std::size_t at = 0; at < text_.size(); at += 170) text_[at] = '\n';
    set_.add(text_.substr(171, 150));
  }

  lode::tests::Random random_;
  PatternSet set_;
  std::string text_;
};

TEST_P(SeveralDevices, GiveTheCpusAnswers) {
  const Device device = make_devices(GetParam());
  const Plan plan = Plan::build(set_);
  struct Rules {
    MatchKind kind;
    Condition condition;
    std::uint64_t chunk_bytes;
  };
  for (const Rules& rules :
       {Rules{MatchKind::overlapping, Condition::none, 101}, Rules{MatchKind::overlapping, Condition::none, 0},
        Rules{MatchKind::overlapping, Condition::whole_word, 77},
        Rules{MatchKind::leftmost_first, Condition::none, 101},
        Rules{MatchKind::leftmost_longest, Condition::none, 130}}) {
    SearcherOptions options;
    options.threads = 2;
    options.match_kind = rules.kind;
    options.condition = rules.condition;
    options.chunk_bytes = rules.chunk_bytes;
    const Searcher on_cpu(plan, options);
    const Searcher searcher(plan, options, device);
    RunOptions part;
    part.begin = 33;
    part.end = 434;
    for (const RunOptions& run : {RunOptions{}, part}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(rules.kind)) + " " +
                   std::to_string(static_cast<int>(rules.condition)) + " chunks of " +
                   std::to_string(rules.chunk_bytes) + " from " + std::to_string(run.begin));
      ASSERT_EQ(searcher.find(text_, run), on_cpu.find(text_, run));
      ASSERT_EQ(searcher.count(text_, run), on_cpu.count(text_, run));
      ASSERT_EQ(searcher.first(text_, run), on_cpu.first(text_, run));
      if (run.begin == 0) continue;
      ASSERT_EQ(searcher.count_per_pattern(text_, run), on_cpu.count_per_pattern(text_, run));
      ASSERT_EQ(searcher.count_lines(text_, run), on_cpu.count_lines(text_, run));
    }
  }
}

TEST_P(SeveralDevices, EndEarlyWhereTheSinkWants) {
  SearcherOptions options;
  options.chunk_bytes = 60;
  const Plan plan = Plan::build(set_);
  const Searcher searcher(plan, options, make_devices(GetParam()));
  const std::vector<Match> all = Searcher(plan, options).find(text_);
  for (const std::size_t wanted : {std::size_t{1}, all.size() / 2}) {
    std::vector<Match> found;
    searcher.find(text_, [&](std::span<const Match> part) {
      found.insert(found.end(), part.begin(), part.end());
      return found.size() < wanted;
    });
    ASSERT_GE(found.size(), wanted);
    ASSERT_LT(found.size(), all.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin()));
  }
}

TEST_P(SeveralDevices, ServeThreadsAtOnce) {
  SearcherOptions options;
  options.chunk_bytes = 300;
  options.threads = 2;
  const Plan plan = Plan::build(set_);
  const Device device = make_devices(GetParam());
  const Searcher shared(plan, options, device);
  const ResidentText resident(device, text_);
  const std::vector<Match> expected = Searcher(plan, options).find(text_);
  std::atomic<int> wrong = 0;
  const auto search = [&](const Searcher& searcher) {
    for (int round = 0; round < 2; ++round) {
      wrong += searcher.find(text_) == expected ? 0 : 1;
      wrong += searcher.count(resident) == expected.size() ? 0 : 1;
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] { search(shared); });
    threads.emplace_back([&] { search(Searcher(plan, options, device)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Numbers, SeveralDevices, testing::Values(1U, 2U, 3U),
                         [](const auto& info) { return std::to_string(info.param) + "_devices"; });

class LentMemory : public testing::TestWithParam<std::string> {};

TEST_P(LentMemory, IsSearchedWhereverItBegins) {
  const Device device = make_gpu_device(GetParam(), {open_runtime(GetParam())});
  const Plan plan = Plan::build(PatternSet{"he", "she", "hers", "s", "ushers", "e", "shershers"});
  for (const Condition condition : {Condition::none, Condition::whole_word}) {
    SearcherOptions options;
    options.condition = condition;
    const Searcher searcher(plan, options, device);
    for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 37U, 64U}) {
      for (std::size_t unaligned = 0; unaligned < 16; ++unaligned) {
        // The bytes around the text would add matches if they were searched.
        std::string around;
        while (around.size() < 128) around += "ushers";
        const std::size_t blocks = (unaligned + size + 15) / 16;
        struct alignas(16) Block {
          char bytes[16];
        };
        std::vector<Block> memory(blocks);
        std::copy_n(around.data(), 16 * blocks, memory.data()->bytes);
        const std::string text = around.substr(unaligned, size);
        const auto pointer = reinterpret_cast<std::uintptr_t>(memory.data()->bytes) + unaligned;
        const ResidentText lent = ResidentText::adopt(device, pointer, size);
        ASSERT_EQ(lent.size(), size);
        ASSERT_EQ(searcher.find(lent), Searcher(plan, options).find(text)) << size << " bytes from " << unaligned;
        ASSERT_EQ(searcher.count(lent), Searcher(plan, options).count(text)) << size << " bytes from " << unaligned;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LentMemory, testing::Values(host_with_teams, host_without_teams),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

}  // namespace
}  // namespace lode::gpu::tests
