// Runs a program to its end with given inputs, and collects all its outputs. There is also a folder for its files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace lode::test {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct Outcome {
  std::string output;
  std::string errors;
  int status = -1;             // exit status, or 128 + the signal that ended it, as shells give it
  long peak_memory_bytes = 0;  // the peak of resident memory
};

struct Invocation {
  std::vector<std::string> arguments;                          // without the program's name
  std::string input;                                           // what standard input gets through a pipe
  std::size_t input_repeats = 1;                               // how often the input is repeated
  std::vector<std::pair<std::string, std::string>> variables;  // variables that are added to the environment
  std::string program = LODE_COMMAND;
  std::filesystem::path folder;      // the folder that it runs in; empty means the current one
  std::string output_path;           // the file that gets standard output; empty means none
  bool output_is_terminal = false;   // whether standard output is a terminal, if it goes to no file
  bool errors_are_terminal = false;  // whether standard error is a terminal
  // Is called with the process and the descriptor of its output once it runs, before its output is read.
  std::function<void(pid_t, int)> meanwhile;
};

/// Throws std::runtime_error if the program cannot be started.
Outcome run(const Invocation& invocation);

/// A new folder, which is removed with its content at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Creates the file, and the folders above it.
  void write(const std::string& name, std::string_view content) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// Runs the command in the folder, and gives it the input through a pipe.
Outcome run_in(const TemporaryFolder& folder, std::vector<std::string> arguments, std::string input = {});

/// Runs a script in a shell, in which `lode` is the command.
Outcome run_script(const TemporaryFolder& folder, const std::string& script);

/// Checks nothing under sanitizers, which need memory of their own.
void expect_peak_below(std::size_t mebibytes, const Outcome& outcome, const std::string& what);

}  // namespace lode::test
