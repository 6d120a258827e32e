// Report: a file of JSON Lines that says what was replaced.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output/writer.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"

namespace lode::command {

class Report {
 public:
  /// Throws Error(input_output) if the file cannot be made.
  explicit Report(const std::string& path);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  /// The text that was searched begins at `begin` in the file.
  void add(const std::string& file, std::uint64_t begin, const Match& match, const PatternSet& patterns);
  /// Throws OutputError.
  void finish() { writer_.flush(); }

 private:
  int descriptor_;
  Writer writer_;
};

}  // namespace lode::command
