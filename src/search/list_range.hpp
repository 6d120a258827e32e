// list_range() lists the occurrences of a range in bounded memory. A range whose list overflows is halved, and both
// halves are scanned again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/scanner.hpp"

namespace lode {

/// Gives the occurrences that start in [at, end) of the piece to `take`, in one or more calls. Each call gets all
/// occurrences of one part of the range, in any order; then `at` moves behind that part. Returns false if `take` did. A
/// list holds at most `limit` occurrences, unless a single place has more.
template <class Take>
bool list_range(const Scanner& scanner, Collector& collector, const Piece& piece, std::uint64_t& at, std::uint64_t end,
                std::uint64_t limit, Take& take) {
  const bool divisible = end - at > 1;
  collector.start_range(piece, at, end, divisible ? limit : UINT64_MAX);
  scanner.scan(collector);
  if (collector.overflowed()) {
    const std::uint64_t middle = at + (end - at) / 2;
    return list_range(scanner, collector, piece, at, middle, limit, take) &&
           list_range(scanner, collector, piece, at, end, limit, take);
  }
  if (!collector.list().empty() && !take(collector.list())) return false;
  at = end;
  return true;
}

}  // namespace lode
