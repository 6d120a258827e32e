// Finding the occurrences of a plan's patterns in records.
//
// On the CPU each thread takes units: some records that lie one behind the other, as many as make up a fixed amount of
// work. The bytes of a unit are searched as one text; what crosses the end of a record is dropped. Records so long that a
// thread would be alone with one at the end are searched by all threads together, one after the other. On GPUs all bytes
// are one text, and the caller's thread tells which record an occurrence lies in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lode/records.hpp"
#include "search/executor.hpp"

namespace lode {

/// An occurrence within a record.
struct RecordOccurrence {
  std::uint64_t record = 0;
  std::uint64_t offset = 0;  // from the record's first byte
  std::uint32_t distinct = 0;
};

/// What becomes of the occurrences. Used by one thread at a time; all of a record go to the same taker.
class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  /// Records [first, last) come next. Each record is begun once, before any of its occurrences.
  virtual void begin(std::uint64_t first, std::uint64_t last) = 0;
  virtual void take(std::span<const RecordOccurrence> found) = 0;
};
using MakeRecordTaker = std::function<std::unique_ptr<RecordTaker>()>;

/// What searches of records need to know. `cpu.options.condition` is `none`: conditions are up to records.
struct RecordSetup {
  ExecutorSetup cpu;
  Condition condition = Condition::none;
};

/// Occurrences of a text, in order, as run_ordered() of the executor gives them.
using OrderedSearch = std::function<std::uint64_t(const Text& text, const RunOptions& run,
                                                  const std::function<bool(std::span<const Match>)>& take)>;

/// Gives the occurrences in all records to takers, in any order, on all threads of the CPU. `wanted`: one byte a record, 0
/// for those to be left out (they are begun all the same); empty: all. Returns the number of candidates.
std::uint64_t take_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// The same by a search that gives occurrences in order; takers begin on all threads, and the caller's thread gives all
/// occurrences to one.
std::uint64_t take_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const MakeRecordTaker& make_taker);

/// Gives the occurrences in order of records to `take`, in batches; of one record in any order. `take` returns false to
/// end the search. Returns the number of candidates.
std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run,
                            const std::function<bool(std::span<const RecordOccurrence>)>& take);

}  // namespace lode
