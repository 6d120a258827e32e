// LinePrinter: decides for one file which lines are written (selected ones and their context), in grep's way, and
// hands them to a LineFormat. Counts selected lines, stops at --max-count, and stops at a binary file's first line.
// Throws DamagedText where a line is no longer what was searched; the writer then holds a part of it. Of a line that is
// too long for the memory limit the begin is forgotten while nothing asks for it; LineBeyondLimit where it is needed.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/arguments/settings.hpp"
#include "cli/input/ranges.hpp"
#include "cli/output/formats.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/line_tracker.hpp"

namespace lode::command {

inline constexpr std::size_t binary_head_bytes = 32768;  // a NUL in them makes a file binary, as in grep

class LinePrinter final : public LineSink {
 public:
  /// `any_output` is shared by all files: whether something was written, so that the next group needs a separator.
  LinePrinter(const Settings& settings, LineFormat& format, Writer& writer, bool name_shown, bool& any_output);

  /// The file has a NUL among its first bytes.
  void set_looks_binary() noexcept { looks_binary_ = true; }

  void set_window(const View& view) noexcept { view_ = view; }
  /// The text before the result is not needed any more, where the tracker has told what it could of the range.
  std::uint64_t keep_from(const LineTracker& tracker, const Range& range);

  /// Where a file looks binary, nothing of it is written but that there is a match.
  bool hides_binary() const {
    return !settings_->text && settings_->line_terminator == '\n' && settings_->output != Output::json;
  }
  void tell_any_match();

  bool gap(std::uint64_t begin, std::uint64_t end) override;
  bool touched(std::uint64_t begin, std::uint64_t end, std::span<const Match> matches, Part part) override;
  void reduce(std::vector<Match>& matches) override { format_->reduce(matches); }

  std::uint64_t selected_lines() const noexcept { return selected_; }
  bool limit_reached() const noexcept { return selected_ >= settings_->max_count && selected_until_ > 0; }
  /// End of the last line selected and written.
  std::uint64_t selected_until() const noexcept { return selected_until_; }
  /// A line was selected and not written because the file is binary.
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
  bool plain_;  // lines are written as they are, with nothing in front and none between
  bool looks_binary_ = false;
  bool binary_matches_ = false;
  View view_;
  std::uint64_t forgotten_until_ = 0;  // text before it did not stay, though it may yet be asked for
  std::uint64_t selected_ = 0;
  std::uint64_t selected_until_ = 0;
  std::uint64_t pending_ = 0;         // lines of context still to be written behind the last selected one
  std::uint64_t written_until_ = 0;   // end of the last line written
  bool wrote_ = false;                // some line of this file
  bool continues_ = false;            // more parts of the line written last are to come
  std::uint64_t numbered_until_ = 0;  // terminators before it: lines_before_
  std::uint64_t lines_before_ = 0;
};

}  // namespace lode::command
