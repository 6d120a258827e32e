// Settings: what a command line asks for, checked and complete.
//
// Filled by parse_command_line(); nothing in it depends on the file system or the library's state, except that pattern
// files are only named here and read later, in the order given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/walk.hpp"
#include "lode/match.hpp"
#include "lode/pattern_set.hpp"

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
  nothing,            // -q
};

enum class MatrixForm { dense, sparse };

enum class Chore { search, short_help, long_help, version, generate, list_devices, list_algorithms };

struct PatternSource {
  bool is_file = false;
  std::string value;  // the pattern, or the path of the pattern file
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): there is one, and it is in the order of --help
struct Settings {
  Chore chore = Chore::search;
  std::string generate;  // what to generate: man, complete-bash, complete-zsh, complete-fish

  std::vector<PatternSource> patterns;  // in the order of the command line
  PatternFormat pattern_format = PatternFormat::by_name;
  bool crlf = false;  // lines end in CR LF, of pattern files and of texts
  bool ignore_case = false;
  Condition condition = Condition::none;
  std::string save_plan, plan;  // paths; empty where not given

  Output output = Output::lines;
  MatrixForm matrix_form = MatrixForm::dense;
  bool by_file = false, nonzero = false;  // of Output::count_per_pattern
  bool line_numbers = false;
  bool byte_offsets = false;
  int filenames = 0;  // -1: never, 0: where there are several, 1: always
  bool null_after_names = false;
  bool invert = false;
  std::uint64_t max_count = UINT64_MAX;
  std::uint64_t context_before = 0, context_after = 0;
  bool context_given = false;  // grep writes `--` between groups even where the context is 0 lines
  std::optional<std::string> group_separator = "--";
  bool match_kind_given = false;
  MatchKind match_kind = MatchKind::overlapping;
  bool color = false;
  bool output_is_terminal = false;  // control characters of names are escaped
  bool pattern_ids = false;
  bool text = false;
  bool line_buffered = false;
  std::string label = "(standard input)";  // the name of standard input
  bool no_messages = false;                // of files that cannot be read

  std::vector<std::string> paths;  // without files_from and working_directory, and empty: standard input
  bool working_directory = false;  // is searched in the place of paths
  std::string files_from;          // the path of a list of more paths; empty where not given
  bool null_files_from = false;    // they end in NUL
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
