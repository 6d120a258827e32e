// mask_bits: the lanes of a SIMD mask as the bits of a number, lane 0 lowest. list_bits: such bits as a list of places.
//
// Included once for each target by the SIMD files. The number is stored and loaded with the size of the mask's bits,
// because a load of more bytes than were stored waits for the store. A list is made without a branch for each bit: how
// many bits a word has is mispredicted about once a word.
#if defined(LODE_BASE_MASK_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_BASE_MASK_BITS_INL
#undef LODE_BASE_MASK_BITS_INL
#else
#define LODE_BASE_MASK_BITS_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

template <class Tag>
HWY_INLINE std::uint64_t mask_bits(Tag d, hwy::HWY_NAMESPACE::Mask<Tag> mask) {
  constexpr std::size_t lanes = hwy::HWY_NAMESPACE::MaxLanes(Tag());
  using Small = std::conditional_t<lanes <= 8, std::uint8_t, std::uint16_t>;
  using Large = std::conditional_t<lanes <= 32, std::uint32_t, std::uint64_t>;
  std::conditional_t<lanes <= 16, Small, Large> bits = 0;
  static_assert(lanes <= 64);
  hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

/// Writes `first` plus the number of each set bit, in order, and returns how many there are. `places` needs room for
/// 64.
/// Example: the bits 0010 1100 and first = 64 give 66, 67, 69.
HWY_INLINE std::size_t list_bits(std::uint64_t bits, std::uint32_t first, std::uint16_t* places) {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
#if HWY_TARGET == HWY_AVX3_DL
  alignas(64) static constexpr auto numbers = [] {
    std::array<std::uint8_t, 64> all{};
    std::iota(all.begin(), all.end(), std::uint8_t{0});
    return all;
  }();
  const __m512i listed = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(numbers.data()));
  const __m512i firsts = _mm512_set1_epi16(static_cast<short>(first));
  _mm512_storeu_si512(places, _mm512_add_epi16(firsts, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(listed))));
  if (HWY_UNLIKELY(count > 32)) {
    const __m512i others = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(listed, 1));
    _mm512_storeu_si512(places + 32, _mm512_add_epi16(firsts, others));
  }
#else
  for (std::size_t at = 0; at < count; at += 4) {
    for (std::size_t place = at; place < at + 4; ++place, bits &= bits - 1)
      places[place] = static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
#endif
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
