// Both stages of `rabin-karp` on records. Part by part, records are flagged, and those with a flag are searched
// exactly.
//
// A record without a flag holds no pattern. One with a flag may hold none, either; then it is a false positive. The two
// functions are take_on_cpu() and list_on_cpu() of record_run.hpp with the first stage before them, and return the
// same.
#pragma once

#include <cstdint>

#include "records/record_flags.hpp"
#include "records/record_run.hpp"

namespace lode {

/// What the two stages did in all parts together.
struct FlagTotals {
  std::uint64_t flagged = 0;          // records with a flag
  std::uint64_t false_positives = 0;  // records with a flag and without a match
  double flag_seconds = 0;
  double verify_seconds = 0;
};

std::uint64_t take_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const MakeRecordTaker& make_taker, FlagTotals& totals);

std::uint64_t list_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const TakeRecords& take, FlagTotals& totals);

}  // namespace lode
