// The SIMD part of PairTable, and its tables; pair_table.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/pair_table.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"
#include "cpu/words-inl.hpp"

#ifndef LODE_CPU_PAIR_TABLE_ONCE
#define LODE_CPU_PAIR_TABLE_ONCE

#include <algorithm>

#include "base/bytes.hpp"
#include "cpu/look/pair_table.hpp"

namespace lode {
constexpr std::uint64_t places_at_once = 1024;  // Way::words loads the words of so many places, then tests them
}

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

HWY_INLINE std::uint32_t bit_of(const std::uint32_t* bits, std::uint32_t index) {
  return bits[index / 32] >> (index % 32) & 1;
}

// Whether an instruction loads a word for each lane from an address of its own.
constexpr bool has_gathers = HWY_TARGET <= HWY_AVX2;
// Whether a vector can shift each lane by a number of its own; SSE cannot.
constexpr bool has_shifts = HWY_TARGET != HWY_SSE4;

// How the table is asked. `bits`: one bit after the other. `words`: the words that hold the bits are loaded one by one,
// and vectors test the bits. `gathers`: vectors gather the words, too.
enum class Way { bits, words, gathers };

// Which of `count` sampled places from `text` on have a pair in the table, as bits. `count` is a multiple of 16, at
// most 64. Way::words finds in `words` the words of the table that the pairs' bits lie in.
// Example: `ab` is the number 0x6261. Its bit is 0x6261 % 32 = 1 of word 0x6261 / 32 = 787.
template <bool folded, Way way>
HWY_INLINE std::uint64_t passing_places(const std::uint8_t* text, const std::uint32_t* pairs,
                                        const std::uint32_t* words, std::uint64_t count) {
  std::uint64_t passing = 0;
  if constexpr (way == Way::bits) {
    constexpr std::uint32_t fold = folded ? loose_fold_mask & 0xffff : 0;
    for (std::uint64_t place = count; place > 0;) {
#pragma GCC unroll 8
      for (int next = 0; next < 8; ++next) {
        const std::uint32_t pair = load_partial_u32(text + --place * PairTable::stride, 2) | fold;
        passing = passing << 1 | bit_of(pairs, pair);
      }
    }
    return passing;
  }
  const Words32 d;
  for (std::uint64_t place = 0; place < count; place += hn::Lanes(d)) {
    auto bit = load_words(text + place * PairTable::stride);
    if constexpr (folded) bit = hn::Or(bit, hn::Set(d, loose_fold_mask));
    WordVector word;
    if constexpr (way == Way::gathers) {
      const hn::RebindToSigned<Words32> numbers;
      const auto number = hn::ShiftRight<5>(hn::And(bit, hn::Set(d, 0xffff)));
      word = hn::GatherIndex(d, pairs, hn::BitCast(numbers, number));
    } else {
      word = hn::Load(d, words + place);
    }
    const auto found = hn::Shr(word, hn::And(bit, hn::Set(d, 31)));
    passing |= mask_bits(d, hn::TestBit(found, hn::Set(d, 1))) << place;
  }
  return passing;
}

// Lists the numbers of the sampled places whose pairs are in the table.
template <bool folded, Way way>
HWY_INLINE std::size_t list_pairs_in(const std::uint32_t* pairs, const std::uint8_t* text, std::uint64_t sampled,
                                     std::uint16_t* places) {
  constexpr std::uint32_t fold = folded ? loose_fold_mask & 0xffff : 0;
  std::size_t listed = 0;
  alignas(64) std::uint32_t words[way == Way::words ? places_at_once : 1];
  for (std::uint64_t first = 0; first < sampled; first += places_at_once) {
    const std::uint64_t end = std::min(sampled, first + places_at_once);
    if constexpr (way == Way::words) {
      for (std::uint64_t place = first; place < end; place += 8) {
        for (std::uint64_t next = place; next < place + 8; ++next)
          words[next - first] = pairs[(load_partial_u32(text + next * PairTable::stride, 2) | fold) / 32];
      }
    }
    for (std::uint64_t place = first; place < end; place += 64) {
      const std::uint64_t passing = passing_places<folded, way>(text + place * PairTable::stride, pairs,
                                                                words + (way == Way::words ? place - first : 0),
                                                                std::min<std::uint64_t>(64, end - place));
      listed += list_bits(passing, static_cast<std::uint32_t>(place), places + listed);
    }
  }
  return listed;
}

template <bool folded, Way way>
std::size_t list_pair_places(const PairTable& table, const std::uint8_t* at, std::uint64_t count,
                             std::uint16_t* places) {
  constexpr std::uint32_t stride = PairTable::stride;
  constexpr std::uint32_t fold = folded ? loose_fold_mask : 0;
  const std::uint8_t* const text = at + table.offset();
  const std::size_t listed = list_pairs_in<folded, way>(table.pairs(), text, count * 64 / stride, places);
  const std::uint32_t* const neighbours = table.neighbours();
  std::size_t passed = 0;
  for (std::size_t item = 0; item < listed; ++item) {
    const auto place = static_cast<std::uint16_t>(places[item] * stride);
    const std::uint32_t after = PairTable::after_index(load_u32(text + place) | fold);
    const std::uint32_t before = PairTable::before_index(load_u32(text + place - PairTable::bytes_before) | fold);
    places[passed] = place;
    passed += bit_of(neighbours, after) | bit_of(neighbours, before);
  }
  return passed;
}

template <Way way>
std::size_t list_pairs(const PairTable& table, const std::uint8_t* at, std::uint64_t count, std::uint16_t* places) {
  return table.folded() ? list_pair_places<true, way>(table, at, count, places)
                        : list_pair_places<false, way>(table, at, count, places);
}

std::vector<PairRunner> make_pair_runners() {
  if constexpr (has_gathers) return {list_pairs<Way::words>, list_pairs<Way::gathers>};
  return {list_pairs < has_shifts ? Way::words : Way::bits > };
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {
namespace {

constexpr std::size_t table_words = (std::size_t{1} << 16) / 32;

}  // namespace

PairTable::PairTable(const PlanData& plan, const LengthClass& length_class, std::uint32_t offset)
    : offset_(offset), folded_(length_class.fold != 0), pairs_(table_words), neighbours_(table_words) {
  const std::uint32_t fold = folded_ ? loose_fold_mask : 0;
  const auto set = [](std::vector<std::uint32_t>& bits, std::uint32_t index) {
    bits[index / 32] |= std::uint32_t{1} << (index % 32);
  };
  for (std::uint64_t at = 0; at < length_class.entry_count; ++at) {
    const WindowEntry& entry = plan.filter.entries[length_class.first_entry + at];
    const std::span<const std::uint8_t> pattern = plan.bytes(entry.distinct);
    const std::size_t place = entry.offset + offset_;
    set(pairs_, load_partial_u32(pattern.data() + place, 2) | (fold & 0xffff));
    if (place + 4 <= pattern.size())
      set(neighbours_, after_index(load_u32(pattern.data() + place) | fold));
    else
      set(neighbours_, before_index(load_u32(pattern.data() + place - bytes_before) | fold));
  }
}

std::vector<PairRunner> pair_runners(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, make_pair_runners)(); }

PairRunner pair_runner(InstructionSet set) {
  const std::vector<PairRunner> runners = pair_runners(set);
  return is_intel() ? runners.back() : runners.front();
}

double PairTable::expected_passes(const PairCounts& counts, bool of_patterns) const {
  double passing = 0;
  for (std::uint32_t pair = 0; pair < PairCounts::pairs; ++pair)
    if ((pairs_[pair / 32] >> (pair % 32) & 1) != 0)
      passing += counts[pair] - (of_patterns && counts[pair] != 0 ? 1 : 0);
  return passing / static_cast<double>(counts.total());
}

}  // namespace lode
#endif
