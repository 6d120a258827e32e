// Tests plans: building them, cancelling a build, saving them and getting the same plan back.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "plan/plan_data.hpp"
#include "support/cases.hpp"
#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/errors.hpp"
#include "support/scenarios.hpp"
#include "support/temporary_folder.hpp"

namespace lode::tests {
namespace {

PatternSet make_large_set(std::uint32_t pattern_count, std::uint64_t longest = 30) {
  Random random(7);
  PatternSet patterns;
  while (patterns.size() < pattern_count) {
    patterns.add(random.bytes("abcdefghijklmnopqrstuvwxyz ", random.between(1, longest)), random.chance(10));
  }
  return patterns;
}

void expect_same_patterns(const PatternSet& left, const PatternSet& right) {
  ASSERT_EQ(left.size(), right.size());
  EXPECT_EQ(left.min_length(), right.min_length());
  EXPECT_EQ(left.max_length(), right.max_length());
  EXPECT_EQ(left.total_bytes(), right.total_bytes());
  EXPECT_EQ(left.has_labels(), right.has_labels());
  for (std::uint32_t id = 0; id < left.size(); ++id) {
    EXPECT_EQ(left[id], right[id]);
    EXPECT_EQ(left.ignore_case(id), right.ignore_case(id));
    EXPECT_EQ(left.label(id), right.label(id));
    EXPECT_EQ(left.replacement(id), right.replacement(id));
  }
}

TEST(Plan, ComesBackFromBytesAndFilesAsItWas) {
  const TemporaryFolder folder;
  Random random = make_random("ComesBackFromBytesAndFilesAsItWas");
  for (std::uint64_t round = 0; round < test_rounds(5, 40, 1000); ++round) {
    Scenario scenario = draw_scenario(random, {300, 60, 3000, 50'000});
    if (round % 3 == 0) {
      PatternSet labelled;
      for (std::uint32_t id = 0; id < scenario.patterns.size(); ++id) {
        labelled.add(scenario.patterns[id], scenario.patterns.ignore_case(id),
                     id % 2 ? "label " + std::to_string(id) : "");
        if (id % 5 == 0) labelled.set_replacement(id, std::string(id % 7, 'x'));
      }
      scenario.patterns = labelled;
    }
    const Plan built = Plan::build(scenario.patterns);
    if (built.view().empty()) expect_same_patterns(built.patterns(), scenario.patterns);
    const std::string blob = built.serialize();
    built.save(folder.path() / "plan");
    EXPECT_EQ(TemporaryFolder::read(folder.path() / "plan"), blob);
    const std::vector<Match> expected = Searcher(built).find(scenario.text);
    for (const Plan& plan : {Plan::deserialize(blob), Plan::load(folder.path() / "plan")}) {
      expect_same_patterns(plan.patterns(), built.patterns());
      EXPECT_EQ(plan.distinct_count(), built.distinct_count());
      EXPECT_EQ(plan.serialize(), blob);
      for (const std::string& algorithm : algorithm_names()) {
        if (!refusal(algorithm, plan).empty()) continue;
        SearcherOptions options;
        options.algorithm = algorithm;
        ASSERT_TRUE(compare_matches(Searcher(plan, options).find(scenario.text), expected)) << algorithm;
      }
    }
  }
}

TEST(Plan, SaveReplacesAFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("plan", "something else");
  Plan::build(PatternSet{"kitty"}).save(path);
  EXPECT_EQ(Plan::load(path).patterns()[0], "kitty");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1U);
}

mode_t rights_of(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST(Plan, SavedFilesHaveTheRightsOfNewOnes) {
  const TemporaryFolder folder;
  const Plan plan = Plan::build(PatternSet{"kitty"});
  const mode_t before = ::umask(027);
  plan.save(folder.path() / "plan");
  ::umask(before);
  EXPECT_EQ(rights_of(folder.path() / "plan"), 0640U);
  ::chmod((folder.path() / "plan").c_str(), 0600);
  plan.save(folder.path() / "plan");
  EXPECT_EQ(rights_of(folder.path() / "plan"), 0600U) << "the new file has the rights of the old one";
  ::chmod((folder.path() / "plan").c_str(), 0664);
  plan.save(folder.path() / "plan");
  EXPECT_EQ(rights_of(folder.path() / "plan"), 0664U);
}

TEST(Plan, SavedThroughALinkIsWhereTheLinkLeads) {
  const TemporaryFolder folder;
  const Plan plan = Plan::build(PatternSet{"kitty"});
  std::filesystem::create_directory(folder.path() / "room");
  std::filesystem::create_symlink("room/second", folder.path() / "first");
  std::filesystem::create_symlink("plan", folder.path() / "room" / "second");
  for (const char* const when : {"dangling", "leading to a file"}) {
    SCOPED_TRACE(when);
    plan.save(folder.path() / "first");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "first"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "room" / "second"));
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.path() / "room" / "plan")));
    EXPECT_EQ(Plan::load(folder.path() / "first").patterns()[0], "kitty");
  }
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { plan.save(folder.path() / "loop"); }));
}

TEST(Plan, SaveChangesNoRightsOfOtherFiles) {
  const TemporaryFolder folder;
  const Plan plan = Plan::build(PatternSet{"kitty"});
  const mode_t before = ::umask(022);
  std::atomic<bool> ended = false;
  std::thread saving([&] {
    for (int i = 0; i < 300; ++i) plan.save(folder.path() / "plan");
    ended = true;
  });
  const std::filesystem::path other = folder.path() / "other";
  std::uint64_t wrong = 0;
  while (!ended) {
    ::close(::open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
    wrong += rights_of(other) != 0644 ? 1 : 0;
    ::unlink(other.c_str());
  }
  saving.join();
  ::umask(before);
  EXPECT_EQ(wrong, 0U);
}

TEST(Plan, LoadsFromAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string blob = Plan::build(make_large_set(100'000)).serialize();
  ASSERT_GT(blob.size(), std::size_t{2} << 20);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << blob; });
  const Plan plan = Plan::load(pipe);
  writer.join();
  EXPECT_TRUE(plan.serialize() == blob);
}

TEST(Plan, SaveFailsWhereItCannotWrite) {
  const TemporaryFolder folder;
  const Plan plan = Plan::build(PatternSet{"kitty"});
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { plan.save(folder.path() / "absent" / "plan"); }));
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { plan.save(folder.path()); }));
}

TEST(Plan, IsTheSameWhateverTheThreads) {
  for (const std::uint32_t pattern_count : {1U, 100U, 30'000U}) {
    const PatternSet patterns = make_large_set(pattern_count);
    PlanOptions options;
    options.threads = 1;
    const std::string with_one = Plan::build(patterns, options).serialize();
    for (const unsigned threads : {2U, 4U, 0U}) {
      options.threads = threads;
      EXPECT_TRUE(Plan::build(patterns, options).serialize() == with_one) << threads << " threads";
    }
  }
}

TEST(Plan, SampleOfTheTextChangesNoResult) {
  Random random(3);
  const std::string text = random.bytes("abcdefghijklmnopqrstuvwxyz ", 50'000);
  for (const std::uint32_t pattern_count : {2, 20, 60, 2000}) {  // the smaller sets are sieved
    PatternSet patterns;
    while (patterns.size() < pattern_count) {
      const std::uint64_t length = random.between(2, 12);
      patterns.add(text.substr(random.below(text.size() - length), length), random.chance(20));
    }
    const std::vector<Match> expected = find_by_index(text, patterns);
    for (const std::string& sample : {std::string(), text, text.substr(0, 1), std::string(100'000, 'e')}) {
      PlanOptions options;
      options.text_sample = sample;
      EXPECT_TRUE(compare_matches(Searcher(Plan::build(patterns, options)).find(text), expected))
          << pattern_count << " patterns, " << sample.size() << " bytes";
    }
  }
}

// A sample changes how these sets are scanned: dense ones and two rare ones go one by one, and short patterns leave a
// sieve.
TEST(Plan, WhatASampleTellsChangesNoResult) {
  struct Set {
    std::uint32_t letters, length, count;
    const char* more;
  };
  Random random(4);
  for (const Set& set : {Set{8, 2, 32, ""}, Set{4, 4, 64, ""}, Set{64, 1, 32, ""}, Set{8, 8, 16, "zz"},
                         Set{2, 8, 16, "z"}, Set{26, 9, 2, ""}, Set{4, 4, 1, "zz"}}) {
    std::string letters;
    for (std::uint32_t letter = 0; letter < set.letters; ++letter) letters += static_cast<char>('0' + letter);
    std::string text = random.bytes(letters, 60'000);
    PatternSet patterns;
    while (patterns.size() < set.count) {
      const std::string piece = text.substr(random.below(text.size() - set.length), set.length);
      patterns.add(random.chance(50) ? piece : random.bytes(letters, set.length));
    }
    if (*set.more != '\0') patterns.add(set.more);
    for (std::size_t at = 99; at + 20 < text.size(); at += random.between(50, 5000)) text.replace(at, 3, "zz\n");
    const std::vector<Match> expected = find_by_index(text, patterns);
    PlanOptions options;
    options.text_sample = text;
    const Plan plan = Plan::build(patterns, options);
    for (const std::string& instructions : cpu_instruction_sets()) {
      SearcherOptions searcher_options;
      searcher_options.instruction_set = instructions;
      const Searcher searcher(plan, searcher_options);
      EXPECT_TRUE(compare_matches(searcher.find(text), expected)) << set.letters << " letters, " << instructions;
      EXPECT_EQ(searcher.count(text), expected.size()) << set.letters << " letters, " << instructions;
    }
  }
}

TEST(Plan, CountsDistinctPatterns) {
  PatternSet patterns;
  for (const char* pattern : {"a", "b", "a", "ab", "A"}) patterns.add(pattern);
  for (const char* pattern : {"a", "A", "ab", "AB", "aB"}) patterns.add(pattern, true);
  EXPECT_EQ(Plan::build(patterns).distinct_count(), 6U);  // a, b, ab, A with case; a, ab without
  EXPECT_EQ(Plan::build(PatternSet{"x"}).distinct_count(), 1U);
}

TEST(Plan, StaysWithinItsMemory) {
  Random random(5);
  for (const std::uint32_t count : {257U, 1025U, 4097U, 33'000U, 50'000U}) {
    for (const std::uint64_t length : {1, 3, 5, 8, 20, 64}) {
      PatternSet patterns;
      while (patterns.size() < count) patterns.add(random.bytes("abcdefghijklmnopqrstuvwxyz", length));
      const std::uint64_t allowed = patterns.total_bytes() + std::uint64_t{100} * count;
      const std::uint64_t used = Plan::build(patterns).memory_bytes();
      EXPECT_LE(used, allowed) << count << " of length " << length;
      for (const std::size_t sample_bytes : {std::size_t{10'000}, std::size_t{1'000'000}}) {
        const std::string sample = random.bytes("abcdefghijklmnopqrstuvwxyz", sample_bytes);
        PlanOptions options;
        options.text_sample = sample;
        EXPECT_LE(Plan::build(patterns, options).memory_bytes(),
                  allowed + std::min(sample_bytes, std::size_t{256} << 10));
      }
    }
  }
  EXPECT_LE(Plan::build(PatternSet{"kitty"}).memory_bytes(), 5 + 300);
}

// Bytes that all patterns share may be rare in the text, as a sample of it tells. Then looking at every fourth place is
// enough.
TEST(Plan, WhatPatternsShareIsSoughtInTheSample) {
  Random random(7);
  PatternSet patterns;
  for (int pattern = 0; pattern < 1000; ++pattern)
    patterns.add("a prefix of them " + random.bytes("abcdefghijklmnopqrstuvwxyz", 4));
  const auto stride_for = [&](const std::string& sample) {
    PlanOptions options;
    options.text_sample = sample;
    const Plan plan = Plan::build(patterns, options);
    EXPECT_EQ(plan.data().filter.classes.size(), 1U);
    return plan.data().filter.classes.front().stride;
  };
  std::string made_of_it;
  while (made_of_it.size() < 20'000) made_of_it += "a prefix of them, ";
  EXPECT_EQ(stride_for(random.bytes("abcdefghijklmnopqrstuvwxyz ", 20'000)), 4U);
  EXPECT_EQ(stride_for(made_of_it), 1U);
  EXPECT_EQ(stride_for(""), 1U);
}

TEST(Plan, RefusesAnEmptySet) {
  EXPECT_TRUE(throws_error(ErrorKind::invalid_pattern, [] { Plan::build(PatternSet()); }));
}

TEST(Plan, BuildIsCancelledBeforeItBegins) {
  std::stop_source source;
  source.request_stop();
  PlanOptions options;
  options.stop = source.get_token();
  for (const std::uint32_t pattern_count : {1U, 10'000U}) {
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { Plan::build(make_large_set(pattern_count), options); }));
  }
}

TEST(Plan, BuildIsCancelledInTheMiddle) {
  for (const unsigned threads : {1U, 4U}) {
    std::stop_source source;
    PlanOptions options;
    options.threads = threads;
    options.stop = source.get_token();
    options.progress = [&](std::uint64_t, std::uint64_t) { source.request_stop(); };
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { Plan::build(make_large_set(200'000), options); }));
  }
}

TEST(Plan, BuildTellsItsProgress) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> inside = 0;
    std::uint64_t calls = 0;
    std::uint64_t last_done = 0;
    std::uint64_t last_total = 0;
    bool is_sound = true;
    PlanOptions options;
    options.threads = threads;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      is_sound = is_sound && ++inside == 1 && done <= total && done >= last_done;
      ++calls;
      last_done = done;
      last_total = total;
      --inside;
    };
    Plan::build(make_large_set(200'000), options);
    EXPECT_TRUE(is_sound);
    EXPECT_GT(calls, 1U);
    EXPECT_EQ(last_done, last_total);
  }
}

TEST(Plan, ServesManyThreadsAtOnce) {
  const Plan plan = Plan::build(make_large_set(500, 10));
  const std::string text = Random(9).bytes("abcdefghijklmnopqrstuvwxyz ", 5000);
  const std::vector<Match> expected = find_by_index(text, plan.patterns());
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, copy = plan] {
      const Searcher searcher(copy);
      if (searcher.find(text) == expected && copy.serialize() == plan.serialize()) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

}  // namespace
}  // namespace lode::tests
