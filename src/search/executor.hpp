// Executor: runs a scanner over the chunks of a text on several threads and brings the results into order.
//
// A chunk owns the occurrences that start in it; its piece reaches max_length - 1 bytes further (and one byte to each
// side for conditions), so every occurrence is found once. Chunks are scanned block by block; a block whose list
// overflows is halved and scanned again. Results wait in a window of chunks, in lists whose size the memory limit says;
// the caller's thread takes them in order, scans what had no room there, and scans chunks itself while it waits.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/scanner.hpp"
#include "lode/searcher.hpp"

namespace lode {

struct ExecutorSetup {
  const PlanData& plan;
  const Scanner& scanner;
  const SearcherOptions& options;
  InstructionSet set;
  unsigned threads;
};

/// What the counting calls give.
struct Totals {
  std::uint64_t occurrences = 0;            // ids counted, where not per pattern; Mode::count_lines: lines
  std::vector<std::uint64_t> per_distinct;  // Mode::count_per_pattern
  std::uint64_t candidates = 0;
};

/// Counts all occurrences that meet the condition. `stop_at_first`: ends soon after one was found.
Totals run_counts(const ExecutorSetup& setup, const Text& text, const RunOptions& run, Collector::Mode mode,
                  bool stop_at_first);

/// Calls `take` with occurrences sorted by (offset, distinct index); pattern_id holds the distinct index. All
/// occurrences of one offset come in one call. `take` returns false to end. Returns the number of candidates.
std::uint64_t run_ordered(const ExecutorSetup& setup, const Text& text, const RunOptions& run,
                          const std::function<bool(std::span<const Match>)>& take);

}  // namespace lode
