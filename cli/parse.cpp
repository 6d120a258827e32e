// The command line, parsed by getopt_long from the table of options: it keeps the order of -e and -f, takes patterns
// byte by byte, and has the habits that users of grep know (clustered letters, options behind paths, `--`).

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

#include "lode/device.hpp"
#include "lode/error.hpp"
#include "options.hpp"
#include "settings.hpp"

namespace lode::command {
namespace {

constexpr int long_option_base = 256;  // getopt's value for option i of the table is this + i

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::invalid_argument, message); }

std::string shown(const Option& option) {
  return option.name != nullptr ? std::string("--") + option.name : std::string("-") + option.letter;
}

std::uint64_t parse_number(const Option& option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail(shown(option) + ": " + std::string(text) + " is too large");
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(shown(option) + ": '" + std::string(text) + "' is not a number");
  }
  return value;
}

std::uint64_t parse_bytes(const Option& option, std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const char unit = text.back();
    shift = unit == 'K' || unit == 'k' ? 10 : unit == 'M' || unit == 'm' ? 20 : unit == 'G' || unit == 'g' ? 30 : 0;
    if (shift > 0) text.remove_suffix(1);
  }
  const std::uint64_t value = parse_number(option, text);
  if (value > (UINT64_MAX >> shift)) fail(shown(option) + ": " + std::string(text) + " is too large");
  if (value == 0) fail(shown(option) + ": must be more than 0");
  return value << shift;
}

void require_choice(const Option& option, std::string_view value) {
  std::string_view rest = option.choices;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == value) return;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  std::string choices = option.choices;
  for (char& byte : choices) {
    if (byte == ' ') byte = '|';
  }
  fail(shown(option) + ": '" + std::string(value) + "' is not one of " + choices);
}

/// An option as it is spelled, and whether it was given.
using Given = std::pair<bool, const char*>;

void refuse_each(std::initializer_list<Given> options, const std::string& reason) {
  for (const auto& [given, name] : options) {
    if (given) fail(name + reason);
  }
}

class Parser {
 public:
  Settings parse(int argument_count, char** arguments);

 private:
  void apply(const Option& option, const char* argument);
  void set_output(const Option& option, Output output);
  void finish();
  void refuse_conflicts() const;
  void refuse_conflicts_of_matrix() const;
  void refuse_conflicts_of_pattern_files() const;
  void refuse_what_is_not_written(const std::string& output) const;

  Settings settings_;
  const Option* output_option_ = nullptr;
  bool only_matching_ = false, quiet_ = false;
  bool count_limited_ = false, pattern_format_given_ = false;
  std::string color_ = "auto";
  std::optional<std::uint64_t> context_, context_before_, context_after_;
};

Settings Parser::parse(int argument_count, char** arguments) {
  const auto table = option_table();
  std::string letters = ":";  // a leading colon: getopt tells a missing argument from an unknown option
  std::vector<::option> longs;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const int takes = table[i].argument != nullptr ? required_argument : no_argument;
    if (table[i].letter != 0) {
      letters += table[i].letter;
      if (takes == required_argument) letters += ':';
    }
    if (table[i].name != nullptr) {
      longs.push_back({table[i].name, takes, nullptr, long_option_base + static_cast<int>(i)});
    }
  }
  longs.push_back({nullptr, 0, nullptr, 0});
  opterr = 0;
  optind = 1;
  for (;;) {
    const int at = optind;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no other threads yet
    const int code = ::getopt_long(argument_count, arguments, letters.c_str(), longs.data(), nullptr);
    if (code == -1) break;
    if (code == '?' || code == ':') {
      const char* word = arguments[optind > at ? optind - 1 : at];
      std::string name = optopt > 0 && optopt < long_option_base ? std::string("-") + static_cast<char>(optopt)
                         : optopt >= long_option_base
                             ? shown(table[static_cast<std::size_t>(optopt - long_option_base)])
                             : std::string(word);
      if (code == ':') fail(name + ": an argument is missing");
      if (optopt >= long_option_base) fail(name + " takes no argument");
      fail("unknown option '" + name + "'; see lode --help");
    }
    const Option* found = nullptr;
    if (code >= long_option_base) {
      found = &table[static_cast<std::size_t>(code - long_option_base)];
    } else {
      for (const Option& option : table) {
        if (option.letter == code) found = &option;
      }
    }
    if (found != nullptr) apply(*found, optarg);
    if (settings_.chore != Chore::search) return settings_;
  }
  settings_.paths.assign(arguments + optind, arguments + argument_count);
  finish();
  return settings_;
}

void Parser::set_output(const Option& option, Output output) {
  if (output_option_ != nullptr && output_option_->id != option.id) {
    fail(shown(*output_option_) + " and " + shown(option) + " cannot be combined");
  }
  output_option_ = &option;
  settings_.output = output;
}

void Parser::apply(const Option& option, const char* argument) {
  Settings& to = settings_;
  if (option.kind == ArgumentKind::choice && option.id != OptionId::device) require_choice(option, argument);
  switch (option.id) {
    case OptionId::pattern:
      if (*argument == '\0') fail("-e: the pattern is empty");
      to.patterns.push_back({false, argument});
      break;
    case OptionId::pattern_file: to.patterns.push_back({true, argument}); break;
    case OptionId::pattern_format:
      pattern_format_given_ = true;
      to.pattern_format = *argument == 'l'   ? PatternFormat::lines
                          : *argument == 'h' ? PatternFormat::hex
                                             : PatternFormat::jsonl;
      break;
    case OptionId::crlf: to.strip_carriage_return = true; break;
    case OptionId::ignore_case: to.ignore_case = true; break;
    case OptionId::word:
      if (to.condition != Condition::whole_line) to.condition = Condition::whole_word;  // -x says more
      break;
    case OptionId::whole_line: to.condition = Condition::whole_line; break;
    case OptionId::save_plan: to.save_plan = argument; break;
    case OptionId::plan: to.plan = argument; break;
    case OptionId::count: set_output(option, Output::line_count); break;
    case OptionId::count_matches: set_output(option, Output::match_count); break;
    case OptionId::count_per_pattern: set_output(option, Output::count_per_pattern); break;
    case OptionId::only_matching: only_matching_ = true; break;
    case OptionId::files_with: set_output(option, Output::files_with); break;
    case OptionId::files_without: set_output(option, Output::files_without); break;
    case OptionId::offsets: set_output(option, Output::offsets); break;
    case OptionId::json: set_output(option, Output::json); break;
    case OptionId::matrix:
      set_output(option, Output::matrix);
      to.matrix_form = *argument == 'd' ? MatrixForm::dense : MatrixForm::sparse;
      break;
    case OptionId::quiet: quiet_ = true; break;
    case OptionId::line_number: to.line_numbers = true; break;
    case OptionId::byte_offset: to.byte_offsets = true; break;
    case OptionId::with_filename: to.filenames = 1; break;
    case OptionId::no_filename: to.filenames = -1; break;
    case OptionId::invert: to.invert = true; break;
    case OptionId::max_count:
      to.max_count = parse_number(option, argument);
      count_limited_ = true;
      break;
    case OptionId::after_context: context_after_ = parse_number(option, argument); break;
    case OptionId::before_context: context_before_ = parse_number(option, argument); break;
    case OptionId::context: context_ = parse_number(option, argument); break;
    case OptionId::match_kind:
      to.match_kind_given = true;
      to.match_kind = std::strcmp(argument, "overlapping") == 0        ? MatchKind::overlapping
                      : std::strcmp(argument, "leftmost-longest") == 0 ? MatchKind::leftmost_longest
                                                                       : MatchKind::leftmost_first;
      break;
    case OptionId::color: color_ = argument; break;
    case OptionId::pattern_id: to.pattern_ids = true; break;
    case OptionId::text: to.text = true; break;
    case OptionId::include: to.filter.include(argument); break;
    case OptionId::exclude: to.filter.exclude(argument); break;
    case OptionId::decompress: to.decompress = true; break;
    case OptionId::null_data: to.line_terminator = '\0'; break;
    case OptionId::device: to.device = argument; break;
    case OptionId::algorithm: to.algorithm = argument; break;
    case OptionId::threads: {
      const std::uint64_t threads = parse_number(option, argument);
      if (threads > 4096) fail("--threads: more than 4096 threads make no sense");
      to.threads = static_cast<unsigned>(threads);
      break;
    }
    case OptionId::memory_limit: to.memory_limit_bytes = parse_bytes(option, argument); break;
    case OptionId::stats: to.stats = true; break;
    case OptionId::verify: to.verify = true; break;
    case OptionId::iterations:
      to.iterations = parse_number(option, argument);
      if (to.iterations == 0) fail("--iterations: must be at least 1");
      break;
    case OptionId::list_devices: to.chore = Chore::list_devices; break;
    case OptionId::list_algorithms: to.chore = Chore::list_algorithms; break;
    case OptionId::short_help: to.chore = Chore::short_help; break;
    case OptionId::long_help: to.chore = Chore::long_help; break;
    case OptionId::version: to.chore = Chore::version; break;
    case OptionId::generate:
      to.chore = Chore::generate;
      to.generate = argument;
      break;
  }
}

void Parser::refuse_conflicts_of_matrix() const {
  const Settings& to = settings_;
  refuse_each({{quiet_, "-q"},
               {only_matching_, "-o"},
               {to.invert, "-v"},
               {count_limited_, "-m"},
               {to.line_numbers, "-n"},
               {to.byte_offsets, "-b"},
               {to.filenames > 0, "-H"},
               {context_after_.has_value(), "-A"},
               {context_before_.has_value(), "-B"},
               {context_.has_value(), "-C"},
               {to.pattern_ids, "--pattern-id"}},
              " and --matrix cannot be combined: nothing but the matrix is written");
  if (to.match_kind != MatchKind::overlapping) {
    fail("--match-kind and --matrix cannot be combined: a matrix has the first of all occurrences");
  }
}

void Parser::refuse_conflicts_of_pattern_files() const {
  const Settings& to = settings_;
  const std::initializer_list<Given> options = {{pattern_format_given_, "--pattern-format"},
                                                {to.strip_carriage_return, "--crlf"}};
  const auto is_file = [](const PatternSource& source) { return source.is_file; };
  if (!to.plan.empty()) {
    refuse_each(options, " cannot be combined with --plan: it is for the pattern files of -f");
  } else if (std::none_of(to.patterns.begin(), to.patterns.end(), is_file)) {
    refuse_each(options, " needs -f: it is for pattern files");
  }
}

void Parser::refuse_what_is_not_written(const std::string& output) const {
  const Settings& to = settings_;
  if (to.output == Output::offsets) {
    refuse_each({{to.line_numbers, "-n"},
                 {to.byte_offsets, "-b"},
                 {context_after_.has_value(), "-A"},
                 {context_before_.has_value(), "-B"},
                 {context_.has_value(), "-C"},
                 {to.pattern_ids, "--pattern-id"}},
                " and --offsets cannot be combined: nothing but offsets and pattern ids is written");
  }
  if (to.output == Output::line_count || to.output == Output::match_count || to.output == Output::files_with ||
      to.output == Output::files_without) {
    refuse_each({{to.pattern_ids, "--pattern-id"}},
                " and " + output + " cannot be combined: ids stand in front of lines and matches");
  }
}

void Parser::refuse_conflicts() const {
  const Settings& to = settings_;
  const auto refuse = [](bool conflict, const std::string& message) {
    if (conflict) fail(message);
  };
  const std::string output = output_option_ != nullptr ? shown(*output_option_) : "";
  refuse(!to.plan.empty() && !to.patterns.empty(), "--plan stands in the place of -e and -f; they cannot be combined");
  refuse(!to.plan.empty() && to.ignore_case, "-i cannot be combined with --plan: the case rule is a part of the plan");
  refuse_conflicts_of_pattern_files();
  refuse(!to.plan.empty() && !to.save_plan.empty(), "--plan and --save-plan cannot be combined");
  if (to.output == Output::matrix) refuse_conflicts_of_matrix();
  if (quiet_) return;
  const bool lists_matches =
      to.output == Output::offsets || to.output == Output::match_count || to.output == Output::count_per_pattern;
  refuse(only_matching_ && (lists_matches || to.output == Output::json), "-o and " + output + " cannot be combined");
  refuse(to.invert && lists_matches,
         "-v and " + output + " cannot be combined: lines without a match have none to give");
  refuse(count_limited_ && (to.output == Output::match_count || to.output == Output::count_per_pattern),
         "-m and " + output + " cannot be combined: -m limits lines, and matches only with --offsets");
  refuse_what_is_not_written(output);
}

void Parser::finish() {
  Settings& to = settings_;
  const bool needs_pattern = to.patterns.empty() && to.plan.empty();
  if (needs_pattern) {
    if (to.paths.empty()) fail("no pattern given; see lode -h");
    if (to.paths.front().empty()) fail("the pattern is empty");
    to.patterns.push_back({false, to.paths.front()});
    to.paths.erase(to.paths.begin());
  }
  refuse_conflicts();
  if (quiet_) {
    to.output = Output::nothing;
  } else if (only_matching_ && to.output == Output::lines) {
    to.output = Output::only_matching;
  }
  to.context_given = context_ || context_before_ || context_after_;
  to.context_before = context_before_.value_or(context_.value_or(0));
  to.context_after = context_after_.value_or(context_.value_or(0));
  if (color_ == "always") {
    to.color = true;
  } else if (color_ == "auto") {
    // NOLINTBEGIN(concurrency-mt-unsafe): there are no other threads yet
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    // NOLINTEND(concurrency-mt-unsafe)
    to.color = ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
               std::strcmp(terminal, "dumb") != 0;
  }
}

}  // namespace

Settings parse_command_line(int argument_count, char** arguments) { return Parser().parse(argument_count, arguments); }

}  // namespace lode::command
