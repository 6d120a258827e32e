// Fuzz target: the bytes make a view, a pattern set, options and a text. What is found must be what the oracle of views
// finds, in blocks of any size, in a stream, and by a plan that was saved.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/byte_source.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/view_oracle.hpp"

namespace {

using lode::Match;
using lode::PatternSet;
using lode::Plan;
using lode::Searcher;
using lode::View;
using lode::tests::ByteSource;
using lode::tests::Rules;

constexpr std::size_t most_text_bytes = 400;

View read_view(ByteSource& source) {
  static const std::vector<std::vector<const char*>> groups = {
      {"", "", "", "", "utf-16", "utf-16be", "utf-32le", "auto", "latin-1", "windows-1251", "fasta", "fastq"},
      {"", "drop-ignorable"},
      {"", "nfc", "nfd", "nfkc", "nfkd"},
      {"", "fold-ascii", "fold-simple", "fold"},
      {"", "drop-marks"},
      {"", "drop-punctuation", "punctuation-as-space"},
      {"", "one-space", "drop-space"}};
  std::string steps;
  for (const std::vector<const char*>& group : groups) {
    const std::string step = group[source.byte() % group.size()];
    if (!step.empty()) steps += (steps.empty() ? "" : ",") + step;
  }
  return View(steps);
}

void expect(bool is_right, const char* what, const View& view, const PatternSet& patterns, const std::string& text) {
  if (is_right) return;
  std::fprintf(stderr, "%s differs\nview %s\n", what, view.name().c_str());
  for (std::uint32_t id = 0; id < patterns.size(); ++id)
    std::fprintf(stderr, "pattern %u%s%s: %s\n", id, patterns.ignore_case(id) ? " ignoring case" : "",
                 patterns.keeps_case(id) ? " keeping case" : "", lode::tests::escape(patterns[id], 1000).c_str());
  std::fprintf(stderr, "text: %s\n", lode::tests::escape(text, most_text_bytes).c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSource source(data, size);
  lode::PlanOptions plan_options;
  plan_options.view = read_view(source);
  Rules rules;
  rules.match_kind = static_cast<lode::MatchKind>(source.byte() % 3);
  rules.condition = static_cast<lode::Condition>(source.byte() % 3);
  lode::SearcherOptions options;
  options.match_kind = rules.match_kind;
  options.condition = rules.condition;
  options.chunk_bytes = source.byte() % 40;
  options.threads = source.byte() % 2 + 1U;
  const std::size_t piece_bytes = source.byte() % 30 + std::size_t{1};
  PatternSet patterns;
  for (std::size_t left = source.byte() % 4 + std::size_t{1}; left > 0; --left) {
    const std::uint8_t control = source.byte();
    const std::string_view pattern = source.bytes(control % 8 + std::size_t{1});
    const std::uint32_t id = patterns.add(pattern.empty() ? "a" : pattern, (control & 0x80) != 0);
    if ((control & 0x40) != 0) patterns.keep_case(id);
  }
  const std::string text(source.bytes(most_text_bytes));
  try {
    const Plan plan = Plan::deserialize(Plan::build(patterns, plan_options).serialize());
    const std::vector<Match> expected = find_in_view(text, patterns, plan_options.view, rules);
    const Searcher searcher(plan, options);
    expect(searcher.find(text) == expected, "find", plan_options.view, patterns, text);
    expect(searcher.count(text) == expected.size(), "count", plan_options.view, patterns, text);
    std::vector<Match> streamed;
    lode::Stream stream(searcher, [&](std::span<const Match> batch) {
      streamed.insert(streamed.end(), batch.begin(), batch.end());
      return true;
    });
    for (std::size_t at = 0; at < text.size(); at += piece_bytes)
      stream.push(std::string_view(text).substr(at, piece_bytes));
    stream.finish();
    expect(streamed == expected, "stream", plan_options.view, patterns, text);
  } catch (const lode::Error& error) {
    // The view may leave nothing of a pattern.
    expect(error.kind() == lode::ErrorKind::invalid_pattern, error.what(), plan_options.view, patterns, text);
  }
  return 0;
}
