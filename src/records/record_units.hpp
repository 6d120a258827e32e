// How the records are divided among threads: units of about equal cost, and records so long that all threads search each
// together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lode/records.hpp"

namespace lode {

// The records cut into units of about equal cost.
class Units {
 public:
  Units(const Records& records, unsigned threads) : records_(records) {
    total_ = cost_before(records.size());
    cost_ = std::clamp(total_ / (std::uint64_t{threads} * most_units_ahead), least_unit_cost, unit_cost);
    count_ = records.empty() ? 0 : (total_ + cost_ - 1) / cost_;
  }
  std::uint64_t count() const { return count_; }
  /// First record of a unit; that of unit count() is the number of records.
  std::uint64_t first(std::uint64_t unit) const {
    if (unit == count_) return records_.size();
    std::uint64_t low = 0;  // the first record before which lies what `unit` units cost, or more
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
  // In bytes to search, or what takes as long.
  static constexpr std::uint64_t unit_cost = std::uint64_t{1} << 18;
  static constexpr std::uint64_t least_unit_cost = std::uint64_t{1} << 14;
  static constexpr std::uint64_t record_cost = 32;
  static constexpr std::uint64_t most_units_ahead = 64;  // of each thread: smaller texts are cut into smaller units

  std::uint64_t cost_before(std::uint64_t record) const {
    if (record == 0) return 0;
    return records_.end_of(record - 1) - records_.begin_of(0) + record * record_cost;
  }

  const Records& records_;
  std::uint64_t total_ = 0;
  std::uint64_t cost_ = 1;
  std::uint64_t count_ = 0;
};

// Which records of a unit are searched how.
class RecordChoice {
 public:
  RecordChoice(const Records& records, std::span<const std::uint8_t> wanted, unsigned threads)
      : records_(records),
        wanted_(wanted),
        long_bytes_(threads > 1 ? std::max(least_long_bytes, records.total_bytes() / (8 * std::uint64_t{threads}))
                                : UINT64_MAX) {}

  /// Calls scan(begin, end) for runs of records of [first, last) that are searched, and use_long(record) for each that is
  /// so long that all threads search it together.
  template <class Scan, class UseLong>
  void divide(std::uint64_t first, std::uint64_t last, Scan scan, UseLong use_long) const {
    // Without bytes to look at for each record, all of them are one range.
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
