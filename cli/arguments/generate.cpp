#include "cli/arguments/generate.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/arguments/options.hpp"
#include "lode/searcher.hpp"
#include "lode/version.hpp"

namespace lode::command {
namespace {

constexpr char tagline[] = "find every exact occurrence of one or of a million byte patterns";
constexpr std::size_t text_width = 80;

/// The number of columns that a text takes on a terminal. The texts have no wide characters.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

/// Wraps `text` into lines of at most text_width columns, each behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (!line.empty() && indent + columns(line) + 1 + columns(word) > text_width) end_line();
    if (!line.empty()) line += ' ';
    line += word;
  }
  end_line();
  return result;
}

std::string sentence(std::string_view summary) {
  std::string text(summary);
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

bool takes_next_word(const Option& option) { return option.argument != nullptr && *option.argument != '['; }
bool is_optional(const Option& option) { return option.argument != nullptr && *option.argument == '['; }

/// The forms of an option, such as "-f, --file FILE".
std::string forms(const Option& option) {
  std::string text;
  if (option.letter != 0) text = std::string("-") + option.letter;
  if (option.name != nullptr) text += (text.empty() ? "    --" : ", --") + std::string(option.name);
  if (option.argument != nullptr) text += (is_optional(option) ? "" : " ") + std::string(option.argument);
  return text;
}

std::string usage() {
  std::string text;
  for (const std::string_view line : usage_lines) {
    text += (text.empty() ? "Usage: " : "       ") + std::string(line) + "\n";
  }
  return text;
}

/// Calls heading() for each group, then row() for each of its options.
template <typename Heading, typename Row>
void for_each_option(Heading heading, Row row) {
  std::string_view group;
  for (const Option& option : option_table()) {
    if (group != option.group) heading(group = option.group);
    row(option);
  }
}

/// Splits a section's body into paragraphs, which may be wrapped, and lines that are kept as they are.
template <typename Paragraph, typename Kept>
void for_each_piece(std::string_view body, Paragraph paragraph, Kept kept) {
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view piece = body.substr(0, end);
    if (piece.starts_with("  ")) {
      kept(piece.substr(2));
    } else if (!piece.empty()) {
      paragraph(piece);
    }
    body.remove_prefix(std::min(end + 1, body.size()));
  }
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (blank > 0) result.emplace_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return result;
}

std::vector<std::string> choices_of(const Option& option) {
  if (option.kind == ArgumentKind::choice) return words(option.choices);
  if (option.kind != ArgumentKind::algorithm) return {};
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmInfo& algorithm : list_algorithms()) names.push_back(algorithm.name);
  return names;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : " ") + text;
  return result;
}

/// Puts a backslash before each byte of the text that is in `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char byte : text) {
    if (special.find(byte) != std::string_view::npos) result += '\\';
    result += byte;
  }
  return result;
}

std::string in_single_quotes(std::string_view text) {
  std::string result = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      result += "'\\''";
    } else {
      result += byte;
    }
  }
  return result + "'";
}

std::string troff(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("…")) {
      result += "\\&...";
      i += std::string_view("…").size() - 1;
    } else if (text[i] == '\\') {
      result += "\\e";
    } else if (text[i] == '-') {
      result += "\\-";
    } else if (text[i] == '`') {
      result += "\\(ga";
    } else if (text[i] == '\'') {
      result += "\\(aq";
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string bash_completions() {
  std::string all, takes_file, takes_other, cases;
  for (const Option& option : option_table()) {
    std::vector<std::string> spelled;
    if (option.letter != 0) spelled.push_back(std::string("-") + option.letter);
    if (option.name != nullptr) spelled.push_back(std::string("--") + option.name);
    for (const std::string& form : spelled) all += (all.empty() ? "" : " ") + form;
    if (!takes_next_word(option)) continue;
    std::string alternatives;
    for (const std::string& form : spelled) alternatives += (alternatives.empty() ? "" : "|") + form;
    const std::vector<std::string> choices = choices_of(option);
    if (!choices.empty()) {
      cases += "    " + alternatives + ")\n      COMPREPLY=($(compgen -W '" + joined(choices) +
               "' -- \"$current\"))\n      return ;;\n";
    } else {
      std::string& list = option.kind == ArgumentKind::file ? takes_file : takes_other;
      list += (list.empty() ? "" : "|") + alternatives;
    }
  }
  return "# Completion of lode for bash; generated from the table of options.\n"
         "_lode() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  case \"$previous\" in\n" +
         cases + "    " + takes_file + ")\n      COMPREPLY=($(compgen -f -- \"$current\"))\n      return ;;\n    " +
         takes_other +
         ")\n      return ;;\n"
         "  esac\n"
         "  if [[ \"$current\" == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         all +
         "' -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _lode lode\n";
}

std::string zsh_completions() {
  std::string text =
      "#compdef lode\n# Completion of lode for zsh; generated from the table of options.\n_arguments -s -S \\\n";
  const auto add_row = [&](std::initializer_list<std::string_view> pieces) {
    std::string row;
    for (const std::string_view piece : pieces) row += piece;
    text.append("  ").append(in_single_quotes(row)).append(" \\\n");
  };
  for (const Option& option : option_table()) {
    std::string action;
    if (option.argument != nullptr) {
      const std::vector<std::string> choices = choices_of(option);
      action = (is_optional(option) ? "::" : ":") + std::string(is_optional(option) ? "WHEN" : option.argument) + ":" +
               (!choices.empty()                    ? "(" + joined(choices) + ")"
                : option.kind == ArgumentKind::file ? "_files"
                                                    : "");
    }
    const std::string summary = "[" + escaped(option.summary, "[]:\\") + "]";
    if (option.letter != 0) {
      add_row({"*-", std::string(1, option.letter), summary, action});
    }
    if (option.name != nullptr) {
      add_row({"*--", option.name, action.empty() ? "" : "=", summary, action});
    }
  }
  return text + "  '*:path:_files'\n";
}

std::string fish_completions() {
  std::string text = "# Completion of lode for fish; generated from the table of options.\n";
  for (const Option& option : option_table()) {
    text += "complete -c lode";
    if (option.letter != 0) text += std::string(" -s ") + option.letter;
    if (option.name != nullptr) text += std::string(" -l ") + option.name;
    if (option.argument != nullptr) {
      const std::vector<std::string> choices = choices_of(option);
      text += option.kind == ArgumentKind::file ? " -r" : is_optional(option) ? " -f" : " -x";
      if (!choices.empty()) text += " -a '" + joined(choices) + "'";
    }
    text += " -d '" + escaped(option.summary, "'\\") + "'\n";
  }
  return text;
}

}  // namespace

std::string short_help() {
  constexpr std::size_t summary_column = 30;
  std::string text = std::string("lode: ") + tagline + "\n\n" + usage();
  for_each_option([&](std::string_view group) { text += "\n" + std::string(group) + ":\n"; },
                  [&](const Option& option) {
                    std::string row = "  " + forms(option);
                    if (columns(row) + 2 > summary_column) {
                      text += row + "\n";
                      row.clear();
                    }
                    text += row + std::string(summary_column - columns(row), ' ') + option.summary + "\n";
                  });
  return text + "\nExit status: 0 match, 1 no match, 2 error. More: lode --help\n";
}

std::string long_help() {
  std::string text = std::string("lode: ") + tagline + "\n\n" + usage();
  for_each_option([&](std::string_view group) { text += "\n" + std::string(group) + "\n"; },
                  [&](const Option& option) {
                    text += "  " + forms(option) + "\n" + wrapped(sentence(option.summary), 8);
                    text += wrapped(option.details, 8);
                  });
  for (const Section& section : closing_sections()) {
    text += "\n" + std::string(section.title) + "\n";
    for_each_piece(
        section.body, [&](std::string_view paragraph) { text += wrapped(paragraph, 2); },
        [&](std::string_view line) { text += "  " + std::string(line) + "\n"; });
  }
  return text;
}

std::string manual_page() {
  std::string text = ".\\\" Generated from the table of options.\n.TH LODE 1 \"\" \"lode " + std::string(version()) +
                     "\" \"User Commands\"\n.SH NAME\nlode \\- " + troff(tagline) + "\n.SH SYNOPSIS\n";
  for (const std::string_view line : usage_lines) {
    text += (line == usage_lines[0] ? "" : ".br\n") + std::string(".B lode\n") +
            troff(line.substr(std::string_view("lode ").size())) + "\n";
  }
  text +=
      ".SH DESCRIPTION\nSearches files, directories or standard input and writes the lines that contain a pattern, "
      "or what else was asked for. Patterns are plain bytes.\n.SH OPTIONS\n";
  for_each_option([&](std::string_view group) { text += ".SS " + troff(group) + "\n"; },
                  [&](const Option& option) {
                    std::string head;
                    if (option.letter != 0) head = std::string("\\fB\\-") + option.letter + "\\fR";
                    if (option.name != nullptr) {
                      head += (head.empty() ? "" : ", ") + std::string("\\fB") +
                              troff("--" + std::string(option.name)) + "\\fR";
                    }
                    if (option.argument != nullptr) {
                      head += (is_optional(option) ? "\\fI" : " \\fI") + troff(option.argument) + "\\fR";
                    }
                    text += ".TP\n" + head + "\n" + troff(sentence(option.summary)) + "\n";
                    if (*option.details != '\0') text += troff(option.details) + "\n";
                  });
  for (const Section& section : closing_sections()) {
    std::string title(section.title);
    std::transform(title.begin(), title.end(), title.begin(),
                   [](char byte) { return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte; });
    text += ".SH " + troff(title) + "\n";
    bool keeping = false;
    const auto keep = [&](bool wanted) {
      if (keeping != wanted) text += wanted ? ".nf\n" : ".fi\n";
      keeping = wanted;
    };
    for_each_piece(
        section.body,
        [&](std::string_view paragraph) {
          keep(false);
          text += troff(paragraph) + "\n";
        },
        [&](std::string_view line) {
          keep(true);
          text += troff(line) + "\n";
        });
    keep(false);
  }
  return text + ".SH SEE ALSO\n.BR grep (1)\n";
}

std::string shell_completions(const std::string& shell) {
  return shell == "bash" ? bash_completions() : shell == "zsh" ? zsh_completions() : fish_completions();
}

}  // namespace lode::command
