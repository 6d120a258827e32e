// equals_head: compares a text with the first bytes of a pattern. Included once for each target by the SIMD files.
#if defined(LODE_CPU_PATTERN_HEAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_PATTERN_HEAD_INL
#undef LODE_CPU_PATTERN_HEAD_INL
#else
#define LODE_CPU_PATTERN_HEAD_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "base/mask_bits-inl.hpp"
#include "cpu/verify/pattern_head.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

/// Whether the head's bytes stand at `text`, of which 16 are read. Without `folded` no pattern may ignore case.
template <bool folded>
HWY_INLINE bool equals_head(const PatternHead& head, const std::uint8_t* text) {
#if HWY_TARGET == HWY_SCALAR
  std::uint32_t differing = 0;
  for (std::uint32_t at = 0; at < PatternHead::bytes; ++at) {
    const std::uint8_t byte = folded && head.ignore_case != 0 ? fold(text[at]) : text[at];
    differing |= (byte != head.first[at] ? 1u : 0u) << at;
  }
  return (differing & head.compared) == 0;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Full128<std::uint8_t> d;
  auto bytes = hn::LoadU(d, text);
  if constexpr (folded) {
    const auto from_a = hn::Sub(bytes, hn::Set(d, std::uint8_t{'A'}));
    const auto is_upper = hn::Eq(from_a, hn::Min(from_a, hn::Set(d, std::uint8_t{25})));
    const auto case_bit = hn::Set(d, static_cast<std::uint8_t>(head.ignore_case << 5));
    bytes = hn::Or(bytes, hn::And(hn::VecFromMask(d, is_upper), case_bit));
  }
  const auto differing = static_cast<std::uint16_t>(~mask_bits(d, hn::Eq(bytes, hn::LoadU(d, head.first))));
  return (differing & head.compared) == 0;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
