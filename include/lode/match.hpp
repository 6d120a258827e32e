// What a search reports.
//
// A match is an occurrence that is reported: the pattern `pattern_id` stands at `text[offset, offset + length)`. If the
// pattern ignores case, both are folded before they are compared. Matches are always sorted by (offset, pattern_id); those
// of one pattern at one place, which differ in form, by form and then length. Overlapping matches are all reported, unless
// a match kind or a condition drops some of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "lode/form.hpp"

namespace lode {

inline constexpr std::uint32_t max_match_length = (std::uint32_t{1} << 27) - 1;

struct Match {
  constexpr Match() = default;
  constexpr Match(std::uint64_t at, std::uint32_t id, std::uint32_t length_bytes, Form of = Form::as_given)
      : offset(at), pattern_id(id), length(length_bytes & max_match_length), form(of) {}

  std::uint64_t offset = 0;      // place of the first byte in the original text
  std::uint32_t pattern_id = 0;  // index in the PatternSet
  // The length in bytes: that of the pattern, 1 … max_pattern_length; with a view, that of what stands in the original.
  // A longer match, such as two words with 4 GiB of blanks between them, has max_match_length.
  std::uint32_t length : 27 = 0;
  Form form : 5 = Form::as_given;  // what stands there: the pattern as given, or a form of it

  friend bool operator==(const Match&, const Match&) = default;
};
static_assert(sizeof(Match) == 16);

/// Which of the occurrences are reported. The two leftmost kinds report no overlaps. The match that starts first wins.
/// Among matches that start together the longest wins (leftmost_longest) or the one with the lowest id
/// (leftmost_first); remaining ties go to the lowest id, and then to the first form. The next match starts at or after the end of the last one.
enum class MatchKind { overlapping, leftmost_longest, leftmost_first };

/// A condition drops occurrences before the match kind chooses among the rest.
/// whole_word: no word character of UTF-8 stands directly before or after the match, nor a part of one. Word characters
/// are what Unicode's standard of regular expressions calls \w (UTS 18): letters, marks, digits, connecting punctuation
/// such as the underscore, and joiners. A byte that is not UTF-8 belongs to none.
/// whole_line: the match is a line: it starts at the text's start or after a line terminator, and ends at the text's
/// end or before a line terminator.
/// whole_line_crlf: as whole_line, but the match may also end before a CR that stands before a line terminator.
enum class Condition { none, whole_word, whole_line, whole_line_crlf };

/// Receives matches in order, in batches. Returns false to end the search early, which is not an error.
/// Only the thread that called the search calls it.
using MatchSink = std::function<bool(std::span<const Match>)>;

}  // namespace lode
