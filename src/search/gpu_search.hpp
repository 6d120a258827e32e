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

  /// As run_counts() and run_ordered() of the executor. `done_until`, where given: once `take` has had all that starts
  /// before a place, that place is stored there; so it is where an exception ends the call.
  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first) const;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early,
                            const std::function<bool(std::span<const Match>)>& take,
                            std::uint64_t* done_until = nullptr) const;

  const std::vector<gpu::Engine*>& engines() const noexcept { return engine_pointers_; }
  /// Whether these are its devices.
  bool runs_on(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) const;

 private:
  Totals count_lines(std::string_view text, const RunOptions& run) const;

  const PlanData& plan_;
  const SearcherOptions& options_;
  unsigned threads_;
  std::vector<std::unique_ptr<gpu::Engine>> engines_;
  std::vector<gpu::Engine*> engine_pointers_;
};

}  // namespace lode
