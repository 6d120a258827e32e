// How records are divided among threads: into units of about equal cost, and records so long that all threads search
// each of them together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lode/records.hpp"

namespace lode {

// Cuts records into units: neighbouring records of about equal cost.
class Units {
 public:
  Units(const Records& records, unsigned threads) : records_(records) {
    total_ = cost_before(records.size());
    cost_ = std::clamp(total_ / (std::uint64_t{threads} * most_units_ahead), least_unit_cost, unit_cost);
    count_ = records.empty() ? 0 : (total_ + cost_ - 1) / cost_;
  }
  std::uint64_t count() const { return count_; }
  /// The first record of a unit. For unit count() it is the number of records.
  std::uint64_t first(std::uint64_t unit) const {
    if (unit == count_) return records_.size();
    // The search is for the first record before which all records cost at least as much as `unit` units.
    std::uint64_t low = 0;
    std::uint64_t high = records_.size();
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (cost_before(middle) < unit * cost_)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  // A cost is a number of bytes to search, or other work that takes as long.
  static constexpr std::uint64_t unit_cost = std::uint64_t{1} << 18;
  static constexpr std::uint64_t least_unit_cost = std::uint64_t{1} << 14;
  static constexpr std::uint64_t record_cost = 32;
  static constexpr std::uint64_t most_units_ahead = 64;  // for each thread: fewer bytes are cut into smaller units

  std::uint64_t cost_before(std::uint64_t record) const {
    if (record == 0) return 0;
    return records_.end_of(record - 1) - records_.begin_of(0) + record * record_cost;
  }

  const Records& records_;
  std::uint64_t total_ = 0;
  std::uint64_t cost_ = 1;
  std::uint64_t count_ = 0;
};

// Chooses how each record of a unit is searched: with its neighbours, by all threads together, or not at all.
class RecordChoice {
 public:
  RecordChoice(const Records& records, std::span<const std::uint8_t> wanted, unsigned threads)
      : records_(records),
        wanted_(wanted),
        long_bytes_(threads > 1 ? std::max(least_long_bytes, records.total_bytes() / (8 * std::uint64_t{threads}))
                                : UINT64_MAX) {}

  /// Calls scan(begin, end) for each run of records in [first, last) to be searched, and use_long(record) for each
  /// record so long that all threads search it together.
  template <class Scan, class UseLong>
  void divide(std::uint64_t first, std::uint64_t last, Scan scan, UseLong use_long) const {
    // If all records are wanted and none can be long, they are one run. Then null records are searched in vain.
    if (wanted_.empty() && records_.end_of(last - 1) - records_.begin_of(first) <= long_bytes_)
      return scan(first, last);
    for (std::uint64_t record = first; record < last; ++record) {
      if (!is_wanted(record)) continue;
      if (is_long(record)) {
        use_long(record);
        continue;
      }
      const std::uint64_t begin = record;
      while (record + 1 < last && is_wanted(record + 1) && !is_long(record + 1)) ++record;
      scan(begin, record + 1);
    }
  }

 private:
  static constexpr std::uint64_t least_long_bytes = std::uint64_t{4} << 20;

  bool is_wanted(std::uint64_t record) const {
    return (wanted_.empty() || wanted_[record] != 0) && !records_.is_null(record);
  }
  bool is_long(std::uint64_t record) const { return records_.end_of(record) - records_.begin_of(record) > long_bytes_; }

  const Records& records_;
  const std::span<const std::uint8_t> wanted_;
  const std::uint64_t long_bytes_;
};

}  // namespace lode
