#include "run_apart.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The first byte of what comes back.
constexpr char gave_bytes = '+';
constexpr char gave_reason = '-';

[[noreturn]] void work_and_exit(int descriptor, const std::function<std::string()>& work) {
  std::string result;
  try {
    result = gave_bytes + work();
  } catch (const std::exception& error) {
    result = gave_reason + std::string(error.what());
  }
  for (std::string_view left = result; !left.empty();) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written <= 0) ::_exit(1);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);
}

// All bytes up to the end of the pipe; false where the time was over first.
bool read_until(Clock::time_point end, int descriptor, std::string& bytes) {
  std::vector<char> part(1 << 20);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd readable{descriptor, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(std::min<std::int64_t>(left, 1000))) <= 0) continue;
    const ssize_t size = ::read(descriptor, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    bytes.append(part.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

std::string run_apart(double most_seconds, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe for a process");
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most_seconds));
  const pid_t id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    work_and_exit(ends[1], work);
  }
  ::close(ends[1]);
  std::string bytes;
  const bool in_time = id > 0 && read_until(end, ends[0], bytes);
  ::close(ends[0]);
  if (id < 0) throw std::runtime_error("a process cannot be started");
  if (!in_time) ::kill(id, SIGKILL);
  ::waitpid(id, nullptr, 0);
  if (!in_time) throw NotServed(fmt::format("too slow: > {:g} s", most_seconds));
  if (bytes.empty()) throw NotServed("its process ended early");
  if (bytes[0] == gave_reason) throw NotServed(bytes.substr(1));
  return bytes.substr(1);
}

}  // namespace lode::bench
