// One pattern's part of `boyer-moore`, also used by `vector` where candidates that are almost matches would take it long.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/collector.hpp"
#include "plan/boyer_moore.hpp"

namespace lode {

class BoyerMoorePattern {
 public:
  BoyerMoorePattern(const PlanData& plan, std::uint32_t distinct);

  /// Reports the pattern's occurrences in the collector's range that start at `begin` or behind it.
  void scan(Collector& out, std::uint64_t begin) const;

 private:
  template <bool folded>
  void scan_text(Collector& out, std::uint64_t begin) const;

  std::uint32_t distinct_;
  BoyerMooreTables tables_;
  std::array<std::uint32_t, 256> skip_;  // of the byte under the pattern's end; 0 where it may match
};

}  // namespace lode
