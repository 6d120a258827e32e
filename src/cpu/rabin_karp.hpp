// The parts of `rabin-karp` that others use.
//
// RecordHashes tells by rolling hashes whether a record may hold a pattern, the first stage of `rabin-karp` on records.
// It says yes where the hash of some bytes of the record is that of a pattern as long, so it misses no occurrence.
// RollingSearch finds some patterns, which an automaton would serve worse, in a pass for each length. Both are
// immutable and safe to use from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/rolling_lanes.hpp"
#include "cpu/scan/collector.hpp"
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

class RollingSearch {
 public:
  RollingSearch(const PlanData& plan, std::span<const std::uint32_t> distincts, InstructionSet set)
      : plan_(plan), groups_(build_rabin_karp_groups(plan, distincts)), runner_(rolling_runner(set)) {}

  /// Whether the occurrence of a distinct pattern at `start` is wanted.
  using Wants = std::function<bool(std::uint64_t start, std::uint32_t distinct)>;

  /// Reports the wanted occurrences that start in [begin, end), a part of the collector's range.
  void scan(Collector& out, std::uint64_t begin, std::uint64_t end, const Wants& wants) const;

 private:
  const PlanData& plan_;
  std::vector<RabinKarpGroup> groups_;
  RollingRunner runner_;
};

}  // namespace lode
