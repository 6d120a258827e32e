// Piece: a part of a text that lies in memory and is scanned at once.
//
// Its first and last byte are those of the text, or lie outside everything that conditions look at.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lode {

struct Piece {
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0;  // readable bytes at data
  std::uint64_t base = 0;  // offset of data[0] in the text

  /// How far ahead a scan asks for memory, two pages: hardware prefetchers stop at a page's end, and some of them come too
  /// late for a loop that does more than load.
  static constexpr std::uint64_t prefetch_bytes = 8192;
  /// Asks for the line that a scan of `place` comes to so much later; behind the range, where the next one usually begins,
  /// but not behind the piece.
  void prefetch_ahead(std::uint64_t place) const { __builtin_prefetch(data + std::min(place + prefetch_bytes, size)); }
};

}  // namespace lode
