#include "cli/output/line_printer.hpp"

#include <algorithm>

namespace lode::command {

LinePrinter::LinePrinter(const Settings& settings, LineFormat& format, Writer& writer, bool name_shown,
                         bool& any_output)
    : settings_(&settings),
      format_(&format),
      writer_(&writer),
      any_output_(&any_output),
      plain_(settings.output == Output::lines && !settings.line_numbers && !settings.byte_offsets &&
             !settings.context_given && settings.max_count == UINT64_MAX && !name_shown && !settings.pattern_ids &&
             !settings.color) {}

std::uint64_t LinePrinter::line_end(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t found = view_.end_of_line(begin, end, settings_->line_terminator);
  return found == 0 ? end : found;
}

/// The begin of the line that stands `count` lines before the one at `begin`, or of the first line not written yet if
/// that is nearer.
std::uint64_t LinePrinter::lines_back(std::uint64_t begin, std::uint64_t count) const {
  const std::uint64_t floor = std::max(written_until_, view_.begin);
  for (; count > 0 && begin > floor; --count) {
    const std::uint64_t start = view_.start_of_last_line(floor, begin - 1, settings_->line_terminator);
    begin = start == 0 ? floor : start;
  }
  return begin;
}

std::uint64_t LinePrinter::number_at(std::uint64_t offset) {
  if (offset > numbered_until_) {
    const std::uint64_t from = std::max(numbered_until_, view_.begin);
    if (from < offset) lines_before_ += view_.count(from, offset, settings_->line_terminator);
    numbered_until_ = offset;
  }
  return lines_before_ + 1;
}

std::uint64_t LinePrinter::keep_from(const LineTracker& tracker, const Range& range) {
  const std::uint64_t open_line_begin = tracker.open_line_begin();
  std::uint64_t from = view_.begin;
  if (open_line_begin > view_.begin) {
    from = settings_->context_before == 0 ? open_line_begin : lines_back(open_line_begin, settings_->context_before);
  }
  if (from < range.least_kept) {
    if (tracker.line_is_touched() && !settings_->invert) throw LineBeyondLimit();
    from = forgotten_until_ = range.until;
  }
  if (format_->wants_numbers()) number_at(from);
  return from;
}

void LinePrinter::need(std::uint64_t begin) const {
  if (begin <= forgotten_until_ && forgotten_until_ > 0) throw LineBeyondLimit();
}

void LinePrinter::tell_any_match() {
  binary_matches_ = *any_output_ = true;
  selected_ = std::max<std::uint64_t>(selected_, 1);
}

bool LinePrinter::gap(std::uint64_t begin, std::uint64_t end) {
  if (!settings_->invert) return pending_ == 0 || pass(begin, end, {});
  need(begin);
  if (plain_ && write_plain(begin, end)) return true;
  return select_each(begin, end, {});
}

bool LinePrinter::touched(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) {
  if (!part.first) {
    if (continues_) write(begin, end, matches, true, part);
    if (part.last) continues_ = false;
    return !part.last || selected_ < settings_->max_count || pending_ > 0;
  }
  if (!part.last) {
    // This is the first of several parts. The last one decides whether the search ends.
    if (settings_->invert) {
      pass(begin, end, {});
    } else {
      continues_ = selected_ < settings_->max_count;
      select(begin, end, matches, part);
      continues_ = continues_ && !binary_matches_;
    }
    return !binary_matches_;
  }
  if (settings_->invert) return pass(begin, end, matches);
  need(begin);
  if (plain_ && write_plain(begin, end)) return true;
  return format_->joins_lines() ? select(begin, end, matches) : select_each(begin, end, matches);
}

bool LinePrinter::select_each(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches) {
  while (begin < end) {
    const std::uint64_t next = line_end(begin, end);
    if (!select(begin, next, matches)) return false;
    begin = next;
  }
  return true;
}

bool LinePrinter::select(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) {
  if (selected_ >= settings_->max_count) return pass(begin, end, matches);
  std::uint64_t context = lines_back(begin, settings_->context_before);
  need(context);
  if (is_binary(context, end)) {
    tell_any_match();
    return false;
  }
  if (settings_->context_given && *any_output_ && !(wrote_ && context == written_until_)) format_->separator();
  while (context < begin) {
    const std::uint64_t next = line_end(context, begin);
    write(context, next, {}, false);
    context = next;
  }
  write(begin, end, matches, true, part);
  selected_ +=
      format_->joins_lines() && end - begin > 1 ? view_.count(begin, end - 1, settings_->line_terminator) + 1 : 1;
  pending_ = settings_->context_after;
  return selected_ < settings_->max_count || pending_ > 0;
}

bool LinePrinter::pass(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches) {
  while (pending_ > 0 && begin < end) {
    need(begin);
    const std::uint64_t next = line_end(begin, end);
    if (is_binary(begin, next)) {
      looks_binary_ = true;
      pending_ = 0;
      break;
    }
    write(begin, next, settings_->invert ? matches : std::span<const Match>(), false);
    --pending_;
    begin = next;
  }
  return selected_ < settings_->max_count || pending_ > 0;
}

bool LinePrinter::is_binary(std::uint64_t begin, std::uint64_t end) const {
  if (!hides_binary()) return false;
  if (looks_binary_) return true;
  if (view_.slice(begin, end).find('\0') == std::string_view::npos) return false;
  view_.check();  // the NUL may come from a file that shrank
  return true;
}

void LinePrinter::check(std::uint64_t begin, std::uint64_t end) const {
  // With --null-data a line ends in a NUL anyway, so that says nothing about damage.
  const bool ends_in_nul = settings_->line_terminator == '\0' && end - begin > 1;
  view_.check(begin, ends_in_nul ? end - 1 : end);
}

void LinePrinter::write(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, bool selected,
                        Part part) {
  const std::uint64_t number = format_->wants_numbers() ? number_at(begin) : 0;
  check(begin, end);  // before as well, because a long line leaves the writer's buffer at once
  format_->line({view_.slice(begin, end), begin, number, selected, matches, part});
  check(begin, end);
  if (part.last) writer_->end_line();
  if (selected) selected_until_ = end;
  written_until_ = end;
  wrote_ = *any_output_ = true;
}

/// Writes the bytes of a line as they are. Returns false if they need a closer look, because the file is binary.
bool LinePrinter::write_plain(std::uint64_t begin, std::uint64_t end) {
  if (is_binary(begin, end)) return false;
  const std::string_view bytes = view_.slice(begin, end);
  check(begin, end);
  writer_->append(bytes);
  if (bytes.back() != settings_->line_terminator) writer_->append(settings_->line_terminator);
  check(begin, end);
  writer_->end_line();
  ++selected_;
  *any_output_ = true;
  return true;
}

}  // namespace lode::command
