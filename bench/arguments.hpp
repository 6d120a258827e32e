// Arguments: the command line of a bench. One file includes CLI11 for all of them, because it takes ten seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lode::bench {

class Arguments {
 public:
  Arguments(std::string program, const std::string& purpose);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  /// Each adds an option. Its value is put into `value`, which lives as long as this does; what is there before is the
  /// default, and --help shows it. Values of type int or double must be positive. Lists of numbers
  /// take commas; of other lists, an option may be repeated.
  void add(const std::string& name, std::string& value, const std::string& help,
           const std::vector<std::string>& allowed = {});
  void add(const std::string& name, bool& value, const std::string& help);
  void add(const std::string& name, int& value, const std::string& help);
  void add(const std::string& name, double& value, const std::string& help);
  void add(const std::string& name, std::uint32_t& value, const std::string& help,
           const std::vector<std::uint32_t>& allowed = {});
  void add(const std::string& name, std::uint64_t& value, const std::string& help);
  void add(const std::string& name, std::vector<std::uint32_t>& value, const std::string& help,
           const std::vector<std::uint32_t>& allowed = {});
  void add(const std::string& name, std::vector<std::string>& value, const std::string& help);
  /// A number of bytes, which takes KiB, MiB and GiB; 0 stands for "as a row says", and is not shown.
  void add_bytes(const std::string& name, std::uint64_t& value, const std::string& help);

  /// Whether the option was there. Precondition: within run().
  bool has(const std::string& name) const;

  /// Reads the command line, then runs what is asked for, which gets the whole command line for its results. Returns the
  /// exit code: that of `action`, or 2 for an error, which is printed.
  int run(int argument_count, char** arguments, const std::function<int(const std::string& command_line)>& action);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string program_;
};

}  // namespace lode::bench
