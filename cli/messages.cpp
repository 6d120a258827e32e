#include "messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace lode::command {

void write_error(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (done < 0 && errno != EINTR) return;  // there is nowhere left to complain to
    if (done > 0) rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

void write_message(const std::string& message) { write_error("lode: " + message + "\n"); }

}  // namespace lode::command
