#include "cli/search/line_tracker.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/input/mapping.hpp"
#include "io/count_bytes.hpp"

namespace lode::command {

std::uint64_t View::end_of_line(std::uint64_t from, std::uint64_t to, char terminator) const {
  const std::string_view piece = slice(from, to);
  const void* found = std::memchr(piece.data(), terminator, piece.size());
  if (found == nullptr) return 0;
  return from + static_cast<std::uint64_t>(static_cast<const char*>(found) - piece.data()) + 1;
}

std::uint64_t View::start_of_last_line(std::uint64_t from, std::uint64_t to, char terminator) const {
  const std::string_view piece = slice(from, to);
  const void* found = ::memrchr(piece.data(), terminator, piece.size());
  if (found == nullptr) return 0;
  return from + static_cast<std::uint64_t>(static_cast<const char*>(found) - piece.data()) + 1;
}

std::uint64_t View::count(std::uint64_t from, std::uint64_t to, char terminator) const {
  return io::count_bytes(slice(from, to), terminator);
}

void View::check() const {
  if (mapping != nullptr) mapping->check();
}

void View::check(std::uint64_t from, std::uint64_t to) const {
  if (mapping != nullptr) mapping->check(slice(from, to));
}

bool LineTracker::match(const Match& match) {
  const std::uint64_t end = match.offset + match.length;
  paused_ = false;
  if (open_) {
    if (!find_end() || match.offset < group_end_) {
      if (matches_.size() >= shorten_at_ && !shorten_matches(match)) return false;
      absorb(match);
      return true;
    }
    if (!close_group()) return false;
  }
  if (end <= cursor_) return true;
  if (!options_.gather && !options_.gaps && !options_.spans) {
    // To count lines, their begins do not matter: the line is told at once, without a group.
    const std::uint64_t line_end = view_.end_of_line(end, view_.end(), options_.terminator);
    if (line_end != 0) return sink_->touched(match.offset, cursor_ = line_end, {}, {});
  }
  if (match.offset < cursor_) {
    // The match starts in a line that was told and reaches into the next one.
    open_group(cursor_, match);
  } else if (!options_.gaps) {
    open_group(match.offset, match);
  } else {
    const std::uint64_t begin =
        view_.start_of_last_line(std::max(cursor_, view_.begin), match.offset, options_.terminator);
    if (begin > cursor_) {
      if (!sink_->gap(cursor_, begin)) return false;
      cursor_ = begin;
    }
    open_group(cursor_, match);
  }
  return options_.gather || !find_end() || close_group();
}

void LineTracker::open_group(std::uint64_t begin, const Match& match) {
  open_ = true;
  group_begin_ = begin;
  touched_until_ = scanned_until_ = group_end_ = 0;
  matches_.clear();
  absorb(match);
}

void LineTracker::absorb(const Match& match) {
  const std::uint64_t end = match.offset + match.length;
  if (end > touched_until_) {
    touched_until_ = end;
    if (end > group_end_) group_end_ = 0;
  }
  if (options_.gather) matches_.push_back(match);
}

/// Makes room for more matches of the group. Returns false if the search must pause or end.
bool LineTracker::shorten_matches(const Match& next) {
  if (next.offset == matches_.back().offset) return true;  // a pause must not divide the matches of one place
  sink_->reduce(matches_);
  if (matches_.size() < most_matches / 2) return true;
  if (!options_.parts || options_.spans) {
    shorten_at_ = std::max(shorten_at_, 2 * matches_.size());
    return true;
  }
  if (!find_end()) {
    paused_ = true;
    return false;
  }
  const bool go_on = sink_->touched(group_begin_, group_end_, matches_, {!in_parts_, false});
  in_parts_ = true;
  matches_.clear();
  return go_on;
}

bool LineTracker::find_end() {
  if (group_end_ != 0) return true;
  const std::uint64_t from = std::max({scanned_until_, touched_until_ - 1, view_.begin});
  if (from < view_.end()) {
    group_end_ = view_.end_of_line(from, view_.end(), options_.terminator);
    if (group_end_ == 0) scanned_until_ = view_.end();
  }
  if (group_end_ == 0 && at_end_) group_end_ = view_.end();
  return group_end_ != 0;
}

bool LineTracker::close_group() {
  open_ = false;
  const std::uint64_t end = group_end_;
  cursor_ = end;
  if (options_.gather || !options_.spans) {
    const bool first = !in_parts_;
    in_parts_ = false;
    return sink_->touched(group_begin_, end, matches_, {first, true});
  }
  if (!tell_lines(end)) return false;
  return group_begin_ == end || sink_->touched(group_begin_, end, {}, {});
}

bool LineTracker::tell_lines(std::uint64_t until) {
  // The window may begin inside the first line. The bytes that it has dropped held no terminator.
  for (std::uint64_t from = std::max(group_begin_, view_.begin); from < until; from = group_begin_) {
    const std::uint64_t line_end = view_.end_of_line(from, until, options_.terminator);
    if (line_end == 0) return true;
    if (!sink_->touched(std::exchange(group_begin_, line_end), line_end, {}, {})) return false;
  }
  return true;
}

bool LineTracker::finish_range(std::uint64_t until) {
  if (open_ && find_end() && (!options_.gather || group_end_ <= until || at_end_)) {
    if (!close_group()) return false;
  }
  if (open_) return options_.gather || !options_.spans || tell_lines(touched_until_ - 1);
  if (!options_.gaps) return true;
  const std::uint64_t from = std::max(cursor_, view_.begin);
  if (from < until) {
    std::uint64_t begin = view_.start_of_last_line(from, until, options_.terminator);
    if (at_end_) begin = view_.end();
    if (begin > cursor_) {
      const std::uint64_t gap_begin = cursor_;
      cursor_ = begin;
      if (!sink_->gap(gap_begin, begin)) return false;
    }
  }
  return true;
}

}  // namespace lode::command
