// RecordHashes: tells by rolling hashes whether a record may hold a pattern; the first stage of `rabin-karp` on records.
//
// Says yes where the hash of some bytes of the record is that of a pattern as long, so it misses no occurrence. Immutable;
// safe to use from several threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan_data.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {

class RecordHashes {
 public:
  explicit RecordHashes(const PlanData& plan) : groups_(build_rabin_karp_groups(plan)) {}

  bool may_match(std::span<const std::uint8_t> record) const;

 private:
  std::vector<RabinKarpGroup> groups_;
};

}  // namespace lode
