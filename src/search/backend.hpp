// Backend: what searches a text for the distinct patterns of a plan. It is one interface for the CPU (cpu_search.hpp),
// GPUs (gpu_search.hpp), pattern sets that are too large for a GPU (sharded_search.hpp), and `auto` (auto_search.hpp),
// which decides between the CPU and a GPU.
//
// All backends give the same answers. A backend is bound to a plan and options, and safe to use from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cpu/scan/collector.hpp"
#include "lode/searcher.hpp"

namespace lode {

/// The results of a call that counts.
struct Totals {
  std::uint64_t occurrences = 0;            // Mode::count: matches of all ids; Mode::count_lines: lines
  std::vector<std::uint64_t> per_distinct;  // Mode::count_per_pattern: occurrences of each distinct pattern
  std::uint64_t candidates = 0;

  void add(const Totals& more) {
    occurrences += more.occurrences;
    if (per_distinct.size() < more.per_distinct.size()) per_distinct.resize(more.per_distinct.size());
    for (std::size_t at = 0; at < more.per_distinct.size(); ++at) per_distinct[at] += more.per_distinct[at];
    candidates += more.candidates;
  }
};

/// What a call ran on, for SearchStats. The caller fills in the device; a backend that decides puts its choice there.
struct CallReport {
  std::string device;
  std::string choice;
  std::string warning;
  std::vector<DeviceRate> rates = {};
  // For run_ordered() on GPUs: all occurrences that start before this place were delivered. It is right even if the
  // call ended by an exception.
  std::uint64_t delivered_until = 0;
};

/// Takes occurrences; pattern_id holds the index of the distinct pattern. Returns false to end the search.
using TakeMatches = std::function<bool(std::span<const Match>)>;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Counts all occurrences that meet the condition. `stop_at_first`: the search ends soon after one was found.
  virtual Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                            CallReport& report) const = 0;

  /// Calls `take` with occurrences sorted by (offset, distinct index). All occurrences at one offset come in one call.
  /// Returns the number of candidates. `ends_early`: `take` is likely to end the search soon.
  virtual std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                    CallReport& report) const = 0;

  /// Whether counters for all patterns are at hand anyway, so that they cost a short text nothing.
  virtual bool has_counters() const { return false; }
  /// How the algorithm looks for which patterns; empty if its name says all of it.
  virtual std::string strategy() const { return {}; }
};

}  // namespace lode
