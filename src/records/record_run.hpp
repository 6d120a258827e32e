// Finding the occurrences of a plan's patterns in records.
//
// On the CPU each thread takes units: some records that lie one behind the other, as many as make up a fixed amount of
// work. The bytes of a unit are searched as one text; what crosses the end of a record is dropped. Records so long that a
// thread would be alone with one at the end are searched by all threads together, one after the other. On GPUs all bytes
// are one text, and the caller's thread tells which record an occurrence lies in.
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

namespace lode {

enum class Enough { all, first_of_each_pattern, any };

/// What becomes of the occurrences. Used by one thread at a time; all of a record go to the same taker.
class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  /// Records [first, last) come next. Each record is begun once, before any of its occurrences.
  virtual void begin(std::uint64_t first, std::uint64_t last) = 0;
  /// Returns how many of them are hits: the first of their record and pattern so far.
  virtual std::uint64_t take(std::span<const RecordOccurrence> found) = 0;
  /// The same of first ones, sorted by (record, distinct), of records of which no others were given or will be.
  virtual void take_firsts(std::span<const RecordOccurrence> found) { take(found); }
  /// What is enough. Others may be given as well.
  virtual Enough enough() const { return Enough::all; }
};
using MakeRecordTaker = std::function<std::unique_ptr<RecordTaker>()>;

/// What searches of records need to know. `cpu.options.condition` is `none`: conditions are up to records.
struct RecordSetup {
  ExecutorSetup cpu;
  Condition condition = Condition::none;
};

/// Occurrences of a text, in order, as Backend::run_ordered() gives them.
using OrderedSearch = std::function<std::uint64_t(const Text& text, const RunOptions& run, const TakeMatches& take)>;

/// Gives the occurrences in all records to takers, in any order, on all threads of the CPU. `wanted`: one byte a record, 0
/// for those to be left out (they are begun all the same); empty: all. Returns the number of candidates.
std::uint64_t take_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// The same by a search that gives occurrences in order.
std::uint64_t take_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// Takes occurrences, and returns false to end the search. `complete`: they are first ones, sorted by (record, distinct),
/// and of records of which no more will come; else there may be others of the last record.
using TakeRecords = std::function<bool(std::span<const RecordOccurrence> found, bool complete)>;

/// Gives first occurrences in order of records to `take`, in batches; of a record that all threads search together, others,
/// too. Otherwise as take_on_cpu.
std::uint64_t list_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const TakeRecords& take);

/// Gives all occurrences in order of records to `take`, in batches; of one record in any order. `take` returns false to
/// end the search. Returns the number of candidates.
std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const TakeRecords& take);

/// First occurrences of some records. Those that are not are dropped at once where that is easily seen, else by sort().
class FirstList {
 public:
  explicit FirstList(std::uint32_t distinct_count) : places_(distinct_count <= most_places ? distinct_count : 0) {}

  /// Whether it is taken for a new one.
  bool add(const RecordOccurrence& found) {
    if (places_.empty()) {
      list_.push_back(found);
      if (list_.size() >= sort_at_) sort();
      return true;
    }
    // Whatever stands there by chance, from a list of before, is another's.
    std::uint32_t& place = places_[found.distinct];
    if (place < list_.size() && list_[place].distinct == found.distinct && list_[place].record == found.record) {
      list_[place].offset = std::min(list_[place].offset, found.offset);
      return false;
    }
    place = static_cast<std::uint32_t>(list_.size());
    list_.push_back(found);
    return true;
  }
  /// Adds first ones, sorted by (record, distinct), of records behind those before; others of these may not follow.
  void append(std::span<const RecordOccurrence> firsts) {
    sort();
    list_.insert(list_.end(), firsts.begin(), firsts.end());
    sorted_ = list_.size();
  }
  /// Sorts by (record, distinct), and leaves one of each.
  void sort();
  void clear() {
    list_.clear();
    sorted_ = 0;
    sort_at_ = least_to_sort;
  }
  std::span<const RecordOccurrence> list() const { return list_; }
  /// Takes what `other` held to be cleared.
  void swap(std::vector<RecordOccurrence>& other) { list_.swap(other); }
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }

 private:
  static constexpr std::uint32_t most_places = 1U << 22;
  static constexpr std::size_t least_to_sort = std::size_t{1} << 16;

  std::vector<RecordOccurrence> list_;
  std::size_t sorted_ = 0;             // so many came sorted, of records that are complete
  std::vector<std::uint32_t> places_;  // of each distinct pattern, that of its last addition; or none
  std::size_t sort_at_ = least_to_sort;
};

}  // namespace lode
