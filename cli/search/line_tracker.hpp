// LineTracker: turns matches, in order, into the lines that they touch and the gaps between them.
//
// The text arrives in windows (see io/window.hpp). For each window the caller calls set_window, then match for every
// match that starts in the range searched, then finish_range, which returns the offset from which the text must stay
// in the window. A line is told exactly once, in order, as touched or as part of a gap; a line open at a window's end
// waits for the next one, touched or not.
//
// Worked example: text "one\ntwo\nsix", matches of "w" at 5: gap(0, 4), touched(4, 8), gap(8, 11).
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
  const Mapping* mapping = nullptr;  // that the bytes lie in; null where they cannot change

  std::uint64_t end() const noexcept { return begin + bytes.size(); }
  /// Precondition: begin <= from <= to <= end().
  std::string_view slice(std::uint64_t from, std::uint64_t to) const {
    return bytes.substr(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from));
  }
  /// Offset behind the first terminator in [from, to), or 0 where there is none.
  std::uint64_t end_of_line(std::uint64_t from, std::uint64_t to, char terminator) const;
  /// Offset behind the last terminator in [from, to), or 0 where there is none.
  std::uint64_t start_of_last_line(std::uint64_t from, std::uint64_t to, char terminator) const;
  std::uint64_t count(std::uint64_t from, std::uint64_t to, char terminator) const;
  /// Mapping::check, of everything or of the bytes in [from, to).
  void check() const;
  void check(std::uint64_t from, std::uint64_t to) const;
};

/// A line with very many matches is told in parts: each has the same line and the next matches of it.
struct Part {
  bool first = true;
  bool last = true;
};

/// Receives what LineTracker finds. Offsets are those of the text; ends are behind the line's terminator.
/// Each function returns false to end the search.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// One or more whole lines that no match touches.
  virtual bool gap(std::uint64_t begin, std::uint64_t end) = 0;
  /// One line that matches touch; when they are gathered, one or more lines held together by matches across their
  /// ends, and all matches that start in them.
  virtual bool touched(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) = 0;
  /// Makes a very long list of gathered matches shorter without losing what touched() needs of it.
  virtual void reduce(std::vector<Match>& matches) = 0;
};

struct LineTrackerOptions {
  char terminator = '\n';
  bool gather = false;  // touched() gets the matches
  bool parts = false;   // touched() may get a line in parts; only where no pattern contains the terminator
  bool spans = true;    // some pattern contains the terminator
  bool gaps = true;     // gap() is called, and begins are exact; else touched() gets the first match as begin
};

class LineTracker {
 public:
  LineTracker(LineSink& sink, const LineTrackerOptions& options) : sink_(&sink), options_(options) {}

  void set_window(const View& view, bool at_end) noexcept {
    view_ = view;
    at_end_ = at_end;
  }
  /// A match with an offset in the text, complete in the window. Returns false to end the search, or to pause it.
  bool match(const Match& match);
  /// match() said false because the line that is open has too many matches and its end is not in the window. The
  /// match was not taken in: the search goes on with it once there is more text.
  bool paused() const noexcept { return paused_; }
  /// End of the last match taken in of the line that is open.
  std::uint64_t touched_until() const noexcept { return touched_until_; }
  /// All matches that start before `until` have been told. Returns false to end the search.
  bool finish_range(std::uint64_t until);
  /// Whether a match touches the first line that has not been told yet.
  bool line_is_touched() const noexcept { return open_; }
  /// Begin of the first line that has not been told yet.
  std::uint64_t open_line_begin() const noexcept { return open_ ? group_begin_ : cursor_; }

 private:
  static constexpr std::size_t most_matches = std::size_t{1} << 18;

  void open_group(std::uint64_t begin, const Match& match);
  void absorb(const Match& match);
  bool shorten_matches(const Match& next);
  bool find_end();
  bool close_group();
  /// Tells those lines of the group that end at `until` or before. Only where matches are not gathered and may span lines.
  bool tell_lines(std::uint64_t until);

  LineSink* sink_;
  LineTrackerOptions options_;
  View view_;
  bool at_end_ = false;
  std::uint64_t cursor_ = 0;  // all lines before it have been told; the begin of a line

  bool open_ = false;                // there is a group of touched lines that has not been told
  std::uint64_t group_begin_ = 0;    // begin of its first line that has not been told
  std::uint64_t touched_until_ = 0;  // end of the match in it that reaches furthest
  std::uint64_t scanned_until_ = 0;  // no terminator in [touched_until_ - 1, scanned_until_)
  std::uint64_t group_end_ = 0;      // end of its last line; 0 while unknown
  std::vector<Match> matches_;       // with `gather`
  std::size_t shorten_at_ = most_matches;
  bool in_parts_ = false;  // parts of the group have been told
  bool paused_ = false;
};

}  // namespace lode::command
