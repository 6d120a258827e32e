// CellSearch: looks for one pattern after the other in one record after the other, each up to its first occurrence. And
// when that is less work than to look at all occurrences of all patterns.
//
// Worth it where few patterns occur often in most records. Not shared between threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// The first place >= `from` of the record where the pattern stands, or npos.
inline std::size_t find_in_record(std::string_view record, std::size_t from, std::string_view pattern,
                                  bool ignore_case) {
  if (!ignore_case) return record.find(pattern, from);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(record.data());
  const auto* const wanted = reinterpret_cast<const std::uint8_t*>(pattern.data());
  const std::uint8_t first = fold(wanted[0]);
  for (std::size_t at = from; at + pattern.size() <= record.size(); ++at)
    if (fold(bytes[at]) == first && equal_folded(bytes + at, wanted, pattern.size())) return at;
  return std::string_view::npos;
}

/// Chooses for each unit of records, from what earlier units have shown.
class CellSearchChoice {
 public:
  /// `any`: one pattern of a record is enough.
  CellSearchChoice(std::uint64_t patterns, bool any) : patterns_(patterns), any_(any) {}

  /// What a unit that was searched for all occurrences has given. `hits`: first occurrences.
  void learn(std::uint64_t records, std::uint64_t bytes, std::uint64_t occurrences, std::uint64_t hits) {
    // Nanoseconds, as measured on a Zen 4. Cells without a hit are searched whole.
    constexpr double occurrence = 4;
    constexpr double cell = 12;
    constexpr double byte = 0.15;
    // Of a record where any hit is enough it is the first pattern's, as a guess.
    const double rows = static_cast<double>(any_ ? records - std::min(records, hits) : records);
    const double empty = std::max(0.0, rows * static_cast<double>(patterns_) - static_cast<double>(any_ ? 0 : hits));
    const double cells = empty + static_cast<double>(hits);
    const double of_cells = cells * cell + empty * byte * static_cast<double>(bytes) / static_cast<double>(records);
    is_worth_it_ = of_cells < static_cast<double>(occurrences) * occurrence;
    units_left_ = units_to_trust;
  }
  /// Whether to search the next unit cell by cell.
  bool choose() { return is_worth_it_ && units_left_-- > 0; }

 private:
  static constexpr int units_to_trust = 15;
  const std::uint64_t patterns_;
  const bool any_;
  bool is_worth_it_ = false;
  int units_left_ = 0;
};

}  // namespace lode
