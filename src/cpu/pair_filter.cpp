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

#include "base/bytes.hpp"
#include "cpu/pair_filter.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

HWY_INLINE std::uint32_t bit_of(const std::uint32_t* bits, std::uint32_t index) {
  return bits[index / 32] >> (index % 32) & 1;
}

// Of `count` sampled places from `text` on, 64 at most and a multiple of a vector's lanes, by the words of the table that
// their pairs' bits lie in.
template <bool folded>
HWY_INLINE std::uint64_t passing_places(const std::uint8_t* text, const std::uint32_t* words, std::uint64_t count) {
  const Words d;
  std::uint64_t passing = 0;
  for (std::uint64_t place = 0; place < count; place += hn::Lanes(d)) {
    auto bit = load_words(text + place * PairFilter::stride);
    if constexpr (folded) bit = hn::Or(bit, hn::Set(d, loose_fold_mask));
    const auto found = hn::Shr(hn::Load(d, words + place), hn::And(bit, hn::Set(d, 31)));
    passing |= mask_bits(d, hn::TestBit(found, hn::Set(d, 1))) << place;
  }
  return passing;
}

template <bool folded>
std::size_t list_pair_places(const PairFilter& filter, const std::uint8_t* at, std::uint64_t count,
                             std::uint16_t* places) {
  constexpr std::uint32_t stride = PairFilter::stride;
  constexpr std::uint32_t fold = folded ? loose_fold_mask : 0;
  constexpr std::uint64_t places_at_once = 1024;
  alignas(64) std::uint32_t words[places_at_once];
  const std::uint32_t* const pairs = filter.pairs();
  const std::uint8_t* const text = at + filter.offset();
  const std::uint64_t sampled = count * 64 / stride;
  std::size_t listed = 0;
  for (std::uint64_t first = 0; first < sampled; first += places_at_once) {
    // The words are looked up one by one, faster than gathers do; vectors test their bits.
    const std::uint64_t end = std::min(sampled, first + places_at_once);
    for (std::uint64_t place = first; place < end; place += 8) {
      for (std::uint64_t next = place; next < place + 8; ++next)
        words[next - first] = pairs[(load_partial_u32(text + next * stride, 2) | (fold & 0xffff)) / 32];
    }
    for (std::uint64_t place = first; place < end; place += 64) {
      const std::uint64_t passing = passing_places<folded>(text + place * stride, words + (place - first),
                                                           std::min<std::uint64_t>(64, end - place));
      listed += list_bits(passing, static_cast<std::uint32_t>(place), places + listed);
    }
  }
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
  return filter.folded() ? list_pair_places<true>(filter, at, count, places)
                         : list_pair_places<false>(filter, at, count, places);
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

PairRunner pair_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, list_pairs); }

double PairFilter::expected_cycles(const PairCounts& counts, bool own) const {
  double passing = 0;
  for (std::uint32_t pair = 0; pair < PairCounts::pairs; ++pair)
    if ((pairs_[pair / 32] >> (pair % 32) & 1) != 0) passing += counts[pair] - (own && counts[pair] != 0 ? 1 : 0);
  return (look_up_cycles + passing / static_cast<double>(counts.total()) * pair_cycles) / stride;
}

}  // namespace lode
#endif
