// What a view makes of a text, written straight from the meaning of its steps, on utf8proc and CaseFolding.txt. Linked
// only into tests.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lode/pattern_set.hpp"
#include "lode/view.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::tests {

struct ViewedSegment {
  std::uint64_t begin = 0, end = 0;  // in the original
  std::string bytes;                 // never empty
  friend bool operator==(const ViewedSegment&, const ViewedSegment&) = default;
  friend void PrintTo(const ViewedSegment& segment, std::ostream* out) {
    *out << segment.begin << "-" << segment.end << " '" << escape(segment.bytes) << "'";
  }
};

/// Whether words consist of it, by Unicode's definition of \w (UTS 18).
bool is_word_character(char32_t code);
/// Whether text[place] belongs to such a character of UTF-8.
bool is_in_word(std::string_view text, std::uint64_t place);
/// What CaseFolding.txt folds a code point into, by its statuses C and S.
char32_t simple_fold_by_meaning(char32_t code);

std::vector<ViewedSegment> view_by_meaning(std::string_view text, const View& view);
/// The segments that spans stand for.
std::vector<ViewedSegment> segments_of(const ViewedText& viewed, std::string_view text);

/// All matches of patterns that are as the view shows them.
std::vector<Match> find_viewed(std::string_view text, const PatternSet& viewed, const View& view,
                               const Rules& rules = {});
/// All matches of the patterns, which are put through the view as well: without its fold if they keep their case, and
/// with fold-simple if they ignore it.
std::vector<Match> find_in_view(std::string_view text, const PatternSet& patterns, const View& view,
                                const Rules& rules = {});

}  // namespace lode::tests
