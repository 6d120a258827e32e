// GpuSearch: GPUs as a backend. It runs a plan over a text on one or several GPUs of one API.
//
// If the devices have no room for the tables of all patterns, it hands on to a ShardedSearch (sharded_search.hpp).
//
// If `auto` chose the algorithm, and patterns are so long that a text may nearly repeat them, a long text begins with a
// trial. If its first part runs slowly, the next part is searched by the algorithm whose worst case is better, and the
// rest by the faster one of the two. The verdict is remembered for resident texts. Safe to use from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "device/registry.hpp"
#include "gpu/engine/engine.hpp"
#include "gpu/engine/scan.hpp"
#include "search/backend.hpp"

namespace lode {

class ShardedSearch;

class GpuSearch final : public Backend {
 public:
  /// `plan` and `options` outlive this.
  GpuSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm, const SearcherOptions& options,
            unsigned threads);
  ~GpuSearch() override;

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override;
  bool has_counters() const override { return true; }

  /// The engines, one for each device. Throws Error(unsupported) if the search is sharded and has none.
  const std::vector<gpu::Engine*>& engines() const;
  /// Whether the tables of all patterns are too large for the devices.
  bool is_sharded() const noexcept { return sharded_ != nullptr; }
  /// Whether the search runs on exactly these devices.
  bool runs_on(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) const;

 private:
  struct Alternative {
    std::once_flag once;
    std::vector<std::unique_ptr<gpu::Engine>> engines;
    std::vector<gpu::Engine*> pointers;  // empty if there is no room for the tables
    std::atomic<bool> is_made = false;   // set when engines and pointers are complete
  };

  /// Remembers for resident texts whether the alternative was faster in a trial.
  class Verdicts {
   public:
    /// Searches with equal keys begin in the same way.
    struct Key {
      std::uint64_t text_number;
      std::uint64_t begin;
      gpu::Mode mode;
      bool operator<(const Key& other) const {
        return std::tie(text_number, begin, mode) < std::tie(other.text_number, other.begin, other.mode);
      }
    };
    std::optional<bool> find(const Key& key);
    void remember(const Key& key, bool alternative_is_faster);

   private:
    std::mutex mutex_;
    std::map<Key, bool> known_;
  };

  std::uint64_t trial_bytes() const;
  bool is_worth_trial(const gpu::ScanRequest& request) const;
  const std::vector<gpu::Engine*>& alternative() const;
  /// Frees the idle slots of all engines but `used`, which are to search next. Slots of both would take twice the
  /// memory that the limit allows.
  void free_slots_beside(const std::vector<gpu::Engine*>& used) const;
  /// Searches a part of the request with these engines. Returns false to end the search.
  using ScanPart = std::function<bool(const std::vector<gpu::Engine*>& engines, const gpu::ScanRequest& part)>;
  /// Searches the first parts of the request and takes them off it. Returns whether the alternative is faster, or
  /// nothing if `scan` ended the search.
  std::optional<bool> try_alternative(const gpu::ScanText& text, gpu::ScanRequest& request, const ScanPart& scan) const;
  /// Calls `scan` for the parts of the request in order, each with the engines that are to search it.
  void scan_parts(const gpu::ScanText& text, const gpu::ScanRequest& request, SearchStats* stats,
                  const ScanPart& scan) const;

  Totals count_lines(std::string_view text, const RunOptions& run, CallReport& report) const;
  Totals count_all(const Text& text, const RunOptions& run, bool per_distinct, bool stop_at_first) const;

  const PlanData& plan_;
  const SearcherOptions& options_;
  unsigned threads_;
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes_;
  std::unique_ptr<const ShardedSearch> sharded_;       // null if the tables fit; else there are no engines
  std::vector<std::unique_ptr<gpu::Engine>> engines_;  // one for each device
  std::vector<gpu::Engine*> engine_pointers_;
  const std::string algorithm_;
  const std::string_view alternative_name_;  // the algorithm to try on long patterns; empty: none
  const std::unique_ptr<Alternative> alternative_ = std::make_unique<Alternative>();
  const std::unique_ptr<Verdicts> verdicts_ = std::make_unique<Verdicts>();
};

}  // namespace lode
