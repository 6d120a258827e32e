#include "support/decode_oracle.hpp"

#include <iconv.h>

#include <stdexcept>

namespace lode::tests {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::string utf8_of(std::uint32_t code) {
  std::string bytes;
  if (code < 0x80) return {static_cast<char>(code)};
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const std::uint32_t first = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  bytes += static_cast<char>(first | code >> 6 * more);
  for (int left = more - 1; left >= 0; --left) bytes += static_cast<char>(0x80 | (code >> 6 * left & 0x3F));
  return bytes;
}

DecodedText decode_units(std::string_view text, std::size_t unit_bytes, bool is_big_endian, std::size_t at) {
  DecodedText decoded;
  const auto unit_at = [&](std::size_t place) {
    std::uint32_t unit = 0;
    for (std::size_t byte = 0; byte < unit_bytes; ++byte) {
      const std::uint32_t value = static_cast<unsigned char>(text[place + byte]);
      unit |= value << 8 * (is_big_endian ? unit_bytes - 1 - byte : byte);
    }
    return unit;
  };
  while (at < text.size()) {
    const std::size_t begin = at;
    if (text.size() - at < unit_bytes) {
      decoded.add(replacement, begin, text.size(), true);
      break;
    }
    std::uint32_t code = unit_at(at);
    at += unit_bytes;
    if (unit_bytes == 2 && code / 0x400 == 0xD800 / 0x400 && text.size() - at >= 2 &&
        unit_at(at) / 0x400 == 0xDC00 / 0x400) {
      code = 0x10000 + code % 0x400 * 0x400 + unit_at(at) % 0x400;
      at += 2;
    }
    const bool is_wrong = code > 0x10FFFF || code / 0x800 == 0xD800 / 0x800 || code == 0xFFFD;
    decoded.add(is_wrong ? std::string(replacement) : utf8_of(code), begin, at, is_wrong);
  }
  return decoded;
}

std::string name_for_iconv(const std::string& name) {
  if (name.starts_with("windows-")) return "CP" + name.substr(8);
  if (name == "latin-1") return "ISO-8859-1";
  if (name == "utf-16" || name == "utf-32") return name + "LE";  // iconv would write a byte order mark
  return name;
}

iconv_t open_iconv(const std::string& to, const std::string& from) {
  const iconv_t converter = ::iconv_open(to.c_str(), from.c_str());
  if (converter == iconv_t(-1)) throw std::runtime_error("iconv does not know " + from + " to " + to);
  return converter;
}

DecodedText decode_bytes(std::string_view text, const std::string& name) {
  const iconv_t converter = open_iconv("UTF-8", name_for_iconv(name));
  DecodedText decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char byte = text[at];
    char* from = &byte;
    std::size_t from_bytes = 1;
    char bytes[16];
    char* to = bytes;
    std::size_t to_bytes = sizeof bytes;
    ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
    const bool is_right = ::iconv(converter, &from, &from_bytes, &to, &to_bytes) != static_cast<std::size_t>(-1);
    if (is_right) ::iconv(converter, nullptr, nullptr, &to, &to_bytes);
    decoded.add(is_right ? std::string_view(bytes, sizeof bytes - to_bytes) : replacement, at, at + 1, !is_right);
  }
  ::iconv_close(converter);
  return decoded;
}

DecodedText read_sequences(std::string_view text, bool is_fasta) {
  DecodedText decoded;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t next = found == std::string_view::npos ? text.size() : found + 1;
    std::size_t end = found == std::string_view::npos ? text.size() : found;
    const bool is_header = is_fasta ? text[begin] == '>' || text[begin] == ';' : number % 4 == 0;
    if (is_header) decoded.add("\n", begin, next, true);
    if (found != std::string_view::npos && end > begin && text[end - 1] == '\r') --end;
    if (is_fasta ? !is_header : number % 4 == 1)
      for (std::size_t at = begin; at < end; ++at) decoded.add(text.substr(at, 1), at, at + 1);
    begin = next;
  }
  return decoded;
}

DecodedText as_it_is(std::string_view text, std::size_t at) {
  DecodedText decoded;
  for (; at < text.size(); ++at) decoded.add(text.substr(at, 1), at, at + 1);
  return decoded;
}

}  // namespace

DecodedText decode_by_meaning(std::string_view text, const View& view) {
  using namespace std::string_view_literals;
  if (view.layout() != Layout::none) return read_sequences(text, view.layout() == Layout::fasta);
  const std::string name = view.encoding();
  if (!name.starts_with("utf-") && name != "auto") return decode_bytes(text, name);
  const auto serves = [&](std::string_view family, std::string_view kind) {
    return name == "auto" || name == family || name == std::string(family) + std::string(kind);
  };
  if (serves("utf-32", "le") && text.starts_with("\xFF\xFE\0\0"sv)) return decode_units(text, 4, false, 4);
  if (serves("utf-32", "be") && text.starts_with("\0\0\xFE\xFF"sv)) return decode_units(text, 4, true, 4);
  if (serves("utf-16", "le") && text.starts_with("\xFF\xFE"sv)) return decode_units(text, 2, false, 2);
  if (serves("utf-16", "be") && text.starts_with("\xFE\xFF"sv)) return decode_units(text, 2, true, 2);
  if (name == "auto") return as_it_is(text, text.starts_with("\xEF\xBB\xBF"sv) ? 3 : 0);
  return decode_units(text, name.starts_with("utf-32") ? 4 : 2, name.ends_with("be"), 0);
}

std::string encode_by_meaning(std::string_view utf8, const View& view) {
  const iconv_t converter = open_iconv(name_for_iconv(view.encoding()), "UTF-8");
  std::string encoded(4 * utf8.size(), '\0'), given(utf8);
  char* from = given.data();
  char* to = encoded.data();
  std::size_t from_bytes = given.size(), to_bytes = encoded.size();
  const bool is_right = ::iconv(converter, &from, &from_bytes, &to, &to_bytes) == 0;
  ::iconv_close(converter);
  if (!is_right) throw std::runtime_error(view.encoding() + " lacks a character of '" + given + "'");
  encoded.resize(encoded.size() - to_bytes);
  return encoded;
}

}  // namespace lode::tests
