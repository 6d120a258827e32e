// RecordSearch: searches resident records. It fills cells on their devices and reads them, or lists occurrences.
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
  estimated,  // whichever way a sample of the records says is faster
  scan,       // all occurrences are looked for, and the least offsets are kept
  search,     // each cell is searched by itself, unless a record is too long for that
};

struct RecordRequest {
  Condition condition = Condition::none;
  std::uint64_t memory_bytes = 0;  // for cells on each device, and for copies of them on the host; 0: chosen
  unsigned threads = 1;
  CellWay cells = CellWay::estimated;
  std::stop_token stop;
  std::function<void(std::uint64_t bytes)> progress;  // searched since the last call; one call at a time; may be empty
};

/// Totals of a search, counted on the devices.
struct RecordTotals {
  std::uint64_t matches = 0;         // cells or bits that were set; Mode::per_record and per_distinct: occurrences
  std::uint64_t candidates = 0;      // includes searched_cells
  std::uint64_t searched_cells = 0;  // cells that were searched one by one

  void add(const RecordTotals& other) {
    matches += other.matches;
    candidates += other.candidates;
    searched_cells += other.searched_cells;
  }
};

/// Takes the rows of records [first, last), as cells of the mode (kernels/abi.h). With Mode::any these are bits, lowest
/// first. Returns false if no more rows of the same part are wanted.
using TakeRows = std::function<bool(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words)>;
/// Takes occurrences in the order of records, and of offsets in each record; returns false to end the search.
using TakeListed = std::function<bool(std::span<const RecordOccurrence> found)>;

/// Bound to engines, which outlive it. Safe to use from any number of threads.
class RecordSearch {
 public:
  explicit RecordSearch(std::vector<Engine*> engines);
  ~RecordSearch();

  /// Gives each row to `take` once, in order within a part. Each device has a thread of its own that calls `take`.
  RecordTotals fill(const ResidentRecords& records, Mode mode, const RecordRequest& request,
                    const TakeRows& take) const;
  /// Whether fill() searches each cell by itself.
  bool searches_cells(const ResidentRecords& records, Mode mode, const RecordRequest& request) const;
  /// Fills rows of records of the host, which become resident on the first device, some MiB at a time. Rows come in
  /// order. Mode::first searches cell by cell (precondition: no record is longer than most_cell_record_bytes).
  RecordTotals fill(const Records& records, Mode mode, const RecordRequest& request, const TakeRows& take) const;
  /// Leaves the rows of all records in `cells`. All records lie on one device, in one part.
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

  // Makes parts of the records resident on the first device, one after the other. `search` returns false to stop.
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
  mutable std::mutex mutex_;  // guards choices_
  // Whether cells are searched one by one, by the records' number and the condition.
  mutable std::map<std::pair<std::uint64_t, Condition>, bool> choices_;
};

}  // namespace lode::gpu
