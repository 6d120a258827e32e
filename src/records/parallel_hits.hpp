// ParallelHits: turns occurrences that come in order into hits, on all threads. CellHits: the same of cells. HitRows: makes
// rows (CSR) of hits.
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

/// Takes the hits of some records, which come in order and are not empty; they may be moved away. Returns false to end the
/// search.
using TakeHits = std::function<bool(std::vector<RecordHit>& hits)>;

class ParallelHits {
 public:
  /// Whether that is done within little memory: no distinct pattern stands for many.
  static bool suits(const PlanData& plan);

  ParallelHits(const PlanData& plan, unsigned threads, const TakeHits& take);

  /// `found`: sorted by record, as is all that comes; of a record in any order.
  bool take(std::span<const RecordOccurrence> found);
  /// Gives the hits of the last record.
  bool finish();
  /// That were given away.
  std::uint64_t hits() const { return hits_; }

 private:
  // What is made of neighbouring records.
  struct Share {
    explicit Share(const PlanData& plan);
    FirstList firsts;  // of one record
    std::vector<RecordHit> hits;
  };

  void convert(std::span<const RecordOccurrence> records, Share& share) const;
  void append(std::span<const RecordOccurrence> firsts, std::vector<RecordHit>& hits) const;
  bool send(std::size_t shares);

  const PlanData& plan_;
  const Ids ids_;
  const unsigned threads_;
  const TakeHits& take_;
  FirstList open_;  // of the last record
  std::vector<Share> shares_;
  std::uint64_t hits_ = 0;
};

class CellHits {
 public:
  CellHits(std::uint64_t columns, unsigned threads, const TakeHits& take)
      : columns_(columns), threads_(threads), take_(take) {}

  /// The cells of rows [first, last), which come behind those before; `none`: the value of those without a hit.
  bool take(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> cells, std::uint32_t none);
  /// That were given away.
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
  /// Hits sorted by (record, pattern id), behind those of before.
  void add(std::vector<RecordHit> hits);
  RecordHits build(std::uint64_t records, unsigned threads) const;

 private:
  void fill_row_starts(std::span<std::uint64_t> row_starts, std::uint64_t begin, std::uint64_t end) const;

  std::vector<std::vector<RecordHit>> batches_;  // none is empty
  std::vector<std::uint64_t> batch_starts_{0};   // in all hits; one more than batches
};

}  // namespace lode
