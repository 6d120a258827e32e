// Report: a file of JSON Lines that says what was replaced.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "cli/output/writer.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"

namespace lode::command {

class Report {
 public:
  /// Throws Error(input_output) if the file cannot be made. What it held before goes with the first match, or at the end.
  explicit Report(const std::string& path);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  /// The text that was searched begins at `begin` in the file.
  void add(const std::string& file, std::uint64_t begin, const Match& match, const PatternSet& patterns,
           bool tells_form);
  /// A text begins, whose matches take_back() takes back.
  void begin_text();
  /// The text's matches were not replaced after all. What has gone into a pipe stays there.
  void take_back();
  /// Throws OutputError.
  void finish();
  /// The file, which is none of the inputs.
  const struct stat& status() const { return status_; }

 private:
  void clear();  // before the first line

  int descriptor_;
  struct stat status_ {};
  bool is_cleared_ = false;
  off_t text_begin_ = 0;  // where the matches of the text begin in the file
  Writer writer_;
};

}  // namespace lode::command
