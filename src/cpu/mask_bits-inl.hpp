// mask_bits: the lanes of a SIMD mask as the bits of a number, lane 0 lowest.
//
// Included once for each target by the SIMD files. The number is stored and loaded with the size of the mask's bits,
// because a load of more bytes than were stored waits for the store.
#if defined(LODE_CPU_MASK_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_MASK_BITS_INL
#undef LODE_CPU_MASK_BITS_INL
#else
#define LODE_CPU_MASK_BITS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
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

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
