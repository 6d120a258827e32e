// LetterBits: where in a text some letters stand, a bit for each place. Every probe of a pattern is a shift of such
// bits.
//
// Example: the probe `h` at offset 1 of `that` shifts the bits of `h` by one. The AND of all its probes gives
// the occurrences of a pattern.
//
//   text           t h a t c h
//   `h` stands at  . 1 . . . 1     place 0 on the left, the lowest bit of a word
//   shifted by 1   1 . . . 1 .     `that` may start at places 0 and 4
#if defined(LODE_CPU_LETTER_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_LETTER_BITS_INL
#undef LODE_CPU_LETTER_BITS_INL
#else
#define LODE_CPU_LETTER_BITS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "base/mask_bits-inl.hpp"
#include "cpu/scan/piece.hpp"
#include "plan/probes.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::ScalableTag<std::uint8_t>;
using Words64 = hn::ScalableTag<std::uint64_t>;

inline constexpr std::uint64_t most_word_lanes = 8;  // the most that any target has

// A probe as a shift of its letter's bits. Word w of the shifted bits has the upper bits of bits[w], then the lowest of
// bits[w + 1].
struct LetterShift {
  const std::uint64_t* bits = nullptr;  // the letter's bits, from the word in which the probe of place 0 lies
  std::uint64_t by = 0;                 // the bit of that word in which it lies
};

/// The places of a vector of words, from word number `word` on, at which a probe finds its letter.
HWY_INLINE hn::Vec<Words64> shifted_bits(std::uint64_t word, const LetterShift& shift) {
  const Words64 d;
  const std::uint64_t* const bits = shift.bits + word;
  const auto low = hn::LoadU(d, bits);
#if HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<Words64>{_mm512_shrdv_epi64(low.raw, hn::LoadU(d, bits + 1).raw, hn::Set(d, shift.by).raw)};
#else
  if (shift.by == 0) return low;
  const auto high = hn::LoadU(d, bits + 1);
  return hn::Or(hn::ShiftRightSame(low, static_cast<int>(shift.by)),
                hn::ShiftLeftSame(high, static_cast<int>(64 - shift.by)));
#endif
}

HWY_INLINE bool no_bits(hn::Vec<Words64> words) {
  const Words64 d;
  return hn::AllTrue(d, hn::Eq(words, hn::Zero(d)));
}

HWY_INLINE std::uint64_t set_bits(hn::Vec<Words64> words) {
  const Words64 d;
  HWY_ALIGN std::uint64_t each[most_word_lanes];
  hn::Store(words, d, each);
  std::uint64_t sum = 0;
  for (std::uint64_t word = 0; word < hn::MaxLanes(d); ++word)
    sum += static_cast<std::uint64_t>(std::popcount(each[word]));
  return sum;
}

// The bits of some letters, for the places of a round and for as many behind it as probes reach.
template <bool folded, std::size_t most_letters>
class LetterBits {
 public:
  static constexpr std::uint64_t round_words = 64;
  static constexpr std::uint64_t most_words = round_words + max_probe_offset / 64 + 1;

  /// Marks the letters in the first `words` times 64 bytes of the text. Prefetches lines of the cache that come later,
  /// but none behind `furthest`.
  void mark(std::span<const Probe> letters, const std::uint8_t* text, const std::uint8_t* furthest,
            std::uint64_t words) {
    std::size_t first = 0;
    for (; letters.size() - first >= 4; first += 4) mark_some<4>(letters.data(), first, text, furthest, words);
    switch (letters.size() - first) {
      case 1: return mark_some<1>(letters.data(), first, text, furthest, words);
      case 2: return mark_some<2>(letters.data(), first, text, furthest, words);
      case 3: return mark_some<3>(letters.data(), first, text, furthest, words);
      default: return;
    }
  }

  /// The shift of a probe at `offset` of the pattern, whose byte is this letter.
  LetterShift shift(std::size_t letter, std::uint32_t offset) const {
    return {bits_[letter] + offset / 64, offset % 64};
  }

 private:
  // Marks `count` letters, from number `first` on.
  template <std::size_t count>
  HWY_NOINLINE void mark_some(const Probe* letters, std::size_t first, const std::uint8_t* text,
                              const std::uint8_t* furthest, const std::uint64_t words) {
    const Bytes d;
    constexpr std::uint64_t lanes = hn::MaxLanes(Bytes());
    hn::Vec<Bytes> bytes[count];
    hn::Vec<Bytes> case_bits[count];
    for (std::size_t letter = 0; letter < count; ++letter) {
      bytes[letter] = hn::Set(d, letters[first + letter].byte);
      case_bits[letter] = hn::Set(d, letters[first + letter].case_bit);
    }
    const auto most_ahead = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(furthest - text, 0));
    for (std::uint64_t word = 0; word < words; ++word) {
      hwy::Prefetch(text + std::min(word * 64 + Piece::prefetch_bytes, most_ahead));
      std::uint64_t bits[count] = {};
      for (std::uint64_t part = 0; part < 64; part += lanes) {
        const auto block = hn::LoadU(d, text + word * 64 + part);
        for (std::size_t letter = 0; letter < count; ++letter) {
          const auto byte = folded ? hn::Or(block, case_bits[letter]) : block;
          bits[letter] |= mask_bits(d, hn::Eq(byte, bytes[letter])) << part;
        }
      }
      for (std::size_t letter = 0; letter < count; ++letter) bits_[first + letter][word] = bits[letter];
    }
  }

  std::uint64_t bits_[most_letters][most_words];
};

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
