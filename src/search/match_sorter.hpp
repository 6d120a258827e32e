// MatchSorter: sorts the matches of one block of a text by (offset, pattern id).
//
//   offsets   3 9 14 | 0 4 9 12          each class of patterns lists its own in order
//   buckets   [0 3] [4] [9 9] [12 14]    by offset, about as many as there are matches; then each by itself
//
// That takes a few passes over the matches, and a sort by comparisons one for each bit of their number. Matches that all
// begin at one place are one bucket, which is sorted by comparisons.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lode/match.hpp"

namespace lode {

/// Whether a match is reported before another one.
inline bool is_reported_before(const Match& a, const Match& b) {
  return a.offset != b.offset ? a.offset < b.offset : a.pattern_id < b.pattern_id;
}

class MatchSorter {
 public:
  void sort(std::span<Match> found);

 private:
  std::vector<Match> dealt_;           // the matches, bucket by bucket
  std::vector<std::uint32_t> starts_;  // where each bucket begins
};

}  // namespace lode
