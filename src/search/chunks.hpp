// Chunks: how a text is divided, and giving each thread the bytes of a chunk.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cpu/scan/piece.hpp"
#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// The range of a run cut into chunks of equal size (the last may be shorter).
struct ChunkLayout {
  ChunkLayout(const PlanData& plan, const SearcherOptions& options, const Text& text, const RunOptions& run,
              unsigned threads);

  std::uint64_t begin_of(std::uint64_t chunk) const { return begin + chunk * chunk_bytes; }
  std::uint64_t end_of(std::uint64_t chunk) const {
    return chunk + 1 == chunk_count ? end : begin + (chunk + 1) * chunk_bytes;
  }

  std::uint64_t text_size = 0;
  std::uint64_t begin = 0;  // <= end <= text_size
  std::uint64_t end = 0;
  std::uint64_t chunk_bytes = 1;  // >= 1
  std::uint64_t chunk_count = 0;
  std::uint64_t overlap = 0;  // bytes needed behind a chunk
};

/// Gives the pieces of chunks: a view of a text in memory, or bytes read into a buffer of its own. One per thread.
class PieceReader {
 public:
  PieceReader(const Text& text, const ChunkLayout& layout) : text_(text), layout_(layout) {}

  /// The piece for starts in [begin, end). Valid until the next call.
  Piece read(std::uint64_t begin, std::uint64_t end);

 private:
  const Text& text_;
  const ChunkLayout& layout_;
  std::vector<char> buffer_;
};

/// Hands out chunks to threads: to each its contiguous share, or one after the other to whoever asks.
class ChunkQueue {
 public:
  ChunkQueue(std::uint64_t chunk_count, unsigned shares, Schedule schedule);

  static constexpr std::uint64_t none = UINT64_MAX;
  /// The next chunk for the thread that owns `share`, below `limit`; none where there is no such chunk now.
  std::uint64_t next(unsigned share, std::uint64_t limit);
  /// Claims this very chunk if it is the next of its share and nobody has it.
  bool claim(std::uint64_t chunk);
  bool finished(unsigned share) const;
  bool finished() const;

 private:
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
  };
  std::vector<Share> shares_;  // one alone for dynamic scheduling
};

}  // namespace lode
