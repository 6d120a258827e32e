// Tests trials of a second algorithm, with which `auto` begins long texts if patterns are long: how large they are, and
// that each searcher tries a resident text once.
//
// Progress shows the parts. Those of a trial are 1/256 of a piece and then a whole one, so that pieces behind it end at
// no multiple of their size.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "device/registry.hpp"
#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::gpu::tests {
namespace {

constexpr std::uint64_t piece_bytes = 1024;

SearcherOptions pieces_of_trials() {
  SearcherOptions options;
  options.threads = 2;
  options.chunk_bytes = piece_bytes;
  return options;
}

// The text nearly repeats the pattern at each place, so that comparisons go far.
Plan make_plan(std::size_t pattern_count) {
  PatternSet patterns;
  while (patterns.size() < pattern_count) {
    std::string pattern(600 + 30 * (patterns.size() % 3), 'a');
    pattern[40 + patterns.size()] = 'b';
    patterns.add(pattern);
  }
  return Plan::build(patterns);
}

std::string make_trial_text() {
  std::string text(9 * piece_bytes, 'a');
  for (std::size_t at = 40; at < text.size(); at += 650) text[at] = 'b';
  return text;
}

struct Told {
  std::vector<std::uint64_t> done;
  SearchStats stats;

  bool has_trial() const { return !done.empty() && done.front() == piece_bytes / 256; }
  bool has_no_trial() const {
    return !done.empty() && std::all_of(done.begin(), done.end(), [](auto at) { return at % piece_bytes == 0; });
  }
  // The algorithm that searched the whole text, or the rest of it after a trial.
  std::string last_algorithm() const {
    const std::string_view then = ", then ";
    const std::size_t at = stats.algorithm.find(then);
    return at == std::string::npos ? stats.algorithm : stats.algorithm.substr(at + then.size());
  }
};

class Trials : public testing::TestWithParam<std::string> {
 protected:
  // Lists the matches, compares them, and gives what the search reported.
  Told list(const Searcher& searcher, const Text& text, std::uint64_t begin = 0) const {
    Told told;
    RunOptions run = options(told, begin);
    EXPECT_EQ(searcher.find(text, run), expected(searcher, begin));
    return told;
  }
  Told count(const Searcher& searcher, const Text& text, std::uint64_t begin = 0) const {
    Told told;
    RunOptions run = options(told, begin);
    EXPECT_EQ(searcher.count(text, run), expected(searcher, begin).size());
    return told;
  }

  const Device device_ = make_gpu_device(GetParam(), {open_runtime(GetParam())});
  const std::string text_ = make_trial_text();

 private:
  static RunOptions options(Told& told, std::uint64_t begin) {
    RunOptions run;
    run.begin = begin;
    run.stats = &told.stats;
    run.progress = [&told](std::uint64_t done, std::uint64_t) { told.done.push_back(done); };
    return run;
  }
  std::vector<Match> expected(const Searcher& searcher, std::uint64_t begin) const {
    std::vector<Match> matches = lode::tests::find_by_index(text_, searcher.plan().patterns());
    std::erase_if(matches, [&](const Match& match) { return match.offset < begin; });
    EXPECT_GT(matches.size(), 2U);
    return matches;
  }
};

TEST_P(Trials, AreMadeOncePerResidentText) {
  for (const std::size_t pattern_count : {1U, 12U}) {
    const Searcher searcher(make_plan(pattern_count), pieces_of_trials(), device_);
    const ResidentText resident(device_, text_);
    const Told first = list(searcher, resident);
    EXPECT_TRUE(first.has_trial());
    for (int repeated = 0; repeated < 2; ++repeated) {
      const Told again = list(searcher, resident);
      EXPECT_TRUE(again.has_no_trial()) << testing::PrintToString(again.done);
      EXPECT_EQ(again.done.size(), text_.size() / piece_bytes);
      // The algorithm that was faster searches from the beginning.
      EXPECT_EQ(again.stats.algorithm, first.last_algorithm());
      EXPECT_GT(again.stats.gpu_group_items, 0U);
    }
    // A copy counts as the same text.
    const ResidentText copy = resident;
    EXPECT_TRUE(list(searcher, copy).has_no_trial());
  }
}

TEST_P(Trials, TellNothingOfOtherSearches) {
  const Searcher searcher(make_plan(1), pieces_of_trials(), device_);
  const ResidentText resident(device_, text_);
  EXPECT_TRUE(list(searcher, resident).has_trial());
  EXPECT_TRUE(count(searcher, resident).has_trial());
  EXPECT_TRUE(list(searcher, resident, 300).has_trial());
  EXPECT_TRUE(list(Searcher(make_plan(1), pieces_of_trials(), device_), resident).has_trial());
  // A text of the host has no identity, so each search tries anew.
  EXPECT_TRUE(list(searcher, text_).has_trial());
  EXPECT_TRUE(list(searcher, text_).has_trial());
  // The searcher still remembers the resident text.
  EXPECT_TRUE(list(searcher, resident).has_no_trial());
  EXPECT_TRUE(count(searcher, resident).has_no_trial());
}

// A new text usually lies at the address at which the one before it lay.
TEST_P(Trials, AreMadeOfEachTextThatTakesThePlaceOfAnother) {
  const Searcher searcher(make_plan(1), pieces_of_trials(), device_);
  std::unique_ptr<ResidentText> resident;
  for (int turn = 0; turn < 4; ++turn) {
    resident.reset();
    resident = std::make_unique<ResidentText>(device_, text_);
    EXPECT_TRUE(count(searcher, *resident).has_trial()) << turn;
    EXPECT_TRUE(count(searcher, *resident).has_no_trial()) << turn;
  }
}

TEST_P(Trials, ThatTheCallerEndsAreMadeAgain) {
  const Searcher searcher(make_plan(1), pieces_of_trials(), device_);
  const ResidentText resident(device_, text_);
  int batches = 0;
  searcher.find(resident, [&](std::span<const Match>) { return ++batches == 0; });
  EXPECT_EQ(batches, 1);
  EXPECT_TRUE(list(searcher, resident).has_trial());
}

TEST_P(Trials, AreMadeByAnyNumberOfThreads) {
  const Searcher searcher(make_plan(1), pieces_of_trials(), device_);
  const ResidentText resident(device_, text_);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn < 2; ++turn) {
        if (thread % 2 == 0)
          list(searcher, resident);
        else
          count(searcher, resident);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(list(searcher, resident).has_no_trial());
}

INSTANTIATE_TEST_SUITE_P(Devices, Trials, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

// At each place the first algorithm compares half of the pattern, and the other one half a byte on average. But the
// choice depends on times that are measured, so the test takes several turns.
constexpr int most_turns = 50;
constexpr std::size_t bad_length = 4000;

Plan make_bad_plan() {
  PatternSet patterns;
  patterns.add(std::string(bad_length, 'a'));
  return Plan::build(patterns);
}

std::string make_bad_text() {
  std::string text;
  while (text.size() < 10 * bad_length) text += std::string(bad_length - 1, 'a') + 'b';
  return text + std::string(bad_length + 10, 'a');
}

SearcherOptions bad_pieces() {
  SearcherOptions options = pieces_of_trials();
  options.chunk_bytes = bad_length;
  return options;
}

// A host without teams, so that many searches take little time.
Device small_host(const host::HostDevice& settings = {}) {
  host::HostDevice device = settings;
  device.team_items = 0;
  device.max_group_items = 4;
  return make_gpu_device("host", {host::make_host_runtime(device)});
}

TEST(TrialsOfTheHost, RememberThatTheOtherAlgorithmIsFaster) {
  const std::string text = make_bad_text();
  const Device device = small_host();
  const ResidentText resident(device, text);
  int changes = 0;
  for (int turn = 0; turn < most_turns && changes == 0; ++turn) {
    const Searcher searcher(make_bad_plan(), bad_pieces(), device);
    SearchStats stats;
    RunOptions run;
    run.stats = &stats;
    EXPECT_EQ(searcher.count(resident, run), 11U);
    if (stats.algorithm != searcher.algorithm() + ", then boyer-moore") continue;
    ++changes;
    EXPECT_EQ(stats.gpu_group_items, 0U);
    EXPECT_EQ(searcher.count(resident, run), 11U);
    EXPECT_EQ(stats.algorithm, "boyer-moore");
    EXPECT_GT(stats.gpu_group_items, 0U);
  }
  EXPECT_EQ(changes, 1) << "the other algorithm was never faster";
}

// The algorithm that loses a trial keeps its tables, but no memory for text.
TEST(TrialsOfTheHost, KeepMemoryForOneAlgorithmAtATime) {
  const std::string text = make_bad_text();
  int changes = 0;
  for (int turn = 0; turn < most_turns && changes == 0; ++turn) {
    const host::HostDevice settings;
    const Searcher searcher(make_bad_plan(), bad_pieces(), small_host(settings));
    SearchStats stats;
    RunOptions run;
    run.stats = &stats;
    EXPECT_EQ(searcher.count(text, run), 11U);
    if (stats.algorithm == searcher.algorithm()) continue;
    ++changes;
    const std::uint64_t used = settings.memory->buffers.used();
    // This text is too short for a trial. It is one piece for the first algorithm, and the other algorithm had three.
    EXPECT_EQ(searcher.count(std::string_view(text).substr(0, 700)), 0U);
    EXPECT_LT(settings.memory->buffers.used(), used);
  }
  EXPECT_EQ(changes, 1) << "the other algorithm was never faster";
}

}  // namespace
}  // namespace lode::gpu::tests
