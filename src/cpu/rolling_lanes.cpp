// The SIMD part of rolling hashes; rolling_lanes.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rolling_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"

#ifndef LODE_CPU_ROLLING_LANES_ONCE
#define LODE_CPU_ROLLING_LANES_ONCE

#include "base/bytes.hpp"
#include "cpu/rolling_lanes.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// This is never picked: rolling_runner() is null for the portable code.
std::size_t roll_lanes(const RabinKarpGroup&, RollingLanes&, std::uint64_t, std::uint64_t) { return 0; }

#else

namespace hn = hwy::HWY_NAMESPACE;
using Hashes = hn::CappedTag<std::uint64_t, RollingLanes::lanes>;
using HashVector = hn::Vec<Hashes>;
using Hash = RollingHash<31>;

class LaneScan {
 public:
  LaneScan(const RabinKarpGroup& group, RollingLanes& lanes)
      : group_(group),
        lanes_(lanes),
        marks_(group.marks.data()),
        mark_mask_(group.mark_mask),
        weight_(Hash::prime - group.weight) {}

  template <bool folded>
  std::size_t roll(std::uint64_t first, std::uint64_t steps) {
    if (first == 0) start<folded>();
    HashVector hashes[vectors];
    for (std::size_t vector = 0; vector < vectors; ++vector)
      hashes[vector] = hn::Load(d_, lanes_.next + vector * hn::Lanes(d_));
    const auto byte = hn::Set(d_, 0xff);
    const auto weight = hn::Set(d_, weight_);
    // A byte counts as its value + 1, when it enters and when it leaves. This adds both ones.
    const auto constant = hn::Set(d_, weight_ + 1);
    std::size_t listed = 0;
    std::uint64_t marked = 0;
    for (std::uint64_t step = 0; step < steps; step += RollingLanes::steps_of_bytes) {
      // Eight bytes of each lane, in a number whose low byte is the next one.
      HashVector leaving[vectors];
      HashVector entering[vectors];
      for (std::size_t vector = 0; vector < vectors; ++vector) {
        leaving[vector] = bytes<folded>(first + step, vector);
        entering[vector] = bytes<folded>(first + step + group_.length, vector);
      }
      for (std::uint64_t part = 0; part < RollingLanes::steps_of_bytes; ++part) {
        for (std::size_t vector = 0; vector < vectors; ++vector) {
          const auto reduced = reduce(hashes[vector]);
          const std::uint64_t number = (step + part) * RollingLanes::lanes + vector * hn::Lanes(d_);
          hn::Store(reduced, d_, lanes_.hashes + number);
          marked |= mask_bits(d_, is_marked(reduced)) << number % 64;
          const auto moved = hn::Add(hn::Add(product(hashes[vector]), product(hn::And(leaving[vector], byte), weight)),
                                     hn::Add(hn::And(entering[vector], byte), constant));
          hashes[vector] = hn::Add(hn::And(moved, prime()), hn::ShiftRight<31>(moved));
          leaving[vector] = hn::ShiftRight<8>(leaving[vector]);
          entering[vector] = hn::ShiftRight<8>(entering[vector]);
        }
        const std::uint64_t end = (step + part + 1) * RollingLanes::lanes;
        if (end % 64 != 0) continue;
        listed += list_bits(marked, static_cast<std::uint32_t>(end - 64), lanes_.listed + listed);
        marked = 0;
      }
    }
    for (std::size_t vector = 0; vector < vectors; ++vector)
      hn::Store(hashes[vector], d_, lanes_.next + vector * hn::Lanes(d_));
    return listed;
  }

 private:
  static constexpr Hashes d_{};
  static constexpr std::size_t vectors = RollingLanes::lanes / hn::MaxLanes(d_);

  static HashVector prime() { return hn::Set(d_, Hash::prime); }
  // The products of numbers below 2^32, each in a lane of 64 bits.
  static HWY_INLINE HashVector product(HashVector a, HashVector b) {
    const hn::Repartition<std::uint32_t, Hashes> words;
    return hn::MulEven(hn::BitCast(words, a), hn::BitCast(words, b));
  }
  HWY_INLINE HashVector product(HashVector hash) const { return product(hash, hn::Set(d_, base_)); }

  // Vector form of Hash::reduce(), for numbers below 2^32. If the sum is below the prime the difference wraps round,
  // and the minimum is the sum.
  static HWY_INLINE HashVector reduce(HashVector hash) {
    const hn::Repartition<std::uint32_t, Hashes> words;
    const auto sum = hn::BitCast(words, hn::Add(hn::And(hash, prime()), hn::ShiftRight<31>(hash)));
    return hn::BitCast(d_, hn::Min(sum, hn::Sub(sum, hn::BitCast(words, prime()))));
  }

  // Which reduced hashes are marked (RollingMarks::has).
  HWY_INLINE hn::Mask<Hashes> is_marked(HashVector reduced) const {
    const hn::RebindToSigned<Hashes> numbers;
    const auto word = hn::ShiftRight<6>(hn::And(reduced, hn::Set(d_, mark_mask_)));
    const auto found = hn::GatherIndex(d_, marks_, hn::BitCast(numbers, word));
    return hn::TestBit(hn::Shr(found, hn::And(reduced, hn::Set(d_, 63))), hn::Set(d_, 1));
  }

  // Eight bytes from place `at` of its share on, for each lane of a vector.
  template <bool folded>
  HWY_INLINE HashVector bytes(std::uint64_t at, std::size_t vector) const {
    alignas(64) std::uint64_t each[hn::MaxLanes(d_)];
    for (std::size_t lane = 0; lane < hn::Lanes(d_); ++lane)
      each[lane] = load_u64(lanes_.text + at + (vector * hn::Lanes(d_) + lane) * lanes_.share);
    const auto found = hn::Load(d_, each);
    if constexpr (!folded) return found;
    const hn::Repartition<std::int8_t, Hashes> letters;
    const auto bytes = hn::BitCast(letters, found);
    const auto is_capital = hn::And(hn::Gt(bytes, hn::Set(letters, 'A' - 1)), hn::Lt(bytes, hn::Set(letters, 'Z' + 1)));
    return hn::BitCast(d_, hn::Or(bytes, hn::IfThenElseZero(is_capital, hn::Set(letters, 0x20))));
  }

  template <bool folded>
  // Sets the hash of each lane's first place.
  HWY_INLINE void start() {
    const auto byte = hn::Set(d_, 0xff);
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      auto hash = hn::Zero(d_);
      for (std::uint64_t at = 0; at < group_.length; at += RollingLanes::steps_of_bytes) {
        auto entering = bytes<folded>(at, vector);
        for (std::uint64_t part = at; part < at + RollingLanes::steps_of_bytes && part < group_.length; ++part) {
          const auto moved = hn::Add(product(hash), hn::Add(hn::And(entering, byte), hn::Set(d_, 1)));
          hash = hn::Add(hn::And(moved, prime()), hn::ShiftRight<31>(moved));
          entering = hn::ShiftRight<8>(entering);
        }
      }
      hn::Store(hash, d_, lanes_.next + vector * hn::Lanes(d_));
    }
  }

  const RabinKarpGroup& group_;
  RollingLanes& lanes_;
  const std::uint64_t* const marks_;
  const std::uint64_t mark_mask_;
  const std::uint64_t base_ = Hash::base();
  const std::uint64_t weight_;  // what a leaving byte adds for each of its value: minus its weight
};

std::size_t roll_lanes(const RabinKarpGroup& group, RollingLanes& lanes, std::uint64_t first, std::uint64_t steps) {
  LaneScan scan(group, lanes);
  return group.ignore_case ? scan.roll<true>(first, steps) : scan.roll<false>(first, steps);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

RollingRunner rolling_runner(InstructionSet set) {
  return set == InstructionSet::baseline ? nullptr : LODE_FOR_INSTRUCTION_SET(set, roll_lanes);
}

}  // namespace lode
#endif
