// Viewer: puts a text through the steps of a view, segment by segment.
//
//   view        fold,one-space
//   original    S t r a ß e   _ _ Ö L        _: a blank. ß and Ö have two bytes
//   segments    S t r a ß  e [_ _] Ö L
//   viewed      s t r a ss e   _   ö l
//   spans       "Stra" 4 bytes as they lie; ß: one segment; "e" as it lies; the blanks: one segment; "ÖL" as it lies
//
// A cut is a place where a segment begins, whatever stands before it: at a letter, but not at a mark, and where blanks
// count as one not at a blank. So a text may be viewed part by part, from cut to cut.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lode/view.hpp"
#include "text/unicode.hpp"

namespace lode::text {

class Viewer {
 public:
  explicit Viewer(const View& view);

  /// Appends the segments of `text` from the cut `at` to the first cut at or behind `until`, or to the end of the text.
  /// Returns that place. `base` is where the text lies in the original.
  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base,
                     ViewedText& out) const;
  /// The first cut at or behind a place, which may lie within a character; the text's end if there is none.
  std::size_t next_cut(std::string_view text, std::size_t at) const;

 private:
  class Writer;
  // What becomes of an ASCII character that no mark follows.
  enum class Action : std::uint8_t { keep, space, drop };

  bool begins_segment(char32_t code) const;
  bool is_cut(const DecodedCharacter& character) const;
  void transform(std::u32string& codes) const;
  void decompose(std::u32string& codes) const;
  void fold(std::u32string& codes) const;
  void compose(std::u32string& codes) const;
  void drop(std::u32string& codes) const;

  const View view_;
  const UnicodeData& data_;
  bool decomposes_ = false;  // text is decomposed on the way, so that a segment may be several characters
  bool compatible_ = false;
  bool composes_ = false;
  std::array<Action, 128> actions_{};
  std::array<char, 128> ascii_{};
};

}  // namespace lode::text
