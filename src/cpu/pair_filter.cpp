// What asks for pairs of bytes, and its tables; pair_filter.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pair_filter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"
#include "cpu/words-inl.hpp"

#ifndef LODE_CPU_PAIR_FILTER_ONCE
#define LODE_CPU_PAIR_FILTER_ONCE

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>

#include "base/bytes.hpp"
#include "cpu/pair_filter.hpp"

namespace lode {
constexpr std::uint64_t places_at_once = 1024;  // that are looked up one by one before vectors test the bits
}

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

HWY_INLINE std::uint32_t bit_of(const std::uint32_t* bits, std::uint32_t index) {
  return bits[index / 32] >> (index % 32) & 1;
}

// Whether instructions load several words from places of their own. Elsewhere they are loaded one by one.
constexpr bool has_gathers = HWY_TARGET <= HWY_AVX2;
// Whether vectors shift each lane by a number of its own, as SSE does not.
constexpr bool has_shifts = HWY_TARGET != HWY_SSE4 && HWY_TARGET != HWY_SSSE3;

// Of `count` sampled places from `text` on, 64 at most and a multiple of a vector's lanes, by the words of the table that
// their pairs' bits lie in: those in `words`, or else gathered.
template <bool folded, bool gathers>
HWY_INLINE std::uint64_t passing_places(const std::uint8_t* text, const std::uint32_t* pairs,
                                        const std::uint32_t* words, std::uint64_t count) {
  const Words d;
  std::uint64_t passing = 0;
  for (std::uint64_t place = 0; place < count; place += hn::Lanes(d)) {
    auto bit = load_words(text + place * PairFilter::stride);
    if constexpr (folded) bit = hn::Or(bit, hn::Set(d, loose_fold_mask));
    WordVector word;
    if constexpr (gathers) {
      const hn::RebindToSigned<Words> numbers;
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

// Lists the sampled places whose pairs are in the table, as their numbers.
template <bool folded, bool gathers>
HWY_INLINE std::size_t list_pairs_in(const std::uint32_t* pairs, const std::uint8_t* text, std::uint64_t sampled,
                                     std::uint16_t* places) {
  constexpr std::uint32_t fold = folded ? loose_fold_mask & 0xffff : 0;
  const auto index = [&](std::uint64_t place) { return load_partial_u32(text + place * PairFilter::stride, 2) | fold; };
  std::size_t listed = 0;
  if constexpr (!has_shifts) {
    for (std::uint64_t place = 0; place < sampled; ++place) {
      places[listed] = static_cast<std::uint16_t>(place);
      listed += bit_of(pairs, index(place));
    }
    return listed;
  }
  alignas(64) std::uint32_t words[gathers ? 1 : places_at_once];
  for (std::uint64_t first = 0; first < sampled; first += places_at_once) {
    const std::uint64_t end = std::min(sampled, first + places_at_once);
    if constexpr (!gathers) {
      for (std::uint64_t place = first; place < end; place += 8) {
        for (std::uint64_t next = place; next < place + 8; ++next) words[next - first] = pairs[index(next) / 32];
      }
    }
    for (std::uint64_t place = first; place < end; place += 64) {
      const std::uint64_t passing = passing_places<folded, gathers>(text + place * PairFilter::stride, pairs,
                                                                    words + (gathers ? 0 : place - first),
                                                                    std::min<std::uint64_t>(64, end - place));
      listed += list_bits(passing, static_cast<std::uint32_t>(place), places + listed);
    }
  }
  return listed;
}

template <bool folded, bool gathers>
std::size_t list_pair_places(const PairFilter& filter, const std::uint8_t* at, std::uint64_t count,
                             std::uint16_t* places) {
  constexpr std::uint32_t stride = PairFilter::stride;
  constexpr std::uint32_t fold = folded ? loose_fold_mask : 0;
  const std::uint8_t* const text = at + filter.offset();
  const std::size_t listed = list_pairs_in<folded, gathers>(filter.pairs(), text, count * 64 / stride, places);
  const std::uint32_t* const neighbours = filter.neighbours();
  std::size_t passed = 0;
  for (std::size_t item = 0; item < listed; ++item) {
    const auto place = static_cast<std::uint16_t>(places[item] * stride);
    const std::uint32_t after = PairFilter::after_index(load_u32(text + place) | fold);
    const std::uint32_t before = PairFilter::before_index(load_u32(text + place - PairFilter::bytes_before) | fold);
    places[passed] = place;
    passed += bit_of(neighbours, after) | bit_of(neighbours, before);
  }
  return passed;
}

std::size_t list_pairs(const PairFilter& filter, const std::uint8_t* at, std::uint64_t count, std::uint16_t* places) {
  return filter.folded() ? list_pair_places<true, false>(filter, at, count, places)
                         : list_pair_places<false, false>(filter, at, count, places);
}

std::size_t gather_pairs(const PairFilter& filter, const std::uint8_t* at, std::uint64_t count, std::uint16_t* places) {
  return filter.folded() ? list_pair_places<true, has_gathers>(filter, at, count, places)
                         : list_pair_places<false, has_gathers>(filter, at, count, places);
}

// Asks an empty table so that the time can be taken.
std::size_t try_look_ups(bool gathers, const std::uint32_t* pairs, const std::uint8_t* text, std::uint16_t* places) {
  return gathers ? list_pairs_in<false, has_gathers>(pairs, text, places_at_once, places)
                 : list_pairs_in<false, false>(pairs, text, places_at_once, places);
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {
namespace {

constexpr std::size_t table_words = (std::size_t{1} << 16) / 32;
// Cycles of a Zen 5 for a look-up, and for a pair that passes.
constexpr double look_up_cycles = 1.3;
constexpr double pair_cycles = 5;

}  // namespace

PairFilter::PairFilter(const PlanData& plan, const LengthClass& made, std::uint32_t offset)
    : offset_(offset), folded_(made.fold != 0), pairs_(table_words), neighbours_(table_words) {
  const std::uint32_t fold = folded_ ? loose_fold_mask : 0;
  const auto set = [](std::vector<std::uint32_t>& bits, std::uint32_t index) {
    bits[index / 32] |= std::uint32_t{1} << (index % 32);
  };
  for (std::uint64_t at = 0; at < made.entry_count; ++at) {
    const WindowEntry& entry = plan.filter.entries[made.first_entry + at];
    const std::span<const std::uint8_t> pattern = plan.bytes(entry.distinct);
    const std::size_t place = entry.offset + offset_;
    set(pairs_, load_partial_u32(pattern.data() + place, 2) | (fold & 0xffff));
    if (place + 4 <= pattern.size())
      set(neighbours_, after_index(load_u32(pattern.data() + place) | fold));
    else
      set(neighbours_, before_index(load_u32(pattern.data() + place - bytes_before) | fold));
  }
}

// Gathers are faster on some processors and slower on others, of one maker, too: that is measured, which takes microseconds.
bool gathers_are_faster(InstructionSet set) {
  const auto run = LODE_FOR_INSTRUCTION_SET(set, try_look_ups);
  const std::vector<std::uint32_t> pairs(table_words);
  std::vector<std::uint8_t> text(places_at_once * PairFilter::stride + 64);
  std::vector<std::uint16_t> places(places_at_once + 64);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  std::array<std::chrono::steady_clock::duration, 2> least;
  least.fill(std::chrono::steady_clock::duration::max());
  for (int round = 0; round < 8; ++round) {
    for (const bool gathers : {false, true}) {
      const auto begin = std::chrono::steady_clock::now();
      run(gathers, pairs.data(), text.data(), places.data());
      least[gathers] = std::min(least[gathers], std::chrono::steady_clock::now() - begin);
    }
  }
  return least[true] < least[false];
}

PairRunner pair_runner(InstructionSet set) {
  if (set != InstructionSet::avx2 && set != InstructionSet::avx512 && set != InstructionSet::avx512vbmi)
    return LODE_FOR_INSTRUCTION_SET(set, list_pairs);
  static std::mutex mutex;
  static std::map<InstructionSet, bool> known;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = known.try_emplace(set);
  if (is_new) found->second = gathers_are_faster(set);
  return found->second ? LODE_FOR_INSTRUCTION_SET(set, gather_pairs) : LODE_FOR_INSTRUCTION_SET(set, list_pairs);
}

double PairFilter::expected_cycles(const PairCounts& counts, bool own) const {
  double passing = 0;
  for (std::uint32_t pair = 0; pair < PairCounts::pairs; ++pair)
    if ((pairs_[pair / 32] >> (pair % 32) & 1) != 0) passing += counts[pair] - (own && counts[pair] != 0 ? 1 : 0);
  return (look_up_cycles + passing / static_cast<double>(counts.total()) * pair_cycles) / stride;
}

}  // namespace lode
#endif
