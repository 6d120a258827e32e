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
  void prefetch_ahead(std::uint64_t place) const {
    const std::uint64_t ahead = std::min(prefetch_bytes, size);  // the same for all of a scan's places
    __builtin_prefetch(data + ahead + std::min(place, size - ahead));
  }

  /// Whether a scan of so many places should read four parts of them side by side: memory, and caches that several cores
  /// share, give four streams faster than one, as long as these do not begin anew too often.
  bool is_parted(std::uint64_t places) const { return size >= least_parted_bytes && places >= parts * least_part; }
  static constexpr std::uint64_t parts = 4;
  static constexpr std::uint64_t least_part = 15360;  // of 64 KiB, some for a trial
  static constexpr std::uint64_t least_parted_bytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t parted_prefetch_bytes = 512;
};

}  // namespace lode
