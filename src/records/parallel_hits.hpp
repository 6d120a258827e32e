// ParallelHits: turns occurrences, which come in order, into hits, on all threads.
// CellHits: turns the cells of a dense matrix into hits, on all threads.
// HitRows: gathers hits as a sparse matrix in rows (CSR).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lode/records.hpp"
#include "plan/plan_data.hpp"
#include "records/record_run.hpp"
#include "records/record_takers.hpp"

namespace lode {

/// Takes the hits of some records. There is at least one; they come in order and may be moved away. Returns false to
/// end the search.
using TakeHits = std::function<bool(std::vector<RecordHit>& hits)>;

class ParallelHits {
 public:
  /// Whether the hits need little memory, because no distinct pattern stands for many ids.
  static bool suits(const PlanData& plan);

  ParallelHits(const PlanData& plan, unsigned threads, const TakeHits& take);

  /// Takes occurrences sorted by record, over all calls; those of one record come in any order. Returns false if the
  /// search is to end.
  bool take(std::span<const RecordOccurrence> found);
  /// Gives the hits of the last record. Call it once, at the end.
  bool finish();
  /// The number of hits that were given away.
  std::uint64_t hits() const { return hits_; }

 private:
  // The work of one thread on neighbouring records.
  struct Share {
    explicit Share(const PlanData& plan);
    FirstList firsts;  // the first occurrences of one record at a time
    std::vector<RecordHit> hits;
  };

  void convert(std::span<const RecordOccurrence> records, Share& share) const;
  void append(std::span<const RecordOccurrence> firsts, std::vector<RecordHit>& hits) const;
  bool send(std::size_t shares);

  const PlanData& plan_;
  const Ids ids_;
  const unsigned threads_;
  const TakeHits& take_;
  FirstList open_;  // first occurrences of the last record, which may have more
  std::vector<Share> shares_;
  std::uint64_t hits_ = 0;
};

class CellHits {
 public:
  CellHits(std::uint64_t columns, unsigned threads, const TakeHits& take)
      : columns_(columns), threads_(threads), take_(take) {}

  /// Takes the cells of rows [first, last), which follow those of the last call. `none` is the value of a cell without
  /// a hit. Returns false if the search is to end.
  bool take(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> cells, std::uint32_t none);
  /// The number of hits that were given away.
  std::uint64_t hits() const { return hits_; }

 private:
  const std::uint64_t columns_;
  const unsigned threads_;
  const TakeHits& take_;
  std::vector<std::vector<RecordHit>> shares_;
  std::uint64_t hits_ = 0;
};

class HitRows {
 public:
  /// Adds hits sorted by (record, pattern id), which follow those of the last call.
  void add(std::vector<RecordHit> hits);
  RecordHits build(std::uint64_t records, unsigned threads) const;

 private:
  void fill_row_starts(std::span<std::uint64_t> row_starts, std::uint64_t begin, std::uint64_t end) const;

  std::vector<std::vector<RecordHit>> batches_;  // no batch is empty
  std::vector<std::uint64_t> batch_starts_{0};   // index of each batch's first hit among all hits, and their number
};

}  // namespace lode
