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

  /// How far ahead a scan prefetches: two pages. Hardware prefetchers stop at a page's end, and some of them come too
  /// late for a loop that does more than load.
  static constexpr std::uint64_t prefetch_bytes = 8192;
  /// Prefetches the cache line that lies prefetch_bytes after `place`. It may lie behind the range,
  /// where the next range usually begins, but not behind the piece.
  void prefetch_ahead(std::uint64_t place) const {
    const std::uint64_t ahead = std::min(prefetch_bytes, size);  // this is the same for all places of a scan
    __builtin_prefetch(data + ahead + std::min(place, size - ahead));
  }

  /// Whether a scan of so many places should read four parts of them side by side. Memory, and caches that several
  /// cores share, give four streams faster than one, as long as these do not begin anew too often.
  bool is_parted(std::uint64_t places) const { return size >= least_parted_bytes && places >= parts * least_part; }
  static constexpr std::uint64_t parts = 4;
  static constexpr std::uint64_t least_part = 15360;  // a quarter of 64 KiB, less what a trial takes
  static constexpr std::uint64_t least_parted_bytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t parted_prefetch_bytes = 512;
};

}  // namespace lode
