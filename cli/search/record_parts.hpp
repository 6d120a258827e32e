// RecordParts: cuts a text into parts of complete lines, for searches that take each line as a record.
//
// The text arrives in windows (see io/window.hpp), which keep the text from open_line_begin() on. next() gives the
// lines that are complete in the window, in order and each once: as many as fit into a part, or one line that is
// longer. The last line of the text is complete even without a terminator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cli/search/line_tracker.hpp"

namespace lode::command {

class RecordParts {
 public:
  RecordParts(char terminator, std::uint64_t part_bytes) : terminator_(terminator), part_bytes_(part_bytes) {}

  void set_window(const View& view, bool at_end);
  /// The next part; empty if all complete lines were given.
  std::string_view next();
  /// The offset in the text of the first byte that next() has not given.
  std::uint64_t open_line_begin() const noexcept { return begin_; }

 private:
  const char terminator_;
  const std::uint64_t part_bytes_;
  View view_;
  // Offsets in the text.
  std::uint64_t begin_ = 0;         // begin of the first line that was not given
  std::uint64_t complete_end_ = 0;  // end of the last complete line in the window; >= begin_
  std::uint64_t scanned_end_ = 0;   // no terminator lies in [complete_end_, scanned_end_)
};

}  // namespace lode::command
