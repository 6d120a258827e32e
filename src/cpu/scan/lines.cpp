#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/scan/lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"

#ifndef LODE_CPU_LINES_ONCE
#define LODE_CPU_LINES_ONCE

#include <algorithm>

#include "cpu/scan/lines.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

// Marks terminators in `ends` and counts those before each word in `ends_before`. Returns their number. Counting is
// done here because it is fast where a processor has these vectors.
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
  resize(range.size());
  finish(find_ends_(range, terminator, ends_.data(), ends_before_.data()));
}

void Lines::start(std::uint64_t begin, std::uint64_t size, const Records& records, std::uint64_t first,
                  std::uint64_t last) {
  resize(size);
  std::fill(ends_.begin(), ends_.end(), 0);
  std::uint64_t behind = last;  // the first record that begins behind `begin`
  while (first < behind) {
    const std::uint64_t middle = first + (behind - first) / 2;
    if (records.begin_of(middle) > begin)
      behind = middle;
    else
      first = middle + 1;
  }
  begins_.assign(1, 0);
  for (; behind < last; ++behind) {
    const std::uint64_t next = records.begin_of(behind) - begin;
    if (next > size) break;
    ends_[(next - 1) / 64] |= std::uint64_t{1} << ((next - 1) % 64);
    if (next != begins_.back()) begins_.push_back(static_cast<std::uint32_t>(next));
  }
  begins_.push_back(static_cast<std::uint32_t>(size));
  std::uint64_t ended = 0;
  for (std::size_t word = 0; word < ends_.size(); ++word) {
    ends_before_[word] = ended;
    ended += static_cast<std::uint64_t>(std::popcount(ends_[word]));
  }
  finish(ended);
}

void Lines::resize(std::uint64_t size) {
  size_ = size;
  ends_.resize((size + 63) / 64 + 2);
  ends_before_.resize(ends_.size());
}

void Lines::finish(std::uint64_t ended) {
  for (std::size_t word = ends_.size() - 2; word < ends_.size(); ++word) {
    ends_[word] = 0;
    ends_before_[word] = ended;
  }
  known_count_ = 0;
  line_count_ = ended + 1;
  known_.assign(line_count_ / 64 + 2, 0);
}

}  // namespace lode
#endif
