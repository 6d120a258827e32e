#include "search/chunks.hpp"

#include <algorithm>

#include "text/condition.hpp"

namespace lode {
namespace {

constexpr std::uint64_t chunks_per_thread = 128;
constexpr std::uint64_t most_chunk_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t least_chunk_bytes = std::uint64_t{1} << 16;
// One thread alone waits for no other, so its chunks may be larger. They still stay in its cache when several patterns
// are searched for one after the other.
constexpr std::uint64_t least_chunk_bytes_of_one = std::uint64_t{1} << 18;

std::uint64_t choose_chunk_bytes(const PlanData& plan, const SearcherOptions& options, std::uint64_t bytes,
                                 unsigned threads) {
  if (options.chunk_bytes != 0) return options.chunk_bytes;
  // Each thread gets about a hundred chunks, so waiting for the last one costs about a percent. For long patterns
  // chunks are larger, so that the overlap stays a small part of them.
  const std::uint64_t share = std::clamp(bytes / (threads * chunks_per_thread),
                                         threads == 1 ? least_chunk_bytes_of_one : least_chunk_bytes, most_chunk_bytes);
  return std::max(share, std::uint64_t{plan.patterns.max_length()} * 4);
}

}  // namespace

ChunkLayout::ChunkLayout(const PlanData& plan, const SearcherOptions& options, const Text& text, const RunOptions& run,
                         unsigned threads)
    : text_size(text.size()),
      begin(std::min(run.begin, text_size)),
      end(std::clamp(run.end, begin, text_size)),
      overlap(std::uint64_t{plan.patterns.max_length()} - 1 + plan.condition_check(options.condition).bytes_behind()) {
  chunk_bytes = choose_chunk_bytes(plan, options, end - begin, threads);
  chunk_count = (end - begin) / chunk_bytes + ((end - begin) % chunk_bytes != 0 ? 1 : 0);
}

Piece PieceReader::read(std::uint64_t begin, std::uint64_t end) {
  if (text_.source() == nullptr)
    return {reinterpret_cast<const std::uint8_t*>(text_.bytes().data()), text_.bytes().size(), 0};
  const std::uint64_t first = begin - std::min(begin, condition_bytes_before);
  const std::uint64_t last = std::min(layout_.text_size, end + layout_.overlap);
  if (buffer_.size() < last - first) buffer_.resize(last - first);
  text_.source()->read(first, std::span(buffer_).first(last - first));
  return {reinterpret_cast<const std::uint8_t*>(buffer_.data()), last - first, first};
}

ChunkQueue::ChunkQueue(std::uint64_t chunk_count, unsigned shares, Schedule schedule)
    : shares_(schedule == Schedule::dynamic_chunks ? 1 : shares) {
  for (std::size_t share = 0; share < shares_.size(); ++share) {
    shares_[share].next = chunk_count * share / shares_.size();
    shares_[share].end = chunk_count * (share + 1) / shares_.size();
  }
}

std::uint64_t ChunkQueue::next(unsigned share, std::uint64_t limit) {
  Share& own = shares_[share % shares_.size()];
  std::uint64_t chunk = own.next.load();
  while (chunk < own.end && chunk < limit)
    if (own.next.compare_exchange_weak(chunk, chunk + 1)) return chunk;
  return none;
}

bool ChunkQueue::claim(std::uint64_t chunk) {
  for (Share& share : shares_) {
    if (chunk >= share.end) continue;
    std::uint64_t expected = chunk;
    return share.next.compare_exchange_strong(expected, chunk + 1);
  }
  return false;
}

bool ChunkQueue::finished(unsigned share) const {
  const Share& own = shares_[share % shares_.size()];
  return own.next.load() >= own.end;
}

bool ChunkQueue::finished() const {
  return std::all_of(shares_.begin(), shares_.end(), [](const Share& share) { return share.next.load() >= share.end; });
}

}  // namespace lode
