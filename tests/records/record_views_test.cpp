// Compares what a RecordSearcher gives through views with the oracle.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "records/record_answers.hpp"
#include "support/view_oracle.hpp"
#include "support/view_texts.hpp"

namespace lode::tests {
namespace {

using namespace std::string_literals;

class RecordViews : public testing::TestWithParam<Engine> {
 protected:
  static std::uint64_t rounds() {
    return GetParam().device == "cpu" ? test_rounds(30, 150, 2000) : test_rounds(6, 20, 200);
  }
  static Rules draw_rules(Random& random) {
    Rules rules;
    if (random.chance(30)) rules.condition = random.chance(50) ? Condition::whole_word : Condition::whole_line;
    return rules;
  }
  // Checks all that is found of the patterns, unless the algorithm refuses them.
  static void check_through(const View& view, const PatternSet& patterns, const Table& table, const Rules& rules,
                            std::uint64_t block_bytes) {
    SCOPED_TRACE("view " + view.name() + ", blocks of " + std::to_string(block_bytes) + ", records " +
                 escape(table.bytes));
    PlanOptions plan_options;
    plan_options.view = view;
    const Plan plan = Plan::build(patterns, plan_options);
    if (!refusal(GetParam().algorithm, plan).empty()) return;
    Configuration configuration;
    configuration.engine = GetParam();
    configuration.threads = 2;
    SearcherOptions options = make_options(configuration, rules);
    options.chunk_bytes = block_bytes;
    const RecordSearcher searcher(plan, options, open_test_device(GetParam().device));
    const auto find = [&](std::string_view record) { return find_in_view(record, patterns, view, rules); };
    const Answer expected = answer_by(find, table.records(), patterns);
    check_source(searcher, table.records(), expected);
    if (!searcher.device().is_cpu())
      check_source(searcher, ResidentRecords(searcher.device(), table.records(), 2), expected);
  }
};

TEST_P(RecordViews, SeeRecordsThroughAView) {
  Random random = make_random("RecordViews.SeeRecordsThroughAView " + testing::PrintToString(GetParam()));
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    const unsigned ignoring = random.chance(60) ? 0 : random.chance(50) ? 100 : 50;
    View view;
    if (ignoring == 0 || random.chance(50))
      while (view.empty()) view = random_view(random);
    Table table;
    const std::uint64_t count = random.between(1, 30);
    const bool is_ascii = random.chance(20);
    for (std::uint64_t record = 0; record < count; ++record) {
      const std::uint64_t pieces = random.between(0, GetParam().device == "cpu" ? 20 : 5);
      table.add(is_ascii ? random.bytes("aAbs .k", pieces) : troublesome_text(random, pieces));
    }
    if (random.chance(40)) table.bits.assign(count / 8 + 1, static_cast<std::uint8_t>(random.next()));
    PatternSet patterns;
    while (patterns.size() < 4) {
      const std::string pattern = troublesome_text(random, random.between(1, 2));
      if (!view_by_meaning(pattern, view).empty()) patterns.add(pattern, random.chance(ignoring));
    }
    SCOPED_TRACE("round " + std::to_string(round));
    check_through(view, patterns, table, draw_rules(random), random.chance(50) ? random.between(1, 40) : 0);
    if (HasFatalFailure()) return;
  }
}

// A text in an encoding, or a file of sequences, in which some of the patterns stand.
std::string encoded_text(Random& random, const std::string& encoding, const std::vector<std::string>& words) {
  std::string text;
  for (std::uint64_t piece = random.below(8); piece > 0; --piece) {
    std::string bytes =
        random.chance(60) ? random.pick(words) : random.pick(std::vector{" "s, "\n"s, "_"s, "A"s, "ac"s});
    if (encoding == "fasta" && random.chance(30)) bytes = "\n>name " + bytes + "\n";
    for (const char byte : bytes) {
      if (encoding == "utf-16be") text += '\0';
      text += byte;
      if (encoding == "utf-16le") text += '\0';
    }
    if (random.chance(10)) text += random.pick(std::vector{"\xE9"s, "\x01\xD8"s, "\xFF\xFE"s, "\n"s});
  }
  return text;
}

TEST_P(RecordViews, DecodeEachRecord) {
  Random random = make_random("RecordViews.DecodeEachRecord " + testing::PrintToString(GetParam()));
  const std::vector<std::string> words = {"kitty", "puppy", "a", "ACGT", "GTAC", "K"};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    const std::string encoding = random.pick(std::vector{"utf-16le"s, "utf-16be"s, "latin-1"s, "auto"s, "fasta"s});
    const View view(encoding + (random.chance(50) ? ",fold-simple" : ""));
    Table table;
    const std::uint64_t count = random.between(1, 20);
    for (std::uint64_t record = 0; record < count; ++record) table.add(encoded_text(random, encoding, words));
    if (random.chance(40)) table.bits.assign(count / 8 + 1, static_cast<std::uint8_t>(random.next()));
    PatternSet patterns;
    for (std::uint64_t pattern = random.between(1, 4); pattern > 0; --pattern)
      patterns.add(random.pick(words), random.chance(20));
    SCOPED_TRACE("round " + std::to_string(round));
    check_through(view, patterns, table, draw_rules(random), 0);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RecordViews, testing::ValuesIn(best_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
