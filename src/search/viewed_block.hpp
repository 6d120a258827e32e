// ViewedBlock: a block of a text, as the plan's view shows it, and the way back from what is found there.
//
//   original   _ F u ß b a l l          view fold, pattern "ss"
//   viewed     _ f u ss b a l l         found at 3; 3 is where a segment begins, and 5 is where it ends
//   match      offset 3, the 2 bytes of ß
//
// A block begins and ends at cuts of the view, and as much is viewed behind it as a match may reach. So blocks cannot
// change what is found. A block that the view leaves as it is, but for the case of ASCII letters, is searched where it
// lies: the patterns of such a view ignore that.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lode/options.hpp"
#include "lode/records.hpp"
#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"
#include "text/condition.hpp"
#include "text/decoder.hpp"
#include "text/place_map.hpp"
#include "text/unchanged_text.hpp"
#include "text/viewer.hpp"

namespace lode {

/// What all blocks of a text have in common.
struct ViewedTextSetup {
  /// `decoder` is null for UTF-8. The text is the bytes of `records`, unless they are null: segments end where records
  /// do, and what lies between them is not viewed.
  static ViewedTextSetup of(const PlanData& plan, const SearcherOptions& options, const Text& text,
                            const text::Decoder* decoder, const Records* records) {
    return of(plan, plan.viewer.get(), options, text, decoder, records);
  }
  /// For the patterns whose case counts.
  static ViewedTextSetup of_kept_case(const PlanData& plan, const SearcherOptions& options, const Text& text,
                                      const text::Decoder* decoder, const Records* records) {
    return of(plan, plan.case_viewer.get(), options, text, decoder, records);
  }
  static ViewedTextSetup of(const PlanData& plan, const text::Viewer* viewer, const SearcherOptions& options,
                            const Text& text, const text::Decoder* decoder, const Records* records) {
    return {viewer,
            plan.unchanged,
            plan.condition_check(options.condition, options.line_terminator),
            options.line_terminator,
            plan.patterns.max_length(),
            text,
            decoder,
            records};
  }

  const text::Viewer* viewer = nullptr;  // null: what was decoded is not changed
  text::UnchangedText unchanged;
  ConditionCheck condition;
  char line_terminator = '\n';
  std::uint64_t reach = 0;  // viewed bytes that a match may have
  const Text& text;
  const text::Decoder* decoder = nullptr;
  const Records* records = nullptr;
};

/// A block of the original. Its begin and end are multiples of the decoder's unit.
struct BlockRange {
  std::uint64_t begin = 0, end = 0;
  bool seeks_cut = true;       // the block begins with the first cut; else there is one at `begin`
  text::Decoder::State state;  // at `begin`
};

// One thread uses it, for one block after the other.
class ViewedBlock {
 public:
  explicit ViewedBlock(const ViewedTextSetup& setup);

  /// The last cut at or before a place. Precondition: the text is not decoded.
  std::uint64_t cut_before(std::uint64_t place);
  /// Views the text from the range's begin, or from the first cut behind it, to the first cut at or behind its end.
  void view(const BlockRange& range);

  /// What is to be searched. A match of the block begins in its first core_bytes() bytes.
  std::string_view bytes() const { return lies_as_is_ ? as_is_ : std::string_view(viewed_.bytes); }
  std::uint64_t core_bytes() const { return core_bytes_; }
  /// Whether every match in this block is one of the original within [begin, end), so that it may be counted without
  /// bring_back(). Precondition: patterns are whole characters without barriers, there is no condition, and bring_back()
  /// was not yet called.
  bool keeps_matches(std::uint64_t begin, std::uint64_t end);
  /// Brings a match back to the original. Returns false if segments do not begin and end where it does, or if it does
  /// not meet the condition. Matches come in order of their offsets.
  bool bring_back(Match& match);

 private:
  /// What is viewed by itself: a record, or all that is plain.
  struct Part {
    std::size_t begin = 0, end = 0;
    bool is_cut = false;  // what is plain ends before the part does
    std::uint64_t record = 0;
  };
  void hold(std::uint64_t begin, std::uint64_t end);
  void decode(const BlockRange& range, std::uint64_t slack, std::size_t& begin, std::size_t& end);
  Part part_at(std::uint64_t place) const;
  Part part_behind(const Part& part) const;
  Part part_of(std::uint64_t record) const;
  std::size_t next_cut(const Part& part, std::size_t at, std::size_t until) const;
  std::size_t append(const Part& part, std::size_t at, std::size_t until);
  bool is_unchanged(std::size_t begin, std::size_t end) const;
  bool meets_condition(std::uint32_t distinct, std::uint64_t begin, std::uint64_t end, std::uint64_t original,
                       std::uint64_t original_end) const;

  const ViewedTextSetup& setup_;
  const std::uint64_t size_;
  // The window: a piece of the original that includes the block. For a text in memory it is all of it.
  std::vector<char> buffer_;
  std::string_view window_;
  std::uint64_t base_ = 0;

  // What is viewed: the window, or what was decoded of it.
  text::PlainText decoded_;
  std::uint64_t decoded_begin_ = 0;  // where it begins in the original
  std::string_view plain_;
  std::uint64_t plain_base_ = 0;  // where it begins: in the original, or 0
  bool plain_is_cut_ = false;     // the text goes on behind it

  bool lies_as_is_ = false;
  std::string_view as_is_;
  ViewedText viewed_;
  std::uint64_t core_bytes_ = 0, begin_ = 0;
  text::PlaceMap places_{viewed_}, decoded_places_{decoded_, true};
};

}  // namespace lode
