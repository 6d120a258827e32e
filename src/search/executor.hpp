// Executor: runs a scanner over the chunks of a text on several threads and brings the results into order.
//
// A chunk owns the occurrences that start in it. Its piece reaches max_length - 1 bytes further, and as far to each
// side as the condition looks, so every occurrence is found once. Chunks are scanned block by block; a block whose list
// overflows is halved and scanned again. The lists of some chunks wait in slots, whose size follows from the memory
// limit. The caller's thread delivers them in order and scans what had no room in them. While it waits, it scans chunks
// itself.
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

/// Both are Backend::run_counts() and Backend::run_ordered() for the CPU.
Totals run_counts(const ExecutorSetup& setup, const Text& text, const RunOptions& run, Collector::Mode mode,
                  bool stop_at_first);

std::uint64_t run_ordered(const ExecutorSetup& setup, const Text& text, const RunOptions& run, const TakeMatches& take);

}  // namespace lode
