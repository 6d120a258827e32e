// Messages on standard error. Each is written at once and as a whole.
#pragma once

#include <string>

namespace lode::command {

/// Writes `lode: message` and a newline. On a terminal, control characters, which file names may have, are escaped.
void write_message(const std::string& message);
/// Writes the text as it is.
void write_error(const std::string& text);

}  // namespace lode::command
