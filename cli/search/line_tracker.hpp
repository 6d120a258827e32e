// LineTracker: turns matches, in order, into the lines that they touch and the gaps between them.
//
// The text arrives in windows (see io/window.hpp). For each window the caller calls set_window(), then match() for
// every match that starts in the range searched, then finish_range(). Text from open_line_begin() on may still be asked
// for. Each line is told exactly once, in order, as touched or as part of a gap. A line that is open at a window's end
// waits for the next window.
//
// Worked example: text "one\ntwo\nsix", a match of "w" at 5: gap(0, 4), touched(4, 8), gap(8, 11).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lode/match.hpp"

namespace lode::command {

class Mapping;

/// A window of the text: its bytes and the offset of the first.
struct View {
  std::string_view bytes;
  std::uint64_t begin = 0;
  const Mapping* mapping = nullptr;  // the mapping that the bytes lie in; null: they cannot change

  std::uint64_t end() const noexcept { return begin + bytes.size(); }
  /// Precondition: begin <= from <= to <= end().
  std::string_view slice(std::uint64_t from, std::uint64_t to) const {
    return bytes.substr(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from));
  }
  /// The offset behind the first terminator in [from, to); 0 if there is none.
  std::uint64_t end_of_line(std::uint64_t from, std::uint64_t to, char terminator) const;
  /// The offset behind the last terminator in [from, to); 0 if there is none.
  std::uint64_t start_of_last_line(std::uint64_t from, std::uint64_t to, char terminator) const;
  std::uint64_t count(std::uint64_t from, std::uint64_t to, char terminator) const;
  /// Calls Mapping::check() for everything, or for the bytes in [from, to).
  void check() const;
  void check(std::uint64_t from, std::uint64_t to) const;
};

/// A line with very many matches is told in parts. Each part has the same line and the next of its matches.
struct Part {
  bool first = true;
  bool last = true;
};

/// Receives what LineTracker finds. Offsets count from the start of the text; an end is the offset behind the line's
/// terminator. gap() and touched() return false to end the search.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// One or more whole lines that no match touches.
  virtual bool gap(std::uint64_t begin, std::uint64_t end) = 0;
  /// One line that matches touch. If matches are gathered: one or more lines that matches hold together by crossing
  /// their ends, and all matches that start in them.
  virtual bool touched(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) = 0;
  /// Makes a very long list of gathered matches shorter without losing what touched() needs of it.
  virtual void reduce(std::vector<Match>& matches) = 0;
};

struct LineTrackerOptions {
  char terminator = '\n';
  bool gather = false;  // touched() gets the matches
  bool parts = false;   // touched() may get a line in parts; takes effect only without `spans`
  bool spans = true;    // some pattern contains the terminator
  // Whether gap() is called, and begins are exact. Without it touched() gets the offset of its first match as begin.
  bool gaps = true;
};

class LineTracker {
 public:
  LineTracker(LineSink& sink, const LineTrackerOptions& options) : sink_(&sink), options_(options) {}

  void set_window(const View& view, bool at_end) noexcept {
    view_ = view;
    at_end_ = at_end;
  }
  /// Takes the next match, which has its offset in the text and lies in the window. Returns false to end the search, or
  /// to pause it.
  bool match(const Match& match);
  /// Whether match() returned false because the open line has too many matches and its end is not in the window. The
  /// match was not taken; the search must go on with it once there is more text.
  bool paused() const noexcept { return paused_; }
  /// The furthest end of the matches taken that touch the open line.
  std::uint64_t touched_until() const noexcept { return touched_until_; }
  /// Says that all matches that start before `until` were given. Returns false to end the search.
  bool finish_range(std::uint64_t until);
  /// Whether a match touches the first line that has not been told yet.
  bool line_is_touched() const noexcept { return open_; }
  /// The begin of the first line that has not been told yet.
  std::uint64_t open_line_begin() const noexcept { return open_ ? group_begin_ : cursor_; }

 private:
  static constexpr std::size_t most_matches = std::size_t{1} << 18;

  void open_group(std::uint64_t begin, const Match& match);
  void absorb(const Match& match);
  bool shorten_matches(const Match& next);
  bool find_end();
  bool close_group();
  /// Tells the lines of the group that end at or before `until`. For matches that are not gathered and may span lines.
  bool tell_lines(std::uint64_t until);

  LineSink* sink_;
  LineTrackerOptions options_;
  View view_;
  bool at_end_ = false;
  std::uint64_t cursor_ = 0;  // begin of a line; all lines before it have been told

  bool open_ = false;                // whether a group of touched lines has not been told yet; the rest is about it
  std::uint64_t group_begin_ = 0;    // begin of its first line that has not been told
  std::uint64_t touched_until_ = 0;  // end of the match in it that reaches furthest
  std::uint64_t scanned_until_ = 0;  // no terminator lies in [touched_until_ - 1, scanned_until_)
  std::uint64_t group_end_ = 0;      // end of its last line; 0: not known yet
  std::vector<Match> matches_;       // its matches, with `gather`
  std::size_t shorten_at_ = most_matches;
  bool in_parts_ = false;  // whether parts of it have been told
  bool paused_ = false;
};

}  // namespace lode::command
