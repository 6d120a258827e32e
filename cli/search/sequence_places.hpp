// SequencePlaces: where in which sequence of a FASTA or FASTQ file a place of the file lies.
//
//   >chr2 note\nACGT\nAC\n      the A at 16 is the fifth letter of chr2: name "chr2", position 4
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "lode/view.hpp"

namespace lode::command {

class SequencePlaces {
 public:
  explicit SequencePlaces(Layout layout) : layout_(layout) {}

  struct Place {
    std::string_view name;       // the header's first word, without its mark
    std::uint64_t position = 0;  // letters of the sequence before the place
  };
  /// The place of an offset in the text, which is the same in all calls. Offsets do not decrease from one call to the
  /// next.
  Place find(std::string_view text, std::uint64_t offset) {
    for (;;) {
      if (line_end_ == std::string_view::npos) line_end_ = std::min(text.find('\n', line_), text.size());
      const std::size_t end = line_end_;
      const bool is_header = layout_ == Layout::fasta
                                 ? line_ < text.size() && (text[line_] == '>' || text[line_] == ';')
                                 : line_number_ % lines_of_fastq == 0;
      if (is_header) {
        const std::string_view header = text.substr(std::min(line_ + 1, end), end - std::min(line_ + 1, end));
        name_ = header.substr(0, header.find_first_of(" \t\r"));
        letters_ = 0;
      }
      const bool is_sequence = layout_ == Layout::fasta ? !is_header : line_number_ % lines_of_fastq == 1;
      if (offset <= end || end == text.size()) return {name_, letters_ + (is_sequence ? offset - line_ : 0)};
      if (is_sequence) letters_ += end - line_ - (end > line_ && text[end - 1] == '\r' ? 1 : 0);
      line_ = end + 1;
      line_end_ = std::string_view::npos;
      ++line_number_;
    }
  }

 private:
  static constexpr std::uint64_t lines_of_fastq = 4;

  const Layout layout_;
  std::size_t line_ = 0;                           // where the line begins that holds the last offset
  std::size_t line_end_ = std::string_view::npos;  // where it ends, once that is looked for
  std::uint64_t line_number_ = 0;
  std::string_view name_;
  std::uint64_t letters_ = 0;  // of the sequence, before this line
};

}  // namespace lode::command
