// Backend: what searches a text for the distinct patterns of a plan. One interface for the CPU (cpu_search.hpp), GPUs
// (gpu_search.hpp), sets that are too large for a GPU (sharded_search.hpp), and `auto`, which decides between them
// (auto_search.hpp).
//
// All give the same answers. A backend is bound to a plan and options, and safe to use from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cpu/scan/collector.hpp"
#include "lode/searcher.hpp"

namespace lode {

/// What the counting calls give.
struct Totals {
  std::uint64_t occurrences = 0;            // ids counted, where not per pattern; Mode::count_lines: lines
  std::vector<std::uint64_t> per_distinct;  // Mode::count_per_pattern
  std::uint64_t candidates = 0;
};

/// What a call ran on, for SearchStats. The caller names the device; a backend that decides names the one it took.
struct CallReport {
  std::string device;
  std::string choice;
  std::string warning;
  std::vector<DeviceRate> rates = {};
  // GPUs, of run_ordered(): the caller has had all that starts before; also where an exception ended the call.
  std::uint64_t delivered_until = 0;
};

/// Takes matches whose pattern_id holds the distinct index. Returns false to end the search.
using TakeMatches = std::function<bool(std::span<const Match>)>;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Counts all occurrences that meet the condition. `stop_at_first`: ends soon after one was found.
  virtual Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                            CallReport& report) const = 0;

  /// Calls `take` with occurrences sorted by (offset, distinct index), all occurrences of one offset in one call. Returns the
  /// number of candidates. `ends_early`: `take` is likely to end the search soon.
  virtual std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                    CallReport& report) const = 0;

  /// Whether counters for all patterns are at hand, so that they cost nothing for short texts.
  virtual bool has_counters() const { return false; }
  /// How it looks for which patterns; empty where the algorithm's name says all of it.
  virtual std::string strategy() const { return {}; }
};

}  // namespace lode
