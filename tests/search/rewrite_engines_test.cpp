// Every engine rewrites a text as a plain replacement of what the oracle finds does: as a whole, in ranges, from a source
// and as a stream, also through a view.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "search/rewriting.hpp"
#include "support/engines.hpp"
#include "support/scenarios.hpp"
#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

class RewritingEngines : public testing::TestWithParam<Engine> {};

TEST_P(RewritingEngines, ReplaceWhatTheOracleFinds) {
  const std::string name = "RewritingEngines " + testing::PrintToString(GetParam());
  Random random = make_random(name);
  Account account(name);
  const Replacements replacements = Replacements::of_all("<{id}:{match}>");
  const std::uint64_t rounds = fewer_on_gpus(test_rounds(20, 60, 600));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ScenarioLimits limits;
    limits.pattern_count = 200;
    limits.text_length = 10000;
    const Scenario scenario = draw_scenario(random, limits);
    Rules rules;
    rules.match_kind = random.pick(std::vector{MatchKind::leftmost_longest, MatchKind::leftmost_first});
    rules.condition = random.pick(std::vector{Condition::none, Condition::none, Condition::whole_word});
    PlanOptions plan_options;
    if (random.chance(30)) plan_options.view = View("fold-simple");
    const Plan plan = Plan::build(scenario.patterns, plan_options);
    const auto searcher = account.make_searcher(plan, draw_configuration(random, GetParam()), rules);
    if (!searcher) continue;
    const std::vector<Match> matches = plan_options.view.empty()
                                           ? find_by_meaning(scenario.text, scenario.patterns, rules)
                                           : find_in_view(scenario.text, scenario.patterns, plan_options.view, rules);
    const std::string expected = expected_text(scenario.text, matches);
    ASSERT_EQ(rewritten(*searcher, scenario.text, replacements), expected);
    const SourceText source(scenario.text);
    ASSERT_EQ(rewritten(*searcher, Text(source), replacements), expected);
    ASSERT_EQ(rewritten_in_pieces(*searcher, scenario.text, replacements, random), expected);
    std::string in_ranges;
    std::uint64_t not_before = 0;
    for (std::uint64_t begin = 0; begin < scenario.text.size();) {
      RunOptions run;
      run.begin = begin;
      run.end = begin += random.scale(1, 5000);
      run.not_before = &not_before;
      in_ranges += rewritten(*searcher, scenario.text, replacements, run);
    }
    ASSERT_EQ(in_ranges, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RewritingEngines, testing::ValuesIn(best_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
