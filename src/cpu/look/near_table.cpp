// The SIMD part of NearTable, and its tables; near_table.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/near_table.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef LODE_CPU_NEAR_TABLE_ONCE
#define LODE_CPU_NEAR_TABLE_ONCE

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/bytes.hpp"
#include "cpu/look/near_table.hpp"

namespace lode {

// Three sums of a window's bytes times these factors, in the field of AES, give two hashes of twelve bits:
//
//   hash 0: sum 0 and the low half of sum 2       hash 1: sum 1 and the high half of sum 2
//
// The factors of a sum are the powers of one number.
constexpr std::uint8_t near_factors[3][NearTable::most_bytes] = {
    {1, 0x53, 0xb5, 0xc3, 0xfc}, {1, 0xca, 0x75, 0xa3, 0xcd}, {1, 0x9f, 0xd4, 0x36, 0x3a}};

}  // namespace lode

#endif

#if HWY_TARGET == HWY_AVX3_DL
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",gfni")
namespace lode {
namespace HWY_NAMESPACE {

// Looks up hashes in the two tables, which are kept in registers. The twelve bits of a hash name a bit of a table:
//
//   half of sum 2     h b b b            number of the byte   h s s s s s s s s   (0 … 511)
//   sum 0 or sum 1    s s s s s s s s    number of its bit    b b b               (0 … 7)
//
// A permute takes the low seven bits of the byte's number; the two upper ones choose between four permutes.
class NearLookUp {
 public:
  explicit NearLookUp(const NearTable& near) {
    for (int test = 0; test < 2; ++test)
      for (int part = 0; part < parts; ++part)
        tables_[test][part] = _mm512_load_si512(near.table(static_cast<std::uint32_t>(test)) + part * 64);
  }

  // Which of 64 places pass. text[0] has the byte at each place, text[1] the byte behind it, and so on.
  template <int bytes>
  HWY_INLINE std::uint64_t passing(const __m512i (&text)[bytes]) const {
    const __m512i rests = sum(2, text);
    const __m512i low_four = _mm512_set1_epi8(0x0f);
    const __m512i first_rest = _mm512_and_si512(rests, low_four);
    const __m512i second_rest = _mm512_and_si512(_mm512_srli_epi16(rests, 4), low_four);
    const __m512i first_found = look_up(0, sum(0, text), first_rest);
    const __m512i second_found = look_up(1, sum(1, text), second_rest);
    const __mmask64 passes = _mm512_test_epi8_mask(first_found, bit_of(first_rest));
    return _mm512_mask_test_epi8_mask(passes, second_found, bit_of(second_rest));
  }

 private:
  static constexpr int parts = 8;

  // The sums of 64 places, a byte each.
  template <int bytes>
  static HWY_INLINE __m512i sum(int which, const __m512i (&text)[bytes]) {
    __m512i terms[bytes] = {text[0]};
    for (int at = 1; at < bytes; ++at)
      terms[at] = _mm512_gf2p8mul_epi8(text[at], _mm512_set1_epi8(static_cast<char>(near_factors[which][at])));
    constexpr int exclusive_or = 0x96;
    const __m512i of_three = _mm512_ternarylogic_epi64(terms[0], terms[1], terms[2], exclusive_or);
    if constexpr (bytes == 4)
      return _mm512_xor_si512(of_three, terms[3]);
    else
      return _mm512_ternarylogic_epi64(of_three, terms[3], terms[4], exclusive_or);
  }

  // The bytes of a table that 64 hashes name.
  HWY_INLINE __m512i look_up(int test, __m512i entries, __m512i rest) const {
    const __m512i(&table)[parts] = tables_[test];
    const __mmask64 second_of_pair = _mm512_movepi8_mask(entries);
    const __mmask64 second_pair = _mm512_test_epi8_mask(rest, _mm512_set1_epi8(8));
    const __m512i low = _mm512_mask_blend_epi8(second_of_pair, _mm512_permutex2var_epi8(table[0], entries, table[1]),
                                               _mm512_permutex2var_epi8(table[2], entries, table[3]));
    const __m512i high = _mm512_mask_blend_epi8(second_of_pair, _mm512_permutex2var_epi8(table[4], entries, table[5]),
                                                _mm512_permutex2var_epi8(table[6], entries, table[7]));
    return _mm512_mask_blend_epi8(second_pair, low, high);
  }

  // A byte with the bit that the low three bits of `rest` name, at each of 64 places.
  static HWY_INLINE __m512i bit_of(__m512i rest) {
    const __m512i bits = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201u));
    return _mm512_shuffle_epi8(bits, rest);
  }

  __m512i tables_[2][parts];
};

template <bool folded>
HWY_INLINE __m512i load_near(const std::uint8_t* from) {
  const __m512i bytes = _mm512_loadu_si512(from);
  return folded ? _mm512_or_si512(bytes, _mm512_set1_epi8(0x20)) : bytes;
}

// Gives the starts of words of 64 places that follow each other.
class NextWords {
 public:
  explicit NextWords(const std::uint8_t* text) : text_(text) {}
  HWY_INLINE const std::uint8_t* next() { return std::exchange(text_, text_ + 64); }

 private:
  const std::uint8_t* text_;
};

// Gives the starts of words of 64 places that are listed.
class ListedWords {
 public:
  ListedWords(const std::uint8_t* text, const std::uint32_t* starts) : text_(text), next_(starts) {}
  HWY_INLINE const std::uint8_t* next() { return text_ + *next_++; }

 private:
  const std::uint8_t* const text_;
  const std::uint32_t* next_;
};

// Lists the places that pass. `from` gives for each word where the bytes begin that are looked at for its first place.
template <bool folded, int bytes, class WordsOfText>
std::size_t list_near_places(const NearTable& near, WordsOfText from, std::uint64_t count, std::uint64_t sampled,
                             std::uint16_t* places) {
  const NearLookUp look_up(near);
  alignas(64) std::uint16_t first_places[32];
  std::iota(std::begin(first_places), std::end(first_places), std::uint16_t{0});
  const __m512i half = _mm512_set1_epi16(32);
  __m512i low = _mm512_load_si512(first_places);
  std::size_t listed = 0;
  for (std::uint64_t word = 0; word < count; ++word) {
    const std::uint8_t* const at = from.next();
    __m512i text[bytes];
    for (int byte = 0; byte < bytes; ++byte) text[byte] = load_near<folded>(at + byte);
    const std::uint64_t passing = sampled & look_up.passing(text);
    const __m512i high = _mm512_add_epi16(low, half);
    const auto of_low = static_cast<__mmask32>(passing);
    const auto of_high = static_cast<__mmask32>(passing >> 32);
    _mm512_storeu_si512(places + listed, _mm512_maskz_compress_epi16(of_low, low));
    listed += static_cast<std::size_t>(std::popcount(of_low));
    _mm512_storeu_si512(places + listed, _mm512_maskz_compress_epi16(of_high, high));
    listed += static_cast<std::size_t>(std::popcount(of_high));
    low = _mm512_add_epi16(high, half);
  }
  return listed;
}

template <class WordsOfText>
std::size_t list_near_of(const NearTable& near, WordsOfText from, std::uint64_t count, std::uint64_t sampled,
                         std::uint16_t* places) {
  static_assert(NearTable::least_bytes == 4 && NearTable::most_bytes == 5);
  const bool five = near.bytes() == 5;
  const auto run = near.folded()
                       ? (five ? list_near_places<true, 5, WordsOfText> : list_near_places<true, 4, WordsOfText>)
                       : (five ? list_near_places<false, 5, WordsOfText> : list_near_places<false, 4, WordsOfText>);
  return run(near, from, count, sampled, places);
}

std::size_t list_near(const NearTable& near, const std::uint8_t* at, std::uint64_t count, std::uint64_t sampled,
                      std::uint16_t* places) {
  return list_near_of(near, NextWords(at + near.offset()), count, sampled, places);
}

std::size_t list_near_words(const NearTable& near, const std::uint8_t* text, const std::uint32_t* starts,
                            std::uint64_t count, std::uint64_t sampled, std::uint16_t* places) {
  return list_near_of(near, ListedWords(text + near.offset(), starts), count, sampled, places);
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_POP_ATTRIBUTES
#endif

#if HWY_ONCE
namespace lode {
namespace {

// The product in the field of AES, as _mm512_gf2p8mul_epi8 has it.
constexpr std::uint8_t product(std::uint8_t left, std::uint8_t right) {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = 0, shifted = left; bit < 8; ++bit) {
    if ((right >> bit & 1) != 0) sum ^= shifted;
    shifted = shifted << 1 ^ ((shifted & 0x80) != 0 ? 0x11b : 0);
  }
  return static_cast<std::uint8_t>(sum);
}

// The terms of the three sums, side by side in one number: for each place in a window and each byte.
constexpr auto summands = [] {
  std::array<std::array<std::uint32_t, 256>, NearTable::most_bytes> table{};
  for (std::uint32_t at = 0; at < NearTable::most_bytes; ++at)
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      for (std::uint32_t sum = 0; sum < 3; ++sum)
        table[at][byte] |= std::uint32_t{product(static_cast<std::uint8_t>(byte), near_factors[sum][at])} << (8 * sum);
  return table;
}();

// Where a window's bit lies in a table; NearLookUp finds it there.
struct NearBit {
  std::uint32_t entry;
  std::uint8_t bit;
};

std::array<NearBit, 2> near_bits(const std::uint8_t* window, std::uint32_t bytes, bool folded) {
  std::uint32_t sums = 0;
  for (std::uint32_t at = 0; at < bytes; ++at) sums ^= summands[at][window[at] | (folded ? 0x20 : 0)];
  const auto place = [](std::uint32_t entries, std::uint32_t rest) {
    return NearBit{(rest & 8) << 5 | (entries & 0xff), static_cast<std::uint8_t>(1u << (rest & 7))};
  };
  return {place(sums, sums >> 16 & 15), place(sums >> 8, sums >> 20 & 15)};
}

}  // namespace

NearTable::NearTable(const PlanData& plan, const LengthClass& length_class, std::uint32_t offset)
    : offset_(offset),
      bytes_(std::min(length_class.window - offset, most_bytes)),
      folded_(length_class.fold != 0),
      map_(map_bits / 8),
      map_shift_(64 - 8 * std::min(length_class.window, 8u)) {
  for (std::uint64_t at = 0; at < length_class.entry_count; ++at) {
    const WindowEntry& entry = plan.filter.entries[length_class.first_entry + at];
    const std::uint8_t* const window = plan.bytes(entry.distinct).data() + entry.offset;
    const auto places = near_bits(window + offset_, bytes_, folded_);
    for (std::uint32_t test = 0; test < tests; ++test) tables_[test][places[test].entry] |= places[test].bit;
    std::uint8_t first_bytes[8] = {};
    std::copy_n(window, std::min(length_class.window, 8u), first_bytes);
    const std::uint32_t bit = map_index(load_u64(first_bytes));
    map_[bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

double NearTable::density() const {
  double product = 1;
  for (const auto& table : tables_) {
    const int bits = std::accumulate(std::begin(table), std::end(table), 0,
                                     [](int sum, std::uint8_t byte) { return sum + std::popcount(byte); });
    product *= bits / (8.0 * table_bytes);
  }
  return product;
}

NearRunners near_runners([[maybe_unused]] InstructionSet set) {
#if (HWY_TARGETS & HWY_AVX3_DL) != 0
  if (set == InstructionSet::avx512vbmi)
    return {.list = N_AVX3_DL::list_near, .list_words = N_AVX3_DL::list_near_words};
#endif
  return {};
}

double expected_passes(NearRunner runner, const NearTable& near, std::string_view sample) {
  constexpr std::size_t least_words = 16;
  constexpr std::size_t most_words = 512;
  constexpr std::size_t words_at_once = 16;
  const std::size_t reach = near.offset() + near.bytes() - 1;
  const std::size_t words = std::min((sample.size() - std::min(sample.size(), reach)) / 64, most_words);
  if (words < least_words) return near.density();
  const auto* const text = reinterpret_cast<const std::uint8_t*>(sample.data());
  std::array<std::uint16_t, 64 * (words_at_once + 1)> places;
  std::size_t passed = 0;
  for (std::size_t word = 0; word < words; word += words_at_once)
    passed += runner(near, text + 64 * word, std::min(words_at_once, words - word), ~std::uint64_t{0}, places.data());
  return static_cast<double>(passed) / static_cast<double>(64 * words);
}

}  // namespace lode
#endif
