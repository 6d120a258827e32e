// Writing bytes as text: for JSON messages, which need valid UTF-8, and for tables, whose rows must keep to one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output/writer.hpp"

namespace lode::command {

/// The length of the UTF-8 sequence at the front of `bytes`; 0 if there is none. It follows Unicode 15, table 3-7.
std::size_t utf8_sequence_length(std::string_view bytes) noexcept;
bool is_utf8(std::string_view bytes) noexcept;

/// Appends a JSON object: {"text":…}, or {"bytes":…} with base64 if the bytes are not valid UTF-8.
void append_json_bytes(Writer& writer, std::string_view bytes);
/// Appends a JSON string, or that object if the bytes are not valid UTF-8: for names and labels.
void append_json_name(Writer& writer, std::string_view bytes);
/// Appends a JSON string. Precondition: is_utf8(text).
void append_json_string(Writer& writer, std::string_view text);

/// Returns the bytes with control characters, including those of Unicode, written as \xHH, since a terminal would obey
/// them.
std::string escape_controls(std::string_view bytes);
/// Appends control bytes, backslashes and bytes that are not valid UTF-8 as \xHH, and everything else as it is.
void append_escaped(Writer& writer, std::string_view bytes);

}  // namespace lode::command
