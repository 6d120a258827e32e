// Searching records: many short texts that lie one behind the other in memory are searched all at once.
//
// A RecordSearcher tells for each record and pattern where the pattern first occurs in the record. Offsets count from
// the record's first byte. A match lies within one record, and for conditions the record is the whole text. A null
// record has no matches. Results do not depend on threads, device, algorithm or instruction set.
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

/// A source of records: in memory, or resident on GPUs. It borrows them; the caller keeps them
/// alive.
class RecordSource {
 public:
  RecordSource(const Records& records) : records_(&records) {}           // NOLINT(google-explicit-constructor)
  RecordSource(const ResidentRecords& records) : resident_(&records) {}  // NOLINT(google-explicit-constructor)

  std::uint64_t size() const noexcept { return resident_ != nullptr ? resident_->size() : records_->size(); }
  std::uint64_t total_bytes() const noexcept {
    return resident_ != nullptr ? resident_->total_bytes() : records_->total_bytes();
  }
  const ResidentRecords* resident() const noexcept { return resident_; }
  const Records& records() const noexcept { return *records_; }  // only if resident() is null

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

/// Hits as a sparse matrix in rows (CSR). The hits of record r have the indexes [row_starts[r], row_starts[r + 1]) in
/// the other two vectors, and are sorted by pattern id.
struct RecordHits {
  std::vector<std::uint64_t> row_starts;  // one element more than there are records
  std::vector<std::uint32_t> pattern_ids;
  std::vector<std::uint64_t> offsets;
};

/// All matches in records, in rows (CSR). Those of record r have the indexes [row_starts[r], row_starts[r + 1]) in
/// `matches`, and are sorted as in a text. Their offsets begin at the record's first byte.
struct RecordMatches {
  std::vector<std::uint64_t> row_starts;  // one element more than there are records
  std::vector<Match> matches;
};

/// Receives hits sorted by (record, pattern id), in batches. A record's hits all come in one batch. Returns false to
/// end the search early.
using RecordHitSink = std::function<bool(std::span<const RecordHit>)>;

struct RecordStats {
  // `search.matches` counts what the result consists of: cells, records, bits or occurrences. For first() it counts the
  // hits that were delivered, which include the batch at which the sink ended the search.
  SearchStats search;
  std::uint64_t records = 0;
  // rabin-karp works in two stages: it flags the records in which some pattern may occur, then searches these exactly.
  std::uint64_t flagged_records = 0;
  std::uint64_t false_positives = 0;  // flagged records without a match
  double flag_seconds = 0;
  double verify_seconds = 0;
};

struct RecordRunOptions {
  std::stop_token stop;          // when it is set, the call throws Error(cancelled)
  Progress progress;             // called with bytes done and bytes in all; must not use the searcher
  RecordStats* stats = nullptr;  // filled by the call, unless null
};

/// A plan bound to a device, for records; the CPU searches them if the view decodes. Immutable; threads may share it.
class LODE_API RecordSearcher {
 public:
  /// Throws as a Searcher does, and Error(invalid_argument) also for one_per_line and for match kinds other than
  /// `overlapping`.
  explicit RecordSearcher(Plan plan, SearcherOptions options = {}, const Device& device = Device::cpu());
  RecordSearcher(const RecordSearcher&) = delete;
  RecordSearcher& operator=(const RecordSearcher&) = delete;
  RecordSearcher(RecordSearcher&&) noexcept;
  RecordSearcher& operator=(RecordSearcher&&) noexcept;
  ~RecordSearcher();

  /// The matches in each record, as if it were a text of its own. Of overlapping ones it keeps those that the kind
  /// reports. They are held in memory until the call ends.
  RecordMatches find(const RecordSource& records, MatchKind kind = MatchKind::overlapping,
                     const RecordRunOptions& run = {}) const;
  /// The first occurrence of each pattern in each record that contains it.
  RecordHits first(const RecordSource& records, const RecordRunOptions& run = {}) const;
  /// Calls the sink with these hits. Memory stays within the options' limit, unless the hits of 64 KiB of records, or
  /// of one longer record, need more.
  void first(const RecordSource& records, const RecordHitSink& sink, const RecordRunOptions& run = {}) const;
  /// Fills a matrix: cell record * patterns + id is the offset of the pattern's first occurrence in the record, or -1.
  /// Throws Error(limit) with the number of cells needed if there are fewer, and for 32-bit cells also if a record is
  /// longer than 2^31 - 1 bytes. For results in parts, search one slice of the records at a time.
  void first_dense(const RecordSource& records, std::span<std::int32_t> cells, const RecordRunOptions& run = {}) const;
  void first_dense(const RecordSource& records, std::span<std::int64_t> cells, const RecordRunOptions& run = {}) const;
  /// Fills the same matrix of 32-bit cells in the memory of the GPU that the records lie on; no cell is copied to the
  /// host. Throws Error(limit) likewise, and Error(unsupported) if the matrix lies on another device.
  void first_dense(const ResidentRecords& records, DeviceMatrix& cells, const RecordRunOptions& run = {}) const;
  /// One bit a record, from the lowest bit of each byte on: 1 if any pattern occurs in the record.
  std::vector<std::uint8_t> contains_any(const RecordSource& records, const RecordRunOptions& run = {}) const;
  /// Fills rows of contains_row_bytes(), one for each record, with one bit a pattern, from the lowest bit of each byte
  /// on: 1 if the pattern occurs in the record. Unused bits are 0. Throws Error(limit) with the number of bytes needed
  /// if there are fewer.
  void contains(const RecordSource& records, std::span<std::uint8_t> bits, const RecordRunOptions& run = {}) const;
  std::uint64_t contains_row_bytes() const noexcept;
  /// Both count all occurrences, overlapping ones included.
  std::vector<std::uint64_t> count_per_record(const RecordSource& records, const RecordRunOptions& run = {}) const;
  std::vector<std::uint64_t> count_per_pattern(const RecordSource& records, const RecordRunOptions& run = {}) const;

  const Plan& plan() const noexcept;
  const SearcherOptions& options() const noexcept;
  const Device& device() const noexcept;
  const std::string& algorithm() const noexcept;        // the one that `auto` chose, or that was asked for
  const std::string& instruction_set() const noexcept;  // the one in use
  std::string strategy() const;                         // as in SearchStats

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns records * patterns. Throws Error(limit) if that is more than 2^64 - 1.
LODE_API std::uint64_t dense_cells(std::uint64_t records, std::uint64_t patterns);

}  // namespace lode
