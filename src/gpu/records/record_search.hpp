// Searching resident records: fills cells on their devices and reads them, or lists occurrences.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/record_occurrence.hpp"
#include "gpu/engine/engine.hpp"
#include "gpu/records/resident_records.hpp"

namespace lode::gpu {

/// How Mode::first fills cells. Results do not depend on it.
enum class CellWay {
  estimated,  // by whatever takes less time, as a sample of the records tells
  scan,       // all occurrences are looked for, and the first ones kept
  search,     // each cell is looked for by itself, where no record is too long for that
};

struct RecordRequest {
  Condition condition = Condition::none;
  std::uint64_t memory_bytes = 0;  // of each device, for cells, and of the host for copies of them; 0: chosen
  unsigned threads = 1;
  CellWay cells = CellWay::estimated;
  std::stop_token stop;
  std::function<void(std::uint64_t bytes)> progress;  // done since the last call; one at a time; may be empty
};

/// What a search counted on the devices.
struct RecordTotals {
  std::uint64_t matches = 0;         // cells or bits that were set; Mode::per_record and per_distinct: occurrences
  std::uint64_t candidates = 0;      // also cells that were looked for by themselves
  std::uint64_t searched_cells = 0;  // these alone

  void add(const RecordTotals& other) {
    matches += other.matches;
    candidates += other.candidates;
    searched_cells += other.searched_cells;
  }
};

/// The rows of some records, as the mode's cells are (kernels/abi.h). Mode::any: bits, that of `first` is the lowest.
/// Returns false where no others are wanted of the part that they are of.
using TakeRows = std::function<bool(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words)>;
/// Occurrences in order of records, and of offsets in each; returns false to end the search.
using TakeListed = std::function<bool(std::span<const RecordOccurrence> found)>;

/// Bound to engines, which outlive it. Safe to use from any number of threads.
class RecordSearch {
 public:
  explicit RecordSearch(std::vector<Engine*> engines);
  ~RecordSearch();

  /// Gives rows to `take`, those of several devices at once; each row once, in order within a part.
  RecordTotals fill(const ResidentRecords& records, Mode mode, const RecordRequest& request,
                    const TakeRows& take) const;
  /// Whether fill() looks for cells by themselves.
  bool searches_cells(const ResidentRecords& records, Mode mode, const RecordRequest& request) const;
  /// The same of records of the host, which become resident on the first device, some MiB at a time; Mode::first by cells
  /// (precondition: none is longer than most_cell_record_bytes). Rows come in order.
  RecordTotals fill(const Records& records, Mode mode, const RecordRequest& request, const TakeRows& take) const;
  /// Leaves the rows of all records in `cells`, on the one device of the records.
  RecordTotals fill_on_device(const ResidentRecords& records, Mode mode, const RecordRequest& request,
                              const Buffer& cells) const;
  RecordTotals count_per_distinct(const ResidentRecords& records, const RecordRequest& request,
                                  std::vector<std::uint64_t>& counts) const;
  RecordTotals count_per_distinct(const Records& records, const RecordRequest& request,
                                  std::vector<std::uint64_t>& counts) const;
  RecordTotals list(const ResidentRecords& records, const RecordRequest& request, const TakeListed& take) const;

 private:
  struct Workspace;
  struct PerDevice;

  // Makes parts of the records resident on the first device, one after the other; `search` returns false to end.
  using SearchPart = std::function<bool(const ResidentRecords& part, std::uint64_t first)>;
  void stage(const Records& records, const RecordRequest& request, const SearchPart& search) const;
  RecordArguments arguments_of(const RecordPart& part, const RecordRequest& request) const;
  void search_rows(const RecordPart& part, Mode mode, const RecordRequest& request, Workspace& workspace,
                   const Buffer& cells, std::uint64_t first, std::uint64_t last, RecordTotals& totals) const;
  void search_cells(const RecordPart& part, const RecordRequest& request, Workspace& workspace, const Buffer& cells,
                    std::uint64_t first, std::uint64_t last, RecordTotals& totals) const;
  void fill_part(const RecordPart& part, Mode mode, bool by_cell, const RecordRequest& request, const TakeRows& take,
                 RecordTotals& totals) const;

  std::vector<Engine*> engines_;
  std::vector<std::unique_ptr<PerDevice>> devices_;
  mutable std::mutex mutex_;                                             // of what follows
  mutable std::map<std::pair<std::uint64_t, Condition>, bool> choices_;  // by the records' number
};

}  // namespace lode::gpu
