// CellPatterns and CellSearchChoice: the search cell by cell. It looks in one record after the other for one pattern
// after the other, each up to its first occurrence.
//
// That is less work than looking at all occurrences where few patterns occur often in most records. Each thread has its
// own objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// The distinct patterns, laid out so that each is found at once.
class CellPatterns {
 public:
  explicit CellPatterns(const PlanData& plan) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
      rows_.push_back({plan.patterns[plan.lowest_id(distinct)], plan.ignore_case(distinct)});
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint32_t length(std::uint32_t distinct) const {
    return static_cast<std::uint32_t>(rows_[distinct].bytes.size());
  }

  /// The first place in the record, from `from` on, where the pattern stands; npos if there is none.
  std::size_t find(std::string_view record, std::size_t from, std::uint32_t distinct) const {
    const Row& row = rows_[distinct];
    if (row.ignore_case) return find_folded(record, from, row.bytes);
    if (row.bytes.size() != 1) return record.find(row.bytes, from);
    if (from >= record.size()) return std::string_view::npos;
    const void* const found = std::memchr(record.data() + from, row.bytes[0], record.size() - from);
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - record.data());
  }

 private:
  struct Row {
    std::string_view bytes;
    bool ignore_case;
  };

  static std::size_t find_folded(std::string_view record, std::size_t from, std::string_view pattern) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(record.data());
    const auto* const wanted = reinterpret_cast<const std::uint8_t*>(pattern.data());
    const std::uint8_t first = fold(wanted[0]);
    for (std::size_t at = from; at + pattern.size() <= record.size(); ++at)
      if (fold(bytes[at]) == first && equal_folded(bytes + at, wanted, pattern.size())) return at;
    return std::string_view::npos;
  }

  std::vector<Row> rows_;
};

/// Chooses for each unit of records whether to search it cell by cell, from what earlier units have shown.
class CellSearchChoice {
 public:
  /// `any`: for each record, one pattern that occurs is enough.
  CellSearchChoice(std::uint64_t patterns, bool any) : patterns_(patterns), any_(any) {}

  /// Learns from records that were searched for all occurrences. `hits`: how many of these were first ones of their
  /// record and pattern; with `any`, of their record.
  void learn(std::uint64_t records, std::uint64_t bytes, std::uint64_t occurrences, std::uint64_t hits) {
    // Costs in nanoseconds. A cell without a hit also costs the bytes of its record, which is read to its end.
    constexpr double occurrence = 10;
    constexpr double cell = 9;
    constexpr double byte = 0.15;
    const auto patterns = static_cast<double>(patterns_);
    // If any hit is enough, patterns are tried up to the first that occurs. Of n patterns, of which k occur in the
    // record, these are (n + 1) / (k + 1) on average.
    const double hit_rows = static_cast<double>(std::min(records, hits));
    const double tried = std::max(1.0, (patterns + 1) * hit_rows / (static_cast<double>(occurrences) + hit_rows + 1));
    const double cells = any_ ? hit_rows * tried + (static_cast<double>(records) - hit_rows) * patterns
                              : static_cast<double>(records) * patterns;
    const double empty = std::max(0.0, cells - (any_ ? hit_rows : static_cast<double>(hits)));
    const double of_cells = cells * cell + empty * byte * static_cast<double>(bytes) / static_cast<double>(records);
    is_worth_it_ = of_cells < static_cast<double>(occurrences) * occurrence;
    units_left_ = units_to_trust;
  }
  /// Whether to search the next unit cell by cell.
  bool choose() { return is_worth_it_ && units_left_-- > 0; }
  /// If choose() says no: whether a few records should be searched as a sample, because cells may turn out to be worth
  /// it and a whole unit would take long.
  bool wants_sample() const { return is_worth_it_; }

 private:
  static constexpr int units_to_trust = 15;
  const std::uint64_t patterns_;
  const bool any_;
  bool is_worth_it_ = true;  // what the last records have shown; true before the first
  int units_left_ = 0;
};

}  // namespace lode
