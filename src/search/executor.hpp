// Executor: runs a scanner over the chunks of a text on several threads and brings the results into order.
//
// A chunk owns the occurrences that start in it; its piece reaches max_length - 1 bytes further (and one byte to each
// side for conditions), so every occurrence is found once. Chunks are scanned block by block; a block whose list
// overflows is halved and scanned again. Results wait in a window of chunks, in lists whose size the memory limit says;
// the caller's thread takes them in order, scans what had no room there, and scans chunks itself while it waits.
#pragma once

#include <cstdint>

#include "cpu/scanner.hpp"
#include "lode/searcher.hpp"
#include "search/backend.hpp"

namespace lode {

struct ExecutorSetup {
  const PlanData& plan;
  const Scanner& scanner;
  const SearcherOptions& options;
  InstructionSet set;
  unsigned threads;
};

/// As Backend's.
Totals run_counts(const ExecutorSetup& setup, const Text& text, const RunOptions& run, Collector::Mode mode,
                  bool stop_at_first);

std::uint64_t run_ordered(const ExecutorSetup& setup, const Text& text, const RunOptions& run, const TakeMatches& take);

}  // namespace lode
