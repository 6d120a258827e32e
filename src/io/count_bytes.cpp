// Idea: compare a vector at a time and subtract the mask, in which a lane is −1 if it is equal, from a vector of byte
// counters. Every 255 vectors, before a counter can overflow, the counters are added to 64-bit sums.
//
//   text a b a a   wanted a: mask -1 0 -1 -1, so counters go from 0 0 0 0 to 1 0 1 1

#include "io/count_bytes.hpp"

#include "lode/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/count_bytes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lode::io {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;  // NOLINT(misc-unused-alias-decls): scalar targets do not use it

std::uint64_t count(const std::uint8_t* data, std::size_t size, std::uint8_t byte) {
  std::uint64_t total = 0;
  std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<std::uint8_t> bytes;
  const hn::Repartition<std::uint64_t, decltype(bytes)> sums;
  const std::size_t lanes = hn::Lanes(bytes);
  const auto wanted = hn::Set(bytes, byte);
  auto sum = hn::Zero(sums);
  while (size - at >= lanes) {
    std::size_t vectors = (size - at) / lanes;
    if (vectors > 255) vectors = 255;
    auto counters = hn::Zero(bytes);
    for (; vectors > 0; --vectors, at += lanes) {
      counters = hn::Sub(counters, hn::VecFromMask(bytes, hn::Eq(hn::LoadU(bytes, data + at), wanted)));
    }
    sum = hn::Add(sum, hn::SumsOf8(counters));
  }
  total = hn::GetLane(hn::SumOfLanes(sums, sum));
#endif
  for (; at < size; ++at) total += data[at] == byte;
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace lode::io
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode::io {
namespace {

// An unknown name in LODE_TARGET is an error when a searcher is made. Here the best set is used all the same.
InstructionSet usual_set() noexcept {
  try {
    return choose_instruction_set({});
  } catch (const Error&) {
    return instruction_sets().front();
  }
}

}  // namespace

std::uint64_t count_bytes(std::string_view text, char byte) noexcept {
  static const InstructionSet set = usual_set();
  return count_bytes(text, byte, set);
}

std::uint64_t count_bytes(std::string_view text, char byte, InstructionSet set) noexcept {
  const auto run = LODE_FOR_INSTRUCTION_SET(set, count);
  return run(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), static_cast<std::uint8_t>(byte));
}

}  // namespace lode::io
#endif
