// Messages on standard error, written at once and whole.
#pragma once

#include <string>

namespace lode::command {

/// `lode: message`, with a newline behind it; on a terminal control characters, of file names, are escaped.
void write_message(const std::string& message);
/// The text as it is.
void write_error(const std::string& text);

}  // namespace lode::command
