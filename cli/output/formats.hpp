// LineFormat: decides what a line looks like when it is written. TextFormat writes lines as grep does, JsonFormat as
// messages in the shape of ripgrep's. A format lives as long as the command; begin_file() tells it which file the next
// lines come from.
//
// Formats only append to the writer. The caller then checks that the text is still what was searched, and calls
// Writer::end_line().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/settings.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/line_tracker.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"
#include "lode/plan.hpp"

namespace lode::command {

class Statistics;

struct Line {
  std::string_view bytes;          // with the terminator, if the line has one
  std::uint64_t offset = 0;        // offset of the first byte in the text
  std::uint64_t number = 0;        // counted from 1; set only if the format wants numbers
  bool selected = true;            // false: context
  std::span<const Match> matches;  // gathered matches, with offsets in the text; some may lie outside the line
  Part part = {};                  // if the line comes in parts, each part has the next of its matches
};

/// Keeps matches that do not overlap: the leftmost one first, and of matches that start together the longest.
void keep_leftmost_longest(std::vector<Match>& matches);
/// Keeps one match of each pattern, in ascending order of ids.
void keep_one_of_each_pattern(std::vector<Match>& matches);

class LineFormat {
 public:
  virtual ~LineFormat() = default;
  virtual void begin_file(const std::string& name, bool name_shown) = 0;
  virtual void line(const Line& line) = 0;
  /// Writes what stands between groups of lines that do not touch, if there is context. A line must follow.
  virtual void separator() = 0;
  /// Whether lines that matches hold together are written as one.
  virtual bool joins_lines() const = 0;
  virtual bool wants_numbers() const = 0;
  /// Whether a line may come in parts.
  virtual bool takes_parts() const = 0;
  /// Makes a long list of matches shorter, but keeps all that line() needs.
  virtual void reduce(std::vector<Match>& matches) const = 0;
};

class TextFormat final : public LineFormat {
 public:
  TextFormat(const Settings& settings, const Plan& plan, Writer& writer)
      : settings_(&settings),
        patterns_(&plan.patterns()),
        writer_(&writer),
        spellings_may_span_(!plan.forms().empty() && may_span(plan, settings.line_terminator)) {}

  void begin_file(const std::string& name, bool name_shown) override;
  void line(const Line& line) override;
  void separator() override;
  bool joins_lines() const override { return false; }
  bool wants_numbers() const override { return settings_->line_numbers; }
  bool takes_parts() const override { return !settings_->pattern_ids; }  // ids of all its matches stand before the line
  void reduce(std::vector<Match>& matches) const override;

  /// Returns what separator() writes.
  std::string separator_bytes() const;
  /// Writes one match on a line of its own.
  void only_match(std::string_view bytes, const Match& match, std::uint64_t line_number);
  /// Writes the file's name for a list of files. The ids of patterns, if there are any, follow it.
  void file_name(std::span<const std::uint32_t> ids);
  /// Writes the file's name, if it is shown, and a count.
  void file_count(std::uint64_t count);
  /// Writes the file's name, and `follow` behind it; with --null a NUL instead.
  void name(char follow);

 private:
  void append_name();
  void prefix(std::uint64_t number, std::uint64_t offset, std::span<const Match> matches, char mark);
  std::string colored_text(const char* color, std::string_view bytes) const;
  void colored(const char* color, std::string_view bytes);
  void mark(char byte);
  void pattern(std::uint32_t id);

  const Settings* settings_;
  const PatternSet* patterns_;
  Writer* writer_;
  bool spellings_may_span_;  // whether some match of a form other than the given one may hold lines together
  std::string name_;
  bool name_shown_ = false;
  std::vector<Match> touching_;  // matches of the line that is being written; a member only to save allocations
  std::uint64_t written_ = 0;    // offset up to which that line is written
};

class JsonFormat final : public LineFormat {
 public:
  JsonFormat(const Plan& plan, Writer& writer)
      : patterns_(&plan.patterns()), tells_form_(!plan.forms().empty()), writer_(&writer) {}

  void begin_file(const std::string& name, bool name_shown) override;
  void line(const Line& line) override;
  void separator() override {}
  bool joins_lines() const override { return true; }
  bool wants_numbers() const override { return true; }
  bool takes_parts() const override { return true; }
  void reduce(std::vector<Match>&) const override {}

  struct Totals {
    std::uint64_t searches = 0, searches_with_match = 0, bytes_searched = 0, bytes_printed = 0, matched_lines = 0,
                  matches = 0;
    double seconds = 0;
  };
  /// Returns the totals of all files since the last call.
  Totals take_totals() { return std::exchange(totals_, {}); }
  void add_totals(const Totals& totals);

  void end_file(std::uint64_t bytes_searched, std::uint64_t matched_lines, double seconds);
  /// Writes the summary; with `statistics` it tells what device `auto` chose.
  void summary(double seconds, const Statistics* statistics);

 private:
  void begin_line(const Line& line);
  void submatch(const Match& match, std::uint64_t start, std::string_view bytes);
  void elapsed(double seconds);
  void stats(const Totals& totals);

  const PatternSet* patterns_;
  bool tells_form_;
  Writer* writer_;
  std::string name_;
  bool begun_ = false;
  bool any_submatch_ = false;  // whether the line that is being written has one already
  std::uint64_t written_before_ = 0;
  std::uint64_t matches_ = 0;
  Totals totals_;
};

}  // namespace lode::command
