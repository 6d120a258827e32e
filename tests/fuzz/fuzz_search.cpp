// Fuzz target: the bytes make a pattern set, options and a text. Every algorithm must find what the oracle finds.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/byte_source.hpp"
#include "support/engines.hpp"
#include "support/entry_points.hpp"

namespace {

using lode::Condition;
using lode::Match;
using lode::MatchKind;
using lode::PatternSet;
using lode::Plan;
using lode::Schedule;
using lode::Searcher;
using lode::tests::ByteSource;
using lode::tests::Configuration;
using lode::tests::EntryPoint;
using lode::tests::Random;
using lode::tests::Rules;

constexpr std::size_t max_text_bytes = 3000;

PatternSet read_patterns(ByteSource& source) {
  PatternSet patterns;
  const std::size_t pattern_count = source.byte() % 40 + std::size_t{1};
  while (patterns.size() < pattern_count) {
    // The bits of the control byte choose the case rule, whether a piece of the last pattern replaces new bytes, and
    // the length.
    const std::uint8_t control = source.byte();
    const std::size_t length = control % 32 + std::size_t{1};
    std::string pattern;
    if ((control & 0x40) != 0 && !patterns.empty()) {
      const std::string last(patterns[patterns.size() - 1]);
      pattern = length % 2 == 0 ? last.substr(last.size() / 2) : last + last.substr(0, length);
      pattern.resize(std::min<std::size_t>(pattern.size(), 100));
    } else {
      pattern = source.bytes(length);
    }
    if (pattern.empty()) pattern = "a";
    patterns.add(pattern, (control & 0x80) != 0);
  }
  return patterns;
}

std::string read_text(ByteSource& source, const PatternSet& patterns) {
  const std::size_t copies = source.byte() % 16 + std::size_t{1};
  const bool ends_with_pattern = copies % 2 == 0;
  std::string text;
  for (std::size_t copy = 0; copy < copies && text.size() < max_text_bytes; ++copy) {
    text += source.rest();
    if (copies % 3 == 0) text += patterns[static_cast<std::uint32_t>(copy % patterns.size())];
  }
  if (ends_with_pattern) text += patterns[0];
  text.resize(std::min(text.size(), max_text_bytes));
  return text;
}

void report(const testing::AssertionResult& result, const Configuration& configuration, const Rules& rules,
            const PatternSet& patterns, const std::string& text, EntryPoint entry_point) {
  std::fprintf(stderr, "%s\n%s\nentry point %d\n%s\n%s\ntext: %s\n", result.message(), describe(configuration).c_str(),
               static_cast<int>(entry_point), describe(rules).c_str(), lode::tests::describe(patterns).c_str(),
               lode::tests::escape(text, max_text_bytes).c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSource source(data, size);
  Rules rules;
  rules.match_kind = static_cast<MatchKind>(source.byte() % 3);
  rules.condition = static_cast<Condition>(source.byte() % 3);
  rules.line_terminator = source.byte() % 4 == 0 ? '\0' : '\n';
  Random random(source.byte() * 256U + source.byte());
  const PatternSet patterns = read_patterns(source);
  const std::string text = read_text(source, patterns);
  const std::vector<Match> expected = find_by_meaning(text, patterns, rules);
  const Plan plan = Plan::build(patterns);
  for (const std::string& algorithm : lode::tests::algorithm_names()) {
    if (!lode::refusal(algorithm, patterns).empty()) continue;
    const Configuration configuration =
        draw_configuration(random, {algorithm, random.pick(lode::cpu_instruction_sets())});
    const Searcher searcher(plan, make_options(configuration, rules));
    for (const auto entry_point :
         {EntryPoint::find_list, static_cast<EntryPoint>(random.below(lode::tests::entry_point_count))}) {
      const testing::AssertionResult result = check_entry_point(entry_point, searcher, text, expected, random);
      if (!result) report(result, configuration, rules, patterns, text, entry_point);
    }
  }
  return 0;
}
