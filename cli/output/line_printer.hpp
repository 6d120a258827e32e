// LinePrinter: decides for one file which lines are written (selected ones and their context), in grep's way, and hands
// them to a LineFormat. It counts selected lines, stops at --max-count, and stops at the first selected line of a
// binary file.
//
// It throws DamagedText if a line is no longer what was searched; the writer then holds a part of that line. The begin
// of a line that is too long for the memory limit may leave the window. If it is needed after all, LineBeyondLimit is
// thrown.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/arguments/settings.hpp"
#include "cli/input/ranges.hpp"
#include "cli/output/formats.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/line_tracker.hpp"

namespace lode::command {

// A NUL in the first so many bytes makes a file binary, as in grep.
inline constexpr std::size_t binary_head_bytes = 32768;

class LinePrinter final : public LineSink {
 public:
  /// `any_output` is shared by all files: whether something was written, so that the next group needs a separator.
  LinePrinter(const Settings& settings, LineFormat& format, Writer& writer, bool name_shown, bool& any_output);

  /// Says that the file has a NUL among its first bytes.
  void set_looks_binary() noexcept { looks_binary_ = true; }

  void set_window(const View& view) noexcept { view_ = view; }
  /// Returns the offset from which on text is still needed, when the tracker has told all lines of the range that it
  /// can.
  std::uint64_t keep_from(const LineTracker& tracker, const Range& range);

  /// Whether nothing of a binary file is written but the message that it matches.
  bool hides_binary() const {
    return !settings_->text && settings_->line_terminator == '\n' && settings_->output != Output::json;
  }
  void tell_any_match();

  bool gap(std::uint64_t begin, std::uint64_t end) override;
  bool touched(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) override;
  void reduce(std::vector<Match>& matches) override { format_->reduce(matches); }

  std::uint64_t selected_lines() const noexcept { return selected_; }
  bool limit_reached() const noexcept { return selected_ >= settings_->max_count && selected_until_ > 0; }
  /// The end of the last line that was selected and written.
  std::uint64_t selected_until() const noexcept { return selected_until_; }
  /// Whether a line was selected and not written, because the file is binary.
  bool binary_matches() const noexcept { return binary_matches_; }

 private:
  bool select(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part = {});
  bool select_each(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches);
  bool pass(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches);
  void write(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, bool selected, Part part = {});
  bool write_plain(std::uint64_t begin, std::uint64_t end);
  std::uint64_t line_end(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t lines_back(std::uint64_t begin, std::uint64_t count) const;
  std::uint64_t number_at(std::uint64_t offset);
  bool is_binary(std::uint64_t begin, std::uint64_t end) const;
  void check(std::uint64_t begin, std::uint64_t end) const;
  void need(std::uint64_t begin) const;

  const Settings* settings_;
  LineFormat* format_;
  Writer* writer_;
  bool* any_output_;
  bool plain_;  // whether lines are written as they are, with nothing before or between them
  bool looks_binary_ = false;
  bool binary_matches_ = false;
  View view_;
  std::uint64_t forgotten_until_ = 0;  // text before this place has left the window, though it may yet be needed
  std::uint64_t selected_ = 0;
  std::uint64_t selected_until_ = 0;
  std::uint64_t pending_ = 0;         // lines of context still to be written behind the last selected one
  std::uint64_t written_until_ = 0;   // end of the last line written
  bool wrote_ = false;                // whether a line of this file was written
  bool continues_ = false;            // whether more parts of the last line are to be written
  std::uint64_t numbered_until_ = 0;  // the place up to which terminators were counted
  std::uint64_t lines_before_ = 0;    // terminators before numbered_until_
};

}  // namespace lode::command
