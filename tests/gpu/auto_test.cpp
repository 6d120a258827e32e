// Tests the device `auto`: when it looks for a GPU, what it chooses, and that the CPU finishes a search if a GPU fails.
// Whichever call of the seam fails, every entry point gives the CPU's answer, with each match once and in order.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/registry.hpp"
#include "faulty_runtime.hpp"
#include "gpu_devices.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/oracle.hpp"
#include "support/temporary_folder.hpp"

namespace lode::gpu::tests {
namespace {

using host::FaultPlan;
using lode::tests::throws_error;

constexpr double very_fast = 1e12;  // in bytes a second

// The user's cache folder must not decide tests, and kernels must not come compiled from the disk.
class Auto : public testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("LODE_CACHE_DIR");
    if (folder != nullptr) cache_before_ = folder;
    use_cache("/dev/null/no-such-folder");
  }
  void TearDown() override {
    if (cache_before_.empty())
      ::unsetenv("LODE_CACHE_DIR");
    else
      use_cache(cache_before_);
  }
  static void use_cache(const std::string& folder) { ASSERT_EQ(::setenv("LODE_CACHE_DIR", folder.c_str(), 1), 0); }

 private:
  std::string cache_before_;
};

GpuCandidate sound_gpu() {
  return {"gpu:0", [] { return open_runtime(host_without_teams); }};
}

GpuCandidate faulty_gpu(const std::shared_ptr<FaultPlan>& faults) {
  return {"gpu:0", [faults] { return host::make_faulty_runtime(open_runtime(host_without_teams), faults); }};
}

// Makes an `auto` that takes the GPU for every search.
Device eager_device(const std::vector<GpuCandidate>& gpus) {
  return make_auto_device({[gpus] { return gpus; }, 0, very_fast});
}

SearcherOptions small_pieces() {
  SearcherOptions options;
  options.threads = 2;
  options.chunk_bytes = 24;
  return options;
}

// Example: "cpu assumed, gpu:0 copies".
std::string rates_of(const SearchStats& stats) {
  std::string text;
  for (const DeviceRate& rate : stats.rates) {
    text += (text.empty() ? "" : ", ") + rate.device;
    text += rate.source == DeviceRate::Source::assumed  ? " assumed"
            : rate.source == DeviceRate::Source::copies ? " copies"
                                                        : " searches";
    EXPECT_GT(rate.bytes_per_second, 0) << text;
  }
  return text;
}

const std::string ushers = "ushers and she\nhers; he\n\nushers, she ushers\nnothing\nhe";

struct Answer {
  std::vector<Match> matches;
  std::vector<std::uint64_t> counts;
  bool operator==(const Answer&) const = default;
};

struct EntryPoint {
  const char* name;
  MatchKind kind;
  std::function<Answer(const Searcher&, const RunOptions&)> call;
};

Answer listed(const Searcher& searcher, const RunOptions& run) { return {searcher.find(ushers, run), {}}; }

std::vector<EntryPoint> entry_points() {
  return {
      {"find", MatchKind::overlapping, listed},
      {"find_leftmost_longest", MatchKind::leftmost_longest, listed},
      {"find_leftmost_first", MatchKind::leftmost_first, listed},
      {"count", MatchKind::overlapping,
       [](const Searcher& searcher, const RunOptions& run) {
         return Answer{{}, {searcher.count(ushers, run)}};
       }},
      {"count_per_pattern", MatchKind::overlapping,
       [](const Searcher& searcher, const RunOptions& run) {
         return Answer{{}, searcher.count_per_pattern(ushers, run)};
       }},
      {"count_lines", MatchKind::overlapping,
       [](const Searcher& searcher, const RunOptions& run) {
         return Answer{{}, {searcher.count_lines(ushers, run)}};
       }},
      {"contains", MatchKind::overlapping,
       [](const Searcher& searcher, const RunOptions& run) {
         return Answer{{}, {searcher.contains(ushers, run) ? 1U : 0U}};
       }},
      {"first", MatchKind::overlapping,
       [](const Searcher& searcher, const RunOptions& run) {
         const std::optional<Match> match = searcher.first(ushers, run);
         return match ? Answer{{*match}, {}} : Answer{};
       }},
  };
}

class AutoFaults : public Auto, public testing::WithParamInterface<EntryPoint> {};

TEST_P(AutoFaults, OfEveryCallAreMadeGoodByTheCpu) {
  // One pattern has several ids, and one match crosses pieces.
  const Plan plan = Plan::build(PatternSet{"he", "she", "hers", "he", "ushers, she"});
  SearcherOptions options = small_pieces();
  options.chunk_bytes = 10;  // there are more pieces than are under way at once, so that failures come after deliveries
  options.match_kind = GetParam().kind;
  const Answer expected = GetParam().call(Searcher(plan, options), {});
  std::uint64_t warnings = 0, failures_in_the_middle = 0;
  const auto check = [&](const std::shared_ptr<FaultPlan>& faults) {
    const Searcher searcher(plan, options, eager_device({faulty_gpu(faults)}));
    SearchStats stats;
    RunOptions run;
    run.stats = &stats;
    std::uint64_t last_done = 0;
    bool gpu_delivered = false;
    run.progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_GT(done, last_done);
      EXPECT_LE(done, total);
      last_done = done;
      gpu_delivered = gpu_delivered || !faults->must_tell();
    };
    EXPECT_EQ(GetParam().call(searcher, run), expected);
    EXPECT_TRUE(!faults->must_tell() || !stats.warning.empty()) << "nobody is told of the failure";
    EXPECT_EQ(stats.warning.empty() ? "gpu:0" : "cpu", stats.device);
    EXPECT_TRUE(stats.warning.empty() || stats.warning.find("injected failure") != std::string::npos) << stats.warning;
    EXPECT_FALSE(stats.choice.empty());
    warnings += stats.warning.empty() ? 0 : 1;
    failures_in_the_middle += faults->must_tell() && gpu_delivered ? 1 : 0;
    // That searcher answers once more, with the devices that are left.
    EXPECT_EQ(GetParam().call(searcher, {}), expected);
  };
  const auto none = std::make_shared<FaultPlan>();
  {
    const Searcher searcher(plan, options, eager_device({faulty_gpu(none)}));
    ASSERT_EQ(GetParam().call(searcher, {}), expected);
  }
  ASSERT_GT(none->calls(), 10U);
  EXPECT_EQ(warnings, 0U);
  const bool is_slow = lode::tests::is_thread_sanitized();
  const std::uint64_t step = is_slow ? 5 : lode::tests::test_effort() == 0 ? 3 : 1;
  for (const bool lost : {false, true}) {
    for (std::uint64_t call = 0; call < none->calls(); call += lost ? step : is_slow ? 2 : 1) {
      check(std::make_shared<FaultPlan>(call, lost));
      if (HasFailure()) FAIL() << "call " << call << (lost ? " and all after it" : "") << " failed";
    }
  }
  EXPECT_GT(warnings, none->calls() / 3);
  const bool ends_early = expected.matches.size() == 1 || std::string_view(GetParam().name) == "contains";
  EXPECT_EQ(failures_in_the_middle == 0, ends_early);
}

INSTANTIATE_TEST_SUITE_P(EntryPoints, AutoFaults, testing::ValuesIn(entry_points()),
                         [](const auto& info) { return info.param.name; });

TEST_F(Auto, SmallJobsLookForNoGpu) {
  bool looked = false;
  const Device device = make_auto_device({[&] {
    looked = true;
    return std::vector<GpuCandidate>{sound_gpu()};
  }});
  const Searcher searcher(Plan::build(PatternSet{"he", "she"}), {}, device);
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_EQ(searcher.count(std::string(1 << 20, '.') + "she", run), 2U);
  EXPECT_FALSE(looked);
  EXPECT_EQ(stats.device, "cpu");
  EXPECT_TRUE(stats.choice.starts_with("cpu: ")) << stats.choice;
  EXPECT_TRUE(stats.rates.empty()) << "the cache folder was asked";
  EXPECT_EQ(device.name(), "auto");
}

// If a search may end early, the CPU takes the begin of the text. If the search ends there, no GPU has run.
TEST_F(Auto, NamesTheCpuWhereItsHeadEndsTheSearch) {
  PatternSet patterns;
  for (int number = 0; number < 1000; ++number) patterns.add("pattern" + std::to_string(number));
  SearcherOptions options;
  options.algorithm = "vector";  // each pattern takes a pass, so that the GPU seems worth it,
  options.threads = 1;           // however many cores there are
  const Device device = make_auto_device({[] { return std::vector<GpuCandidate>{sound_gpu()}; }, 0.01, very_fast});
  const Searcher searcher(Plan::build(std::move(patterns)), options, device);
  const std::string text = "a pattern7" + std::string(16 << 20, '.');
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_TRUE(searcher.contains(text, run));
  EXPECT_TRUE(stats.choice.starts_with("gpu:0")) << stats.choice;
  EXPECT_EQ(stats.device, "cpu");
  EXPECT_TRUE(searcher.first(text, run).has_value());
  EXPECT_TRUE(stats.choice.starts_with("gpu:0")) << stats.choice;
  EXPECT_EQ(stats.device, "cpu");
}

TEST_F(Auto, TakesTheGpuOnlyWhereItIsFaster) {
  const Plan plan = Plan::build(PatternSet{"he", "she"});
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  const auto device_for = [](double rate) {
    return make_auto_device({[] { return std::vector<GpuCandidate>{sound_gpu()}; }, 0, rate});
  };
  EXPECT_EQ(Searcher(plan, small_pieces(), device_for(very_fast)).count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "gpu:0") << stats.choice;
  EXPECT_EQ(rates_of(stats), "cpu assumed, gpu:0 assumed") << "a GPU cannot search as fast as that";
  EXPECT_EQ(Searcher(plan, small_pieces(), device_for(1000)).count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "cpu") << stats.choice;
  EXPECT_NE(stats.choice.find("gpu:0"), std::string::npos) << stats.choice;
  ASSERT_EQ(rates_of(stats), "cpu assumed, gpu:0 copies");
  EXPECT_EQ(stats.rates[1].bytes_per_second, 1000);
  EXPECT_GT(stats.rates[0].bytes_per_second, 1e8);
}

TEST_F(Auto, TellsTheRatesOfEarlierSearches) {
  const lode::tests::TemporaryFolder folder;
  use_cache(folder.path().string());
  const std::string text(std::size_t{65} << 20, '.');
  // Each device here is new, so it knows only what the cache folder says.
  const auto search = [&](double least_cpu_seconds) {
    const Device device = make_auto_device({[] { return std::vector<GpuCandidate>{}; }, least_cpu_seconds, very_fast});
    SearchStats stats;
    RunOptions run;
    run.stats = &stats;
    EXPECT_EQ(Searcher(Plan::build(PatternSet{"he", "she"}), {}, device).count(text, run), 0U);
    return stats;
  };
  const SearchStats first = search(1e-6);
  ASSERT_EQ(rates_of(first), "cpu assumed");
  const SearchStats second = search(1e-6);
  ASSERT_EQ(rates_of(second), "cpu searches");
  EXPECT_NE(second.rates[0].bytes_per_second, first.rates[0].bytes_per_second);
  const double seen = static_cast<double>(text.size()) / first.seconds;
  EXPECT_GE(second.rates[0].bytes_per_second, seen * 0.99);
  EXPECT_EQ(rates_of(search(1000)), "") << "nobody asked";
}

TEST_F(Auto, MeasuresAGpuOnceForAMachine) {
  const lode::tests::TemporaryFolder folder;
  use_cache(folder.path().string());
  const Plan plan = Plan::build(PatternSet{"he"});
  const auto calls_of_first_search = [&] {
    const auto faults = std::make_shared<FaultPlan>();
    const Device device = make_auto_device({[&] { return std::vector<GpuCandidate>{faulty_gpu(faults)}; }, 1e-12, 0});
    EXPECT_EQ(Searcher(plan, {}, device).count(ushers), 8U);
    return faults->calls();
  };
  EXPECT_GT(calls_of_first_search(), 4U);
  // Now the estimate is against the GPU, whose start takes half a second. So nothing else is asked of it.
  EXPECT_EQ(calls_of_first_search(), 0U);
}

TEST_F(Auto, TellsOfAGpuThatCannotBeUsedAndTakesTheNext) {
  const GpuCandidate broken{
      "gpu:1", []() -> std::shared_ptr<Runtime> { throw Error(ErrorKind::device, "its memory has faults"); }};
  const Plan plan = Plan::build(PatternSet{"he", "she"});
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  const Searcher both(plan, small_pieces(), eager_device({broken, sound_gpu()}));
  EXPECT_EQ(both.count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "gpu:0");
  EXPECT_NE(stats.warning.find("its memory has faults"), std::string::npos);
  EXPECT_EQ(both.count(ushers, run), 13U);
  EXPECT_EQ(stats.warning, "") << "the warning was given twice";

  EXPECT_EQ(Searcher(plan, small_pieces(), eager_device({broken})).count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "cpu");
  EXPECT_NE(stats.warning.find("its memory has faults"), std::string::npos);
  EXPECT_EQ(Searcher(plan, small_pieces(), eager_device({})).count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "cpu");
  EXPECT_EQ(stats.warning, "");
  EXPECT_NE(stats.choice.find("no GPU"), std::string::npos) << stats.choice;
}

TEST_F(Auto, WhatTheSinkThrowsIsNoFailureOfTheGpu) {
  const Searcher searcher(Plan::build(PatternSet{"he", "she"}), small_pieces(), eager_device({sound_gpu()}));
  int calls = 0;
  const auto sink = [&](std::span<const Match>) -> bool {
    ++calls;
    throw Error(ErrorKind::device, "the sink's own device");
  };
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { searcher.find(ushers, sink); }));
  EXPECT_EQ(calls, 1);
  RunOptions run;
  run.progress = [&](std::uint64_t, std::uint64_t) { throw Error(ErrorKind::device, "the caller's progress"); };
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { (void)searcher.count(ushers, run); }));
  SearchStats stats;
  run.stats = &stats;
  run.progress = {};
  EXPECT_EQ(searcher.count(ushers, run), 13U);
  EXPECT_EQ(stats.device, "gpu:0") << "the GPU was given up although it did nothing wrong";
}

TEST_F(Auto, ResidentTextsAreSearchedWhereTheyAre) {
  const Device device = eager_device({sound_gpu()});
  const ResidentText resident(device, ushers);
  const Searcher searcher(Plan::build(PatternSet{"he", "she"}), small_pieces(), device);
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_EQ(searcher.find(resident, run), searcher.find(ushers));
  EXPECT_NE(stats.choice.find("resident"), std::string::npos);
  EXPECT_TRUE(stats.rates.empty());
  EXPECT_EQ(searcher.count(resident), 13U);
  const Device none = eager_device({});
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { ResidentText(none, ushers); }));
}

TEST_F(Auto, FailuresOfSearchesOfResidentTextsReachTheCaller) {
  const Plan plan = Plan::build(PatternSet{"he", "she"});
  std::uint64_t upload_calls = 0;
  const auto count = [&](const std::shared_ptr<FaultPlan>& faults, SearchStats& stats) {
    const Device device = eager_device({faulty_gpu(faults)});
    const ResidentText resident(device, ushers);
    upload_calls = faults->calls();
    RunOptions run;
    run.stats = &stats;
    return Searcher(plan, small_pieces(), device).count(resident, run);
  };
  SearchStats stats;
  const auto none = std::make_shared<FaultPlan>();
  ASSERT_EQ(count(none, stats), 13U);
  ASSERT_GT(none->calls(), upload_calls + 10);
  const std::uint64_t first = upload_calls;
  for (std::uint64_t call = first; call < none->calls(); ++call) {
    try {
      EXPECT_EQ(count(std::make_shared<FaultPlan>(call), stats), 13U) << "call " << call;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find("injected failure"), std::string::npos) << error.what();
      continue;
    }
    ADD_FAILURE() << "the failure of call " << call << " was swallowed";
  }
}

class GpuCalls : public testing::TestWithParam<bool> {
 protected:
  static Device device() {
    return GetParam() ? eager_device({sound_gpu()}) : make_gpu_device("gpu:0", {open_runtime(host_without_teams)});
  }
};

TEST_P(GpuCalls, TellTheirProgressAndAreCancelled) {
  const Searcher searcher(Plan::build(PatternSet{"he", "she"}), small_pieces(), device());
  std::vector<std::uint64_t> told;
  RunOptions run;
  run.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, ushers.size());
    told.push_back(done);
  };
  for (const bool lists : {false, true}) {
    told.clear();
    EXPECT_EQ(lists ? searcher.find(ushers, run).size() : searcher.count(ushers, run), 13U);
    EXPECT_GT(told.size(), 1U);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), ushers.size());

    std::stop_source source;
    RunOptions stopped;
    stopped.stop = source.get_token();
    int calls = 0;
    stopped.progress = [&](std::uint64_t, std::uint64_t) {
      ++calls;
      source.request_stop();
    };
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] {
      if (lists)
        (void)searcher.find(ushers, stopped);
      else
        (void)searcher.count(ushers, stopped);
    }));
    EXPECT_EQ(calls, 1);
  }
}

TEST_P(GpuCalls, CountTheLinesThatStartInARange) {
  const Plan plan = Plan::build(PatternSet{"he", "she"});
  const Searcher searcher(plan, small_pieces(), device());
  const Searcher on_cpu(plan, small_pieces());
  for (std::uint64_t begin = 0; begin <= ushers.size(); begin += 3) {
    for (std::uint64_t end = begin; end <= ushers.size() + 1; end += 5) {
      RunOptions run;
      run.begin = begin;
      run.end = end;
      ASSERT_EQ(searcher.count_lines(ushers, run), on_cpu.count_lines(ushers, run)) << begin << " to " << end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuCalls, testing::Bool(),
                         [](const auto& info) { return info.param ? "auto" : "explicit"; });

}  // namespace
}  // namespace lode::gpu::tests
