// View: which differences in writing do not count.
//
// A view cuts a text into segments, each of which stands for some viewed bytes (a letter that is folded, a composed
// sequence, a run of blanks that counts as one space) or for none (what is dropped). A plan that is built with a view
// holds its patterns as they are viewed. A search for them puts the text through the same steps; a match begins and ends
// where segments do, and is reported with its offset and length in the original.
//
//   lode::Plan plan = lode::Plan::build(lode::PatternSet{"Straße"}, {.view = lode::View("fold")});
//   lode::Searcher(plan).find("STRASSE")   // (0, id 0), 7 bytes long
//
// The text is UTF-8, unless the view names an encoding: utf-16, utf-16le, utf-16be, utf-32 and its kinds, latin-1,
// iso-8859-1 to 16, windows-1250 to 1258, koi8-r, koi8-u, or auto, which goes by a byte order mark. `fasta` and `fastq` show
// the sequences of such files, without line breaks; no match reaches from one into another. Bytes that are not UTF-8
// pass as they are, each a segment of its own; what cannot be decoded is U+FFFD, which no match may hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"

namespace lode {

/// The steps of a view. They run in this order, whatever the order in which they are named.
enum class ViewStep : std::uint32_t {
  drop_ignorable = 1 << 0,  // soft hyphens, zero-width characters and others of Default_Ignorable_Code_Point
  nfc = 1 << 1,             // Unicode's normalization forms; one of the four
  nfd = 1 << 2,
  nfkc = 1 << 3,
  nfkd = 1 << 4,
  fold_ascii = 1 << 5,   // case; one of the three: of ASCII letters,
  fold_simple = 1 << 6,  // of all letters that fold to one (C and S of CaseFolding.txt),
  fold = 1 << 7,         // of all letters (C and F): ß is ss
  drop_marks = 1 << 8,   // combining marks, after decomposition: é is e
  drop_punctuation = 1 << 9,
  punctuation_as_space = 1 << 10,
  one_space = 1 << 11,   // a run of White_Space is one space
  drop_space = 1 << 12,  // White_Space
};

/// Files of sequences, of which a view shows the sequences alone.
enum class Layout : std::uint8_t { none, fasta, fastq };

class LODE_API View {
 public:
  /// The view of plain bytes.
  View() = default;
  /// Names of steps, separated by commas: "nfc,fold,one-space". `words` stands for
  /// nfkc,drop-ignorable,fold,punctuation-as-space,one-space. Throws Error(invalid_argument) for a name that is unknown,
  /// and for steps that exclude each other.
  explicit View(std::string_view steps);

  bool has(ViewStep step) const noexcept { return (steps_ & static_cast<std::uint32_t>(step)) != 0; }
  /// Whether case does not count, at least that of ASCII letters.
  bool folds() const noexcept { return has(ViewStep::fold) || has(ViewStep::fold_simple) || has(ViewStep::fold_ascii); }
  /// Whether it leaves ASCII as it is, or at most folds its case.
  bool keeps_ascii() const noexcept;
  /// Whether the view changes nothing.
  bool empty() const noexcept { return steps_ == 0; }
  View with(ViewStep step) const noexcept;
  /// The view without its step of case.
  View without_fold() const noexcept;
  /// The view without its encoding and layout, which are steps of texts but not of patterns.
  View without_decoding() const noexcept;
  bool decodes() const noexcept { return steps_ >> encoding_shift != 0; }
  /// The name of the encoding that the text is in; empty: UTF-8.
  std::string encoding() const;
  Layout layout() const noexcept { return static_cast<Layout>(steps_ >> layout_shift); }
  /// The names of the steps in the order in which they run.
  std::string name() const;
  bool operator==(const View&) const = default;

 private:
  friend class PlanFile;
  /// Whether all steps are known, and none excludes another.
  bool is_sound() const noexcept;

  static constexpr unsigned encoding_shift = 16, layout_shift = 24;
  static constexpr std::uint32_t most_encodings = 256;

  std::uint32_t steps_ = 0;  // bits of ViewStep; the number of the encoding; the layout
};

/// A part of a text, and what it is viewed as.
struct ViewedSpan {
  std::uint64_t viewed = 0;        // where it begins in the viewed text; it ends where the next one begins
  std::uint64_t original = 0;      // where it begins
  std::uint64_t original_end = 0;  // and ends in the original
  // The span is one segment. Otherwise each of its characters is one, and is as long in the original as it is viewed,
  // or as the next member says.
  bool is_segment = false;
  std::uint8_t character_bytes = 0;  // unless 0, each of its characters has so many bytes in the original
  // Unless 0, the span is several lines of a sequence, of line_bytes each, and so many bytes of the original lie between
  // each two.
  std::uint8_t gap_bytes = 0;
  std::uint32_t line_bytes = 0;
};

/// A text as a view shows it.
struct ViewedText {
  std::string bytes;
  std::vector<ViewedSpan> spans;  // in order. What is dropped lies in no span.

  /// Where a span ends in the viewed text.
  std::uint64_t end_of(std::size_t span) const {
    return span + 1 < spans.size() ? spans[span + 1].viewed : bytes.size();
  }
  /// The bytes that a span is viewed as.
  std::string_view viewed(std::size_t span) const {
    return std::string_view(bytes).substr(spans[span].viewed, end_of(span) - spans[span].viewed);
  }
};

LODE_API ViewedText view_text(std::string_view text, const View& view);

/// The version of the Unicode Character Database that views go by.
LODE_API std::string_view unicode_version();

}  // namespace lode
