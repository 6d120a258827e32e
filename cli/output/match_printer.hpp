// MatchPrinter: writes the matches of one file, each on a line of its own (-o), by grep's rules for --max-count,
// separators and binary files. It needs only the text of the matches and, for line numbers, the text between them. It
// throws DamagedText if a match is no longer what was found; the writer then holds a part of its line.
#pragma once

#include <cstdint>

#include "cli/arguments/settings.hpp"
#include "cli/output/formats.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/line_tracker.hpp"

namespace lode::command {

class MatchPrinter {
 public:
  MatchPrinter(const Settings& settings, TextFormat& format, Writer& writer, bool& any_output)
      : settings_(&settings),
        format_(&format),
        writer_(&writer),
        any_output_(&any_output),
        counts_lines_(settings.line_numbers || settings.context_given || settings.max_count != UINT64_MAX) {}

  void set_window(const View& view) noexcept { view_ = view; }
  void set_looks_binary() noexcept { looks_binary_ = true; }
  /// Returns false to end the search.
  bool match(const Match& match);
  /// Says that all matches that start before `until` were given. Returns false to end the search.
  bool finish_range(std::uint64_t until);

  bool limit_reached() const noexcept { return lines_ >= settings_->max_count; }
  /// The last place of the last match that was written.
  std::uint64_t last_place() const noexcept { return last_place_; }
  bool any_match() const noexcept { return any_match_; }
  bool binary_matches() const noexcept { return binary_matches_; }

 private:
  void count_lines(std::uint64_t until);
  void begin_line();

  const Settings* settings_;
  TextFormat* format_;
  Writer* writer_;
  bool* any_output_;
  bool counts_lines_;
  bool looks_binary_ = false;
  View view_;
  std::uint64_t counted_until_ = 0;
  std::uint64_t line_number_ = 1;       // number of the line that holds counted_until_
  std::uint64_t last_line_number_ = 0;  // number of the last match's line; 0 before the first
  std::uint64_t lines_ = 0;             // lines with a match
  std::uint64_t last_place_ = 0;
  bool any_match_ = false;
  bool binary_matches_ = false;
};

}  // namespace lode::command
