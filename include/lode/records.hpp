// Records: many short texts that lie one behind the other in memory, and the search of all of them at once.
//
// RecordSearcher says for each record and pattern where the pattern first occurs in the record. Offsets count from the
// record's first byte. A match lies within one record; conditions take the record's ends for the text's. A null record
// has no matches. Results do not depend on threads, device, algorithm or instruction set.
//
//   const lode::RecordSearcher searcher(lode::Plan::build(lode::PatternSet{"kitty", "puppy"}));
//   const std::uint64_t ends[] = {0, 15, 30};
//   std::vector<std::int32_t> cells(4);
//   searcher.first_dense(lode::Records::with_offsets("kitty and puppypuppy, elephant", ends), cells);  // 0, 10, -1, 0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lode/device.hpp"
#include "lode/export.hpp"
#include "lode/plan.hpp"
#include "lode/record_layout.hpp"
#include "lode/resident_records.hpp"
#include "lode/searcher.hpp"

namespace lode {

/// What is searched: records in memory, or resident on GPUs. Borrows; the caller keeps it alive.
class RecordSource {
 public:
  RecordSource(const Records& records) : records_(&records) {}           // NOLINT(google-explicit-constructor)
  RecordSource(const ResidentRecords& records) : resident_(&records) {}  // NOLINT(google-explicit-constructor)

  std::uint64_t size() const noexcept { return resident_ != nullptr ? resident_->size() : records_->size(); }
  std::uint64_t total_bytes() const noexcept {
    return resident_ != nullptr ? resident_->total_bytes() : records_->total_bytes();
  }
  const ResidentRecords* resident() const noexcept { return resident_; }
  const Records& records() const noexcept { return *records_; }  // where resident() is null

 private:
  const Records* records_ = nullptr;
  const ResidentRecords* resident_ = nullptr;
};

/// The first occurrence of a pattern in a record.
struct RecordHit {
  std::uint64_t record = 0;
  std::uint64_t offset = 0;  // from the record's first byte
  std::uint32_t pattern_id = 0;

  friend bool operator==(const RecordHit&, const RecordHit&) = default;
};

/// Hits of a sparse matrix, by rows (CSR): those of record r are [row_starts[r], row_starts[r + 1]), by pattern id.
struct RecordHits {
  std::vector<std::uint64_t> row_starts;  // one more than records
  std::vector<std::uint32_t> pattern_ids;
  std::vector<std::uint64_t> offsets;
};

/// Receives hits sorted by (record, pattern id), in batches that end with a record. Returns false to end the search early.
using RecordHitSink = std::function<bool(std::span<const RecordHit>)>;

struct RecordStats {
  // `matches`: of the result: cells, records, bits or occurrences. Of hits those that the sink was given; the batch with
  // which it ended the search is among them.
  SearchStats search;
  std::uint64_t records = 0;
  // rabin-karp works in two stages: it flags records in which some pattern may occur, and these are searched exactly.
  std::uint64_t flagged_records = 0;
  std::uint64_t false_positives = 0;  // flagged records without a match
  double flag_seconds = 0;
  double verify_seconds = 0;
};

struct RecordRunOptions {
  std::stop_token stop;          // set: the call throws Error(cancelled)
  Progress progress;             // bytes done, bytes in all; must not use the searcher
  RecordStats* stats = nullptr;  // filled where given
};

/// A plan bound to a device, for records. Immutable; safe to use from any number of threads at once.
class LODE_API RecordSearcher {
 public:
  /// As a Searcher; match kinds other than `overlapping` and one_per_line throw Error(invalid_argument).
  explicit RecordSearcher(Plan plan, SearcherOptions options = {}, const Device& device = Device::cpu());
  RecordSearcher(const RecordSearcher&) = delete;
  RecordSearcher& operator=(const RecordSearcher&) = delete;
  RecordSearcher(RecordSearcher&&) noexcept;
  RecordSearcher& operator=(RecordSearcher&&) noexcept;
  ~RecordSearcher();

  RecordHits first(const RecordSource& records, const RecordRunOptions& run = {}) const;
  /// Memory stays within the options' limit, or what the hits of 64 KiB of records, or of one that is longer, need.
  void first(const RecordSource& records, const RecordHitSink& sink, const RecordRunOptions& run = {}) const;
  /// Cell record * patterns + id: the offset of the first occurrence, or -1. Throws Error(limit) with the number of cells
  /// needed where there are fewer, and for 32-bit cells where a record is longer than 2^31 - 1 bytes. For results in parts,
  /// give a slice of the records at a time.
  void first_dense(const RecordSource& records, std::span<std::int32_t> cells, const RecordRunOptions& run = {}) const;
  void first_dense(const RecordSource& records, std::span<std::int64_t> cells, const RecordRunOptions& run = {}) const;
  /// The same in the memory of the GPU that the records lie on: nothing is copied.
  void first_dense(const ResidentRecords& records, DeviceMatrix& cells, const RecordRunOptions& run = {}) const;
  /// One bit a record, from the lowest of each byte on: whether any pattern occurs in it.
  std::vector<std::uint8_t> contains_any(const RecordSource& records, const RecordRunOptions& run = {}) const;
  /// One bit a pattern, contains_row_bytes() for each record, unused bits 0. Throws Error(limit) as first_dense.
  void contains(const RecordSource& records, std::span<std::uint8_t> bits, const RecordRunOptions& run = {}) const;
  std::uint64_t contains_row_bytes() const noexcept;
  /// Numbers of all occurrences, overlapping ones included.
  std::vector<std::uint64_t> count_per_record(const RecordSource& records, const RecordRunOptions& run = {}) const;
  std::vector<std::uint64_t> count_per_pattern(const RecordSource& records, const RecordRunOptions& run = {}) const;

  const Plan& plan() const noexcept;
  const SearcherOptions& options() const noexcept;
  const Device& device() const noexcept;
  const std::string& algorithm() const noexcept;        // that `auto` chose, or that was asked for
  const std::string& instruction_set() const noexcept;  // in use
  std::string strategy() const;                         // as in SearchStats

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// records * patterns; throws Error(limit) where that is more than 2^64 - 1.
LODE_API std::uint64_t dense_cells(std::uint64_t records, std::uint64_t patterns);

}  // namespace lode
