#include "writing.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lode::bench {
namespace {

constexpr std::array names = {
    std::pair{std::string_view("plain"), Writing::plain}, std::pair{std::string_view("cyrillic"), Writing::cyrillic},
    std::pair{std::string_view("han"), Writing::han}, std::pair{std::string_view("utf-16le"), Writing::utf_16le},
    std::pair{std::string_view("fasta"), Writing::fasta}};

constexpr std::size_t fasta_line_bytes = 60;
constexpr std::size_t fasta_record_bytes = 100'000;

bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }
unsigned number_of(char letter) { return static_cast<unsigned>((letter | 0x20) - 'a'); }

void append(std::string& to, char32_t code) {  // beyond ASCII, and of two or three bytes
  if (code < 0x800) {
    to += static_cast<char>(0xC0 | code >> 6);
  } else {
    to += static_cast<char>(0xE0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  to += static_cast<char>(0x80 | (code & 0x3F));
}

std::string in_cyrillic(std::string_view text) {
  std::string written;
  written.reserve(2 * text.size());
  for (const char byte : text) {
    if (is_letter(byte))
      append(written, (byte >= 'a' ? U'\u0430' : U'\u0410') + number_of(byte));
    else
      written += byte;
  }
  return written;
}

std::string in_han(std::string_view text) {
  std::string written;
  written.reserve(2 * text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_letter(text[at])) {
      const bool is_pair = at + 1 < text.size() && is_letter(text[at + 1]);
      const unsigned second = is_pair ? 1 + number_of(text[++at]) : 0;
      append(written, U'\u4E00' + 29 * (number_of(text[is_pair ? at - 1 : at]) * 27 + second));
    } else if (text[at] == ',') {
      append(written, U'\uFF0C');  // which nfkc changes
    } else if (text[at] == '.') {
      append(written, U'\u3002');
    } else if (text[at] != ' ') {
      written += text[at];
    }
  }
  return written;
}

std::string in_utf_16(std::string_view text) {
  std::string written(2 * text.size(), '\0');
  for (std::size_t at = 0; at < text.size(); ++at) written[2 * at] = text[at];
  return written;
}

std::string in_fasta(std::string_view text) {
  std::string written;
  written.reserve(text.size() + text.size() / fasta_line_bytes * 2);
  for (std::size_t at = 0; at < text.size();) {
    if (at % fasta_record_bytes == 0) written += ">sequence" + std::to_string(at / fasta_record_bytes) + "\n";
    const std::size_t bytes = std::min(fasta_line_bytes, fasta_record_bytes - at % fasta_record_bytes);
    written.append(text.substr(at, bytes)) += '\n';
    at += bytes;
  }
  return written;
}

}  // namespace

Writing writing_of(std::string_view name) {
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == name; });
  if (found == names.end()) throw std::runtime_error("unknown writing '" + std::string(name) + "'");
  return found->second;
}

std::string_view name_of(Writing writing) {
  return std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.second == writing; })->first;
}

std::string written_text(std::string_view text, Writing writing) {
  switch (writing) {
    case Writing::plain: break;
    case Writing::cyrillic: return in_cyrillic(text);
    case Writing::han: return in_han(text);
    case Writing::utf_16le: return in_utf_16(text);
    case Writing::fasta: return in_fasta(text);
  }
  return std::string(text);
}

std::string written_pattern(std::string_view pattern, Writing writing) {
  const bool decodes = writing == Writing::utf_16le || writing == Writing::fasta;
  return decodes ? std::string(pattern) : written_text(pattern, writing);
}

}  // namespace lode::bench
