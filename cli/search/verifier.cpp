#include "cli/search/verifier.hpp"

#include <algorithm>
#include <vector>

#include "lode/error.hpp"

namespace lode::command {
namespace {

constexpr std::size_t most_matches = std::size_t{1} << 20;

SearcherOptions all_matches(SearcherOptions options) {
  options.one_per_line = false;
  return options;
}

std::string shown(const Match& match) {
  return "offset " + std::to_string(match.offset) + ", pattern " + std::to_string(match.pattern_id);
}

}  // namespace

SearcherOptions reference_options(const std::string& checked_algorithm, const Plan& plan, SearcherOptions options) {
  std::string reasons;
  for (const char* const algorithm : {"rabin-karp", "naive", "filter"}) {
    if (algorithm == checked_algorithm) continue;
    const std::string reason = refusal(algorithm, plan);
    options.algorithm = algorithm;
    if (reason.empty()) return options;
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw Error(ErrorKind::unsupported, "nothing is there to compare " + checked_algorithm + " with: " + reasons);
}

Verifier::Verifier(const Plan& plan, const SearcherOptions& options, const Device& device)
    : checked_(plan, all_matches(options), device),
      reference_(plan, reference_options(checked_.algorithm(), plan, all_matches(options))) {
  try {
    reference_.count_lines("");
  } catch (const Error&) {
    counts_lines_ = false;
  }
}

void Verifier::begin_text() { checked_not_before_ = reference_not_before_ = 0; }

std::optional<std::string> Verifier::compare(const Range& range) {
  return compare_part(range, range.from, range.until);
}

std::optional<std::string> Verifier::compare_part(const Range& range, std::uint64_t from, std::uint64_t until) {
  const auto list = [&](const Searcher& searcher, std::uint64_t& not_before, std::vector<Match>& matches) {
    Range part = range;
    part.from = from;
    part.until = until;
    RunOptions run = part.run();
    std::uint64_t relative = std::max(not_before, range.view.begin) - range.view.begin;
    run.not_before = &relative;
    bool complete = true;
    searcher.find(
        range.view.bytes,
        [&](std::span<const Match> batch) {
          complete = until - from == 1 || matches.size() + batch.size() <= most_matches;
          if (complete) matches.insert(matches.end(), batch.begin(), batch.end());
          return complete;
        },
        run);
    if (complete) not_before = std::max(not_before, relative + range.view.begin);
    return complete;
  };
  const std::uint64_t checked_before = checked_not_before_, reference_before = reference_not_before_;
  std::vector<Match> found, expected;
  if (!list(checked_, checked_not_before_, found) || !list(reference_, reference_not_before_, expected)) {
    checked_not_before_ = checked_before;
    reference_not_before_ = reference_before;
    const std::uint64_t middle = from + (until - from) / 2;
    auto difference = compare_part(range, from, middle);
    return difference ? difference : compare_part(range, middle, until);
  }
  if (found == expected) {
    Range part = range;
    part.from = from;
    part.until = until;
    return compare_counts(part, checked_before, expected);
  }
  const auto [in_found, in_expected] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  const auto in_text = [&](Match match) {
    match.offset += range.view.begin;
    return shown(match);
  };
  const std::string& checked = checked_.algorithm();
  const std::string& reference = reference_.algorithm();
  std::string message = "verification failed: ";
  if (in_found == found.end()) {
    return message + checked + " misses the match at " + in_text(*in_expected) + " that " + reference + " finds";
  }
  if (in_expected == expected.end()) {
    return message + checked + " reports a match at " + in_text(*in_found) + " that " + reference + " does not find";
  }
  return message + "the first difference is at " + in_text(*in_found) + " (" + checked + ") against " +
         in_text(*in_expected) + " (" + reference + ")";
}

std::optional<std::string> Verifier::compare_counts(const Range& range, std::uint64_t not_before,
                                                    const std::vector<Match>& matches) const {
  const std::string_view bytes = range.view.bytes;
  const auto counted = [&](const auto& count) {
    RunOptions run = range.run();
    std::uint64_t relative = std::max(not_before, range.view.begin) - range.view.begin;
    run.not_before = &relative;
    return count(run);
  };
  const auto differs = [&](std::uint64_t count, const std::string& of_what, std::uint64_t expected) {
    return "verification failed: " + checked_.algorithm() + " counts " + std::to_string(count) + of_what +
           " from offset " + std::to_string(range.from) + " to " + std::to_string(range.until) + ", where there are " +
           std::to_string(expected);
  };
  const std::uint64_t count = counted([&](const RunOptions& run) { return checked_.count(bytes, run); });
  if (count != matches.size()) return differs(count, " matches", matches.size());
  const bool any = counted([&](const RunOptions& run) { return checked_.contains(bytes, run); });
  if (any == matches.empty()) return differs(any ? 1 : 0, " or more matches", matches.size());
  std::vector<std::uint64_t> expected(checked_.plan().patterns().size());
  for (const Match& match : matches) ++expected[match.pattern_id];
  const auto each = counted([&](const RunOptions& run) { return checked_.count_per_pattern(bytes, run); });
  const auto [in_each, in_expected] = std::mismatch(each.begin(), each.end(), expected.begin(), expected.end());
  if (in_each != each.end())
    return differs(*in_each, " matches of pattern " + std::to_string(in_each - each.begin()), *in_expected);
  if (!counts_lines_) return std::nullopt;
  const auto lines = [&](const Searcher& searcher) {
    return counted([&](const RunOptions& run) { return searcher.count_lines(bytes, run); });
  };
  const std::uint64_t found_lines = lines(checked_);
  const std::uint64_t expected_lines = lines(reference_);
  if (found_lines != expected_lines) return differs(found_lines, " lines with matches", expected_lines);
  return std::nullopt;
}

}  // namespace lode::command
