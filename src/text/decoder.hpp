// Decoder: makes UTF-8 of a text in another encoding, or of the sequences in a file of them.
//
//   encoding    utf-16le   П = 1F 04, , = 2C 00, NUL not dropped     ->  D0 9F 2C
//   layout      fasta      ">chr1\nACGT\nAC\n>chr2\nGG\n"            ->  "\nACGTAC\nGG"
//
// Each sequence begins with a line end that stands for its header line. No match may hold that, nor what cannot be
// decoded, which is U+FFFD: these are *barriers*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lode/view.hpp"

namespace lode::text {

/// A decoded text. Spans tell where its characters lie in the original.
struct PlainText : ViewedText {
  std::vector<std::uint64_t> barriers;  // places in `bytes`
};

class Decoder {
 public:
  /// Where in a file of sequences a place lies.
  struct State {
    bool begins_line = true;
    std::uint8_t line = 0;  // fasta: 1 in a header line; fastq: the number of the line in its record
  };
  static constexpr std::size_t head_bytes = 4;

  /// The decoder of a text whose first head_bytes are these, or all bytes if there are fewer; null if the text is UTF-8
  /// or the view does not decode. The instruction set has the name that SearcherOptions give it.
  static std::unique_ptr<const Decoder> make(const View& view, std::string_view head,
                                             std::string_view instruction_set = {});

  virtual ~Decoder() = default;
  /// Places are multiples of this.
  virtual std::size_t unit_bytes() const { return 1; }
  /// How many bytes at the front of a text hold whole characters, if more may follow.
  virtual std::size_t whole_bytes(std::string_view text) const { return text.size(); }
  /// The state behind these bytes, if that before them is `before`.
  virtual State state_behind(std::string_view /*bytes*/, State before) const { return before; }
  /// Appends what begins in text[at … until), and returns the place that it reached. Behind `until` the text goes on far
  /// enough to hold the last character, unless it ends.
  virtual std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base, State& state,
                             PlainText& out) const = 0;
  /// The reverse for a text that is put into the original: appends UTF-8 in the text's encoding. Throws
  /// Error(invalid_argument) for a character that the encoding does not have.
  virtual void encode(std::string_view utf8, std::string& out) const { out += utf8; }
  /// Whether lines and the neighbours of a match are those of the decoded text, not of the original.
  virtual bool decodes_lines() const { return true; }
};

/// The number of an encoding for View; 0 if there is none of this name. 0 is for UTF-8.
std::uint32_t encoding_number(std::string_view name);
/// The reverse; empty for 0 and for numbers that no encoding has.
std::string_view encoding_name(std::uint32_t number);

}  // namespace lode::text
