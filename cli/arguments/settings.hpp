// Settings: what a command line asks for, checked and complete.
//
// parse_command_line() fills them. They do not depend on the file system or the library's state: files are only named
// here, and read later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/walk.hpp"
#include "lode/form.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"

namespace lode::command {

enum class Output {
  lines,              // matching lines
  only_matching,      // the matches
  line_count,         // -c
  match_count,        // --count-matches
  count_per_pattern,  // over all inputs
  files_with,         // -l
  files_without,      // -L
  offsets,            // --offsets
  json,               // --json
  matrix,             // --matrix
  rewritten,          // --replace, --replacements, --mask
  nothing,            // -q
};

enum class MatrixForm { dense, sparse };

enum class Chore { search, short_help, long_help, version, generate, list_devices, list_algorithms, show_view };

struct PatternSource {
  bool is_file = false;
  std::string value;  // the pattern, or the path of the pattern file
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): there is only one, and its order is that of --help
struct Settings {
  Chore chore = Chore::search;
  std::string generate;  // what to generate: man, complete-bash, complete-zsh, complete-fish

  std::vector<PatternSource> patterns;  // in the order of the command line
  PatternFormat pattern_format = PatternFormat::by_name;
  bool crlf = false;  // lines end in CR LF, both in pattern files and in texts
  bool ignore_case = false;
  lode::View view;
  Forms forms;          // of patterns that have none of their own
  lode::View encoding;  // decodes the texts before they are searched, where what is written is lines
  Condition condition = Condition::none;
  std::string save_plan, plan;  // paths; empty: not given

  Output output = Output::lines;
  MatrixForm matrix_form = MatrixForm::dense;
  bool by_file = false, nonzero = false;  // only for Output::count_per_pattern
  // Only for Output::rewritten: one of the four is given.
  std::string replace, replacements, mask;
  bool own_replacements = false;
  bool in_place = false;
  std::string backup_suffix;  // empty: none
  std::string report;         // a path; empty: none
  bool line_numbers = false;
  bool byte_offsets = false;
  int filenames = 0;  // -1: never, 0: if there are several files, 1: always
  bool null_after_names = false;
  bool invert = false;
  std::uint64_t max_count = UINT64_MAX;
  std::uint64_t context_before = 0, context_after = 0;
  bool context_given = false;  // grep writes `--` between groups even if the context is 0 lines
  std::optional<std::string> group_separator = "--";
  bool match_kind_given = false;
  MatchKind match_kind = MatchKind::overlapping;
  bool color = false;
  bool output_is_terminal = false;  // if so, control characters in names are escaped
  bool pattern_ids = false;
  bool text = false;
  bool line_buffered = false;
  std::string label = "(standard input)";  // the name of standard input
  bool no_messages = false;                // no messages about files that cannot be read

  std::vector<std::string> paths;  // empty, without files_from and working_directory: standard input
  bool working_directory = false;  // the working directory is searched instead of paths
  std::string files_from;          // the path of a file with more paths; empty: not given
  bool null_files_from = false;    // paths in that file end in NUL
  io::FileFilter filter;
  io::WalkOptions walk;
  bool decompress = false;
  char line_terminator = '\n';

  std::string device = "auto", algorithm = "auto";
  unsigned threads = 0;
  std::uint64_t memory_limit_bytes = 0;

  bool stats = false, verify = false;
  std::uint64_t iterations = 1;
};

/// Throws Error(invalid_argument) with a message that names the option.
Settings parse_command_line(int argument_count, char** arguments);

}  // namespace lode::command
