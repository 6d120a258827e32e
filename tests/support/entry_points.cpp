#include "support/entry_points.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "plan/plan_data.hpp"
#include "support/engines.hpp"

namespace lode::tests {
namespace {

constexpr std::uint64_t least_list_matches = 4096;  // a GPU's list holds as many under any memory limit

testing::AssertionResult compare_numbers(const char* what, std::uint64_t found, std::uint64_t expected) {
  if (found == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << " is " << found << ", expected " << expected;
}

// Checks that a GPU kept to the options. It delivered `parts`, one for each piece, and more if a list was full.
testing::AssertionResult check_gpu_limits(const Searcher& searcher, const SearchStats& stats, std::uint64_t parts) {
  const SearcherOptions& options = searcher.options();
  const PatternSet& patterns = searcher.plan().data().patterns;
  constexpr unsigned largest_team = 32;  // a group consists of whole teams
  const unsigned most_items = (options.gpu_group_items + largest_team - 1) / largest_team * largest_team;
  const bool is_one = stats.algorithm.find(", then ") == std::string::npos;
  if (options.gpu_group_items != 0 && is_one && (stats.gpu_group_items == 0 || stats.gpu_group_items > most_items)) {
    return testing::AssertionFailure() << "work-groups of " << stats.gpu_group_items << " items ran, asked for were "
                                       << options.gpu_group_items;
  }
  std::uint64_t most_bytes = options.chunk_bytes == 0 ? stats.bytes : options.chunk_bytes;
  std::uint64_t most_matches = UINT64_MAX;
  if (options.memory_limit_bytes != 0) {
    // Half of the limit is for the text of three pieces, in each of which one pattern must have room. A twenty-fourth
    // is for a list.
    // A condition looks at more than one byte behind the pattern.
    const bool is_word = options.condition == Condition::whole_word;
    const std::uint64_t more = is_word ? 3 : options.condition == Condition::whole_line_crlf ? 1 : 0;
    const std::uint64_t longest = patterns.max_length() + more;
    most_bytes = std::min(most_bytes, std::max(options.memory_limit_bytes / 6, longest));
    // Equal patterns are one entry in a list, and all matches at one place stay together.
    if (searcher.plan().distinct_count() == patterns.size() && patterns.size() <= least_list_matches)
      most_matches = std::max<std::uint64_t>(least_list_matches, options.memory_limit_bytes / 24 / 8);
  }
  const bool are_short = stats.matches <= most_matches || parts * most_matches >= stats.matches;
  if (parts * most_bytes >= stats.bytes && are_short) return testing::AssertionSuccess();
  return testing::AssertionFailure() << stats.bytes << " bytes with " << stats.matches << " matches in " << parts
                                     << " parts, which should have " << most_bytes << " bytes and " << most_matches
                                     << " matches at most";
}

// For leftmost kinds the host reads a text backward where so many occurrences are listed in vain
// (search/leftmost_search.cpp), which takes at least as many.
bool may_be_read_backward(const Searcher& searcher, std::string_view text) {
  constexpr std::uint64_t most_in_vain = 4096;
  if (searcher.options().match_kind == MatchKind::overlapping) return false;
  SearcherOptions all;
  all.condition = searcher.options().condition;
  all.line_terminator = searcher.options().line_terminator;
  return Searcher(searcher.plan(), all).count(text) > most_in_vain;
}

testing::AssertionResult check_find_list(const Searcher& searcher, std::string_view text,
                                         const std::vector<Match>& expected) {
  SearchStats stats;
  RunOptions run;
  run.stats = &stats;
  std::uint64_t parts = 0;
  const bool is_gpu = searcher.device().gpus() != nullptr;
  if (is_gpu) run.progress = [&](std::uint64_t, std::uint64_t) { ++parts; };
  const testing::AssertionResult result = compare_matches(searcher.find(text, run), expected);
  if (!result) return result;
  // GPUs may have changed to another algorithm during the search.
  const std::string begun = stats.algorithm.substr(0, stats.algorithm.find(", then "));
  if (begun != searcher.algorithm() || stats.instruction_set != searcher.instruction_set()) {
    return testing::AssertionFailure() << "stats tell of " << stats.algorithm << " on " << stats.instruction_set;
  }
  const testing::AssertionResult bytes = compare_numbers("stats.bytes", stats.bytes, text.size());
  if (!bytes) return bytes;
  const testing::AssertionResult matches = compare_numbers("stats.matches", stats.matches, expected.size());
  // What a view changes goes to the GPU in blocks of its own, and what the host reads backward does not go there.
  const bool is_viewed = !searcher.plan().data().unchanged.is(text);
  return matches && is_gpu && !is_viewed && !may_be_read_backward(searcher, text)
             ? check_gpu_limits(searcher, stats, parts)
             : matches;
}

testing::AssertionResult check_count_per_pattern(const Searcher& searcher, std::string_view text,
                                                 const std::vector<Match>& expected) {
  const std::vector<std::uint64_t> found = searcher.count_per_pattern(text);
  std::vector<std::uint64_t> counts(searcher.plan().patterns().size());
  for (const Match& match : expected) ++counts[match.pattern_id];
  const testing::AssertionResult sizes = compare_numbers("the number of counts", found.size(), counts.size());
  if (!sizes) return sizes;
  for (std::size_t id = 0; id < counts.size(); ++id) {
    const testing::AssertionResult result = compare_numbers("count", found[id], counts[id]);
    if (!result) return testing::AssertionFailure() << result.message() << " for pattern " << id;
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult check_first(const Searcher& searcher, std::string_view text,
                                     const std::vector<Match>& expected) {
  const std::optional<Match> found = searcher.first(text);
  const std::vector<Match> as_list = found ? std::vector<Match>{*found} : std::vector<Match>{};
  return compare_matches(as_list, {expected.begin(), expected.begin() + (expected.empty() ? 0 : 1)});
}

// Gives pieces of `piece_bytes`, or of random sizes if it is 0, some of them empty.
testing::AssertionResult check_stream(const Searcher& searcher, std::string_view text,
                                      const std::vector<Match>& expected, std::uint64_t piece_bytes, Random& random) {
  Collector collector;
  Stream stream(searcher, collector.sink());
  for (std::uint64_t at = 0; at < text.size();) {
    const std::uint64_t wanted =
        piece_bytes != 0 ? piece_bytes : random.below(random.pick(std::vector<std::uint64_t>{4, 4, 300, 3000}));
    const std::string piece(text.substr(at, wanted));  // this is a copy, because the stream may not read it later
    if (!stream.push(piece)) return testing::AssertionFailure() << "push returned false at " << at;
    at += piece.size();
    if (piece_bytes == 0 && random.below(10 + text.size() / 200) == 0) stream.flush();
  }
  stream.finish();
  const testing::AssertionResult size = compare_numbers("stream.size()", stream.size(), text.size());
  return size ? compare_matches(collector.matches(), expected) : size;
}

testing::AssertionResult check_random_access(const Searcher& searcher, std::string_view text,
                                             const std::vector<Match>& expected) {
  const CheckedText source(text);
  const testing::AssertionResult count = compare_numbers("count", searcher.count(source), expected.size());
  return count ? compare_matches(searcher.find(source), expected) : count;
}

// Searches the text in ranges, one after the other. not_before continues a leftmost kind in the next range.
testing::AssertionResult check_ranges(const Searcher& searcher, std::string_view text,
                                      const std::vector<Match>& expected, Random& random) {
  std::vector<std::uint64_t> edges = {0, text.size(), random.below(text.size() + 1), random.below(text.size() + 1)};
  std::sort(edges.begin(), edges.end());
  const CheckedText source(text);
  std::vector<Match> joined;
  std::uint64_t counted = 0;
  std::uint64_t find_not_before = 0;
  std::uint64_t count_not_before = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    RunOptions run;
    run.begin = edges[i];
    run.end = i + 2 == edges.size() && random.chance(50) ? UINT64_MAX : edges[i + 1];
    run.not_before = &find_not_before;
    const Text asked = random.chance(50) ? Text(text) : Text(source);
    for (const Match& match : searcher.find(asked, run)) {
      if (match.offset < run.begin || match.offset >= run.end) {
        return testing::AssertionFailure()
               << "a match at " << match.offset << " outside of [" << run.begin << ", " << run.end << ")";
      }
      joined.push_back(match);
    }
    run.not_before = &count_not_before;
    counted += searcher.count(asked, run);
  }
  const testing::AssertionResult result = compare_matches(joined, expected);
  if (!result)
    return testing::AssertionFailure() << result.message() << "; ranges split at " << edges[1] << " and " << edges[2];
  return compare_numbers("count over ranges", counted, expected.size());
}

}  // namespace

void CheckedText::read(std::uint64_t offset, std::span<char> into) const {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) {
    ADD_FAILURE() << "a read of " << into.size() << " bytes at " << offset << " of a text of " << bytes_.size();
    throw Error(ErrorKind::input_output, "read beyond the end of a test's text");
  }
  if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
}

MatchSink Collector::sink() {
  return [this](std::span<const Match> batch) {
    matches_.insert(matches_.end(), batch.begin(), batch.end());
    return true;
  };
}

testing::AssertionResult compare_matches(const std::vector<Match>& found, const std::vector<Match>& expected) {
  if (found == expected) return testing::AssertionSuccess();
  const auto [left, right] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << found.size() << " matches, expected " << expected.size() << "; difference at match "
          << left - found.begin() << ": found ";
  failure << (left == found.end() ? "none" : testing::PrintToString(*left)) << ", expected "
          << (right == expected.end() ? "none" : testing::PrintToString(*right));
  return failure;
}

testing::AssertionResult check_entry_point(EntryPoint entry_point, const Searcher& searcher, std::string_view text,
                                           const std::vector<Match>& expected, Random& random) {
  switch (entry_point) {
    case EntryPoint::find_list: return check_find_list(searcher, text, expected);
    case EntryPoint::find_sink: {
      Collector collector;
      searcher.find(text, collector.sink());
      return compare_matches(collector.matches(), expected);
    }
    case EntryPoint::count: return compare_numbers("count", searcher.count(text), expected.size());
    case EntryPoint::count_per_pattern: return check_count_per_pattern(searcher, text, expected);
    case EntryPoint::contains: return compare_numbers("contains", searcher.contains(text), !expected.empty());
    case EntryPoint::first: return check_first(searcher, text, expected);
    case EntryPoint::stream_of_bytes: return check_stream(searcher, text, expected, 1, random);
    case EntryPoint::stream_of_sevens: return check_stream(searcher, text, expected, 7, random);
    case EntryPoint::stream_of_blocks: return check_stream(searcher, text, expected, 64, random);
    case EntryPoint::stream_at_once: return check_stream(searcher, text, expected, UINT64_MAX, random);
    case EntryPoint::stream_of_random_pieces: return check_stream(searcher, text, expected, 0, random);
    case EntryPoint::random_access: return check_random_access(searcher, text, expected);
    case EntryPoint::ranges: return check_ranges(searcher, text, expected, random);
  }
  return testing::AssertionFailure() << "no such entry point";
}

}  // namespace lode::tests
