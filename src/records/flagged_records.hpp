// Both stages of `rabin-karp` on records: part by part they are flagged, and those with a flag are searched exactly.
//
// A record without a flag holds no pattern; one with a flag may hold none, which is a false positive. The functions are
// take_on_cpu() and list_on_cpu() of record_run.hpp with the first stage before them, and return as they do.
#pragma once

#include <cstdint>

#include "records/record_flags.hpp"
#include "records/record_run.hpp"

namespace lode {

/// What the stages did, all parts together.
struct FlagTotals {
  std::uint64_t flagged = 0;          // records
  std::uint64_t false_positives = 0;  // of these
  double flag_seconds = 0;
  double verify_seconds = 0;
};

std::uint64_t take_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const MakeRecordTaker& make_taker, FlagTotals& totals);

std::uint64_t list_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const TakeRecords& take, FlagTotals& totals);

}  // namespace lode
