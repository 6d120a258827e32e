#include "read_loops.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "read_loops.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lode::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint64_t>;

// Reads `streams` places a step, `bytes / streams` apart, 512 bytes at each.
template <int streams, int prefetch_bytes>
std::uint64_t read(const char* text, std::uint64_t bytes) {
  constexpr std::uint64_t step_bytes = 512;
  const Words words;
  const std::uint64_t vector_bytes = hn::Lanes(words) * 8;
  const std::uint64_t stream_bytes = bytes / streams / step_bytes * step_bytes;
  auto sum0 = hn::Zero(words);
  auto sum1 = sum0;
  auto sum2 = sum0;
  auto sum3 = sum0;
  for (std::uint64_t at = 0; at < stream_bytes; at += step_bytes) {
    for (int stream = 0; stream < streams; ++stream) {
      const char* const from = text + stream * stream_bytes + at;
      for (std::uint64_t line = 0; line < step_bytes; line += 4 * vector_bytes) {
        if constexpr (prefetch_bytes > 0) {
          for (std::uint64_t ahead = 0; ahead < 4 * vector_bytes; ahead += 64) {
            __builtin_prefetch(from + line + ahead + prefetch_bytes);
          }
        }
        const auto* const base = reinterpret_cast<const std::uint64_t*>(from + line);
        sum0 = hn::Add(sum0, hn::LoadU(words, base));
        sum1 = hn::Add(sum1, hn::LoadU(words, base + hn::Lanes(words)));
        sum2 = hn::Add(sum2, hn::LoadU(words, base + 2 * hn::Lanes(words)));
        sum3 = hn::Add(sum3, hn::LoadU(words, base + 3 * hn::Lanes(words)));
      }
    }
  }
  return hn::GetLane(hn::SumOfLanes(words, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

std::uint64_t read_forward(const char* text, std::uint64_t bytes) { return read<1, 0>(text, bytes); }
std::uint64_t read_prefetching(const char* text, std::uint64_t bytes) { return read<1, 4096>(text, bytes); }
std::uint64_t read_four_streams(const char* text, std::uint64_t bytes) { return read<4, 0>(text, bytes); }

// Four streams inside each MiB: the pages stay near each other.
std::uint64_t read_near_streams(const char* text, std::uint64_t bytes) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;
  std::uint64_t sum = 0;
  for (std::uint64_t at = 0; at < bytes; at += piece_bytes) {
    sum += read<4, 0>(text + at, bytes - at < piece_bytes ? bytes - at : piece_bytes);
  }
  return sum;
}

}  // namespace lode::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode::bench {

HWY_EXPORT(read_forward);
HWY_EXPORT(read_prefetching);
HWY_EXPORT(read_four_streams);
HWY_EXPORT(read_near_streams);

std::span<const NamedReadLoop> read_loops() {
  static constexpr std::array loops = {
      NamedReadLoop{
          "read forward",
          [](const char* text, std::uint64_t bytes) { return HWY_DYNAMIC_DISPATCH(read_forward)(text, bytes); }},
      NamedReadLoop{
          "read prefetching",
          [](const char* text, std::uint64_t bytes) { return HWY_DYNAMIC_DISPATCH(read_prefetching)(text, bytes); }},
      NamedReadLoop{
          "read four streams",
          [](const char* text, std::uint64_t bytes) { return HWY_DYNAMIC_DISPATCH(read_four_streams)(text, bytes); }},
      NamedReadLoop{
          "read near streams",
          [](const char* text, std::uint64_t bytes) { return HWY_DYNAMIC_DISPATCH(read_near_streams)(text, bytes); }},
  };
  return loops;
}

std::uint64_t compute(const char* text, std::uint64_t bytes) {
  const auto first = static_cast<std::uint64_t>(static_cast<unsigned char>(text[0]));
  std::array<std::uint64_t, 6> chains{first, first + 1, first + 2, first + 3, first + 4, first + 5};
  for (std::uint64_t at = 0; at < bytes; at += 64) {
    for (std::uint64_t& chain : chains) {
      chain ^= (chain << 7) + at;
      asm volatile("" : "+r"(chain));  // no vectors, and no closed form
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t chain : chains) sum += chain;
  return sum;
}

std::uint64_t read_with_all_threads(ReadLoop loop, std::string_view text) {
  constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, text.size(), piece_bytes), std::uint64_t{0},
      [&](const tbb::blocked_range<std::size_t>& piece, std::uint64_t sum) {
        return sum + loop(text.data() + piece.begin(), piece.size());
      },
      [](std::uint64_t left, std::uint64_t right) { return left + right; });
}

}  // namespace lode::bench
#endif
