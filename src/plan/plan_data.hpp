// PlanData: the tables behind a Plan. They know no device. Plan::build() makes them, PlanFile saves and checks them.
//
// A *distinct pattern* stands for all patterns with the same bytes (after folding) and the same case rule. Its index is
// its rank by lowest id, so sorting by distinct index sorts by lowest id.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"
#include "plan/filter.hpp"
#include "text/unchanged_text.hpp"
#include "text/viewer.hpp"

namespace lode {

struct PlanData {
  View view;                                   // of the patterns and of the texts to come
  std::shared_ptr<const text::Viewer> viewer;  // of the view; null if that is empty
  // The view folds, but the case of patterns that do not ignore it counts. Their bytes are as the view without its fold
  // shows them, and that view's viewer is here unless it is empty.
  bool keeps_case = false;
  std::shared_ptr<const text::Viewer> case_viewer;
  text::UnchangedText unchanged;  // which texts the view leaves as they are, as far as the patterns can tell
  PatternSet patterns;            // as the view shows them
  std::vector<std::uint32_t> representative;  // distinct index -> its lowest id, increasing; empty: all are distinct
  std::vector<std::uint32_t> group_starts;  // distinct index -> first place in group_ids; one more at the end; or empty
  std::vector<std::uint32_t> group_ids;     // ids of each distinct pattern, increasing within one; or empty
  FilterTables filter;
  std::string text_sample;  // a sample of the text to come, by which looks are chosen; not saved

  bool has_duplicates() const { return !representative.empty(); }
  std::uint32_t distinct_count() const {
    return has_duplicates() ? static_cast<std::uint32_t>(representative.size()) : patterns.size();
  }
  std::uint32_t lowest_id(std::uint32_t distinct) const {
    return has_duplicates() ? representative[distinct] : distinct;
  }
  std::uint32_t multiplicity(std::uint32_t distinct) const {
    return has_duplicates() ? group_starts[distinct + 1] - group_starts[distinct] : 1;
  }
  std::span<const std::uint32_t> group(std::uint32_t distinct) const {
    return std::span(group_ids).subspan(group_starts[distinct], multiplicity(distinct));
  }
  std::span<const std::uint8_t> bytes(std::uint32_t distinct) const {
    const std::string_view pattern = patterns[lowest_id(distinct)];
    return {reinterpret_cast<const std::uint8_t*>(pattern.data()), pattern.size()};
  }
  const std::uint8_t* patterns_end() const {
    const std::string_view last = patterns[patterns.size() - 1];
    return reinterpret_cast<const std::uint8_t*>(last.data()) + last.size();
  }
  bool ignore_case(std::uint32_t distinct) const { return patterns.ignore_case(lowest_id(distinct)); }
  /// To be called once view and patterns are there.
  void set_viewers();
  std::uint64_t memory_bytes() const;
};

}  // namespace lode
