// MatchRows: makes rows of matches out of the occurrences in records, whose order does not matter.
//
//   taken       (record 1, at 4, ab)  (record 0, at 7, a)  (record 1, at 4, a)
//   row_starts  0       1                  3
//   matches     a at 7 | a at 4, ab at 4 |
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lode/records.hpp"
#include "plan/plan_data.hpp"
#include "records/record_run.hpp"

namespace lode {

class MatchRows {
 public:
  explicit MatchRows(const PlanData& plan) : plan_(plan) {}

  /// A taker of all occurrences. It must be gone before build() is called.
  std::unique_ptr<RecordTaker> make_taker();
  /// The matches that the kind reports.
  RecordMatches build(std::uint64_t records, MatchKind kind, unsigned threads);

 private:
  class Taker;

  void place(RecordMatches& rows, unsigned threads);
  void finish(RecordMatches& rows, MatchKind kind, unsigned threads) const;

  const PlanData& plan_;
  std::mutex mutex_;                                  // guards lists_
  std::vector<std::vector<RecordOccurrence>> lists_;  // of the takers
};

}  // namespace lode
