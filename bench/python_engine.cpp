#include "python_engine.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

extern char** environ;

namespace lode::bench {
namespace {

using nlohmann::json;

/// A process that is asked over its standard input and answers, line by line, on its standard output.
class Child {
 public:
  /// A child that takes longer to answer is ended.
  Child(const std::vector<std::string>& command, double most_seconds) : most_seconds_(most_seconds) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("no socket for " + command.front());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int failure = ::posix_spawnp(&id_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    const double whole_seconds = std::floor(most_seconds_);
    const timeval patience{static_cast<time_t>(whole_seconds),
                           static_cast<suseconds_t>((most_seconds_ - whole_seconds) * 1e6)};
    ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::close(ends[1]);
    socket_ = ends[0];
    if (failure != 0) {
      ::close(socket_);
      throw NotServed(fmt::format("{} cannot be started", command.front()));
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(socket_);  // the process ends with its input
    ::waitpid(id_, nullptr, 0);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw NotServed("its process ended early");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  json answer() {
    for (std::array<char, 4096> part; line_.find('\n') == std::string::npos;) {
      const ssize_t size = ::recv(socket_, part.data(), part.size(), 0);
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        ::kill(id_, SIGKILL);
        throw NotServed(fmt::format("too slow: > {:g} s", most_seconds_));
      }
      if (size <= 0) throw NotServed("its process ended early");
      line_.append(part.data(), static_cast<std::size_t>(size));
    }
    const std::size_t end = line_.find('\n');
    const json answer = json::parse(line_.substr(0, end));
    line_.erase(0, end + 1);
    return answer;
  }

 private:
  pid_t id_ = 0;
  int socket_ = -1;
  double most_seconds_;
  std::string line_;
};

class PythonEngine final : public Engine {
 public:
  PythonEngine(const Task& task, const std::string& name)
      : child_({task.python, LODE_BENCH_PYTHON_PEERS, name}, task.most_seconds) {
    json lengths = json::array();
    std::string bytes;
    for (const std::string& pattern : task.patterns) {
      lengths.push_back(pattern.size());
      bytes += pattern;
    }
    const json request = {{"patterns", lengths}, {"lists", task.model == Model::find}, {"text_bytes", task.text_bytes}};
    child_.send(request.dump() + "\n");
    child_.send(bytes);
    const json answer = child_.answer();
    if (answer.contains("not_run")) throw NotServed(answer["not_run"]);
    detail_ = answer.at("detail");
    seconds_ = answer.at("seconds");
  }

  std::uint64_t count(std::string_view text) override {
    if (sent_bytes_ < text.size()) {
      child_.send(json({{"text", text.size() - sent_bytes_}}).dump() + "\n");
      child_.send(text.substr(sent_bytes_));
      child_.answer();
      sent_bytes_ = text.size();
    }
    child_.send(json({{"count", text.size()}}).dump() + "\n");
    const json answer = child_.answer();
    seconds_ = answer.at("seconds");
    return answer.at("matches");
  }
  std::optional<double> own_seconds() const override { return seconds_; }
  std::string detail() const override { return detail_; }

 private:
  Child child_;
  std::uint64_t sent_bytes_ = 0;
  double seconds_ = 0;
  std::string detail_;
};

}  // namespace

std::vector<std::string> python_peer_names() { return {"StringZilla", "pyahocorasick", "ahocorasick-rs"}; }

std::unique_ptr<Engine> make_python_engine(const Task& task, const std::string& name) {
  if (task.python.empty()) throw NotServed("no Python was named that has it");
  if (task.model != Model::count && task.model != Model::find) throw NotServed("has no records and no streams");
  if (task.ignore_case) throw NotServed("does not ignore case of ASCII alone");
  if (name == "StringZilla") require_few_patterns(task);
  return std::make_unique<PythonEngine>(task, name);
}

}  // namespace lode::bench
