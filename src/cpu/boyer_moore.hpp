// One pattern's part of `boyer-moore`.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/scan/collector.hpp"
#include "plan/boyer_moore.hpp"

namespace lode {

class BoyerMoorePattern {
 public:
  BoyerMoorePattern(const PlanData& plan, std::uint32_t distinct);

  /// Reports the pattern's occurrences in the collector's range.
  void scan(Collector& out) const;

 private:
  template <bool folded>
  void scan_lanes(Collector& out) const;
  template <bool folded>
  void scan_text(Collector& out, std::uint64_t begin, std::uint64_t end) const;

  std::uint32_t distinct_;
  BoyerMooreTables tables_;
  std::array<std::uint32_t, 256> shift_;  // by the byte under the pattern's end: by the bad-character rule
  std::array<std::uint32_t, 256> skip_;   // the same; 0 where it may match
};

}  // namespace lode
