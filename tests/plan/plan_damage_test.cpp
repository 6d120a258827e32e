// Tests plans that are foreign, cut, altered, or altered by someone who can compute the checksum.
//
// The first three must be refused. Of the last kind, a plan may be accepted only if a build could have made it of its
// patterns, and it must then find what these say. No plan may touch memory that is not its own (run this under the
// sanitizers), or cost more time or memory than a constant for each of its bytes. The plans below are so large that a
// worse cost would take hours, or more memory than a test's limit.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/cases.hpp"
#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/memory.hpp"
#include "support/plan_parts.hpp"
#include "support/scenarios.hpp"
#include "support/temporary_folder.hpp"
#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

bool is_refused(std::string_view blob) {
  return static_cast<bool>(throws_error(ErrorKind::damaged_plan, [&] { Plan::deserialize(blob); }));
}

constexpr std::size_t step = is_sanitized() ? 3 : 1;

// Plans with every kind of section: duplicates, case rules, labels, replacements, several length classes.
std::vector<Plan> plans_to_damage() {
  std::vector<Plan> plans;
  plans.push_back(Plan::build(PatternSet{"kitty"}));
  PatternSet mixed;
  for (const char* pattern : {"a", "kitty", "puppy", "a", "at", "elephants never forget", "puppy"}) {
    mixed.add(pattern, mixed.size() % 2 == 0, mixed.size() % 3 == 0 ? "label" : "");
  }
  mixed.set_replacement(1, "<{match}>");
  mixed.set_replacement(4, "");
  plans.push_back(Plan::build(mixed));
  PatternSet lengths;
  for (std::size_t length = 1; length < 40; ++length)
    lengths.add(std::string(length, static_cast<char>('a' + length % 26)));
  plans.push_back(Plan::build(lengths));
  PatternSet alike;  // no window tells these patterns apart
  for (int i = 0; i < 60; ++i) alike.add(std::string(80, 'a') + "number " + std::to_string(i), i % 5 == 0);
  plans.push_back(Plan::build(alike));
  PatternSet spelled;
  for (const char* pattern : {"the", "AAA", "the", "\"at\"", "AAT"})
    spelled.add(pattern, spelled.size() % 2 == 0, spelled.size() == 1 ? "label" : "");
  for (const std::uint32_t id : {0U, 2U, 3U}) spelled.set_forms(id, Forms("base64,json"));
  for (const std::uint32_t id : {1U, 4U}) spelled.set_forms(id, Forms("reverse-complement"));
  spelled.set_replacement(2, "{{x");
  plans.push_back(Plan::build(spelled));
  return plans;
}

TEST(DamagedPlan, PartsArePutTogetherAsTheyWere) {
  for (const Plan& plan : plans_to_damage())
    EXPECT_EQ(PlanParts(plan).to_bytes(), plan.serialize()) << "the format changed: these tests must follow it";
}

// Sanitizers make this forty times as slow, so they check every third byte.
TEST(DamagedPlan, EveryChangedByteIsNoticed) {
  for (const Plan& plan : plans_to_damage()) {
    const std::string blob = plan.serialize();
    for (std::size_t at = 0; at < blob.size(); at += step) {
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
    for (std::size_t length = 0; length < blob.size(); length += step) {
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

// These files are larger than any memory.
TEST(DamagedPlan, NoMoreIsReadThanThePlan) {
  const TemporaryFolder folder;
  const std::string blob = Plan::build(PatternSet{"kitty"}).serialize();
  const auto expect_refused = [&](const std::string& content, const std::string& reason) {
    const std::filesystem::path path = folder.write("file", content);
    std::error_code error;
    std::filesystem::resize_file(path, std::uintmax_t{1} << 41, error);
    if (error) GTEST_SKIP() << "this file system holds no file of 2 TiB: " << error.message();
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
    for (const std::size_t length : {std::size_t{1}, plan_header_bytes - 1, plan_header_bytes, blob.size() - 1})
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
  std::memset(vast.data() + 32, 0xFF, sizeof(std::uint64_t));  // sets the number of patterns
  for (const std::string& content :
       {std::string(), std::string(500, 'a'), blob.substr(0, blob.size() / 2), blob + "more", vast}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << content; });
    EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, [&] { Plan::load(pipe); })) << content.size() << " bytes";
    writer.join();
  }
}

// Makes matches of spellings matches of the patterns that they belong to.
std::vector<Match> of_users_patterns(std::vector<Match> matches, const PlanData& data) {
  if (data.forms.empty()) return matches;
  for (Match& match : matches) {
    match.form = static_cast<Form>(data.spelled_forms[match.pattern_id]);
    match.pattern_id = data.spelled_ids[match.pattern_id];
  }
  const auto key = [](const Match& match) {
    return std::tuple(match.offset, match.pattern_id, match.form, std::uint32_t{match.length});
  };
  std::sort(matches.begin(), matches.end(), [&](const Match& a, const Match& b) { return key(a) < key(b); });
  return matches;
}

// An accepted plan finds what its patterns say.
void search_with(const Plan& plan, const std::string& text, Random& random) {
  for (const std::string& algorithm : algorithm_names()) {
    if (!refusal(algorithm, plan).empty()) continue;
    const Configuration configuration = draw_configuration(random, {algorithm, random.pick(cpu_instruction_sets())});
    Rules rules = draw_rules(random);
    if (plan.forms().has(Form::utf_16le) || plan.forms().has(Form::utf_16be)) rules.condition = Condition::none;
    const Searcher searcher(plan, make_options(configuration, rules));
    const PatternSet& patterns = plan.data().patterns;
    const std::vector<Match> expected = of_users_patterns(
        plan.view().empty() ? find_by_meaning(text, patterns, rules) : find_viewed(text, patterns, plan.view(), rules),
        plan.data());
    ASSERT_TRUE(compare_matches(searcher.find(text), expected)) << algorithm << ", view " << plan.view().name();
    const std::vector<std::uint64_t> counts = searcher.count_per_pattern(text);
    ASSERT_EQ(counts.size(), plan.patterns().size());
  }
}

TEST(DamagedPlan, WithRightChecksumIsRefusedOrRight) {
  Random random = make_random("WithRightChecksumIsRefusedOrRight");
  const std::vector<Plan> plans = plans_to_damage();
  const std::string text = "kitty and puppy at the zoo: elephants never forget. " + std::string(95, 'a') +
                           "number 17 KITTY AATTT dGhl \\\"At\\\"";
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t round = 0; round < test_rounds(2000, 6000, 1'000'000); ++round) {
    std::string blob = random.pick(plans).serialize();
    for (std::uint64_t change = random.between(1, 3); change > 0; --change) {
      // Headers and tables hold the indexes, so the first bytes and the last are changed more often.
      std::size_t at = random.below(blob.size());
      if (random.chance(30)) at = random.below(plan_header_bytes);
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

// The memory that reading a plan may take beside the plan's own bytes: threads, and buffers that are allocated ahead.
constexpr std::uint64_t spare_bytes = std::uint64_t{48} << 20;

// The plan is refused, and that takes a few times its bytes of memory.
void expect_cheap_refusal(const std::string& blob, const std::string& what) {
  const PeakMemory peak;
  EXPECT_TRUE(is_refused(blob)) << what;
  EXPECT_LT(peak.growth_bytes(), blob.size() * 8 + spare_bytes) << what;
}

TEST(DamagedPlan, ViewsThatNoPlanHas) {
  const std::string blob = Plan::build(PatternSet{"kitty"}).serialize();
  for (const std::uint64_t view : {std::uint64_t{1} << 13, std::uint64_t{6}, std::uint64_t{3} << 24,
                                   std::uint64_t{1} << 24 | std::uint64_t{1} << 16, std::uint64_t{0xFF} << 16,
                                   std::uint64_t{1} << 26, std::uint64_t{1} << 32, UINT64_MAX}) {
    std::string changed = blob;
    std::memcpy(changed.data() + checksum_begin, &view, sizeof view);
    renew_checksum(changed);
    EXPECT_TRUE(is_refused(changed)) << view;
  }
}

TEST(DamagedPlan, CountsThatNoPlanHas) {
  for (const Plan& plan : plans_to_damage()) {
    const std::string blob = plan.serialize();
    // The first field is the view, which is no count.
    for (std::size_t field = checksum_begin + 8; field < plan_header_bytes; field += sizeof(std::uint64_t)) {
      for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1} << 24, (std::uint64_t{1} << 24) + 1,
                                        std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, std::uint64_t{1} << 40,
                                        std::uint64_t{1} << 61, std::uint64_t{1} << 63, UINT64_MAX}) {
        std::string changed = blob;
        if (std::memcmp(changed.data() + field, &count, sizeof count) == 0) continue;
        std::memcpy(changed.data() + field, &count, sizeof count);
        renew_checksum(changed);
        expect_cheap_refusal(changed, "byte " + std::to_string(field) + ": " + std::to_string(count));
      }
    }
  }
}

// All counts agree with each other and with the size of the file, but most of the file is a hole.
TEST(DamagedPlan, HolesOfGibibytesAreRefusedBeforeTheyAreRead) {
  const TemporaryFolder folder;
  const std::uint64_t hole_bytes = std::uint64_t{3} << 30;
  const std::string blob = Plan::build(PatternSet{"kitty"}).serialize();
  struct Count {
    std::size_t field;
    std::uint64_t value;
  };
  const std::vector<std::vector<Count>> headers = {
      {},
      {{40, hole_bytes}},
      {{40, hole_bytes}, {48, 3072}, {104, 4097}, {112, 3072}},
      {{40, hole_bytes}, {48, 1 << 24}, {104, (1 << 24) + 1}, {112, 1 << 24}},
      {{40, 1 << 24}, {48, 1 << 24}, {64, hole_bytes}, {72, 1 << 24}, {104, 3}, {112, 1 << 24}},
  };
  for (const std::string& begin : {std::string(), std::string("LODEPLAN"), blob}) {
    for (const std::vector<Count>& header : headers) {
      std::string content = begin;
      if (!header.empty()) content.resize(plan_header_bytes);
      for (const Count& count : header) std::memcpy(content.data() + count.field, &count.value, sizeof count.value);
      const std::filesystem::path path = folder.write("hole", content);
      std::error_code error;
      std::filesystem::resize_file(path, hole_bytes + (std::uint64_t{1} << 30), error);
      if (error) GTEST_SKIP() << "this file system holds no file of 4 GiB: " << error.message();
      const PeakMemory peak;
      EXPECT_TRUE(throws_error(ErrorKind::damaged_plan, [&] { Plan::load(path); }));
      EXPECT_LT(peak.growth_bytes(), spare_bytes);
    }
  }
}

// The set is so large that an algorithm of quadratic time would take hours.
PlanParts parts_of_many_patterns() {
  PatternSet patterns;
  for (std::uint32_t id = 0; id < 100'000; ++id) patterns.add("pattern number " + std::to_string(id), id % 2 == 0);
  patterns.add(std::string(max_pattern_length, 'x'));
  return PlanParts(Plan::build(patterns));
}

TEST(DamagedPlan, WithRightChecksumCostsNoMoreThanItsBytes) {
  const PlanParts sound = parts_of_many_patterns();
  ASSERT_FALSE(is_refused(sound.to_bytes()));
  const auto expect_refused = [&](const char* what, const std::function<void(PlanParts&)>& change) {
    PlanParts parts = sound;
    change(parts);
    expect_cheap_refusal(parts.to_bytes(), what);
  };
  expect_refused("classes without entries that share a range of starts", [](PlanParts& parts) {
    const LengthClass last = parts.filter.classes.back();
    for (std::uint32_t at = 0; at < 100'000; ++at) {
      LengthClass more = last;
      more.pattern_count = 0;
      more.entry_count = 0;
      more.min_length = more.max_length = last.max_length + 1 + at;
      parts.filter.classes.push_back(more);
    }
  });
  for (const std::uint32_t count : {1U, 10U, 18U}) {
    expect_refused("few classes without patterns", [&](PlanParts& parts) {
      for (std::uint32_t at = 0; at < count; ++at) {
        LengthClass more = parts.filter.classes.back();
        more.pattern_count = 0;
        more.entry_count = 0;
        more.max_length += 1;
        more.min_length = more.max_length;
        more.first_bucket = parts.filter.bucket_starts.size();
        more.first_entry = parts.filter.entries.size();
        more.bucket_bits = 16;
        parts.filter.bucket_starts.resize(more.first_bucket + (1 << 16) + 1);
        parts.filter.classes.push_back(more);
      }
    });
  }
  for (const std::uint32_t length : {(1U << 20) + 1, UINT32_MAX}) {
    expect_refused("a class of longer patterns than there are",
                   [&](PlanParts& parts) { parts.filter.classes.back().max_length = length; });
  }
  expect_refused("a class of more patterns than there are", [](PlanParts& parts) {
    parts.filter.classes.back().pattern_count = 1U << 31;
    parts.filter.classes.back().entry_count = std::uint64_t{1} << 31;
  });
  for (const std::uint32_t bits : {0U, 1U, 30U, 31U, 32U, 64U, UINT32_MAX}) {
    expect_refused("buckets that are not there",
                   [&](PlanParts& parts) { parts.filter.classes.back().bucket_bits = bits; });
  }
  expect_refused("more buckets than a build makes", [](PlanParts& parts) {
    LengthClass& last = parts.filter.classes.back();
    last.bucket_bits = 24;
    parts.filter.bucket_starts.resize(last.first_bucket);
    parts.filter.bucket_starts.push_back(0);
    parts.filter.bucket_starts.resize(last.first_bucket + (1 << 24) + 1, static_cast<std::uint32_t>(last.entry_count));
  });
  for (const std::uint64_t place : {std::uint64_t{1}, std::uint64_t{1} << 40, UINT64_MAX}) {
    expect_refused("a class whose buckets lie elsewhere",
                   [&](PlanParts& parts) { parts.filter.classes.back().first_bucket += place; });
    expect_refused("a class whose entries lie elsewhere",
                   [&](PlanParts& parts) { parts.filter.classes.back().first_entry += place; });
  }
  expect_refused("windows that are all of one long pattern", [](PlanParts& parts) {
    const auto last = static_cast<std::uint32_t>(parts.ends.size() - 1);
    for (WindowEntry& entry : parts.filter.entries) entry.distinct = last;
  });
  expect_refused("windows in one bucket", [](PlanParts& parts) {
    const LengthClass& last = parts.filter.classes.back();
    std::fill(parts.filter.bucket_starts.begin() + static_cast<std::ptrdiff_t>(last.first_bucket) + 1,
              parts.filter.bucket_starts.end(), static_cast<std::uint32_t>(last.entry_count));
  });
  expect_refused("a pattern of more than 1 MiB", [](PlanParts& parts) {
    parts.pattern_bytes += "x";
    ++parts.ends.back();
    ++parts.filter.classes.back().max_length;
  });
  expect_refused("a pattern of no byte", [](PlanParts& parts) { parts.ends[7] = parts.ends[6]; });
  expect_refused("patterns that end beyond their bytes", [](PlanParts& parts) { parts.pattern_bytes.resize(1000); });
  expect_refused("groups of all patterns each", [](PlanParts& parts) {
    const auto count = static_cast<std::uint32_t>(parts.ends.size());
    for (std::uint32_t id = 0; id < count; ++id) {
      parts.representative.push_back(id);
      parts.group_ids.push_back(id);
      parts.group_starts.push_back(id == 0 ? 0 : count);
    }
    parts.group_starts.push_back(count);
  });
}

// This content is wrong in ways that would give wrong matches.
TEST(DamagedPlan, WhatABuildWouldNotHaveMadeIsRefused) {
  PatternSet patterns;
  for (const char* pattern : {"kitty", "puppy", "KITTY", "kitty", "elephants never forget", "elephants often forget"})
    patterns.add(pattern, patterns.size() % 2 == 0, "label");
  patterns.set_replacement(2, "cat");
  const PlanParts sound(Plan::build(patterns));
  ASSERT_FALSE(sound.representative.empty());
  const auto expect_refused = [&](const char* what, const std::function<void(PlanParts&)>& change) {
    PlanParts parts = sound;
    change(parts);
    EXPECT_TRUE(is_refused(parts.to_bytes())) << what;
  };
  expect_refused("a window's place", [](PlanParts& parts) { ++parts.filter.entries.front().offset; });
  expect_refused("a window's tag", [](PlanParts& parts) { ++parts.filter.entries.front().tag; });
  expect_refused("a window's pattern", [](PlanParts& parts) { parts.filter.entries.front().distinct ^= 1; });
  expect_refused("a window twice", [](PlanParts& parts) { parts.filter.entries[1] = parts.filter.entries[0]; });
  expect_refused("a byte of a pattern", [](PlanParts& parts) { parts.pattern_bytes.front() = 'X'; });
  expect_refused("how windows are folded", [](PlanParts& parts) { parts.filter.classes.back().fold ^= 1; });
  expect_refused("a case rule", [](PlanParts& parts) { parts.ignore_case.front() = 2; });
  expect_refused("the case rule of an equal pattern", [](PlanParts& parts) { parts.ignore_case.front() = 0; });
  expect_refused("no case rules", [](PlanParts& parts) { parts.ignore_case.clear(); });
  expect_refused("a replacement's end",
                 [](PlanParts& parts) { parts.replacement_ends.front() = parts.replacement_bytes.size() + 1; });
  expect_refused("a replacement without an end", [](PlanParts& parts) { parts.replacement_bytes.back() = 'x'; });
  expect_refused("a replacement that is none", [](PlanParts& parts) { parts.replacement_bytes.front() = '{'; });
  expect_refused("replacements that go on", [](PlanParts& parts) { parts.replacement_bytes += "x"; });
  expect_refused("a last replacement that is missing",
                 [](PlanParts& parts) { parts.replacement_ends.push_back(parts.replacement_bytes.size()); });
  expect_refused("a label's end", [](PlanParts& parts) { parts.label_ends.front() = parts.label_bytes.size() + 1; });
  expect_refused("a stride", [](PlanParts& parts) { parts.filter.classes.back().stride *= 2; });
  expect_refused("a window's length", [](PlanParts& parts) { --parts.filter.classes.back().window; });
}

TEST(DamagedPlan, SpellingsThatNoPatternHasAreRefused) {
  PatternSet patterns{"GAATTTC", "AAA", "GAATTTC"};
  for (std::uint32_t id = 0; id < 3; ++id) patterns.set_forms(id, Forms("reverse-complement,json"));
  const PlanParts sound(Plan::build(patterns));
  ASSERT_EQ(sound.spelled_ids, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
  ASSERT_FALSE(is_refused(sound.to_bytes()));
  const auto expect_refused = [&](const char* what, const std::function<void(PlanParts&)>& change) {
    PlanParts parts = sound;
    change(parts);
    EXPECT_TRUE(is_refused(parts.to_bytes())) << what;
  };
  const auto reverse = static_cast<std::uint8_t>(Form::reverse_complement);
  expect_refused("ids that begin late", [](PlanParts& parts) {
    for (std::uint32_t& id : parts.spelled_ids) ++id;
  });
  expect_refused("an id that is left out", [](PlanParts& parts) { parts.spelled_ids[4] = parts.spelled_ids[5] = 3; });
  expect_refused("a vast id", [](PlanParts& parts) { parts.spelled_ids[4] = UINT32_MAX; });
  expect_refused("an id of another pattern", [](PlanParts& parts) { parts.spelled_ids[1] = 1; });
  expect_refused("no pattern as it was given", [&](PlanParts& parts) { parts.spelled_forms[0] = reverse; });
  expect_refused("a pattern that is given twice", [](PlanParts& parts) { parts.spelled_forms[1] = 0; });
  expect_refused("a form that the plan does not have", [](PlanParts& parts) { parts.spelled_forms[1] = 1; });
  expect_refused("a form that nobody knows", [](PlanParts& parts) { parts.spelled_forms[1] = 7; });
  expect_refused("a form of a large number", [](PlanParts& parts) { parts.spelled_forms[1] = 0xFF; });
  expect_refused("forms that nobody knows", [](PlanParts& parts) { parts.forms |= 0x80; });
  expect_refused("the form as given", [](PlanParts& parts) { parts.forms |= 1; });
  expect_refused("more forms than fit", [](PlanParts& parts) { parts.forms |= std::uint64_t{1} << 40; });
  expect_refused("no forms", [](PlanParts& parts) { parts.forms = 0; });
  expect_refused("no groups", [](PlanParts& parts) {
    parts.representative.clear();
    parts.group_starts.clear();
    parts.group_ids.clear();
  });
  expect_refused("fewer ids", [](PlanParts& parts) { parts.spelled_ids.resize(2); });
  expect_refused("fewer forms", [](PlanParts& parts) { parts.spelled_forms.clear(); });
  expect_refused("two equal spellings of a pattern", [&](PlanParts& parts) {
    parts.spelled_ids.assign(6, 0);
    parts.spelled_forms = {0, reverse, reverse, reverse, reverse, reverse};
  });
  expect_refused("a label of a spelling", [](PlanParts& parts) {
    parts.label_bytes = "x";
    parts.label_ends = {0, 1, 1, 1, 1, 1};
  });
  expect_refused("a replacement of a spelling", [](PlanParts& parts) {
    parts.replacement_bytes = std::string(1, '\0');
    parts.replacement_ends = {0, 1};
  });
}

}  // namespace
}  // namespace lode::tests
