// MatchReplacer: replaces matches in one text after the other, each in the encoding that the text is in.
//
//   utf-16le   p.a.s.s.  ->  match "pass" for who fills in {match}  ->  "***"  ->  *.*.*.
//
// With an encoding, replacements are made in UTF-8: from what matched, decoded. A mask stands for each code unit, so that
// offsets stay. In a file of sequences it leaves line breaks as they are. What the forms of UTF-16 found in a text of any
// other bytes is in that encoding, too.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lode/plan.hpp"
#include "lode/rewrite.hpp"
#include "text/decoder.hpp"

namespace lode {

class MatchReplacer {
 public:
  /// Both are borrowed. Throws as Replacements::check() does.
  MatchReplacer(const Replacements& replacements, const Plan& plan);

  /// A text begins whose first text::Decoder::head_bytes are these, or all bytes if there are fewer.
  void begin_text(std::string_view head);
  /// Appends what stands in the place of a match whose bytes in the text are `bytes`.
  void append(const Match& match, std::string_view bytes, std::string& out);

 private:
  const text::Decoder* decoder_of(const Match& match) const;
  void append_encoded(const Match& match, const text::Decoder& decoder, std::string_view bytes, std::string& out);
  void append_mask_of_lines(const Match& match, std::string_view bytes, std::string& out) const;

  const Replacements& replacements_;
  const Plan& plan_;
  const View& view_;
  std::unique_ptr<const text::Decoder> decoder_;       // that of the text; null: bytes stand for themselves
  std::unique_ptr<const text::Decoder> little_, big_;  // those of the forms, if there are any
  text::PlainText decoded_;
  std::string replacement_;
};

}  // namespace lode
