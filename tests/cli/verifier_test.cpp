// Tests --verify if the answers differ: what its verifier says, and how the command ends.
//
// `filter` uses the tables of a plan, and the algorithm that checks it uses only the patterns. So a plan with wrong
// tables makes the two differ.

#include "cli/search/verifier.hpp"

#include <gtest/gtest.h>

#include "lode/lode.hpp"
#include "plan/plan_data.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

using command::Range;
using command::Verifier;

FilterTables& tables_of(const Plan& plan) { return const_cast<PlanData&>(plan.data()).filter; }

/// Makes a plan with which `filter` finds only one of the patterns. All must have the same length.
Plan plan_that_misses_all_but(std::uint32_t id, PatternSet patterns) {
  Plan plan = Plan::build(std::move(patterns));
  for (WindowEntry& entry : tables_of(plan).entries) entry.distinct = id;
  return plan;
}

/// Makes a plan with which `filter` finds each match twice.
Plan plan_that_finds_twice(PatternSet patterns) {
  Plan plan = Plan::build(std::move(patterns));
  std::vector<LengthClass>& classes = tables_of(plan).classes;
  const std::vector<LengthClass> once = classes;
  classes.insert(classes.end(), once.begin(), once.end());
  return plan;
}

SearcherOptions options_of_filter(MatchKind kind = MatchKind::overlapping) {
  SearcherOptions options;
  options.algorithm = "filter";
  options.match_kind = kind;
  options.instruction_set = cpu_instruction_sets().back();  // this one searches small sets class by class
  return options;
}

Range range_of(std::string_view bytes, std::uint64_t begin = 0) {
  Range range;
  range.view = {bytes, begin};
  range.from = begin;
  range.until = begin + bytes.size();
  range.at_end = true;
  return range;
}

std::string compare(const Plan& plan, std::string_view text, std::uint64_t begin = 0) {
  Verifier verifier(plan, options_of_filter(), Device::cpu());
  verifier.begin_text();
  return verifier.compare(range_of(text, begin)).value_or("equal");
}

const std::string failed = "verification failed: ";

TEST(Verifier, SaysWhatDiffersFirst) {
  const PatternSet patterns{"kitty", "puppy"};
  const std::string text = "a kitty, a puppy";
  EXPECT_EQ(compare(Plan::build(patterns), text), "equal");
  EXPECT_EQ(compare(plan_that_misses_all_but(0, patterns), text),
            failed + "filter misses the match at offset 11, pattern 1 that rabin-karp finds");
  EXPECT_EQ(
      compare(plan_that_misses_all_but(1, patterns), text),
      failed + "the first difference is at offset 11, pattern 1 (filter) against offset 2, pattern 0 (rabin-karp)");
  EXPECT_EQ(compare(plan_that_misses_all_but(1, patterns), "a puppy"), "equal");
  EXPECT_EQ(compare(plan_that_finds_twice(patterns), "a kitty"),
            failed + "filter reports a match at offset 2, pattern 0 that rabin-karp does not find");
  EXPECT_EQ(
      compare(plan_that_finds_twice(patterns), text),
      failed + "the first difference is at offset 2, pattern 0 (filter) against offset 11, pattern 1 (rabin-karp)");
}

TEST(Verifier, SeesAWrongPatternAtTheRightOffset) {
  PatternSet patterns{"kitty"};
  patterns.add("KITTY", true);
  EXPECT_EQ(compare(Plan::build(patterns), "a kitty"), "equal");
  EXPECT_EQ(
      compare(plan_that_misses_all_but(1, patterns), "a kitty"),
      failed + "the first difference is at offset 2, pattern 1 (filter) against offset 2, pattern 0 (rabin-karp)");
}

TEST(Verifier, TellsOffsetsInTheText) {
  const Plan plan = plan_that_misses_all_but(0, {"kitty", "puppy"});
  EXPECT_EQ(compare(plan, "a kitty, a puppy", 5'000'000'000),
            failed + "filter misses the match at offset 5000000011, pattern 1 that rabin-karp finds");
  // Bytes around the range are there only so that matches can reach into them.
  Verifier verifier(plan, options_of_filter(), Device::cpu());
  verifier.begin_text();
  Range range = range_of("puppy, a puppy and puppy", 100);
  range.from = 101;
  range.until = 109;
  EXPECT_EQ(verifier.compare(range).value_or("equal"), "equal");
  range.until = 110;
  EXPECT_EQ(verifier.compare(range).value_or("equal"),
            failed + "filter misses the match at offset 109, pattern 1 that rabin-karp finds");
}

TEST(Verifier, ComparesManyMatchesPartByPart) {
  const Plan plan = plan_that_misses_all_but(0, {"a", "b"});
  const std::string many((std::size_t{5} << 18) + 3, 'a');
  EXPECT_EQ(compare(plan, many), "equal");
  const std::string missed = std::to_string(many.size());
  EXPECT_EQ(compare(plan, many + "b"),
            failed + "filter misses the match at offset " + missed + ", pattern 1 that rabin-karp finds");
  EXPECT_EQ(
      compare(plan, "b" + many),
      failed + "the first difference is at offset 1, pattern 0 (filter) against offset 0, pattern 1 (rabin-karp)");
}

// `aab` overlaps the `aaa` before it, which starts in another range of the text. So neither algorithm may report it.
TEST(Verifier, LeftmostMatchesGoOnInTheNextRangeAndBeginAnewInTheNextText) {
  const Plan plan = plan_that_misses_all_but(0, {"aaa", "aab"});
  for (const MatchKind kind : {MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    Verifier verifier(plan, options_of_filter(kind), Device::cpu());
    verifier.begin_text();
    const std::string text = "aaab aaab";
    for (std::uint64_t place = 0; place < text.size(); ++place) {
      Range range = range_of(text);
      range.from = place;
      range.until = place + 1;
      EXPECT_EQ(verifier.compare(range).value_or("equal"), "equal") << place;
    }
    verifier.begin_text();
    EXPECT_EQ(verifier.compare(range_of("aab")).value_or("equal"),
              failed + "filter misses the match at offset 0, pattern 1 that rabin-karp finds");
  }
}

TEST(Verifier, FilterIsCheckedByRabinKarpAndRabinKarpByNaive) {
  const Plan plan = Plan::build(PatternSet{"kitty"});
  for (const std::string algorithm : {"naive", "vector", "balanced", "boyer-moore", "filter", "rabin-karp"}) {
    SearcherOptions options;
    options.algorithm = algorithm;
    const Verifier verifier(plan, options, Device::cpu());
    EXPECT_EQ(verifier.checked_algorithm(), algorithm);
    EXPECT_EQ(verifier.reference_algorithm(), algorithm == "rabin-karp" ? "naive" : "rabin-karp");
  }
}

TEST(Verifier, ComparesCountsWithTheMatches) {
  const Verifier verifier(Plan::build(PatternSet{"kitty", "puppy"}), options_of_filter(), Device::cpu());
  const Range range = range_of("kitty, puppy\nkitty\n", 100);
  const auto compare = [&](const std::vector<Match>& matches) {
    return verifier.compare_counts(range, 0, matches).value_or("equal");
  };
  const std::string where = " from offset 100 to 119, where there are ";
  EXPECT_EQ(compare({{0, 0, 5}, {7, 1, 5}, {13, 0, 5}}), "equal");
  EXPECT_EQ(compare({{0, 0, 5}, {7, 1, 5}}), failed + "filter counts 3 matches" + where + "2");
  EXPECT_EQ(compare({{0, 1, 5}, {7, 1, 5}, {13, 0, 5}}), failed + "filter counts 2 matches of pattern 0" + where + "1");
}

class CommandThatDiffers : public testing::Test {
 protected:
  CommandThatDiffers() {
    plan_that_misses_all_but(0, {"kitty", "puppy"}).save(folder_.path() / "plan");
    folder_.write("text", "kitty and puppy\n");
    folder_.write("same", "kitty\n");
  }
  Outcome verify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"--plan", "plan", "--verify", "--device", "cpu", "--algorithm", "filter", "-I"});
    Invocation invocation;
    invocation.program = LODE_COMMAND_THAT_DIFFERS;  // the command itself would refuse the plan
    invocation.folder = folder_.path();
    invocation.arguments = std::move(arguments);
    return run(invocation);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CommandThatDiffers, SaysSoAndEndsWithAnError) {
  const std::string message =
      "lode: text: verification failed: filter misses the match at offset 10, pattern 1 that rabin-karp finds\n";
  const std::pair<const char*, const char*> outputs[] = {{"--offsets", "0\t0\n0\t0\n"},
                                                         {"--count-matches", "1\n1\n"},
                                                         {"-c", "1\n1\n"},
                                                         {"-o", "kitty\nkitty\n"},
                                                         {"-q", ""}};
  for (const auto& [option, output] : outputs) {
    const Outcome outcome = verify({option, "text", "same"});
    EXPECT_EQ(outcome.output, output) << option << ": what the algorithm that is checked finds";
    EXPECT_EQ(outcome.errors, message) << option;
    EXPECT_EQ(outcome.status, 2) << option;
  }
  const Outcome equal = verify({"--offsets", "same"});
  EXPECT_EQ(equal.errors, "");
  EXPECT_EQ(equal.status, 0);
}

TEST_F(CommandThatDiffers, SaysSoInItsStatistics) {
  EXPECT_NE(verify({"--stats", "-c", "text", "same"}).errors.find("\nverified: differs from rabin-karp\n"),
            std::string::npos);
  EXPECT_NE(verify({"--stats", "-c", "same"}).errors.find("\nverified: equal to rabin-karp\n"), std::string::npos);
}

TEST_F(CommandThatDiffers, SaysSoOfAMatrix) {
  const Outcome outcome = verify({"--matrix", "dense", "text"});
  EXPECT_EQ(outcome.output, "0,-1\n");
  EXPECT_EQ(outcome.errors,
            "lode: text: verification failed: filter misses the hit at record 0, pattern 1, offset 10 that rabin-karp "
            "finds\n");
  EXPECT_EQ(outcome.status, 2);
}

}  // namespace
}  // namespace lode::test
