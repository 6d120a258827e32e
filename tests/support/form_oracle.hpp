// What forms spell, written straight from their meaning, with iconv and CaseFolding.txt. Linked only into tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lode/form.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"
#include "support/oracle.hpp"

namespace lode::tests {

struct OracleSpelling {
  Form form = Form::as_given;
  std::string bytes;
  bool is_exact = false;  // its case counts, though the pattern ignores it
};

/// All spellings of a pattern, in the order of the forms; some may be equal. UTF-16 is spelled in all cases.
std::vector<OracleSpelling> spell_by_meaning(std::string_view pattern, Forms forms, bool ignores_case);

/// All matches of patterns with forms, through a view that folds simply, or not at all.
std::vector<Match> find_forms(std::string_view text, const PatternSet& patterns, const View& view = {},
                              const Rules& rules = {});

}  // namespace lode::tests
