// ShardedSearch: what GpuSearch does, where the devices have no room for the tables of all patterns at once.
//
// The distinct patterns are divided into shards, ranges of distinct indexes whose tables fit. One shard at a time is on
// the devices, as a GpuSearch of its own, and searches a segment of the text: all of it where matches are counted or
// their lists are short, else as much as memory has room for the matches of. Then the shards' matches are merged. To
// make a shard's tables takes longer than most texts, so a shard that is on the devices is used first.
//
// Safe to use from several threads; they take turns with the devices. `take` may call the search again; where
// `progress` and what reads the text do, the call throws Error(invalid_argument) instead of waiting for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device/registry.hpp"
#include "search/backend.hpp"
#include "search/calls_out.hpp"

namespace lode {

/// The first distinct index of each shard; one shard where all patterns fit, or there is but one.
std::vector<std::uint32_t> divide_into_shards(const GpuDevices& devices, const PlanData& plan,
                                              std::string_view algorithm);

class ShardedSearch final : public Backend {
 public:
  /// `plan` outlives this. `shards` is what divide_into_shards() gave.
  ShardedSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm,
                const SearcherOptions& options, unsigned threads, std::vector<std::uint32_t> shards);
  ~ShardedSearch() override;

  /// Mode::count counts each distinct pattern once; lines are not counted here.
  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override;
  bool has_counters() const override { return true; }

 private:
  struct Loaded;
  struct Segment;

  // With mutex_ locked.
  const Loaded& load(std::size_t shard) const;
  std::size_t loaded_shard() const;
  void search_segment(const Text& text, const RunOptions& run, bool ends_early, Segment& segment) const;

  const GpuDevices devices_;
  const PlanData& plan_;
  const std::string algorithm_;
  const SearcherOptions options_;  // of a shard
  const unsigned threads_;
  const std::vector<std::uint32_t> shards_;
  const std::uint64_t most_matches_;  // of a shard that wait to be merged

  mutable CallsOut calls_out_;              // with mutex_ locked
  mutable std::mutex mutex_;                // of the devices
  mutable std::unique_ptr<Loaded> loaded_;  // what is on them; null after a failure
};

}  // namespace lode
