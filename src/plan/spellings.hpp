// Spellings: what the forms of a pattern look like in a text.
//
// A form is a row of the table in spellings.cpp: a name, and a function that spells a pattern. To add one takes a row,
// that function, and a name in form.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "lode/form.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"

namespace lode {

/// All spellings of the patterns of a set, in the order of (id, form, length, bytes). A spelling in UTF-16 that both
/// ignores and keeps its case is compared without the case of bytes that are ASCII letters, whatever the view does.
struct SpelledPatterns {
  PatternSet patterns;
  std::vector<std::uint32_t> ids;   // for each spelling, the pattern that it is one of
  std::vector<std::uint8_t> forms;  // and its form
};

/// Spells the patterns of a set, of which some have forms. The view tells whether their case counts; they are not put
/// through it. Throws as Plan::build does.
SpelledPatterns spell_patterns(const PatternSet& patterns, const View& view);

/// Leaves out what equals an earlier spelling of the same pattern, and labels of spellings that are not as given.
SpelledPatterns without_equal_spellings(const SpelledPatterns& spelled);

/// All forms of the patterns of a set.
Forms all_forms(const PatternSet& patterns);

}  // namespace lode
