// PlanData: the tables behind a Plan. They know no device. Plan::build() makes them, PlanFile saves and checks them.
//
// A *distinct pattern* stands for all patterns with the same bytes (after folding) and the same case rule. Its index is
// its rank by lowest id, so sorting by distinct index sorts by lowest id.
//
// With forms, what is searched are the *spellings* of the patterns, in the order of (id, form, length): the tables are
// made of these as if each were a pattern. Only id_count(), ids() and forms_of() speak of the patterns of the user.
//
//   patterns of the user   GAATTTC with its reverse complement, ACGT with its reverse complement
//   patterns               GAATTTC GAAATTC ACGT        (ACGT is its own reverse complement)
//   spelled_ids            0       0       1
//   spelled_forms          given   reverse given
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lode/form.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"
#include "plan/filter.hpp"
#include "text/condition.hpp"
#include "text/unchanged_text.hpp"
#include "text/viewer.hpp"

namespace lode {

/// The units in which a form spells a pattern.
constexpr CodeUnit code_unit(Form form) {
  if (form == Form::utf_16le) return CodeUnit::utf_16le;
  return form == Form::utf_16be ? CodeUnit::utf_16be : CodeUnit::utf_8;
}
constexpr bool is_utf_16(Form form) { return code_unit(form) != CodeUnit::utf_8; }

struct PlanData {
  View view;                                   // of the patterns and of the texts to come
  std::shared_ptr<const text::Viewer> viewer;  // of the view; null if that is empty
  // The view folds, but not for patterns whose case counts, nor for spellings in UTF-16. Their bytes are as the view without its fold
  // shows them, and that view's viewer is here unless it is empty.
  bool keeps_case = false;
  std::shared_ptr<const text::Viewer> case_viewer;
  text::UnchangedText unchanged;  // which texts the view leaves as they are, as far as the patterns can tell
  PatternSet patterns;            // as the view shows them; with forms, all spellings
  Forms forms;                    // those of all patterns together; if there are none, the next three are empty
  std::vector<std::uint32_t> spelled_ids;   // for each spelling, the user's pattern that it is one of; never decreasing
  std::vector<std::uint8_t> spelled_forms;  // and its form
  PatternSet given;                         // the user's patterns as the view shows them
  std::vector<std::uint32_t> representative;  // distinct index -> its lowest id, increasing; empty: all are distinct
  std::vector<std::uint32_t> group_starts;  // distinct index -> first place in group_ids; one more at the end; or empty
  std::vector<std::uint32_t> group_ids;     // ids of each distinct pattern, increasing within one; or empty
  // With forms there are groups, even if all spellings are distinct. Of each of group_ids: the user's pattern, its form.
  std::vector<std::uint32_t> owner_ids;
  std::vector<std::uint8_t> owner_forms;
  std::vector<CodeUnit> units;  // of each distinct pattern; empty if none is UTF-16
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
  /// The patterns that are equal to each other. With forms they are spellings.
  std::span<const std::uint32_t> group(std::uint32_t distinct) const {
    return std::span(group_ids).subspan(group_starts[distinct], multiplicity(distinct));
  }

  /// The number of the user's patterns.
  std::uint32_t id_count() const { return forms.empty() ? patterns.size() : given.size(); }
  const PatternSet& users_patterns() const { return forms.empty() ? patterns : given; }
  /// The user's patterns that a distinct pattern stands for, increasing. Precondition: has_duplicates().
  std::span<const std::uint32_t> ids(std::uint32_t distinct) const {
    return std::span(ids_of_groups()).subspan(group_starts[distinct], multiplicity(distinct));
  }
  const std::vector<std::uint32_t>& ids_of_groups() const { return forms.empty() ? group_ids : owner_ids; }
  /// The forms in which they are meant, in the order of ids(). Precondition: there are forms.
  std::span<const std::uint8_t> forms_of(std::uint32_t distinct) const {
    return std::span(owner_forms).subspan(group_starts[distinct], multiplicity(distinct));
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
  /// Whether a pattern or spelling ignores the case of its bytes alone: what the view folds says nothing of UTF-16.
  bool folds_bytes(std::uint32_t id) const {
    return !forms.empty() && patterns.ignore_case(id) && is_utf_16(static_cast<Form>(spelled_forms[id]));
  }
  /// Whether a distinct pattern is looked for in what a view that folds shows; else where that view does not fold.
  bool is_folded(std::uint32_t distinct) const { return ignore_case(distinct) && !folds_bytes(lowest_id(distinct)); }
  /// The check that decides whether an occurrence of a distinct pattern counts.
  ConditionCheck condition_check(Condition condition, char line_terminator = '\n') const {
    return {condition, line_terminator, units};
  }
  /// Throws Error(unsupported) if the condition cannot be decided, as the same bytes stand for patterns in UTF-16 and in
  /// UTF-8.
  void check_condition(Condition condition) const;
  /// Fills `given`, owner_ids, owner_forms and units. To be called once patterns, spellings and groups are there.
  void set_owners();
  /// To be called once view and patterns are there.
  void set_viewers();
  std::uint64_t memory_bytes() const;
};

}  // namespace lode
