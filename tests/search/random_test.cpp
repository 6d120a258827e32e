// Compares engines with the oracle on drawn scenarios, and with each other on texts of megabytes.
//
// A failure prints the seed of its round. LODE_TEST_SEED=… LODE_TEST_ROUNDS=… run it again.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/scenarios.hpp"

namespace lode::tests {
namespace {

// With more matches than this, comparing lists would take all the time.
constexpr std::size_t too_many_matches = 2'000'000;

std::vector<Match> ask_oracle(const Scenario& scenario, const Rules& rules) {
  const std::vector<Match> by_index = find_by_index(scenario.text, scenario.patterns, rules);
  const std::uint64_t work = scenario.text.size() * scenario.patterns.size();
  if (work < 200'000) {
    EXPECT_EQ(by_index, find_by_meaning(scenario.text, scenario.patterns, rules));
  }
  return by_index;
}

PlanOptions draw_plan_options(Random& random, const Scenario& scenario) {
  PlanOptions options;
  options.threads = static_cast<unsigned>(random.between(1, 3));
  if (random.chance(30)) options.text_sample = std::string_view(scenario.text).substr(0, random.scale(1, 60'000));
  return options;
}

// Makes one searcher for each algorithm, with a drawn instruction set and configuration, and asks it through drawn
// entry points.
void play_round(Random& random, const ScenarioLimits& limits, int asks, Account& account) {
  const Scenario scenario = draw_scenario(random, limits);
  const Rules rules = draw_rules(random);
  const std::vector<Match> expected = ask_oracle(scenario, rules);
  const Plan plan = Plan::build(scenario.patterns, draw_plan_options(random, scenario));
  for (const Engine& engine : draw_engines(random)) {
    Configuration configuration = draw_configuration(random, engine);
    // Chunks of a byte or two are slow with long texts and patterns, and the case table has tried them all.
    const std::uint64_t least_chunk = scenario.text.size() / 200;
    if (configuration.chunk_bytes != 0) configuration.chunk_bytes = std::max(configuration.chunk_bytes, least_chunk);
    const auto searcher = account.make_searcher(plan, configuration, rules);
    if (!searcher) continue;
    for (int ask = 0; ask < asks; ++ask) {
      auto entry_point = static_cast<EntryPoint>(ask == 0 ? 0 : random.below(entry_point_count));
      if (entry_point == EntryPoint::stream_of_bytes && scenario.text.size() > 4000) {
        entry_point = EntryPoint::stream_of_random_pieces;
      }
      const testing::AssertionResult result =
          check_entry_point(entry_point, *searcher, scenario.text, expected, random);
      ASSERT_TRUE(result) << "entry point " << static_cast<int>(entry_point) << ", " << describe(configuration)
                          << "\n  " << describe(rules) << "\n  " << describe(scenario.patterns) << "\n  text of "
                          << scenario.text.size() << " bytes over " << escape(scenario.alphabet, 60) << ": "
                          << escape(scenario.text, 400);
    }
  }
}

void play(const char* name, std::uint64_t rounds, const ScenarioLimits& limits, int asks) {
  Random random = make_random(name);
  Account account(name);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Random round_random(random.next());
    play_round(round_random, limits, asks, account);
    if (testing::Test::HasFatalFailure()) {
      std::cout << name << ": round " << round << " of seed " << test_seed() << " failed\n";
      return;
    }
  }
}

TEST(RandomScenarios, SmallSetsInShortTexts) {
  play("SmallSetsInShortTexts", fewer_on_gpus(test_rounds(150, 2000, 50000)), {8, 20, 200, 20'000}, 4);
}

TEST(RandomScenarios, SetsInTexts) {
  play("SetsInTexts", fewer_on_gpus(test_rounds(20, 300, 5000)), {500, 300, 5000, 100'000}, 3);
}

TEST(RandomScenarios, LargeSetsInTexts) {
  play("LargeSetsInTexts", fewer_on_gpus(test_rounds(4, 60, 1000)), {5000, 300, 20000, 300'000}, 2);
}

// No window tells the patterns of these sets apart: they share blocks before, behind or around the bytes that differ,
// or are nested runs, or differ in one byte.
PatternSet draw_alike_patterns(Random& random, std::string& alphabet) {
  alphabet = random.pick(std::vector<std::string>{"a", "ab", "abcdefgh", "aAbB", "abcdefghijklmnopqrstuvwxyz ETA"});
  const std::uint64_t shape = random.below(5);
  const std::uint64_t block_length = random.scale(1, 250);
  const std::string block = random.bytes(alphabet, block_length);
  const std::string other_block = random.bytes(alphabet, random.scale(1, 100));
  const std::uint64_t pattern_count = random.scale(2, 3000);
  const unsigned ignoring_percent = static_cast<unsigned>(random.pick(std::vector<int>{0, 0, 20, 100}));
  PatternSet patterns;
  while (patterns.size() < pattern_count) {
    std::string pattern = block;
    const std::string own = random.bytes("abcdefghijklmnopqrstuvwxyz", random.between(1, 6));
    if (shape == 0) pattern += own;
    if (shape == 1) pattern = own + block;
    if (shape == 2) pattern = block + own + other_block;
    if (shape == 3) pattern = block.substr(random.below(block_length));
    if (shape == 4) pattern[random.below(block_length)] = static_cast<char>(random.next());
    patterns.add(pattern, random.chance(ignoring_percent));
  }
  if (random.chance(30)) patterns.add(random.bytes(alphabet, random.between(1, 3)));
  return patterns;
}

TEST(RandomScenarios, PatternsThatShareTheirWindows) {
  Random random = make_random("PatternsThatShareTheirWindows");
  Account account("PatternsThatShareTheirWindows");
  const std::uint64_t rounds = fewer_on_gpus(test_rounds(10, 400, 5000));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Scenario scenario;
    scenario.patterns = draw_alike_patterns(random, scenario.alphabet);
    scenario.text = draw_text(random, scenario.patterns, scenario.alphabet, random.scale(100, 20'000));
    limit_matches(scenario, 200'000);
    const Rules rules = draw_rules(random);
    const Plan plan = Plan::build(scenario.patterns, draw_plan_options(random, scenario));
    const std::vector<Match> expected = find_by_index(scenario.text, scenario.patterns, rules);
    for (const Engine& engine : draw_engines(random)) {
      Configuration configuration = draw_configuration(random, engine);
      if (configuration.chunk_bytes != 0) configuration.chunk_bytes += scenario.text.size() / 50;
      const auto searcher = account.make_searcher(plan, configuration, rules);
      if (!searcher) continue;
      for (const EntryPoint entry_point :
           {EntryPoint::find_list, EntryPoint::count, EntryPoint::count_per_pattern, EntryPoint::stream_at_once}) {
        ASSERT_TRUE(check_entry_point(entry_point, *searcher, scenario.text, expected, random))
            << "round " << round << ", entry point " << static_cast<int>(entry_point) << ", " << describe(configuration)
            << "\n  " << describe(rules) << "\n  " << describe(scenario.patterns);
      }
    }
  }
}

// Patterns have up to 1 MiB, and some differ only in one byte. std::string::find is the judge.
TEST(RandomScenarios, LongPatterns) {
  Random random = make_random("LongPatterns");
  Account account("LongPatterns");
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  const std::uint64_t rounds = fewer_on_gpus(test_rounds(2, 12, 200));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    PatternSet patterns;
    const std::uint64_t longest = random.scale(1000, max_pattern_length / (is_thread_sanitized() ? 16 : 1));
    const std::uint64_t pattern_count = random.scale(1, 40);
    while (patterns.size() < pattern_count) {
      std::string pattern = random.bytes(alphabet, random.scale(1 + longest / 100, longest));
      if (!patterns.empty() && random.chance(50)) {
        pattern = patterns[static_cast<std::uint32_t>(random.below(patterns.size()))];
        pattern[random.chance(50) ? pattern.size() - 1 : random.below(pattern.size())] ^= 1;
      }
      patterns.add(pattern);
    }
    std::string text = draw_text(random, patterns, alphabet, random.scale(longest, 3 * longest));
    std::vector<Match> expected;
    for (std::uint32_t id = 0; id < patterns.size(); ++id) {
      for (auto at = text.find(patterns[id]); at != std::string::npos; at = text.find(patterns[id], at + 1)) {
        expected.push_back({at, id, static_cast<std::uint32_t>(patterns[id].size())});
      }
    }
    std::sort(expected.begin(), expected.end(), [](const Match& left, const Match& right) {
      return std::pair(left.offset, left.pattern_id) < std::pair(right.offset, right.pattern_id);
    });
    const Plan plan = Plan::build(patterns);
    for (const Engine& engine : draw_engines(random)) {
      Configuration configuration = draw_configuration(random, engine);
      if (configuration.chunk_bytes != 0) configuration.chunk_bytes += text.size() / 20;
      if (configuration.memory_limit_bytes != 0) configuration.memory_limit_bytes += max_pattern_length;
      const auto searcher = account.make_searcher(plan, configuration);
      if (!searcher) continue;
      for (const EntryPoint entry_point : {EntryPoint::find_list, EntryPoint::random_access, EntryPoint::ranges,
                                           EntryPoint::stream_at_once, EntryPoint::stream_of_random_pieces}) {
        ASSERT_TRUE(check_entry_point(entry_point, *searcher, text, expected, random))
            << "round " << round << ", entry point " << static_cast<int>(entry_point) << ", " << describe(configuration)
            << "\n  " << describe(patterns) << "\n  text of " << text.size() << " bytes";
      }
    }
  }
}

// The patterns are prefixes of each other, and hundreds of them may start at one place of the text.
Scenario draw_nested_scenario(Random& random, std::uint64_t most_length, std::uint64_t most_text) {
  Scenario scenario;
  scenario.alphabet = random.pick(std::vector<std::string>{"a", "ab", "aA", "a ", "ab\n", "a\r\n"});
  const unsigned ignoring_percent = static_cast<unsigned>(random.pick(std::vector<int>{0, 0, 30, 100}));
  std::vector<std::string> longest;
  for (std::uint64_t chain = random.between(1, 4); chain > 0; --chain) {
    longest.push_back(random.bytes(scenario.alphabet, random.scale(2, most_length)));
    const unsigned kept_percent = static_cast<unsigned>(random.between(20, 100));
    for (std::size_t length = 1; length <= longest.back().size(); ++length) {
      if (random.chance(kept_percent)) {
        scenario.patterns.add(std::string_view(longest.back()).substr(0, length), random.chance(ignoring_percent));
      }
    }
  }
  scenario.patterns.add(random.pick(longest));
  const std::uint64_t text_length = random.scale(100, most_text);
  while (scenario.text.size() < text_length) {
    const std::string& piece = random.pick(longest);
    scenario.text += piece.substr(0, random.between(1, piece.size()));
    if (random.chance(20)) scenario.text += random.bytes("ab \nA", random.between(1, 5));
    if (random.chance(10)) scenario.text += std::string(random.scale(1, 500), scenario.alphabet.front());
  }
  return scenario;
}

TEST(NestedPatterns, LeftmostKindsAreThoseOfTheOracle) {
  Random random = make_random("NestedPatterns");
  Account account("NestedPatterns");
  const std::uint64_t rounds = test_rounds(20, 120, 3000);
  const bool on_gpus = fewer_on_gpus(rounds) < rounds;
  for (std::uint64_t round = 0; round < (on_gpus ? rounds / 10 : rounds); ++round) {
    const Scenario scenario = draw_nested_scenario(random, on_gpus ? 60 : 200, on_gpus ? 600 : 4000);
    Rules rules = draw_rules(random);
    rules.match_kind = random.chance(50) ? MatchKind::leftmost_longest : MatchKind::leftmost_first;
    const Plan plan = Plan::build(scenario.patterns, draw_plan_options(random, scenario));
    const std::vector<Match> expected = find_by_index(scenario.text, scenario.patterns, rules);
    for (const Engine& engine : draw_engines(random)) {
      Configuration configuration = draw_configuration(random, engine);
      if (configuration.chunk_bytes != 0) configuration.chunk_bytes += scenario.text.size() / 50;
      // GPUs do not take part when the text is read backward, so their pieces would not be seen.
      if (engine.device != "cpu") configuration.memory_limit_bytes = 0;
      const auto searcher = account.make_searcher(plan, configuration, rules);
      if (!searcher) continue;
      const std::string what = "round " + std::to_string(round) + ", " + describe(configuration) + "\n  " +
                               describe(rules) + "\n  " + describe(scenario.patterns) + "\n  text " +
                               escape(scenario.text);
      std::vector<EntryPoint> entry_points = {EntryPoint::find_list, EntryPoint::ranges};
      if (!on_gpus) {
        entry_points.insert(entry_points.end(), {EntryPoint::first, EntryPoint::count, EntryPoint::random_access,
                                                 EntryPoint::stream_at_once});
      }
      for (const EntryPoint entry_point : entry_points) {
        ASSERT_TRUE(check_entry_point(entry_point, *searcher, scenario.text, expected, random))
            << "entry point " << static_cast<int>(entry_point) << ", " << what;
      }
      if (engine.device == "cpu") continue;
      const ResidentText resident(searcher->device(), scenario.text);
      ASSERT_TRUE(compare_matches(searcher->find(resident), expected)) << "resident, " << what;
    }
  }
}

// All occurrences would be twelve thousand million.
TEST(NestedPatterns, CostNoMoreThanTheMatchesTaken) {
  PatternSet patterns;
  for (std::size_t length = 1; length <= 4000; ++length) patterns.add(std::string(length, 'a'));
  const Plan plan = Plan::build(patterns);
  const std::string text(test_effort() == 0 ? 400'000 : 3'000'000, 'a');
  for (const MatchKind kind : {MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    SearcherOptions options;
    options.match_kind = kind;
    const std::uint64_t length = kind == MatchKind::leftmost_longest ? 4000 : 1;
    EXPECT_EQ(Searcher(plan, options).count(text), text.size() / length);
  }
}

// The text has dense parts, and between them more than a MiB in which occurrences are rare.
TEST(NestedPatterns, AreListedAgainWhereTheyBecomeRare) {
  PatternSet patterns;
  for (std::size_t length = 1; length <= 24; ++length) patterns.add(std::string(length, 'a'), length % 7 == 0);
  std::string text(3000, 'a');
  for (int part = 0; part < 2; ++part) {
    for (int line = 0; line < 1500; ++line) text += std::string(1000, '.') + (line % 50 == 0 ? "aAa" : "\n");
    text += std::string(2000, 'a') + "A" + std::string(100'000, 'a');
  }
  const Plan plan = Plan::build(patterns);
  const std::vector<Match> occurrences = Searcher(plan).find(text);
  for (const MatchKind kind : {MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    SearcherOptions options;
    options.match_kind = kind;
    EXPECT_TRUE(compare_matches(Searcher(plan, options).find(text), apply_match_kind(occurrences, kind)));
  }
}

// Every engine must count what the others count. Fast ones search all bytes, and slow ones as many as they can in the
// time.
TEST(RandomScenarios, EnginesAgreeOnMegabytes) {
  Random random = make_random("EnginesAgreeOnMegabytes");
  Account account("EnginesAgreeOnMegabytes");
  const std::uint64_t rounds = fewer_on_gpus(test_rounds(2, 16, 200));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    ScenarioLimits limits{static_cast<std::uint32_t>(random.scale(1, 3000)), 24, 100, UINT64_MAX / 1000};
    Scenario scenario = draw_scenario(random, limits);
    scenario.text = draw_text(random, scenario.patterns, scenario.alphabet,
                              random.between(100'000, test_effort() == 0 ? 300'000 : 4'000'000));
    limit_matches(scenario, 20'000'000);
    const Plan plan = Plan::build(scenario.patterns, draw_plan_options(random, scenario));
    std::vector<Match> expected;
    std::uint64_t expected_count = 0;
    std::string judge;
    for (const Engine& engine : draw_engines(random)) {
      // Most algorithms take a pass for each pattern, which would be hours for thousands, and even more where the host
      // plays a GPU.
      const bool is_fast =
          engine.algorithm == "filter" || engine.algorithm == "auto" || engine.algorithm == "rabin-karp";
      const std::uint64_t most_work = engine.device == "cpu" ? 200'000'000 : 2'000'000;
      if (!is_fast && scenario.patterns.size() * scenario.text.size() > most_work) continue;
      Configuration configuration;
      configuration.engine = engine;
      configuration.threads = static_cast<unsigned>(random.between(1, 3));
      configuration.chunk_bytes = random.pick(std::vector<std::uint64_t>{0, 0, 100'003, 1 << 16});
      const auto searcher = account.make_searcher(plan, configuration);
      if (!searcher) continue;
      const std::uint64_t count = searcher->count(scenario.text);
      std::vector<Match> found;
      if (count < too_many_matches) found = searcher->find(scenario.text);
      if (judge.empty()) {
        judge = describe(configuration);
        expected_count = count;
        expected = std::move(found);
        if (count < too_many_matches && (round % 4 == 0 || engine.device != "cpu")) {
          ASSERT_TRUE(compare_matches(expected, find_by_index(scenario.text, scenario.patterns)))
              << describe(configuration) << "\n  " << describe(scenario.patterns);
        }
        continue;
      }
      ASSERT_EQ(count, expected_count) << describe(configuration) << " against " << judge << "\n  "
                                       << describe(scenario.patterns);
      ASSERT_TRUE(compare_matches(found, expected))
          << describe(configuration) << " against " << judge << "\n  " << describe(scenario.patterns);
    }
  }
}

}  // namespace
}  // namespace lode::tests
