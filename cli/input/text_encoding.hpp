// Bytes as text: for JSON messages, which need valid UTF-8, and for the table of counts, which must keep to one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output/writer.hpp"

namespace lode::command {

/// Length of the UTF-8 sequence at the front of `bytes`; 0 where none stands there. Follows Unicode 15, table 3-7.
std::size_t utf8_sequence_length(std::string_view bytes) noexcept;
bool is_utf8(std::string_view bytes) noexcept;

/// A JSON object {"text":…}, or {"bytes":…} with base64 where the bytes are not valid UTF-8.
void append_json_bytes(Writer& writer, std::string_view bytes);
/// A JSON string. Precondition: is_utf8(text).
void append_json_string(Writer& writer, std::string_view text);

/// Control characters, those of Unicode among them, as \xHH: what a terminal would take for orders.
std::string escape_controls(std::string_view bytes);
/// Control bytes, the backslash and bytes that are not valid UTF-8 as \xHH, everything else as it is.
void append_escaped(Writer& writer, std::string_view bytes);

}  // namespace lode::command
