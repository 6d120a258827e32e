// The SIMD part of plain_copy.hpp. A vector is stored before it is known what it holds: what is too much is written over
// by the next line.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/plain_copy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/mask_bits-inl.hpp"
#include "text/plain_copy.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode::text {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using lode::HWY_NAMESPACE::mask_bits;

// Longer lines are found faster by the C library.
constexpr std::size_t most_line_bytes = 1024;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
std::size_t copy_line(const char* from, std::size_t most, char* to) {
  const void* const end = std::memchr(from, '\n', most);
  const std::size_t length = end == nullptr ? most : static_cast<std::size_t>(static_cast<const char*>(end) - from);
  std::memcpy(to, from, length);
  return length;
}
bool copy_line_of(const char* from, std::size_t length, std::size_t most, char* to) {
  return length < most && copy_line(from, length + 1, to) == length;
}
template <bool is_big>
std::size_t narrow_vectors(const char*, std::size_t, char*) {
  return 0;
}
#else

// The length of the line at `from`, which is copied; `most` if it does not end before that.
HWY_INLINE std::size_t copy_line(const char* from, std::size_t most, char* to) {
  const hn::CappedTag<std::uint8_t, plain_copy_slack> d;
  constexpr std::size_t step = hn::MaxLanes(decltype(d)());
  for (std::size_t at = 0; at + step <= most; at += step) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + at);
    hn::StoreU(bytes, d, reinterpret_cast<std::uint8_t*>(to) + at);
    const std::uint64_t ends = mask_bits(d, hn::Eq(bytes, hn::Set(d, '\n')));
    if (ends != 0) return at + static_cast<std::size_t>(std::countr_zero(ends));
  }
  return most;
}

// Whether the line at `from` has this length, as the one before it had. If so, it is copied. Where the next line begins
// then follows from a branch that is predicted, and not from this line's bytes: lines are copied side by side.
HWY_INLINE bool copy_line_of(const char* from, std::size_t length, std::size_t most, char* to) {
  const hn::CappedTag<std::uint8_t, plain_copy_slack> d;
  constexpr std::size_t step = hn::MaxLanes(decltype(d)());
  if (length / step * step + step > most) return false;
  for (std::size_t at = 0;; at += step) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + at);
    hn::StoreU(bytes, d, reinterpret_cast<std::uint8_t*>(to) + at);
    const std::uint64_t ends = mask_bits(d, hn::Eq(bytes, hn::Set(d, '\n')));
    const std::size_t left = length - at;
    if (left < step) return (ends & ((std::uint64_t{2} << left) - 1)) == std::uint64_t{1} << left;
    if (ends != 0) return false;
  }
}

// Narrows whole vectors that are ASCII.
template <bool is_big>
HWY_INLINE std::size_t narrow_vectors(const char* from, std::size_t units, char* to) {
  const hn::CappedTag<std::uint16_t, plain_copy_slack / 2> d;
  const hn::RebindToSigned<decltype(d)> of_signed;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const hn::Repartition<std::uint8_t, decltype(d)> of_bytes;
  constexpr std::size_t step = hn::MaxLanes(decltype(d)());
  std::size_t count = 0;
  for (; count + step <= units; count += step) {
    auto some = hn::BitCast(d, hn::LoadU(of_bytes, reinterpret_cast<const std::uint8_t*>(from) + 2 * count));
    if constexpr (is_big) some = hn::Or(hn::ShiftLeft<8>(some), hn::ShiftRight<8>(some));
    if (!hn::AllTrue(d, hn::Eq(hn::And(some, hn::Set(d, 0xFF80)), hn::Zero(d)))) break;
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(of_signed, some)), narrow, reinterpret_cast<std::uint8_t*>(to) + count);
  }
  return count;
}
#endif

CopiedLines copy_lines(const LinesToCopy& wanted) {
  const char* const text = wanted.text.data();
  CopiedLines done{wanted.at, wanted.viewed, 0};
  char* to = wanted.to;
  std::size_t length = 0;  // of the last line
  ViewedSpan span;         // the last one, unless its lines have no bytes
  const auto keep_span = [&] {
    if (span.line_bytes != 0) wanted.spans[done.spans++] = span;
  };
  while (done.spans + 1 < wanted.most_spans && done.at < wanted.until) {
    const char* const line = text + done.at;
    if (*line == '>' || *line == ';') break;
    const std::size_t most = std::min(wanted.until - done.at, most_line_bytes);
    if (!copy_line_of(line, length, most, to)) {
      length = copy_line(line, most, to);
      if (length == most) break;
    }
    const std::size_t bytes = length - (length != 0 && line[length - 1] == '\r' ? 1 : 0);
    const std::uint64_t original = wanted.base + done.at, gap = original - span.original_end;
    const bool is_same_gap = gap == span.gap_bytes || (span.gap_bytes == 0 && gap <= UINT8_MAX);
    if (bytes != 0 && bytes == span.line_bytes && is_same_gap) {
      span.gap_bytes = static_cast<std::uint8_t>(gap);
      span.original_end = original + bytes;
    } else if (bytes != 0) {
      keep_span();
      span = {done.viewed, original, original + bytes, false, 0, 0, static_cast<std::uint32_t>(bytes)};
    }
    done.viewed += bytes;
    done.at += length + 1;
    to += bytes;
  }
  keep_span();
  return done;
}

template <bool is_big>
std::size_t narrow(const char* from, std::size_t units, char* to) {
  std::size_t count = narrow_vectors<is_big>(from, units, to);
  for (; count < units; ++count) {
    const auto first = static_cast<std::uint8_t>(from[2 * count]),
               second = static_cast<std::uint8_t>(from[2 * count + 1]);
    if ((is_big ? first : second) != 0 || (is_big ? second : first) >= 0x80) break;
    to[count] = static_cast<char>(is_big ? second : first);
  }
  return count;
}
std::size_t narrow_little(const char* from, std::size_t units, char* to) { return narrow<false>(from, units, to); }
std::size_t narrow_big(const char* from, std::size_t units, char* to) { return narrow<true>(from, units, to); }

}  // namespace HWY_NAMESPACE
}  // namespace lode::text
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode::text {

PlainCopiers plain_copiers(InstructionSet set) {
  return {LODE_FOR_INSTRUCTION_SET(set, copy_lines), LODE_FOR_INSTRUCTION_SET(set, narrow_little),
          LODE_FOR_INSTRUCTION_SET(set, narrow_big)};
}

}  // namespace lode::text
#endif
