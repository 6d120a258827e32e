#include "cli/output/match_printer.hpp"

#include <algorithm>

namespace lode::command {

void MatchPrinter::count_lines(std::uint64_t until) {
  if (until <= counted_until_) return;
  line_number_ += view_.count(std::max(counted_until_, view_.begin), until, settings_->line_terminator);
  counted_until_ = until;
}

void MatchPrinter::begin_line() {
  const bool touches_last = last_line_number_ != 0 && line_number_ - last_line_number_ - 1 <=
                                                          settings_->context_before + settings_->context_after;
  if (settings_->context_given && *any_output_ && !touches_last) format_->separator();
  last_line_number_ = line_number_;
  ++lines_;
}

bool MatchPrinter::match(const Match& match) {
  const std::string_view bytes = view_.slice(match.offset, match.offset + match.length);
  if (counts_lines_) {
    count_lines(match.offset);
    if (line_number_ != last_line_number_ && lines_ >= settings_->max_count) return false;
  }
  any_match_ = true;
  if (!settings_->text && settings_->line_terminator == '\n' &&
      (looks_binary_ || bytes.find('\0') != std::string_view::npos)) {
    view_.check();  // the NUL may come from a file that shrank
    binary_matches_ = *any_output_ = true;
    return false;
  }
  if (counts_lines_ && line_number_ != last_line_number_) begin_line();
  last_place_ = match.offset + match.length - 1;
  format_->only_match(bytes, match, line_number_);
  view_.check(match.offset, match.offset + match.length);
  writer_->end_line();
  *any_output_ = true;
  return true;
}

bool MatchPrinter::finish_range(std::uint64_t until) {
  if (!counts_lines_) return true;
  count_lines(until);
  return lines_ < settings_->max_count || line_number_ == last_line_number_;
}

}  // namespace lode::command
