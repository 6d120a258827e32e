// ShardedSearch: searches for GpuSearch if the devices have no room for the tables of all patterns at once.
//
// The distinct patterns are divided into shards: ranges of distinct indexes whose tables fit. One shard at a time is on
// the devices, as a GpuSearch of its own, and searches a segment of the text. When all shards have searched the
// segment, their matches are merged. The segment is the whole text if matches are counted or few; else it ends where
// memory has no room for more matches. Making a shard's tables takes longer than searching most texts, so the shard
// that is on the devices already comes first.
//
//   text      |---- segment ----|---- segment ----|      shards A B C, one after the other on the devices:
//   searches   A     B     C     C     A     B           C is still there when the second segment begins
//
// Safe to use from several threads, which take turns with the devices. `take` may call the search again. If `progress`
// or the code that reads the text does, the call throws Error(invalid_argument) instead of waiting for itself.
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

/// Returns the first distinct index of each shard. There is one shard if all patterns fit, or if there is only one.
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

  // Puts the shard on the devices. Precondition: mutex_ is locked.
  const Loaded& load(std::size_t shard) const;
  std::size_t loaded_shard() const;
  void search_segment(const Text& text, const RunOptions& run, bool ends_early, Segment& segment) const;

  const GpuDevices devices_;
  const PlanData& plan_;
  const std::string algorithm_;
  const SearcherOptions options_;  // the options of one shard's search
  const unsigned threads_;
  const std::vector<std::uint32_t> shards_;
  const std::uint64_t most_matches_;  // most matches of one shard that may wait to be merged

  mutable CallsOut calls_out_;              // calls of the caller's code that are made with mutex_ locked
  mutable std::mutex mutex_;                // held by the thread that uses the devices
  mutable std::unique_ptr<Loaded> loaded_;  // the shard that is on the devices; null after a failure
};

}  // namespace lode
