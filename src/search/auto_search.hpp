// AutoSearch: the backend of the device `auto`. It decides for each call between the CPU and a GPU, and lets the CPU
// finish a search in which the GPU fails.
//
// A call's time on each device is estimated from the bytes to search and the rate of earlier searches of its kind
// (auto_rates.hpp). If there are none, a cautious figure serves for the CPU, and for the GPU the rate at which text is
// copied to it. Every result is delivered once and in order, whichever device found it. A text that is resident on a
// GPU is searched there, and only there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/auto_devices.hpp"
#include "search/cpu_search.hpp"
#include "search/gpu_search.hpp"

namespace lode {

class AutoSearch final : public Backend {
 public:
  /// The CPU and the GPU may have different algorithms.
  AutoSearch(std::shared_ptr<AutoDevices> devices, std::shared_ptr<const CpuSearch> cpu, std::string cpu_algorithm,
             std::string gpu_algorithm);

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override;
  std::string strategy() const override { return cpu_->strategy(); }
  /// Whether run_ordered() would give a text of so many bytes to a GPU. The report says why.
  bool wants_gpu(std::uint64_t bytes, CallReport& report) const;
  /// A backend that gives every text to a GPU, as far as there is one that works. This outlives it.
  std::shared_ptr<const Backend> on_gpu() const;
  const std::shared_ptr<const CpuSearch>& cpu() const { return cpu_; }
  /// The search for what is resident on these devices. The report says that.
  std::shared_ptr<const GpuSearch> resident_search(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes,
                                                   CallReport& report) const;

 private:
  struct Choice;
  class Callbacks;
  class OnGpu;

  std::string kind_of(const std::string& algorithm, Collector::Mode mode) const;
  std::string cpu_kind(Collector::Mode mode) const;
  std::string gpu_kind(const ChosenGpu& gpu, Collector::Mode mode) const;
  DeviceRate cpu_rate(Collector::Mode mode, bool ask_cache) const;
  DeviceRate gpu_rate(const ChosenGpu& gpu, Collector::Mode mode) const;
  /// Decides where to search. The report says why.
  Choice choose(std::uint64_t bytes, Collector::Mode mode, CallReport& report) const;

  Totals run_counts_on(const Choice& choice, const Text& text, const RunOptions& run, Collector::Mode mode,
                       bool stop_at_first, CallReport& report) const;
  std::uint64_t run_ordered_on(const Choice& choice, const Text& text, const RunOptions& run, bool ends_early,
                               const TakeMatches& take, CallReport& report) const;
  std::shared_ptr<const GpuSearch> search_on(const std::vector<std::shared_ptr<gpu::Runtime>>& runtimes) const;
  template <class Work>
  bool run_on_gpu(const ChosenGpu& gpu, const Callbacks& callbacks, CallReport& report, Work work) const;
  Totals counts_of_cpu(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first) const;
  std::uint64_t ordered_on_cpu(const Text& text, const RunOptions& run, Callbacks& callbacks, const TakeMatches& take,
                               bool& wanted) const;

  const std::shared_ptr<AutoDevices> devices_;
  const std::shared_ptr<const CpuSearch> cpu_;
  const std::string cpu_algorithm_;
  const std::string gpu_algorithm_;
  mutable std::mutex mutex_;                                            // guards gpu_searches_
  mutable std::vector<std::shared_ptr<const GpuSearch>> gpu_searches_;  // one for each set of GPUs in use
};

}  // namespace lode
