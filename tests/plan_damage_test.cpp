// Plans that are foreign, cut, altered, or altered by someone who knows how to compute the checksum.
//
// The first three must be refused. The last may be accepted where every index is in range; its searches may
// then find the wrong things, but never touch memory that is not theirs (run this under the sanitizers).

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "support/engines.hpp"
#include "support/errors.hpp"
#include "support/scenarios.hpp"
#include "support/temporary_folder.hpp"

namespace lode::tests {
namespace {

// Where src/plan/plan_file.hpp puts the checksum, and from where on it counts.
constexpr std::size_t checksum_place = 16;
constexpr std::size_t checksum_begin = 24;

bool is_refused(std::string_view blob) {
  return static_cast<bool>(throws_error(ErrorKind::damaged_plan, [&] { Plan::deserialize(blob); }));
}

void renew_checksum(std::string& blob) {
  const std::uint64_t checksum = XXH3_64bits(blob.data() + checksum_begin, blob.size() - checksum_begin);
  std::memcpy(blob.data() + checksum_place, &checksum, sizeof checksum);
}

// Plans with every kind of section: duplicates, case rules, labels, several length classes.
std::vector<Plan> plans_to_damage() {
  std::vector<Plan> plans;
  plans.push_back(Plan::build(PatternSet{"kitty"}));
  PatternSet mixed;
  for (const char* pattern : {"a", "kitty", "puppy", "a", "at", "elephants never forget", "puppy"}) {
    mixed.add(pattern, mixed.size() % 2 == 0, mixed.size() % 3 == 0 ? "label" : "");
  }
  plans.push_back(Plan::build(mixed));
  PatternSet lengths;
  for (std::size_t length = 1; length < 40; ++length)
    lengths.add(std::string(length, static_cast<char>('a' + length % 26)));
  plans.push_back(Plan::build(lengths));
  PatternSet alike;  // no window tells them apart
  for (int i = 0; i < 60; ++i) alike.add(std::string(80, 'a') + "number " + std::to_string(i), i % 5 == 0);
  plans.push_back(Plan::build(alike));
  return plans;
}

TEST(DamagedPlan, RecomputedChecksumIsTheRightOne) {
  for (const Plan& plan : plans_to_damage()) {
    std::string blob = plan.serialize();
    renew_checksum(blob);
    EXPECT_EQ(blob, plan.serialize()) << "the format changed: these tests must follow it";
  }
}

TEST(DamagedPlan, EveryChangedByteIsNoticed) {
  for (const Plan& plan : plans_to_damage()) {
    const std::string blob = plan.serialize();
    for (std::size_t at = 0; at < blob.size(); ++at) {
      for (const int change : {0xFF, 0x01}) {
        std::string damaged = blob;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        ASSERT_TRUE(is_refused(damaged)) << "byte " << at << " changed by " << change;
      }
    }
  }
}

TEST(DamagedPlan, EveryCutIsNoticed) {
  for (const Plan& plan : plans_to_damage()) {
    const std::string blob = plan.serialize();
    for (std::size_t length = 0; length < blob.size(); ++length) {
      ASSERT_TRUE(is_refused(blob.substr(0, length))) << length << " bytes left";
      if (length < checksum_begin) continue;
      std::string with_checksum = blob.substr(0, length);
      renew_checksum(with_checksum);
      ASSERT_TRUE(is_refused(with_checksum)) << length << " bytes left with a right checksum";
    }
    std::string longer = blob + std::string(8, '\0');
    EXPECT_TRUE(is_refused(longer));
    renew_checksum(longer);
    EXPECT_TRUE(is_refused(longer)) << "8 bytes too many with a right checksum";
  }
}

TEST(DamagedPlan, ForeignFilesAreRefused) {
  const TemporaryFolder folder;
  const auto load = [](const std::filesystem::path& path) { return [path] { Plan::load(path); }; };
  EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, load(folder.write("empty", ""))));
  EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, load(folder.write("words", "kitty\npuppy\n"))));
  EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, load(folder.write("zeros", std::string(4096, '\0')))));
  EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, load("/dev/null")));
  EXPECT_TRUE(throws_error(ErrorKind::input_output, load(folder.path() / "absent")));
  std::string next_version = Plan::build(PatternSet{"kitty"}).serialize();
  ++next_version[8];
  EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, load(folder.write("next", next_version))));
}

std::string message_of_load(const std::filesystem::path& path) {
  try {
    Plan::load(path);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

// Files that no memory has room for.
TEST(DamagedPlan, NoMoreIsReadThanThePlan) {
  const TemporaryFolder folder;
  const std::string blob = Plan::build(PatternSet{"kitty"}).serialize();
  const auto expect_refused = [&](const std::string& content, const std::string& reason) {
    const std::filesystem::path path = folder.write("file", content);
    std::error_code error;
    std::filesystem::resize_file(path, std::uintmax_t{1} << 41, error);
    if (error) GTEST_SKIP() << "no file of 2 TiB here: " << error.message();
    EXPECT_EQ(message_of_load(path), path.string() + ": " + reason + ": build the plan again");
  };
  expect_refused("", "this is not a Lode plan");
  expect_refused("kitty\n", "this is not a Lode plan");
  expect_refused(blob, "the plan has bytes too many");
}

TEST(DamagedPlan, CutFilesAreRefused) {
  const TemporaryFolder folder;
  for (const Plan& plan : plans_to_damage()) {
    const std::string blob = plan.serialize();
    for (const std::size_t length : {std::size_t{1}, std::size_t{103}, std::size_t{104}, blob.size() - 1})
      EXPECT_TRUE(
          throws_error(ErrorKind::damaged_plan, [&] { Plan::load(folder.write("cut", blob.substr(0, length))); }))
          << length << " bytes left";
  }
}

TEST(DamagedPlan, WhatComesFromAPipeIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string blob = Plan::build(PatternSet{"kitty"}).serialize();
  std::string vast = blob;
  std::memset(vast.data() + 32, 0xFF, sizeof(std::uint64_t));  // the number of patterns
  for (const std::string& content :
       {std::string(), std::string(500, 'a'), blob.substr(0, blob.size() / 2), blob + "more", vast}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << content; });
    EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, [&] { Plan::load(pipe); })) << content.size() << " bytes";
    writer.join();
  }
}

// Whatever a damaged plan says, what it reports must lie within the text and the set.
void search_with(const Plan& plan, const std::string& text, Random& random) {
  for (const std::string& algorithm : algorithm_names()) {
    if (!refusal(algorithm, plan.patterns()).empty()) continue;
    const Configuration configuration = draw_configuration(random, {algorithm, random.pick(cpu_instruction_sets())});
    const Searcher searcher(plan, make_options(configuration, draw_rules(random)));
    for (const Match& match : searcher.find(text)) {
      ASSERT_LT(match.pattern_id, plan.patterns().size());
      ASSERT_LE(match.offset + match.length, text.size());
    }
    const std::vector<std::uint64_t> counts = searcher.count_per_pattern(text);
    ASSERT_EQ(counts.size(), plan.patterns().size());
  }
}

TEST(DamagedPlan, WithRightChecksumNeverBreaksMemory) {
  Random random = make_random("WithRightChecksumNeverBreaksMemory");
  const std::vector<Plan> plans = plans_to_damage();
  const std::string text =
      "kitty and puppy at the zoo: elephants never forget. " + std::string(95, 'a') + "number 17 KITTY";
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t round = 0; round < test_rounds(2000, 6000, 1'000'000); ++round) {
    std::string blob = random.pick(plans).serialize();
    for (std::uint64_t change = random.between(1, 3); change > 0; --change) {
      // Headers and tables are what indexes are made of: hit the first bytes and the last more often.
      std::size_t at = random.below(blob.size());
      if (random.chance(30)) at = random.below(104);
      if (at >= checksum_place && at < checksum_begin) continue;
      if (random.chance(50)) {
        blob[at] = static_cast<char>(blob[at] + static_cast<int>(random.between(1, 4)) - 2);
      } else {
        static const std::vector<int> values = {0x00, 0x01, 0x7F, 0x80, 0xFF, 0x40};
        blob[at] = static_cast<char>(random.pick(values));
      }
    }
    renew_checksum(blob);
    try {
      const Plan plan = Plan::deserialize(blob);
      ++accepted;
      search_with(plan, text, random);
      if (HasFatalFailure()) return;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::damaged_plan) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace lode::tests
