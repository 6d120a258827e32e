// THE table of options. Parsing, -h, --help, the manual page and the shell completions are all made from it.
#pragma once

#include <span>
#include <string_view>

namespace lode::command {

enum class OptionId {
  pattern,
  pattern_file,
  pattern_format,
  crlf,
  ignore_case,
  view,
  forms,
  show_view,
  encoding,
  word,
  whole_line,
  save_plan,
  plan,
  count,
  count_matches,
  count_per_pattern,
  by_file,
  nonzero,
  only_matching,
  files_with,
  files_without,
  offsets,
  json,
  matrix,
  replace,
  replacements,
  own_replacements,
  mask,
  in_place,
  report,
  quiet,
  line_number,
  byte_offset,
  with_filename,
  no_filename,
  invert,
  max_count,
  null,
  after_context,
  before_context,
  context,
  group_separator,
  no_group_separator,
  match_kind,
  color,
  pattern_id,
  text,
  line_buffered,
  label,
  no_messages,
  include,
  exclude,
  exclude_dir,
  gitignore,
  follow_links,
  files_from,
  null_files_from,
  decompress,
  null_data,
  device,
  algorithm,
  threads,
  memory_limit,
  stats,
  verify,
  iterations,
  list_devices,
  list_algorithms,
  short_help,
  long_help,
  version,
  generate,
  recursive,
  no_ignore_case,
  accepted,
};

/// The kind of an argument tells the completions what to offer.
enum class ArgumentKind { none, free, number, file, choice, algorithm };

struct Option {
  OptionId id;
  char letter;           // the short form; 0: none
  const char* name;      // the long form; only -h has none
  const char* argument;  // the argument as help shows it; null: takes none; `[=WHEN]`: may be left out
  ArgumentKind kind;
  const char* choices;       // ArgumentKind::choice: the choices, separated by blanks; else null
  const char* group;         // the heading in help; options of one group follow one another
  const char* summary;       // for -h and completions: one line of at most 70 characters, without a full stop
  const char* details;       // for --help and the manual: sentences that follow the summary; may be empty
  const char* aliases = "";  // other names: long ones and letters, separated by blanks
};

std::span<const Option> option_table();

/// Text for help and the manual that is not about one option.
struct Section {
  const char* title;
  const char* body;  // paragraphs separated by an empty line; lines that start with two blanks are kept as they are
};
std::span<const Section> closing_sections();

inline constexpr std::string_view usage_lines[] = {
    "lode [OPTIONS] PATTERN [PATH…]",
    "lode [OPTIONS] (-e PATTERN | -f FILE)… [PATH…]",
};

}  // namespace lode::command
