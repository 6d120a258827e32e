// Loads, ASCII folding and word tests on single bytes and small groups of bytes.
//
// All loads are unaligned and little-endian. Nothing here reads a byte that the caller did not name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lode {

inline std::uint64_t load_u64(const std::uint8_t* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint32_t load_u32(const std::uint8_t* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The first `length` (1 … 4) bytes as a number; reads no byte beyond them.
inline std::uint32_t load_partial_u32(const std::uint8_t* at, std::size_t length) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, length);
  return value;
}

constexpr std::uint8_t fold(std::uint8_t byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte | 0x20) : byte;
}

/// Whether case changes the byte.
constexpr bool is_letter(std::uint8_t byte) { return fold(byte) >= 'a' && fold(byte) <= 'z'; }

/// Folds eight bytes at once: adds 0x20 to exactly those between 'A' and 'Z'. The low seven bits of a byte never carry
/// into the next one; a sum sets the byte's top bit to tell whether they are large enough:
///
///   byte     'A' - 1   'A'   'Z'   'Z' + 1
///   from_a   7f        80    99    9a         top bit: not before 'A'
///   above_z  65        66    7f    80         top bit: behind 'Z'
inline std::uint64_t fold_u64(std::uint64_t bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  const std::uint64_t low = bytes & (ones * 0x7f);
  const std::uint64_t above_z = low + ones * (0x7f - 'Z');
  const std::uint64_t from_a = low + ones * (0x80 - 'A');
  const std::uint64_t upper = from_a & ~above_z & ~bytes & (ones * 0x80);
  return bytes | (upper >> 2);
}

/// Whether no byte has its highest bit set.
inline bool is_ascii(std::string_view bytes) {
  constexpr std::size_t stride = 64;
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= stride; at += stride, left -= stride) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < stride; i += 8) any |= load_u64(at + i);
    if ((any & 0x8080808080808080u) != 0) return false;
  }
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < left; ++i) any |= at[i];
  return any < 0x80;
}

/// Whether a byte of ASCII is one of those of which words consist.
inline bool is_word_byte(std::uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

inline bool equal_exact(const std::uint8_t* text, const std::uint8_t* pattern, std::size_t length) {
  if (length >= 8 && length <= 32) {
    for (std::size_t at = 0; at + 8 < length; at += 8)
      if (load_u64(text + at) != load_u64(pattern + at)) return false;
    return load_u64(text + length - 8) == load_u64(pattern + length - 8);
  }
  return std::memcmp(text, pattern, length) == 0;
}

inline bool equal_folded(const std::uint8_t* text, const std::uint8_t* pattern, std::size_t length) {
  std::size_t at = 0;
  for (; at + 8 <= length; at += 8)
    if (fold_u64(load_u64(text + at)) != fold_u64(load_u64(pattern + at))) return false;
  for (; at < length; ++at)
    if (fold(text[at]) != fold(pattern[at])) return false;
  return true;
}

inline bool equal_bytes(const std::uint8_t* text, const std::uint8_t* pattern, std::size_t length, bool ignore_case) {
  return ignore_case ? equal_folded(text, pattern, length) : equal_exact(text, pattern, length);
}

}  // namespace lode
