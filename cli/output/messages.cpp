#include "cli/output/messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "cli/input/text_encoding.hpp"

namespace lode::command {

void write_error(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (done < 0 && errno != EINTR) return;  // there is no other place for an error message
    if (done > 0) rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

void write_message(const std::string& message) {
  const bool to_terminal = ::isatty(STDERR_FILENO) != 0;
  write_error("lode: " + (to_terminal ? escape_controls(message) : message) + "\n");
}

}  // namespace lode::command
