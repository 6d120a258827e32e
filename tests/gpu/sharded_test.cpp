// Sets whose tables need more room than a device has take smaller tables first, and then shards, one at a time. Every
// entry point gives the CPU's answers. Sets that fit take no shards.
#include "search/sharded_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "faulty_runtime.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "limited_runtime.hpp"
#include "lode/lode.hpp"
#include "search/gpu_search.hpp"
#include "support/entry_points.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/oracle.hpp"
#include "text/word_characters.hpp"
#include "without_cache.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::throws_error;

// A size of memory at which about so many patterns of a few bytes make a shard.
std::uint64_t memory_for(const std::string& algorithm, std::uint64_t patterns) {
  const TableBytes tables = least_table_bytes(algorithm);
  const std::uint64_t once = tables.once + text::WordCharacters::get().words().size_bytes();
  return 2 * (once + patterns * (tables.per_pattern + 8 * tables.per_byte + 31));
}

host::HostDevice small_device(std::uint32_t team_items = 0) {
  host::HostDevice device;
  device.team_items = team_items;
  device.max_group_items = 4;
  device.compute_units = 1;
  return device;
}

std::shared_ptr<Runtime> with_memory(const std::shared_ptr<Runtime>& runtime, std::uint64_t memory_bytes,
                                     std::uint64_t max_buffer_bytes = UINT64_MAX) {
  Limits limits = runtime->limits();
  limits.memory_bytes = memory_bytes;
  limits.max_buffer_bytes = std::min(limits.max_buffer_bytes, max_buffer_bytes);
  return make_limited_runtime(runtime, limits);
}

GpuDevices small_devices(std::size_t count, std::uint64_t memory_bytes) {
  GpuDevices devices;
  while (devices.runtimes.size() < count)
    devices.runtimes.push_back(
        with_memory(host::make_host_runtime(small_device(devices.runtimes.size() % 2 == 0 ? 0 : 4)), memory_bytes));
  return devices;
}

Device device_of(const GpuDevices& devices) { return make_gpu_device("small", devices.runtimes); }

class Sharded : public testing::TestWithParam<std::size_t> {
 protected:
  Sharded() : random_(lode::tests::make_random("Sharded " + std::to_string(GetParam()))) {
    // Some patterns are equal, and some ignore case.
    while (set_.size() < 150) set_.add(random_.bytes("abAB_", random_.between(2, 6)), random_.chance(20));
    text_ = random_.bytes("aabbAB_ ", 500);
    for (std::size_t at = 0; at < text_.size(); at += 170) text_[at] = '\n';
    set_.add(text_.substr(171, 90));
    devices_ = small_devices(GetParam(), memory_for("filter", 50));
  }

  lode::tests::Random random_;
  PatternSet set_;
  std::string text_;
  GpuDevices devices_;
};

TEST_P(Sharded, GivesTheCpusAnswersByEveryEntryPoint) {
  const Plan plan = Plan::build(set_);
  ASSERT_TRUE(plan.data().has_duplicates());
  const std::size_t shards = divide_into_shards(devices_, plan.data(), "filter").size();
  ASSERT_GE(shards, 2U);
  ASSERT_LE(shards, 5U);
  const Device device = device_of(devices_);
  for (const lode::tests::Rules& rules :
       {lode::tests::Rules{}, lode::tests::Rules{MatchKind::overlapping, Condition::whole_word},
        lode::tests::Rules{MatchKind::leftmost_first}, lode::tests::Rules{MatchKind::leftmost_longest}}) {
    SearcherOptions options;
    options.algorithm = "filter";
    options.threads = 2;
    options.match_kind = rules.match_kind;
    options.condition = rules.condition;
    const Searcher searcher(plan, options, device);
    const std::vector<Match> expected = lode::tests::find_by_meaning(text_, plan.patterns(), rules);
    ASSERT_FALSE(expected.empty());
    for (int point = 0; point < lode::tests::entry_point_count; ++point)
      ASSERT_TRUE(lode::tests::check_entry_point(static_cast<lode::tests::EntryPoint>(point), searcher, text_, expected,
                                                 random_))
          << "entry point " << point;
    ASSERT_EQ(searcher.count_lines(text_), Searcher(plan, options).count_lines(text_));
    const ResidentText resident(device, text_);
    ASSERT_EQ(searcher.find(resident), expected);
    ASSERT_EQ(searcher.count(resident), expected.size());
    ASSERT_EQ(searcher.first(resident), expected.front());
  }
}

TEST_P(Sharded, TakesTheTextInSegmentsWhereMatchesAreMany) {
  const Plan plan = Plan::build(set_);
  SearcherOptions options;
  options.algorithm = "filter";
  options.threads = 2;
  // A segment keeps a quarter of this, which is less than one place may have.
  options.memory_limit_bytes = 64;
  const Searcher searcher(plan, options, device_of(devices_));
  const std::string text = text_.substr(0, 120);
  const std::vector<Match> expected = lode::tests::find_by_meaning(text, plan.patterns(), {});
  std::uint64_t done = 0;
  RunOptions run;
  run.progress = [&](std::uint64_t now, std::uint64_t total) {
    EXPECT_GT(now, done);
    EXPECT_EQ(total, text.size());
    done = now;
  };
  EXPECT_EQ(searcher.find(text, run), expected);
  EXPECT_EQ(done, text.size());
  done = 0;
  EXPECT_EQ(searcher.count(text, run), expected.size());
  EXPECT_EQ(done, text.size());
}

TEST_P(Sharded, EndsEarlyAndIsCancelled) {
  const Plan plan = Plan::build(set_);
  SearcherOptions options;
  options.algorithm = "filter";
  options.memory_limit_bytes = 20'000;
  const Searcher searcher(plan, options, device_of(devices_));
  const std::vector<Match> all = lode::tests::find_by_meaning(text_, plan.patterns(), {});
  std::vector<Match> found;
  int calls = 0;
  searcher.find(text_, [&](std::span<const Match> part) {
    found.insert(found.end(), part.begin(), part.end());
    return ++calls < 2;
  });
  EXPECT_EQ(calls, 2);
  ASSERT_LT(found.size(), all.size());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin()));

  std::stop_source source;
  RunOptions run;
  run.stop = source.get_token();
  run.progress = [&](std::uint64_t, std::uint64_t) { source.request_stop(); };
  EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.find(text_, run); }));
  EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.count(text_, run); }));
  EXPECT_EQ(searcher.find(text_), all);
}

TEST_P(Sharded, ServesThreadsAtOnceAndSinksThatSearch) {
  const Plan plan = Plan::build(set_);
  SearcherOptions options;
  options.algorithm = "filter";
  const Searcher searcher(plan, options, device_of(devices_));
  const std::vector<Match> expected = lode::tests::find_by_meaning(text_, plan.patterns(), {});
  std::vector<std::vector<Match>> found(2);
  std::vector<std::uint64_t> counted(2);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < found.size(); ++thread)
    threads.emplace_back([&, thread] {
      searcher.find(text_, [&](std::span<const Match> part) {
        counted[thread] = searcher.count(text_);
        found[thread].insert(found[thread].end(), part.begin(), part.end());
        return true;
      });
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t thread = 0; thread < found.size(); ++thread) {
    EXPECT_EQ(found[thread], expected);
    EXPECT_EQ(counted[thread], expected.size());
  }
}

// The text and the progress function are called while the search holds the devices. Another search would wait for them
// for ever, so it is refused.
TEST_P(Sharded, RefusesToBeUsedByItsTextAndByItsProgress) {
  const Plan plan = Plan::build(set_);
  SearcherOptions options;
  options.algorithm = "filter";
  options.threads = 2;
  const Searcher searcher(plan, options, device_of(devices_));
  const std::uint64_t expected = lode::tests::find_by_meaning(text_, plan.patterns(), {}).size();
  class SearchingText final : public RandomAccessText {
   public:
    SearchingText(const std::string& bytes, std::function<void()> use) : bytes_(bytes), use_(std::move(use)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<char> into) const override {
      use_();
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    }

   private:
    const std::string& bytes_;
    const std::function<void()> use_;
  };
  const auto search = [&] {
    searcher.count(text_);
    searcher.contains(text_);
  };
  std::atomic<std::uint64_t> refusals = 0;
  const auto is_refused = [&] {
    refusals += throws_error(ErrorKind::invalid_argument, [&] { searcher.find(text_); }) &&
                        throws_error(ErrorKind::invalid_argument, [&] { searcher.count(text_); })
                    ? 1
                    : 1'000'000;
  };
  // If the callback catches the refusal, the search that is under way goes on. If it does not, the search ends.
  RunOptions run;
  run.progress = [&](std::uint64_t, std::uint64_t) { is_refused(); };
  EXPECT_EQ(searcher.find(text_, run).size(), expected);
  EXPECT_EQ(searcher.count(SearchingText(text_, is_refused)), expected);
  EXPECT_GT(refusals, 2U);
  EXPECT_LT(refusals, 1'000'000U);
  run.progress = [&](std::uint64_t, std::uint64_t) { search(); };
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { searcher.count(text_, run); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { searcher.find(SearchingText(text_, search)); }));
  EXPECT_EQ(searcher.count(text_), expected);
}

TEST_P(Sharded, SearchesRecordsOfTheHostAndRefusesResidentOnes) {
  const Plan plan = Plan::build(set_);
  const Device device = device_of(devices_);
  SearcherOptions options;
  options.algorithm = "filter";
  options.condition = Condition::whole_word;
  const RecordSearcher searcher(plan, options, device);
  const Records records = Records::with_length(text_, text_.size() / 50, 50, 50);
  std::vector<std::int32_t> expected(records.size() * set_.size());
  std::vector<std::int32_t> found(expected.size());
  RecordSearcher(plan, options).first_dense(records, expected);
  searcher.first_dense(records, found);
  EXPECT_EQ(found, expected);
  EXPECT_NE(std::count(found.begin(), found.end(), -1), static_cast<std::ptrdiff_t>(found.size()));
  const lode::ResidentRecords resident(device, records);
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { searcher.first_dense(resident, found); }));
}

INSTANTIATE_TEST_SUITE_P(Devices, Sharded, testing::Values(1U, 2U),
                         [](const auto& info) { return std::to_string(info.param) + "_devices"; });

class ShardedAlgorithms : public testing::TestWithParam<std::string> {
 protected:
  ShardedAlgorithms() : random_(lode::tests::make_random("ShardedAlgorithms " + GetParam())) {}
  PatternSet make_set(std::size_t patterns, std::uint64_t longest) {
    PatternSet set;
    while (set.size() < patterns) set.add(random_.bytes("abc", random_.between(4, longest)), random_.chance(10));
    return set;
  }
  lode::tests::Random random_;
};

TEST_P(ShardedAlgorithms, AreShardedWhereABufferCannotHoldThePatterns) {
  const Plan plan = Plan::build(make_set(24, 7));
  const std::string text = random_.bytes("abc", 200);
  Limits limits;
  limits.memory_bytes = UINT64_MAX;
  limits.max_buffer_bytes = 0;
  const TableBytes tables = least_table_bytes(GetParam());
  while (!has_room(limits, tables, {10, 100})) limits.max_buffer_bytes += 16;
  const GpuDevices devices{{with_memory(host::make_host_runtime(small_device()), UINT64_MAX, limits.max_buffer_bytes)}};
  EXPECT_GE(divide_into_shards(devices, plan.data(), GetParam()).size(), 2U);
  SearcherOptions options;
  options.algorithm = GetParam();
  const Searcher searcher(plan, options, device_of(devices));
  const std::vector<Match> expected = lode::tests::find_by_meaning(text, plan.patterns(), {});
  EXPECT_EQ(searcher.find(text), expected);
  EXPECT_EQ(searcher.count(text), expected.size());
}

// Tables take no more than was computed, whatever the stride: the device has not a byte more for them.
TEST_P(ShardedAlgorithms, KeepToWhatTheyAreSaidToTake) {
  for (const std::size_t patterns : {1U, 9U, 100U, 2500U}) {
    const Plan plan = Plan::build(make_set(patterns, patterns == 100 ? 200 : 24));
    const PatternAmount amount{plan.data().distinct_count(), plan.patterns().total_bytes()};
    for (std::uint32_t stride = 1; stride <= (GetParam() == "filter" ? 8 : 1); stride *= 2) {
      const TableBytes tables = GetParam() == "filter" ? filter_table_bytes(stride) : least_table_bytes(GetParam());
      // Finds the least limit with which there is room.
      const auto find_least = [&](std::uint64_t Limits::*limit) {
        Limits limits;
        limits.memory_bytes = limits.max_buffer_bytes = std::uint64_t{1} << 40;
        std::uint64_t low = 0;
        std::uint64_t high = limits.*limit;
        while (low < high) {
          limits.*limit = low + (high - low) / 2;
          if (has_room(limits, tables, amount))
            high = limits.*limit;
          else
            low = limits.*limit + 1;
        }
        return low;
      };
      const std::uint64_t memory_bytes = find_least(&Limits::memory_bytes);
      host::HostDevice device = small_device();
      device.memory_bytes = memory_bytes / 2;
      device.max_buffer_bytes = std::max<std::uint64_t>(16, find_least(&Limits::max_buffer_bytes));
      Limits limits = host::make_host_runtime(device)->limits();
      limits.memory_bytes = memory_bytes;
      SearcherOptions options;
      EXPECT_NO_THROW(
          Engine(make_limited_runtime(host::make_host_runtime(device), limits), plan.data(), GetParam(), options))
          << patterns << " patterns, stride " << stride;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ShardedAlgorithms,
                         testing::Values("naive", "vector", "balanced", "rabin-karp", "boyer-moore", "filter"),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

std::int64_t widest_stride(Runtime& runtime, const PlanData& plan) {
  const SearcherOptions options;
  std::int64_t widest = 0;
  const std::unique_ptr<Algorithm> algorithm = make_filter({runtime, plan, options});
  for (const Pass& pass : algorithm->passes())
    for (const auto& [name, value] : pass.constants)
      if (name == "LODE_STRIDE") widest = std::max(widest, value);
  return widest;
}

TEST(ShardedSets, TakeSmallerTablesFirst) {
  lode::tests::Random random = lode::tests::make_random("ShardedSets");
  PatternSet set;
  while (set.size() < 1000) set.add(random.bytes("abcdefghijklmnopqrstuvwxyz", 24));
  const Plan plan = Plan::build(set);
  const auto runtime = host::make_host_runtime(small_device());
  const std::int64_t usual = widest_stride(*runtime, plan.data());
  ASSERT_GE(usual, 4);
  const PatternAmount amount{set.size(), set.total_bytes()};
  for (std::uint32_t stride = 1; stride < usual; stride *= 2) {
    Limits limits = runtime->limits();
    for (limits.memory_bytes = 0; !has_room(limits, filter_table_bytes(stride), amount);) limits.memory_bytes += 1000;
    const GpuDevices devices{{make_limited_runtime(runtime, limits)}};
    EXPECT_EQ(widest_stride(*devices.runtimes[0], plan.data()), stride);
    EXPECT_EQ(divide_into_shards(devices, plan.data(), "filter").size(), 1U);
  }
}

TEST(ShardedSets, AreThoseOnlyThatDoNotFit) {
  const Plan plan = Plan::build(PatternSet{"one", "two", "three", "two"});
  for (const std::string algorithm : {"filter", "vector", "naive"}) {
    const SearcherOptions options;
    const GpuDevices ample{{open_runtime(host_without_teams)}};
    EXPECT_EQ(GpuSearch(ample, plan.data(), algorithm, options, 1).engines().size(), 1U);
    const GpuDevices tiny = small_devices(1, 1);
    EXPECT_EQ(divide_into_shards(tiny, plan.data(), algorithm), (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_TRUE(
        throws_error(ErrorKind::unsupported, [&] { GpuSearch(tiny, plan.data(), algorithm, options, 1).engines(); }));
    // One pattern cannot be divided.
    const Plan single = Plan::build(PatternSet{"one", "one"});
    EXPECT_EQ(Searcher(single, options, device_of(tiny)).count("one on one"), 4U);
  }
}

// This device really has no more memory, and less than a table of all patterns would take.
TEST(ShardedSets, AreOnTheDeviceOneByOne) {
  lode::tests::Random random = lode::tests::make_random("ShardedSets one by one");
  host::HostDevice settings = small_device(4);
  settings.memory_bytes = 3 << 20;
  const std::uint64_t limit_bytes = 1 << 20;
  PatternSet set;
  while (set.size() < 30'000) set.add(random.bytes("abcdefghijklmnopqrstuvwxyz", 10));
  // The matches take more than the limit.
  set.add("\1\1");
  set.add("\1\1\1");
  std::string text(100'000, '.');
  for (std::size_t at = 100; at < 60'000; at += 100) text.replace(at, 10, set[static_cast<std::uint32_t>(at / 2)]);
  text.replace(70'000, 10'000, std::string(10'000, '\1'));
  for (std::uint32_t begin = 0; begin < 2; ++begin) set.add(std::string(begin + 1, '\1'));
  const Plan plan = Plan::build(set);
  SearcherOptions options;
  options.algorithm = "filter";
  options.threads = 2;
  const std::vector<Match> expected = Searcher(plan, options).find(text);
  ASSERT_GT(expected.size(), 40'000U);
  ASSERT_GT(expected.size() * sizeof(Match), limit_bytes / 2);

  options.memory_limit_bytes = limit_bytes;
  const GpuDevices devices{{host::make_host_runtime(settings)}};
  EXPECT_GE(divide_into_shards(devices, plan.data(), "filter").size(), 3U);
  const Searcher searcher(plan, options, device_of(devices));
  const std::uint64_t tables_bytes = settings.memory->buffers.used();
  EXPECT_GT(tables_bytes, settings.memory_bytes / 8);
  EXPECT_EQ(searcher.count("."), 0U);
  EXPECT_LT(settings.memory->buffers.peak(), tables_bytes * 3 / 2);
  EXPECT_TRUE(searcher.find(text) == expected);
  EXPECT_EQ(searcher.count(text), expected.size());
  EXPECT_LE(settings.memory->buffers.peak(), settings.memory_bytes / 2 + limit_bytes);
  EXPECT_LE(settings.memory->pinned.peak(), limit_bytes / 2);
}

// A small device divides the set, and devices fail.
class ShardedFaults : public WithoutCache {
 protected:
  ShardedFaults() {
    PatternSet set;
    for (char first = 'a'; first <= 'e'; ++first)
      for (char second = 'a'; second <= 'e'; ++second) set.add(std::string{first, second, first});
    plan_ = Plan::build(set);
    expected_ = lode::tests::find_by_meaning(text_, plan_.patterns(), {});
    options_.algorithm = "filter";
    options_.memory_limit_bytes = 400;  // the text then has several segments
  }
  bool search(const Searcher& searcher) const {
    return searcher.find(text_) == expected_ && searcher.count(text_) == expected_.size();
  }
  static std::shared_ptr<Runtime> runtime_with(const std::shared_ptr<host::FaultPlan>& faults) {
    const auto faulty = host::make_faulty_runtime(host::make_host_runtime(small_device()), faults);
    return with_memory(faulty, memory_for("filter", 12));
  }

  Plan plan_ = Plan::build(PatternSet{"a"});
  const std::string text_ = "abacadaeabcbdbebcacbcdcec";
  std::vector<Match> expected_;
  SearcherOptions options_;
};

TEST_F(ShardedFaults, AreToldAndASoundDeviceGoesOn) {
  const auto searcher_with = [&](const std::shared_ptr<host::FaultPlan>& faults) {
    return Searcher(plan_, options_, device_of({{runtime_with(faults)}}));
  };
  const auto none = std::make_shared<host::FaultPlan>();
  ASSERT_TRUE(search(searcher_with(none)));
  std::uint64_t failures = 0;
  const std::uint64_t step = lode::tests::is_sanitized() ? 23 : 7;
  for (std::uint64_t call = 0; call < none->calls(); call += step) {
    const auto faults = std::make_shared<host::FaultPlan>(call);
    std::optional<Searcher> searcher;
    try {
      searcher.emplace(searcher_with(faults));
      EXPECT_TRUE(search(*searcher)) << "call " << call << " failed, and the answer was wrong";
      EXPECT_FALSE(faults->must_tell()) << "the failure of call " << call << " was swallowed";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
      ++failures;
    }
    if (!searcher) continue;
    EXPECT_TRUE(search(*searcher)) << "after the failure of call " << call;
  }
  EXPECT_GT(failures, none->calls() / (2 * step));
}

TEST_F(ShardedFaults, OfTheGpuOfAutoAreMadeGoodByTheCpu) {
  const auto searcher_with = [&](const std::shared_ptr<host::FaultPlan>& faults) {
    const GpuCandidate gpu{"gpu:0", [faults] { return runtime_with(faults); }};
    return Searcher(plan_, options_, make_auto_device({[gpu] { return std::vector{gpu}; }, 0, 1e12}));
  };
  const auto none = std::make_shared<host::FaultPlan>();
  ASSERT_TRUE(search(searcher_with(none)));
  ASSERT_GT(none->calls(), 200U);
  for (std::uint64_t call = 0; call < none->calls(); call += 11) {
    const auto faults = std::make_shared<host::FaultPlan>(call, true);
    EXPECT_TRUE(search(searcher_with(faults))) << "call " << call << " failed, and the answer was wrong";
  }
}

}  // namespace
}  // namespace lode::gpu::tests
