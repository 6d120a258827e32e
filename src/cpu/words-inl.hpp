// load_words: a vector of 32-bit words from any place of a text. Included once for each target by the SIMD files.
#if defined(LODE_CPU_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_WORDS_INL
#undef LODE_CPU_WORDS_INL
#else
#define LODE_CPU_WORDS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "base/bytes.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words32 = hn::ScalableTag<std::uint32_t>;
using WordVector = hn::Vec<Words32>;

HWY_INLINE WordVector load_words(const std::uint8_t* at) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Words32(), load_u32(at));
#else
  return hn::BitCast(Words32(), hn::LoadU(hn::Repartition<std::uint8_t, Words32>(), at));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
