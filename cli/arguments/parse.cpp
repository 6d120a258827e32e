// Parsing the command line: what each option means, and which options cannot be combined. Patterns are taken byte by
// byte, in the order of -e and -f.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/settings.hpp"

namespace lode::command {
namespace {

[[noreturn]] void fail(const std::string& message) { fail_usage(message); }
std::uint64_t parse_number(const Option& option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail(spelled(option) + ": " + std::string(text) + " is too large");
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(spelled(option) + ": '" + std::string(text) + "' is not a number");
  }
  return value;
}

/// Parses an amount such as 65536, 64K, 1.5G or 2T.
std::uint64_t parse_bytes(const Option& option, std::string_view text) {
  constexpr std::string_view units = "KMGT";
  std::string_view digits = text;
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = units.find(static_cast<char>(text.back() & ~0x20));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      digits.remove_suffix(1);
    }
  }
  if (digits.find('.') == std::string_view::npos || shift == 0) {
    const std::uint64_t value = parse_number(option, digits);
    if (value > (UINT64_MAX >> shift)) fail(spelled(option) + ": " + std::string(text) + " is too large");
    if (value == 0) fail(spelled(option) + ": must be more than 0");
    return value << shift;
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-') {
    fail(spelled(option) + ": '" + std::string(text) + "' is not a number");
  }
  const double bytes = std::ldexp(value, static_cast<int>(shift));
  if (bytes >= std::ldexp(1.0, 64)) fail(spelled(option) + ": " + std::string(text) + " is too large");
  if (bytes < 1) fail(spelled(option) + ": must be more than 0");
  return static_cast<std::uint64_t>(bytes);
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
  fail(spelled(option) + ": '" + std::string(value) + "' is not one of " + choices);
}

/// Whether an option was given, and how it is spelled.
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
  void refuse_options_of_lines(const std::string& reason) const;
  void refuse_conflicts_of_matrix() const;
  void refuse_conflicts_of_rewriting() const;
  void refuse_conflicts_of_pattern_files() const;
  void refuse_what_is_not_written(const std::string& output) const;

  Settings settings_;
  const Option* output_option_ = nullptr;
  void set_encoding(const std::string& name);

  lode::View encoding_;
  bool only_matching_ = false, quiet_ = false, recursive_ = false, shows_view_ = false;
  bool count_limited_ = false, pattern_format_given_ = false;
  std::string color_ = "auto";
  std::optional<std::uint64_t> context_, context_before_, context_after_;
};

Settings Parser::parse(int argument_count, char** arguments) {
  ArgumentReader reader(argument_count, arguments);
  while (const Option* option = reader.next()) {
    apply(*option, reader.argument());
    if (settings_.chore != Chore::search) return settings_;
  }
  settings_.paths = reader.paths();
  finish();
  return settings_;
}

void Parser::set_output(const Option& option, Output output) {
  if (output_option_ != nullptr && output_option_->id != option.id) {
    fail(spelled(*output_option_) + " and " + spelled(option) + " cannot be combined");
  }
  output_option_ = &option;
  settings_.output = output;
}

void Parser::apply(const Option& option, const char* argument) {
  Settings& to = settings_;
  if (argument != nullptr && option.kind == ArgumentKind::choice && option.id != OptionId::device) {
    require_choice(option, argument);
  }
  switch (option.id) {
    case OptionId::pattern:
      if (*argument == '\0') fail("-e: the pattern is empty");
      to.patterns.push_back({false, argument});
      break;
    case OptionId::pattern_file: to.patterns.push_back({true, argument}); break;
    case OptionId::pattern_format:
      // require_choice() has checked the word, so its first letter tells: lines, hex or jsonl.
      pattern_format_given_ = true;
      to.pattern_format = *argument == 'l'   ? PatternFormat::lines
                          : *argument == 'h' ? PatternFormat::hex
                                             : PatternFormat::jsonl;
      break;
    case OptionId::crlf: to.crlf = true; break;
    case OptionId::ignore_case: to.ignore_case = true; break;
    case OptionId::no_ignore_case: to.ignore_case = false; break;
    case OptionId::view: to.view = lode::View(argument); break;
    case OptionId::forms: try { to.forms = Forms(argument);
      } catch (const Error& error) {
        fail("--forms: " + std::string(error.what()));
      }
      break;
    case OptionId::show_view: shows_view_ = true; break;
    case OptionId::encoding: set_encoding(argument); break;
    case OptionId::word:
      if (to.condition == Condition::none) to.condition = Condition::whole_word;  // -x is stricter and wins
      break;
    case OptionId::whole_line: to.condition = Condition::whole_line; break;
    case OptionId::save_plan: to.save_plan = argument; break;
    case OptionId::plan: to.plan = argument; break;
    case OptionId::count: set_output(option, Output::line_count); break;
    case OptionId::count_matches: set_output(option, Output::match_count); break;
    case OptionId::count_per_pattern: set_output(option, Output::count_per_pattern); break;
    case OptionId::by_file: to.by_file = true; break;
    case OptionId::nonzero: to.nonzero = true; break;
    case OptionId::only_matching: only_matching_ = true; break;
    case OptionId::files_with: set_output(option, Output::files_with); break;
    case OptionId::files_without: set_output(option, Output::files_without); break;
    case OptionId::offsets: set_output(option, Output::offsets); break;
    case OptionId::json: set_output(option, Output::json); break;
    case OptionId::matrix:
      set_output(option, Output::matrix);
      to.matrix_form = *argument == 'd' ? MatrixForm::dense : MatrixForm::sparse;
      break;
    case OptionId::replace:
      set_output(option, Output::rewritten);
      to.replace = argument;
      break;
    case OptionId::replacements:
      set_output(option, Output::rewritten);
      to.replacements = argument;
      if (to.replacements.empty()) fail("--replacements: the path is empty");
      break;
    case OptionId::own_replacements:
      set_output(option, Output::rewritten);
      to.own_replacements = true;
      break;
    case OptionId::mask:
      set_output(option, Output::rewritten);
      to.mask = argument;
      if (to.mask.empty()) fail("--mask: there is no character");
      break;
    case OptionId::in_place:
      to.in_place = true;
      to.backup_suffix = argument != nullptr ? argument : "";
      if (argument != nullptr && to.backup_suffix.empty()) fail("--in-place=: there is no suffix");
      if (to.backup_suffix.find('/') != std::string::npos) fail("--in-place: a suffix has no '/'");
      break;
    case OptionId::report: to.report = argument; break;
    case OptionId::quiet: quiet_ = true; break;
    case OptionId::line_number: to.line_numbers = true; break;
    case OptionId::byte_offset: to.byte_offsets = true; break;
    case OptionId::with_filename: to.filenames = 1; break;
    case OptionId::no_filename: to.filenames = -1; break;
    case OptionId::null: to.null_after_names = true; break;
    case OptionId::invert: to.invert = true; break;
    case OptionId::max_count:
      to.max_count = parse_number(option, argument);
      count_limited_ = true;
      break;
    case OptionId::after_context: context_after_ = parse_number(option, argument); break;
    case OptionId::before_context: context_before_ = parse_number(option, argument); break;
    case OptionId::context: context_ = parse_number(option, argument); break;
    case OptionId::group_separator: to.group_separator = argument; break;
    case OptionId::no_group_separator: to.group_separator.reset(); break;
    case OptionId::match_kind:
      to.match_kind_given = true;
      to.match_kind = std::strcmp(argument, "overlapping") == 0        ? MatchKind::overlapping
                      : std::strcmp(argument, "leftmost-longest") == 0 ? MatchKind::leftmost_longest
                                                                       : MatchKind::leftmost_first;
      break;
    case OptionId::color: color_ = argument != nullptr ? argument : "auto"; break;
    case OptionId::pattern_id: to.pattern_ids = true; break;
    case OptionId::text: to.text = true; break;
    case OptionId::line_buffered: to.line_buffered = true; break;
    case OptionId::label: to.label = argument; break;
    case OptionId::no_messages: to.no_messages = true; break;
    case OptionId::include: to.filter.include(argument); break;
    case OptionId::exclude: to.filter.exclude(argument); break;
    case OptionId::exclude_dir: to.filter.exclude_directory(argument); break;
    case OptionId::gitignore: to.walk.gitignore = true; break;
    case OptionId::recursive: recursive_ = true; break;
    case OptionId::follow_links: recursive_ = to.walk.follow_links = true; break;
    case OptionId::files_from: to.files_from = argument; break;
    case OptionId::null_files_from: to.null_files_from = true; break;
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
    case OptionId::accepted: break;
  }
}

void Parser::refuse_options_of_lines(const std::string& reason) const {
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
              reason);
}

void Parser::refuse_conflicts_of_matrix() const {
  const Settings& to = settings_;
  refuse_options_of_lines(" and --matrix cannot be combined: nothing but the matrix is written");
  if (to.match_kind != MatchKind::overlapping) {
    fail("--match-kind and --matrix cannot be combined: a matrix has the first of all occurrences");
  }
}

void Parser::refuse_conflicts_of_rewriting() const {
  const Settings& to = settings_;
  if (to.output != Output::rewritten) {
    refuse_each({{to.in_place, "--in-place"}, {!to.report.empty(), "--report"}},
                " needs --replace, --replacements, --own-replacements or --mask: it is for what replaces matches");
    return;
  }
  const std::string output = spelled(*output_option_);
  const std::string reason = " and " + output + " cannot be combined: the text is written, and nothing else";
  refuse_options_of_lines(reason);
  refuse_each({{to.verify, "--verify"}, {to.iterations > 1, "--iterations"}}, reason);
  if (to.match_kind_given && to.match_kind == MatchKind::overlapping)
    fail("--match-kind overlapping and " + output + " cannot be combined: what replaces matches may not overlap");
  if (!to.in_place && !to.report.empty() && !to.view.encoding().empty())
    fail("--report and --encoding cannot be combined without --in-place: offsets would be those of the decoded text");
  if (!to.in_place) return;
  if (to.paths.empty() && to.files_from.empty() && !to.working_directory)
    fail("--in-place needs a PATH: standard input cannot be rewritten in its place");
}

void Parser::refuse_conflicts_of_pattern_files() const {
  const Settings& to = settings_;
  const std::initializer_list<Given> options = {{pattern_format_given_, "--pattern-format"}};
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
  if (to.output == Output::line_count || to.output == Output::match_count || to.output == Output::files_without) {
    refuse_each({{to.pattern_ids, "--pattern-id"}},
                " and " + output + " cannot be combined: ids stand in front of lines and matches");
  }
}

void Parser::refuse_conflicts() const {
  const Settings& to = settings_;
  const auto refuse = [](bool conflict, const std::string& message) {
    if (conflict) fail(message);
  };
  const std::string output = output_option_ != nullptr ? spelled(*output_option_) : "";
  refuse(!to.plan.empty() && !to.patterns.empty(), "--plan stands in the place of -e and -f; they cannot be combined");
  refuse(!to.plan.empty() && to.ignore_case, "-i cannot be combined with --plan: the case rule is a part of the plan");
  refuse(!to.plan.empty() && !to.forms.empty(),
         "--forms cannot be combined with --plan: the forms are a part of the plan");
  refuse(!to.plan.empty() && !to.view.empty(), "--view cannot be combined with --plan: the view is a part of the plan");
  refuse(shows_view_ && !(to.plan.empty() && to.patterns.empty()), "--show-view needs no pattern: it searches nothing");
  refuse_conflicts_of_pattern_files();
  refuse(!to.plan.empty() && !to.save_plan.empty(), "--plan and --save-plan cannot be combined");
  refuse(to.null_files_from && to.files_from.empty(), "-0 needs --files-from: it is for the list of PATHs");
  const bool lists_standard_input = std::any_of(
      to.patterns.begin(), to.patterns.end(), [](const auto& source) { return source.is_file && source.value == "-"; });
  refuse(to.files_from == "-" && lists_standard_input,
         "-f - and --files-from - cannot be combined: both read standard input");
  refuse(to.walk.gitignore && to.paths.empty() && to.files_from.empty() && !to.working_directory,
         "--gitignore needs a PATH, or -r for the working directory: standard input has no .gitignore");
  if (to.output != Output::count_per_pattern) {
    refuse_each({{to.by_file, "--by-file"}, {to.nonzero, "--nonzero"}},
                " needs --count-per-pattern: it is for the counts of patterns");
  }
  if (to.output == Output::matrix) refuse_conflicts_of_matrix();
  refuse_conflicts_of_rewriting();
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

void Parser::set_encoding(const std::string& name) {
  encoding_ = name == "utf-8" ? lode::View() : lode::View(name);
  if (name != "utf-8" && encoding_.encoding() != name) fail("--encoding: '" + name + "' is no encoding");
}

void Parser::finish() {
  Settings& to = settings_;
  if (!encoding_.empty()) to.view = lode::View(encoding_.name() + (to.view.empty() ? "" : "," + to.view.name()));
  if (to.ignore_case && shows_view_ && !to.view.folds()) to.view = to.view.with(ViewStep::fold_simple);
  if (shows_view_) to.chore = Chore::show_view;
  const bool needs_pattern = to.patterns.empty() && to.plan.empty() && !shows_view_;
  if (needs_pattern) {
    if (to.paths.empty()) fail("no pattern given; see lode -h");
    if (to.paths.front().empty()) fail("the pattern is empty");
    to.patterns.push_back({false, to.paths.front()});
    to.paths.erase(to.paths.begin());
  }
  to.working_directory = recursive_ && to.paths.empty() && to.files_from.empty();
  refuse_conflicts();
  if (to.crlf && to.condition == Condition::whole_line) to.condition = Condition::whole_line_crlf;
  if (quiet_) {
    to.output = Output::nothing;
  } else if (only_matching_ && to.output == Output::lines) {
    to.output = Output::only_matching;
  }
  // Lines are those of the decoded text, so that it is decoded first. Offsets are those of the original, and a file that is
  // rewritten in its place keeps its encoding. A plan that is saved keeps it, too.
  const bool is_of_original = to.output == Output::offsets || to.in_place || shows_view_ || !to.save_plan.empty();
  if (!to.view.encoding().empty() && !is_of_original) {
    to.encoding = lode::View(to.view.encoding());
    to.view = to.view.without_decoding();
  }
  to.context_given = context_ || context_before_ || context_after_;
  to.context_before = context_before_.value_or(context_.value_or(0));
  to.context_after = context_after_.value_or(context_.value_or(0));
  to.output_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  if (color_ == "always") {
    to.color = true;
  } else if (color_ == "auto") {
    // NOLINTBEGIN(concurrency-mt-unsafe): there are no other threads yet
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    // NOLINTEND(concurrency-mt-unsafe)
    to.color = to.output_is_terminal && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
               std::strcmp(terminal, "dumb") != 0;
  }
}

}  // namespace

Settings parse_command_line(int argument_count, char** arguments) { return Parser().parse(argument_count, arguments); }

}  // namespace lode::command
