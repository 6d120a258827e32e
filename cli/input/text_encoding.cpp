#include "cli/input/text_encoding.hpp"

#include <cstdint>

namespace lode::command {
namespace {

constexpr char hex_digits[] = "0123456789abcdef";

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

void append_base64(Writer& writer, std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      writer.append(k <= count ? digits[group >> (18 - 6 * k) & 63] : '=');
    }
  }
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view bytes) noexcept {
  if (bytes.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return i < bytes.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return in(1, 0x80, 0xbf) ? 2 : 0;
  if (lead < 0xf0) {
    const bool second = in(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
    return second && in(2, 0x80, 0xbf) ? 3 : 0;
  }
  const bool second = in(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
  return second && in(2, 0x80, 0xbf) && in(3, 0x80, 0xbf) ? 4 : 0;
}

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

void append_json_string(Writer& writer, std::string_view text) {
  writer.append('"');
  std::size_t plain = 0;  // begin of the bytes that need no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    writer.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (byte) {
      case '"': writer.append("\\\""); break;
      case '\\': writer.append("\\\\"); break;
      case '\b': writer.append("\\b"); break;
      case '\f': writer.append("\\f"); break;
      case '\n': writer.append("\\n"); break;
      case '\r': writer.append("\\r"); break;
      case '\t': writer.append("\\t"); break;
      default:
        writer.append("\\u00");
        writer.append(hex_digits[byte >> 4]);
        writer.append(hex_digits[byte & 15]);
    }
  }
  writer.append(text.substr(plain));
  writer.append('"');
}

void append_json_bytes(Writer& writer, std::string_view bytes) {
  if (is_utf8(bytes)) {
    writer.append("{\"text\":");
    append_json_string(writer, bytes);
  } else {
    writer.append("{\"bytes\":\"");
    append_base64(writer, bytes);
    writer.append('"');
  }
  writer.append('}');
}

void append_json_name(Writer& writer, std::string_view bytes) {
  if (is_utf8(bytes))
    append_json_string(writer, bytes);
  else
    append_json_bytes(writer, bytes);
}

std::string escape_controls(std::string_view bytes) {
  std::string text;
  const auto append_hex = [&](unsigned char byte) {
    text += "\\x";
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    const auto next = static_cast<unsigned char>(at + 1 < bytes.size() ? bytes[at + 1] : 0);
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
      append_hex(byte);
      append_hex(next);
      ++at;
    } else if (is_control(byte)) {
      append_hex(byte);
    } else {
      text += bytes[at];
    }
  }
  return text;
}

void append_escaped(Writer& writer, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    const auto byte = static_cast<unsigned char>(bytes.front());
    if (length == 0 || is_control(byte) || byte == '\\') {
      writer.append("\\x");
      writer.append(hex_digits[byte >> 4]);
      writer.append(hex_digits[byte & 15]);
      bytes.remove_prefix(1);
    } else {
      writer.append(bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }
}

}  // namespace lode::command
