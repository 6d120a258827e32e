// What a search reports.
//
// A match is an occurrence: the pattern `pattern_id` stands at `text[offset, offset + length)` (after folding both,
// where the pattern ignores case). Matches are always reported sorted by (offset, pattern_id), overlaps included,
// unless a match kind or a condition drops some of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace lode {

struct Match {
  std::uint64_t offset = 0;      // of the first byte, in the original text
  std::uint32_t pattern_id = 0;  // index in the PatternSet
  std::uint32_t length = 0;      // bytes of the pattern, 1 … max_pattern_length

  friend bool operator==(const Match&, const Match&) = default;
};

/// Which of the occurrences are reported. The two leftmost kinds report no overlaps: the match that starts first
/// wins; among those that start together the longest (or the one with the lowest id) wins, remaining ties go to the
/// lowest id; the next match starts at or after the end of the last one.
enum class MatchKind { overlapping, leftmost_longest, leftmost_first };

/// Drops occurrences before the match kind is decided.
/// whole_word: no word byte ([A-Za-z0-9_] and every byte >= 0x80) stands directly before or after the match.
/// whole_line: the match is a line: it starts at the text's start or after a line terminator, and ends at the text's
/// end or before a line terminator.
/// whole_line_crlf: the same, but it may also end before a CR that stands before a line terminator.
enum class Condition { none, whole_word, whole_line, whole_line_crlf };

/// Receives matches in order, in batches. Returns false to end the search early (that is no error).
/// Called by one thread at a time, from the thread that called the search.
using MatchSink = std::function<bool(std::span<const Match>)>;

}  // namespace lode
