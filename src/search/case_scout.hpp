// CaseScout: where in a text, for few patterns whose case does not count, a match may begin. The rest is not viewed.
//
//   pattern    пароль             anchor   парол, the part with most bytes among those of few spellings
//   spellings  парол Парол пАрол …  they are searched for in the text as it lies, by an engine of their own
//   text       ...Забытый ПАРОЛЬ...        ПАРОЛ is found; a match begins there, for the anchor is the pattern's begin
//
// Putting a text through a view costs more than searching it. Loses where anchors are frequent: whoever uses it then
// takes the whole block.
//
// Only k and s have other cases beyond ASCII (the Kelvin sign and the long s). If each pattern is ASCII and has a part
// without them, these parts are the anchors, with one spelling each. To look for them then takes less time than to see
// whether a text may be searched where it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lode/plan.hpp"
#include "plan/plan_data.hpp"
#include "search/cpu_search.hpp"

namespace lode {

class CaseScout {
 public:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };

  /// Null where it does not serve: the view does more than fold, or the patterns are many, short, or in too many cases.
  static std::unique_ptr<const CaseScout> make(const PlanData& plan, InstructionSet set);

  /// Finds ranges of text[begin … end) outside of which no match begins, in order, and disjoint. Returns false if they are
  /// not worth it.
  bool find(std::string_view text, std::uint64_t begin, std::uint64_t end, std::vector<Range>& ranges) const;
  /// Whether scouting also pays in a text that could be searched where it lies.
  bool is_quick() const { return is_quick_; }
  std::string strategy() const;

 private:
  CaseScout(Plan anchors, bool is_quick, std::uint64_t bytes_before, InstructionSet set);

  const Plan anchors_;
  const bool is_quick_;
  const SearcherOptions options_;
  const std::uint64_t bytes_before_;  // the most that a match has before its anchor
  const std::shared_ptr<const CpuSearch> search_;
};

}  // namespace lode
