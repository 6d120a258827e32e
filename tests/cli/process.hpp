// Running a program to its end: what it is given, and everything that it gives back. And a folder for its files.
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
  long peak_memory_bytes = 0;  // resident
};

struct Invocation {
  std::vector<std::string> arguments;                          // behind the program's name
  std::string input;                                           // through a pipe
  std::size_t input_repeats = 1;                               // that often, one behind the other
  std::vector<std::pair<std::string, std::string>> variables;  // set in the environment besides what is there
  std::string program = LODE_COMMAND;
  std::filesystem::path folder;      // where it runs; empty: here
  std::string output_path;           // standard output goes there instead
  bool output_is_terminal = false;   // standard output, where it goes nowhere else
  bool errors_are_terminal = false;  // standard error
  // Called once it runs, before it is waited for and its output is read: with the process and that output.
  std::function<void(pid_t, int)> meanwhile;
};

/// Throws std::runtime_error where the program cannot be started.
Outcome run(const Invocation& invocation);

/// A fresh folder, removed with all it holds at the end.
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

/// The command in the folder, with this through a pipe.
Outcome run_in(const TemporaryFolder& folder, std::vector<std::string> arguments, std::string input = {});

/// Not under sanitizers, which need memory of their own.
void expect_peak_below(std::size_t mebibytes, const Outcome& outcome, const std::string& what);

}  // namespace lode::test
