#include "cli/arguments/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "lode/error.hpp"

namespace lode::command {
namespace {

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Calls use(name) with the option's long name and with each of its aliases, which may be letters.
template <typename Use>
void for_each_name(const Option& option, Use use) {
  if (option.name != nullptr) use(std::string_view(option.name));
  std::string_view rest = option.aliases;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    use(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
}

const Option* find_option(std::string_view name) {
  for (const Option& option : option_table()) {
    bool found = name.size() == 1 && option.letter == name[0];
    for_each_name(option, [&](std::string_view other) { found |= other == name; });
    if (found) return &option;
  }
  return nullptr;
}

/// The least number of edits that turn one word into the other. An edit changes, adds or removes a byte, or swaps two
/// neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// Suggests the long names that begin with what was given; if there are none, the nearest ones.
std::string suggest(std::string_view given) {
  std::vector<std::string_view> nearest;
  std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const Option& option : option_table()) {
    for_each_name(option, [&](std::string_view name) {
      if (name.size() < 2) return;
      const std::size_t distance = !given.empty() && name.starts_with(given) ? 0 : edit_distance(given, name);
      if (distance < least) {
        least = distance;
        nearest.clear();
      }
      if (distance == least) nearest.push_back(name);
    });
  }
  std::string text;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    text += std::string(i == 0 ? "" : i + 1 == nearest.size() ? " or " : ", ") + "--" + std::string(nearest[i]);
  }
  return text.empty() ? "see lode --help" : "did you mean " + text + "?";
}

[[noreturn]] void fail_unknown(const std::string& given, std::string_view name) {
  constexpr std::string_view of_grep[] = {"E", "G", "P", "extended-regexp", "basic-regexp", "perl-regexp"};
  if (std::find(std::begin(of_grep), std::end(of_grep), name) != std::end(of_grep)) {
    fail_usage(given + ": patterns are plain strings; regular expressions are not supported");
  }
  fail_usage("unknown option '" + given + "'; " + (name.size() > 1 ? suggest(name) : "see lode --help"));
}

bool may_be_left_out(const char* argument) { return *argument == '['; }

}  // namespace

void fail_usage(const std::string& message) { throw Error(ErrorKind::invalid_argument, message); }

std::string spelled(const Option& option) {
  return option.name != nullptr ? std::string("--") + option.name : std::string("-") + option.letter;
}

const Option* ArgumentReader::next() {
  argument_ = nullptr;
  while (letters_ == nullptr) {
    if (at_ == words_.size()) return nullptr;
    const char* const word = words_[at_++];
    if (word[0] != '-' || word[1] == '\0') {
      paths_.emplace_back(word);
    } else if (word[1] != '-') {
      letters_ = word + 1;
    } else if (word[2] != '\0') {
      return read_long(word);
    } else {
      paths_.insert(paths_.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
      at_ = words_.size();
    }
  }
  return is_digit(*letters_) && *letters_ != '0' ? read_context() : read_letter();
}

const Option* ArgumentReader::read_long(const char* word) {
  const char* const name_begin = word + 2;
  const char* const equals = std::strchr(name_begin, '=');
  const std::string_view name = equals != nullptr ? std::string_view(name_begin, equals) : std::string_view(name_begin);
  const std::string given = "--" + std::string(name);
  const Option* const option = name.size() > 1 ? find_option(name) : nullptr;
  if (option == nullptr) fail_unknown(given, name);
  if (option->argument == nullptr) {
    if (equals != nullptr) fail_usage(given + " takes no argument");
  } else if (equals != nullptr) {
    argument_ = equals + 1;
  } else if (!may_be_left_out(option->argument)) {
    argument_ = take_next_word(given);
  }
  return option;
}

const Option* ArgumentReader::read_letter() {
  const std::string given = std::string("-") + *letters_;
  const Option* const option = find_option({letters_, 1});
  if (option == nullptr) fail_unknown(given, {letters_, 1});
  ++letters_;
  if (option->argument != nullptr && !may_be_left_out(option->argument)) {
    argument_ = *letters_ != '\0' ? letters_ : take_next_word(given);
    letters_ = nullptr;
  } else if (*letters_ == '\0') {
    letters_ = nullptr;
  }
  return option;
}

const Option* ArgumentReader::read_context() {
  number_.clear();
  while (is_digit(*letters_)) number_ += *letters_++;
  if (*letters_ == '\0') letters_ = nullptr;
  argument_ = number_.c_str();
  return find_option("context");
}

const char* ArgumentReader::take_next_word(const std::string& shown) {
  if (at_ == words_.size()) fail_usage(shown + ": an argument is missing");
  return words_[at_++];
}

}  // namespace lode::command
