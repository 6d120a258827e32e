// ArgumentReader: takes a command line apart into options of the table and the paths between and behind them.
//
//   -nC2        letters may share a word; an argument stands behind its letter or in the next word
//   -12         a number is the context, as in grep
//   --name=X    or `--name X`; where the argument may be left out, only the first
//   --          everything behind it is a path
//
// Long names are never abbreviated. Throws Error(invalid_argument) with a message that names the option, and for an
// unknown one what it may have been meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/options.hpp"

namespace lode::command {

class ArgumentReader {
 public:
  ArgumentReader(int count, char** arguments) : words_(arguments + 1, arguments + count) {}

  /// The next option; null at the end.
  const Option* next();
  /// Of the option last returned; null where it has none. Valid until next().
  const char* argument() const noexcept { return argument_; }
  /// All that is no option, complete once next() returned null.
  const std::vector<std::string>& paths() const noexcept { return paths_; }

 private:
  const Option* read_long(const char* word);
  const Option* read_letter();
  const Option* read_context();
  const char* take_next_word(const std::string& shown);

  std::vector<const char*> words_;
  std::size_t at_ = 0;
  const char* letters_ = nullptr;  // the rest of a word of letters
  const char* argument_ = nullptr;
  std::string number_;
  std::vector<std::string> paths_;
};

/// As messages name it: `--name`, or `-h` where there is no long name.
std::string spelled(const Option& option);

[[noreturn]] void fail_usage(const std::string& message);

}  // namespace lode::command
