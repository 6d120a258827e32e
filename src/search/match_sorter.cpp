#include "search/match_sorter.hpp"

#include <algorithm>
#include <bit>

namespace lode {
namespace {

// Fewer are sorted as fast by comparisons.
constexpr std::size_t least_dealt = 64;
constexpr std::size_t most_dealt = std::size_t{1} << 16;  // matches, so that they take no more than a MiB again

}  // namespace

void MatchSorter::sort(std::span<Match> found) {
  if (std::is_sorted(found.begin(), found.end(), is_reported_before)) return;
  if (found.size() < least_dealt || found.size() > most_dealt) {
    std::sort(found.begin(), found.end(), is_reported_before);
    return;
  }
  std::uint64_t lowest = UINT64_MAX, highest = 0;
  for (const Match& match : found) {
    lowest = std::min(lowest, match.offset);
    highest = std::max(highest, match.offset);
  }
  const int bits_of_offsets = std::bit_width(highest - lowest), bits_of_buckets = std::bit_width(found.size());
  const int shift = std::max(0, bits_of_offsets - bits_of_buckets);
  const auto bucket_of = [&](const Match& match) { return (match.offset - lowest) >> shift; };
  starts_.assign((std::size_t{1} << bits_of_buckets) + 1, 0);
  for (const Match& match : found) ++starts_[bucket_of(match) + 1];
  for (std::size_t bucket = 1; bucket < starts_.size(); ++bucket) starts_[bucket] += starts_[bucket - 1];
  dealt_.resize(found.size());
  for (const Match& match : found) dealt_[starts_[bucket_of(match)]++] = match;

  // Each start has become the end of its bucket.
  std::size_t begin = 0;
  for (const std::uint32_t end : starts_) {
    if (end - begin > 1) std::sort(dealt_.begin() + begin, dealt_.begin() + end, is_reported_before);
    begin = end;
  }
  std::copy(dealt_.begin(), dealt_.end(), found.begin());
}

}  // namespace lode
