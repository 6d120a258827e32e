// Bits of records: one for each, the lowest of a byte first, as Arrow has them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/threads.hpp"
#include "records/record_takers.hpp"

namespace lode {

// Copies the first `count` bits of `words` to `bytes`, from bit `before` on, where all bits are 0. Other threads may
// copy theirs to the same byte at the same time.
inline void put_bits(std::span<const std::uint32_t> words, std::uint64_t count, std::uint8_t* bytes,
                     std::uint64_t before) {
  std::uint64_t done = 0;
  if (before % 8 == 0) {
    std::memcpy(bytes + before / 8, words.data(), count / 8);
    done = count / 8 * 8;
  }
  for (; done < count; ++done) {
    if ((words[done / 32] >> done % 32 & 1) == 0) continue;
    const std::uint64_t bit = before + done;
    std::atomic_ref<std::uint8_t>(bytes[bit / 8]).fetch_or(static_cast<std::uint8_t>(1U << bit % 8));
  }
}

// Packs bytes that are 0 or 1 into bits, eight at a time. Returns how many are 1.
//
//   byte i = 0 … 7           1 0 1 1 0 0 0 1    a 1 in byte i is bit 8 i of the word
//   * 0x0102040810204080                        has the bits 7 k, k = 1 … 8: byte i and k = 8 - i give bit 56 + i
//   >> 56                    0b10001101         no two products give the same bit, so nothing carries
//
// The product with 0x0101010101010101 has the sum of all bytes, 8 at most, in its highest byte.
inline std::uint64_t pack_bits(std::span<const std::uint8_t> ones, std::span<std::uint8_t> bits, unsigned threads) {
  constexpr std::uint64_t grain_bytes = std::uint64_t{1} << 14;
  const auto packed = [&](std::uint64_t at, std::size_t count, std::uint64_t& sum) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, ones.data() + at * 8, count);
    sum += eight * 0x0101010101010101U >> 56;
    return static_cast<std::uint8_t>(eight * 0x0102040810204080U >> 56);
  };
  Total total{0};
  run_ranges(threads, ones.size() / 8, grain_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    for (std::uint64_t at = begin; at < end; ++at) bits[at] = packed(at, 8, sum);
    total += sum;
  });
  std::uint64_t sum = total;
  if (ones.size() % 8 != 0) bits.back() = packed(ones.size() / 8, ones.size() % 8, sum);
  return sum;
}

}  // namespace lode
