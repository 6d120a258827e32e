#include "process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "support/environment.hpp"

namespace lode::test {
namespace {

/// A pipe, or a terminal that does not change the bytes that are written to it.
struct Pipe {
  int read_end = -1, write_end = -1;
  explicit Pipe(bool terminal = false) {
    if (terminal) {
      open_terminal();
      return;
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read_end();
    close_write_end();
  }
  void open_terminal() {
    read_end = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    if (read_end < 0 || ::grantpt(read_end) != 0 || ::unlockpt(read_end) != 0 ||
        ::ptsname_r(read_end, name, sizeof name) != 0) {
      throw std::runtime_error("no pseudo terminal");
    }
    write_end = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios mode {};
    if (write_end < 0 || ::tcgetattr(write_end, &mode) != 0) throw std::runtime_error("no pseudo terminal");
    ::cfmakeraw(&mode);
    if (::tcsetattr(write_end, TCSANOW, &mode) != 0) throw std::runtime_error("no raw pseudo terminal");
  }
  void close_read_end() { close(read_end); }
  void close_write_end() { close(write_end); }
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

/// The caller's variables. Those of the invocation replace variables of the same name.
std::vector<std::string> variables_of(const Invocation& invocation) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : invocation.variables) {
    const std::string begin = name + "=";
    std::erase_if(variables, [&](const std::string& variable) { return variable.starts_with(begin); });
    variables.push_back(begin + value);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Linux counts the peak of the process that starts another one as the other's, too. So this one forgets what earlier
/// tests took.
void forget_peak_of_memory() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

/// Starts a process without fork, which would copy the page tables of the sanitizer's memory.
pid_t start(const Invocation& invocation, const Pipe& input, const Pipe& output, const Pipe& errors) {
  forget_peak_of_memory();
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input.read_end, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, errors.write_end, STDERR_FILENO);
  if (invocation.output_path.empty()) {
    ::posix_spawn_file_actions_adddup2(&files, output.write_end, STDOUT_FILENO);
  } else {  // it is opened to read, too, so that a named pipe opens before its reader comes, which is after this call
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, invocation.output_path.c_str(),
                                       O_RDWR | O_CREAT | O_APPEND, 0600);
  }
  if (!invocation.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&files, invocation.folder.c_str());

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t broken_pipe;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments = {invocation.program};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::vector<std::string> variables = variables_of(invocation);
  pid_t child = -1;
  const int failure = ::posix_spawnp(&child, arguments[0].c_str(), &files, &attributes, pointers_to(arguments).data(),
                                     pointers_to(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) throw std::runtime_error("cannot run " + invocation.program + ": " + std::strerror(failure));
  return child;
}

/// Writes the input and collects both outputs until they are closed.
void converse(const std::string& whole, std::size_t repeats, Pipe& in, Pipe& out, Pipe& err, Outcome& outcome) {
  ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  std::string_view input;
  while (out.read_end >= 0 || err.read_end >= 0) {
    if (input.empty() && repeats > 0) {
      input = whole;
      --repeats;
    }
    if (input.empty()) in.close_write_end();
    pollfd waits[3] = {{in.write_end, POLLOUT, 0}, {out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}};
    if (::poll(waits, 3, -1) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
    if (in.write_end >= 0 && waits[0].revents != 0) {
      const ssize_t done = ::write(in.write_end, input.data(), input.size());
      if (done > 0) input.remove_prefix(static_cast<std::size_t>(done));
      if (done < 0 && errno != EAGAIN) {  // the program does not read the rest
        input = {};
        repeats = 0;
      }
    }
    const auto collect = [](Pipe& pipe, const pollfd& wait, std::string& into) {
      if (pipe.read_end < 0 || wait.revents == 0) return;
      char buffer[65536];
      const ssize_t got = ::read(pipe.read_end, buffer, sizeof buffer);
      if (got > 0) into.append(buffer, static_cast<std::size_t>(got));
      if (got <= 0) pipe.close_read_end();
    };
    collect(out, waits[1], outcome.output);
    collect(err, waits[2], outcome.errors);
  }
}

}  // namespace

Outcome run(const Invocation& invocation) {
  std::signal(SIGPIPE, SIG_IGN);
  std::ofstream("/proc/self/clear_refs") << '5';  // a program's peak of memory starts from its parent's
  Pipe input, output(invocation.output_is_terminal), errors(invocation.errors_are_terminal);
  const pid_t child = start(invocation, input, output, errors);
  input.close_read_end();
  output.close_write_end();
  errors.close_write_end();
  if (!invocation.output_path.empty()) output.close_read_end();
  if (invocation.meanwhile) invocation.meanwhile(child, output.read_end);
  Outcome outcome;
  converse(invocation.input, invocation.input_repeats, input, output, errors, outcome);
  int status = 0;
  struct rusage usage {};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.peak_memory_bytes = usage.ru_maxrss * 1024;
  return outcome;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lode-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, std::string_view content) const {
  const auto target = path_ / name;
  std::filesystem::create_directories(target.parent_path());
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + target.string());
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

Outcome run_in(const TemporaryFolder& folder, std::vector<std::string> arguments, std::string input) {
  Invocation invocation;
  invocation.arguments = std::move(arguments);
  invocation.input = std::move(input);
  invocation.folder = folder.path();
  return run(invocation);
}

Outcome run_script(const TemporaryFolder& folder, const std::string& script) {
  Invocation invocation;
  invocation.program = "sh";
  invocation.arguments = {"-c", "lode() { \"$LODE\" \"$@\"; }; " + script};
  invocation.variables = {{"LODE", LODE_COMMAND}};
  invocation.folder = folder.path();
  return run(invocation);
}

void expect_peak_below(std::size_t mebibytes, const Outcome& outcome, const std::string& what) {
  if (tests::is_sanitized()) return;
  EXPECT_LT(outcome.peak_memory_bytes, static_cast<long>(mebibytes * mebibyte)) << what;
}

}  // namespace lode::test
