// ArgumentReader: takes a command line apart into options of the table and the paths between and behind them.
//
//   -nC2        letters may share a word; an argument stands behind its letter or in the next word
//   -12         a number is the context, as in grep
//   --name=X    or `--name X`; if the argument may be left out, only the first form
//   --          everything behind it is a path
//
// Long names are never abbreviated. Errors are Error(invalid_argument) with a message that names the option; for an
// unknown option it suggests similar ones.
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
  /// The argument of the option that next() returned last; null if there is none. Valid until the next call of next().
  const char* argument() const noexcept { return argument_; }
  /// All words that are not options or their arguments. Complete once next() has returned null.
  const std::vector<std::string>& paths() const noexcept { return paths_; }

 private:
  const Option* read_long(const char* word);
  const Option* read_letter();
  const Option* read_context();
  const char* take_next_word(const std::string& shown);

  std::vector<const char*> words_;
  std::size_t at_ = 0;
  const char* letters_ = nullptr;  // the rest of a word of letters; null between words
  const char* argument_ = nullptr;
  std::string number_;
  std::vector<std::string> paths_;
};

/// The option as messages name it: `--name`, or its letter if there is no long name, as for `-h`.
std::string spelled(const Option& option);

[[noreturn]] void fail_usage(const std::string& message);

}  // namespace lode::command
