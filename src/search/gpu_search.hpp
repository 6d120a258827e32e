// GpuSearch: what Executor does for the CPU, on GPUs: runs a plan over a text and brings the results into order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/engine.hpp"
#include "search/device_registry.hpp"
#include "search/executor.hpp"

namespace lode {

class GpuSearch {
 public:
  /// `plan` outlives this.
  GpuSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm, const SearcherOptions& options,
            unsigned threads);

  /// As run_counts() and run_ordered() of the executor; Mode::count_lines is not for this one.
  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first) const;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early,
                            const std::function<bool(std::span<const Match>)>& take) const;

 private:
  const PlanData& plan_;
  const SearcherOptions& options_;
  unsigned threads_;
  std::vector<std::unique_ptr<gpu::Engine>> engines_;
  std::vector<gpu::Engine*> engine_pointers_;
};

}  // namespace lode
