#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"

#ifndef LODE_CPU_LINES_ONCE
#define LODE_CPU_LINES_ONCE

#include "cpu/lines.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

// Also counts, because processors that have these vectors count bits fast. Returns the number of terminators.
std::uint64_t find_ends(std::span<const std::uint8_t> range, std::uint8_t terminator, std::uint64_t* ends,
                        std::uint64_t* ends_before) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint8_t> d;
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<std::uint8_t>());
  const auto wanted = hn::Set(d, terminator);
  std::uint64_t found = 0;
  std::uint64_t at = 0;
  for (; at + 64 <= range.size(); at += 64) {
    std::uint64_t bits = 0;
    for (std::uint64_t part = 0; part < 64; part += lanes)
      bits |= mask_bits(d, hn::Eq(hn::LoadU(d, range.data() + at + part), wanted)) << part;
    ends[at / 64] = bits;
    ends_before[at / 64] = found;
    found += static_cast<std::uint64_t>(std::popcount(bits));
  }
  if (at == range.size()) return found;
  std::uint64_t bits = 0;
  for (std::uint64_t place = at; place < range.size(); ++place)
    bits |= std::uint64_t{range[place] == terminator ? 1u : 0u} << (place - at);
  ends[at / 64] = bits;
  ends_before[at / 64] = found;
  return found + static_cast<std::uint64_t>(std::popcount(bits));
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

Lines::Lines(InstructionSet set) : find_ends_(LODE_FOR_INSTRUCTION_SET(set, find_ends)) {}

void Lines::start(std::span<const std::uint8_t> range, std::uint8_t terminator) {
  const std::size_t words = (range.size() + 63) / 64;
  size_ = range.size();
  known_count_ = 0;
  ends_.resize(words + 2);
  ends_before_.resize(words + 2);
  const std::uint64_t ended = find_ends_(range, terminator, ends_.data(), ends_before_.data());
  for (std::size_t word = words; word < words + 2; ++word) {
    ends_[word] = 0;
    ends_before_[word] = ended;
  }
  line_count_ = ended + 1;
  known_.assign(line_count_ / 64 + 2, 0);
}

}  // namespace lode
#endif
