// Chunks: how a text is divided among threads, and how a thread gets the bytes of a chunk.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cpu/scan/piece.hpp"
#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// The range of a run, cut into chunks of equal size; the last one may be shorter.
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
  std::uint64_t overlap = 0;  // bytes behind a chunk that patterns and the condition may reach into
};

/// Gives the pieces of chunks: a view of a text in memory, or bytes read into its own buffer. Each thread has one.
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

/// Hands out chunks to threads: one after the other to whoever asks (dynamic_chunks), or a contiguous share to each
/// (static_chunks).
class ChunkQueue {
 public:
  ChunkQueue(std::uint64_t chunk_count, unsigned shares, Schedule schedule);

  static constexpr std::uint64_t none = UINT64_MAX;
  /// The next chunk below `limit` for the thread that owns `share`; `none` if there is no such chunk now.
  std::uint64_t next(unsigned share, std::uint64_t limit);
  /// Claims this very chunk. Returns false unless it is the next one of its share, which nobody has taken.
  bool claim(std::uint64_t chunk);
  bool finished(unsigned share) const;
  bool finished() const;

 private:
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
  };
  std::vector<Share> shares_;  // only one for dynamic_chunks
};

}  // namespace lode
