// The part of `boyer-moore` that one pattern needs.
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
  std::array<std::uint32_t, 256> shift_;  // the bad-character rule, by the text's byte under the pattern's end
  std::array<std::uint32_t, 256> skip_;   // the same, but 0 where the pattern may match
};

}  // namespace lode
