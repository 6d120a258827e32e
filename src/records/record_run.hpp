// Finding the occurrences of a plan's patterns in records.
//
// On the CPU each thread takes units: neighbouring records that are about equally much work. The bytes of a unit are
// searched as one text, and occurrences that cross the end of a record are dropped. A record so long that all threads
// would have to wait for it at the end is searched by all threads together. On GPUs the bytes of all records are one
// text, and the host tells which record an occurrence lies in.
//
//   records |hesaid|she|her|   `he` occurs at 0, 7 and 9 of the bytes: (record, offset) = (0, 0), (1, 1), (2, 0).
//                              `ds` at 5 crosses an end and is dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/record_occurrence.hpp"
#include "lode/records.hpp"
#include "search/executor.hpp"
#include "search/view_search.hpp"

namespace lode {

/// Which occurrences of a record are enough for a result.
enum class Enough { all, first_of_each_pattern, any };

/// Makes a result of occurrences. One thread at a time uses a taker. All occurrences of a record go to the same taker.
class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  /// Announces records [first, last). Each record is announced once, before any of its occurrences.
  virtual void begin(std::uint64_t first, std::uint64_t last) = 0;
  /// Takes occurrences. Returns how many of them are hits: the first so far of their record and pattern.
  virtual std::uint64_t take(std::span<const RecordOccurrence> found) = 0;
  /// Takes first occurrences, sorted by (record, distinct). No other occurrences of their records come before or after.
  virtual void take_firsts(std::span<const RecordOccurrence> found) { take(found); }
  /// Which occurrences the taker needs. It may get others as well.
  virtual Enough enough() const { return Enough::all; }
};
using MakeRecordTaker = std::function<std::unique_ptr<RecordTaker>()>;

/// What searches of records need to know. `cpu.options.condition` is `none`, because a condition depends on where
/// records end; `condition` is the one to check. `view` is null if the plan has no view.
struct RecordSetup {
  ExecutorSetup cpu;
  Condition condition = Condition::none;
  const ViewSearch* view = nullptr;
};

/// A search that gives the occurrences in a text, in order, as Backend::run_ordered() does. Returns the number of
/// candidates.
using OrderedSearch = std::function<std::uint64_t(const Text& text, const RunOptions& run, const TakeMatches& take)>;

/// Gives the occurrences in all records to takers, in any order, on all threads of the CPU. `wanted` has one byte a
/// record, which is 0 for records to be left out (they are announced all the same); if it is empty, all are searched.
/// Returns the number of candidates.
std::uint64_t take_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// Gives the occurrences in all records to takers, by a search that gives them in order. Returns the number of
/// candidates.
std::uint64_t take_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// Takes occurrences in order of records, and returns false to end the search. If `complete`, they are first
/// occurrences, sorted by (record, distinct), and no more of their records will come. Otherwise more of the last record
/// may follow.
using TakeRecords = std::function<bool(std::span<const RecordOccurrence> found, bool complete)>;

/// Gives first occurrences to `take`, in order of records and in batches. For a record that all threads search
/// together, other occurrences come, too. `wanted` and the result are those of take_on_cpu().
std::uint64_t list_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const TakeRecords& take);

/// Gives all occurrences to `take`, in order of records and in batches; those of one record come in any order. Returns
/// the number of candidates.
std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const TakeRecords& take);

/// Gathers the first occurrences of some records. With few distinct patterns, each has a place that tells at once
/// whether an occurrence is the first; otherwise sort() drops the others.
class FirstList {
 public:
  explicit FirstList(std::uint32_t distinct_count) : places_(distinct_count <= most_places ? distinct_count : 0) {}

  /// Adds an occurrence. Returns whether it counts as the first of its record and pattern.
  bool add(const RecordOccurrence& found) {
    if (places_.empty()) {
      list_.push_back(found);
      if (list_.size() >= sort_at_) sort();
      return true;
    }
    // The place may still point into an earlier list. What stands there now then has another record or pattern.
    std::uint32_t& place = places_[found.distinct];
    if (place < list_.size() && list_[place].distinct == found.distinct && list_[place].record == found.record) {
      list_[place].offset = std::min(list_[place].offset, found.offset);
      return false;
    }
    place = static_cast<std::uint32_t>(list_.size());
    list_.push_back(found);
    return true;
  }
  /// Adds first occurrences, sorted by (record, distinct), of records behind all others in the list. No more
  /// occurrences of these records may follow.
  void append(std::span<const RecordOccurrence> firsts) {
    sort();
    list_.insert(list_.end(), firsts.begin(), firsts.end());
    sorted_ = list_.size();
  }
  /// Sorts by (record, distinct), and leaves only the first occurrence of each pair.
  void sort();
  void clear() {
    list_.clear();
    sorted_ = 0;
    sort_at_ = least_to_sort;
  }
  std::span<const RecordOccurrence> list() const { return list_; }
  /// Swaps lists. Call clear() before the next use.
  void swap(std::vector<RecordOccurrence>& other) { list_.swap(other); }
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }

 private:
  static constexpr std::uint32_t most_places = 1U << 22;
  static constexpr std::size_t least_to_sort = std::size_t{1} << 16;

  std::vector<RecordOccurrence> list_;
  std::size_t sorted_ = 0;             // so many, at the front, came by append()
  std::vector<std::uint32_t> places_;  // for each distinct pattern, the index where it was added last; empty: too many
  std::size_t sort_at_ = least_to_sort;
};

}  // namespace lode
