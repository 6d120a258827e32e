// Tests which way `filter` chooses for which patterns, by what the searcher reports and not by timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

std::string words(std::uint64_t bytes) {
  Random random(7);
  const std::string letters = "eeetttaaooiinnsshhrrddlucmfwygpbvk";
  std::string text;
  while (text.size() < bytes) text += random.bytes(letters, random.between(2, 9)) + " ";
  return text;
}
std::string bytes_of(std::string_view alphabet, std::uint64_t bytes) { return Random(8).bytes(alphabet, bytes); }
std::string any_bytes(std::uint64_t bytes) {
  std::string alphabet(256, '\0');
  for (std::size_t byte = 0; byte < alphabet.size(); ++byte) alphabet[byte] = static_cast<char>(byte);
  return bytes_of(alphabet, bytes);
}

// Cuts pieces out of a text, so that no two of them begin alike.
PatternSet cuts(const std::string& text, std::uint32_t count, std::size_t length) {
  PatternSet patterns;
  for (std::uint32_t id = 0; id < count; ++id) patterns.add(text.substr(id * (length + 3), length));
  return patterns;
}

struct Choice {
  const char* name;
  PatternSet patterns;
  std::string sample;  // the sample of the text; may be empty
  const char* on_avx2;
  const char* on_baseline;
};

std::vector<Choice> choices() {
  constexpr std::size_t sample_bytes = std::size_t{1} << 16;
  const std::string prose = words(1 << 20);
  const std::string dna = bytes_of("acgt", 1 << 20);
  const std::string noise = any_bytes(1 << 20);
  const std::string prose_sample = prose.substr(1 << 19, sample_bytes);
  const std::string dna_sample = dna.substr(1 << 19, sample_bytes);
  const std::string noise_sample = noise.substr(1 << 19, sample_bytes);
  return {
      {"one word", PatternSet{"kitty"}, prose_sample, "1 by probes", "1 by probes"},
      {"two words", PatternSet{"kitty", "puppy"}, prose_sample, "2 by probes", "2 by probes"},
      {"two words, no sample", PatternSet{"kitty", "puppy"}, "", "2 by probes", "2 by probes"},
      {"a frequent letter", PatternSet{"e"}, prose_sample, "1 by probes", "1 by probes"},
      {"letters", PatternSet{"e", "t", "q"}, prose_sample, "3 by probes", "3 by probes"},
      {"a letter and a word", PatternSet{"e", "kitty"}, prose_sample, "2 by probes", "2 by probes"},
      {"8 words", cuts(prose, 8, 7), prose_sample, "8 by a sieve of halves of bytes",
       "8 by windows of 4 bytes every 4 places, behind pairs"},
      {"8 words, no sample", cuts(prose, 8, 7), "", "8 by a sieve of halves of bytes",
       "8 by windows of 4 bytes every 4 places, behind pairs"},
      {"8 words in noise", cuts(prose, 8, 7), noise_sample, "8 by a sieve of halves of bytes",
       "8 by windows of 4 bytes every 4 places, behind pairs"},
      {"40 words", cuts(prose, 40, 7), prose_sample, "40 by windows of 4 bytes every 4 places",
       "40 by windows of 4 bytes every 4 places, behind pairs"},
      {"64 of 5 bytes", cuts(prose, 64, 5), prose_sample, "64 by windows of 4 bytes every 2 places",
       "64 by windows of 4 bytes every 2 places"},
      {"65 of 5 bytes", cuts(prose, 65, 5), prose_sample, "65 by windows of 4 bytes every 2 places",
       "65 by windows of 4 bytes every 2 places"},
      {"300 of 12 bytes", cuts(prose, 300, 12), prose_sample, "300 by windows of 9 bytes every 4 places",
       "300 by windows of 9 bytes every 4 places"},
      {"300 of 12 bytes, no sample", cuts(prose, 300, 12), "", "300 by windows of 9 bytes every 4 places",
       "300 by windows of 9 bytes every 4 places"},
      {"10000 of 30 bytes", cuts(prose, 10'000, 30), prose_sample, "10000 by windows of 16 bytes every 4 places",
       "10000 by windows of 16 bytes every 4 places"},
      {"4 of 4 bases", cuts(dna, 4, 4), dna_sample, "4 by probes; all counted by 4 letters they share", "4 by probes"},
      {"8 of 4 bases", cuts(dna, 8, 4), dna_sample,
       "8 by a sieve of halves of bytes; all counted by 4 letters they share", "8 by probes"},
      {"8 of 20 bases", cuts(dna, 8, 20), dna_sample, "8 by windows of 16 bytes every 4 places",
       "8 by windows of 16 bytes every 4 places"},
      {"1000 of 20 bases", cuts(dna, 1000, 20), dna_sample, "1000 by windows of 16 bytes every 4 places",
       "1000 by windows of 16 bytes every 4 places"},
      {"30 of 3 bytes of noise", cuts(noise, 30, 3), noise_sample, "30 by a sieve of halves of bytes",
       "30 by windows of 3 bytes at each place, counted by probes"},
      {"1000 of 8 bytes of noise", cuts(noise, 1000, 8), noise_sample,
       "1000 by windows of 5 bytes every 4 places, behind pairs",
       "1000 by windows of 5 bytes every 4 places, behind pairs"},
      {"1000 of 8 bytes of noise, no sample", cuts(noise, 1000, 8), "",
       "1000 by windows of 5 bytes every 4 places, behind pairs",
       "1000 by windows of 5 bytes every 4 places, behind pairs"},
      {"50 000 of 16 bytes of noise", cuts(noise, 50'000, 16), noise_sample,
       "50000 by windows of 13 bytes every 4 places", "50000 by windows of 13 bytes every 4 places"},
  };
}

std::string strategy_of(const Choice& choice, const std::string& instruction_set) {
  PlanOptions options;
  options.text_sample = choice.sample;
  SearcherOptions searcher;
  searcher.algorithm = "filter";
  searcher.instruction_set = instruction_set;
  return Searcher(Plan::build(choice.patterns, options), searcher).strategy();
}

// Costs are tuned now and then. The test compares only the choice, not its cost.
std::string without_costs(const std::string& strategy) {
  return std::regex_replace(strategy, std::regex(R"( \([0-9.]+ cycles a byte(, else [0-9.]+)?\))"), "");
}

TEST(Strategy, IsThatOfTheTable) {
  const std::vector<std::string> sets = cpu_instruction_sets();
  const auto has = [&](const char* set) { return std::find(sets.begin(), sets.end(), set) != sets.end(); };
  if (!has("baseline") && !has("avx2")) GTEST_SKIP() << "the table is about other instruction sets";
  for (const Choice& choice : choices()) {
    if (has("baseline")) {
      EXPECT_EQ(without_costs(strategy_of(choice, "baseline")), choice.on_baseline) << choice.name;
    }
    if (has("avx2")) {
      EXPECT_EQ(without_costs(strategy_of(choice, "avx2")), choice.on_avx2) << choice.name;
    }
  }
}

// With a sample, each part reports its estimated cost. The chosen way costs no more than the next best.
TEST(Strategy, TellsWhatItCosts) {
  const std::regex estimate(R"(\(([0-9.]+) cycles a byte, else ([0-9.]+)\))");
  std::size_t told = 0;
  for (const Choice& choice : choices()) {
    const std::string strategy = strategy_of(choice, cpu_instruction_sets().back());
    if (choice.sample.empty()) continue;
    for (std::sregex_iterator at(strategy.begin(), strategy.end(), estimate), end; at != end; ++at, ++told)
      EXPECT_LE(std::stod((*at)[1]), std::stod((*at)[2])) << choice.name << ": " << strategy;
  }
  EXPECT_GT(told, 5u);
}

TEST(Strategy, StandsInTheStatistics) {
  SearcherOptions options;
  options.algorithm = "filter";
  const Plan plan = Plan::build(PatternSet{"kitty", "puppy"});
  const Searcher searcher(plan, options);
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  EXPECT_EQ(searcher.count("a kitty", run), 1u);
  EXPECT_FALSE(stats.strategy.empty());
  EXPECT_EQ(stats.strategy, searcher.strategy());
  options.algorithm = "naive";
  EXPECT_EQ(Searcher(plan, options).strategy(), "");
}

}  // namespace
}  // namespace lode::tests
