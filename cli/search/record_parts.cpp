#include "cli/search/record_parts.hpp"

namespace lode::command {

void RecordParts::set_window(const View& view, bool at_end) {
  view_ = view;
  // Only new text is looked through, so a long line is not read again with every window that brings more of it.
  const std::uint64_t behind_last = view.start_of_last_line(std::max(begin_, scanned_end_), view.end(), terminator_);
  complete_end_ = at_end ? view.end() : std::max(begin_, behind_last);
  scanned_end_ = view.end();
}

std::string_view RecordParts::next() {
  std::uint64_t end = complete_end_;
  if (end - begin_ > part_bytes_) {
    const std::uint64_t limit = begin_ + part_bytes_;
    end = view_.start_of_last_line(begin_, limit, terminator_);
    if (end == 0) end = view_.end_of_line(limit, complete_end_, terminator_);
    if (end == 0) end = complete_end_;
  }
  const std::string_view part = view_.slice(begin_, end);
  begin_ = end;
  return part;
}

}  // namespace lode::command
