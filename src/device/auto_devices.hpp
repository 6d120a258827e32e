// AutoDevices: the state behind the device `auto`. It has the GPU that large jobs may go to, which is looked for when
// the first of them comes, and the rates seen so far. All searchers of the device share it. Safe to use from any number
// of threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "device/auto_rates.hpp"
#include "device/registry.hpp"

namespace lode {

struct ChosenGpu {
  std::string name;
  std::shared_ptr<gpu::Runtime> runtime;
  double stream_bytes_per_second = 0;  // how fast text of the host comes to it
};

class AutoDevices {
 public:
  explicit AutoDevices(AutoSetup setup) : setup_(std::move(setup)) {}

  double least_cpu_seconds() const noexcept { return setup_.least_cpu_seconds; }
  Rates& rates() noexcept { return rates_; }

  /// The GPU; null if there is none, or it was given up. The first call loads the libraries of GPUs and opens a GPU.
  /// Once for each machine and number of threads it also measures, for a fifth of a second, how fast `threads` threads
  /// bring text to the GPU. Never throws Error(device).
  std::shared_ptr<const ChosenGpu> gpu(unsigned threads);
  /// Why gpu() gives none.
  std::string absence();
  /// What went wrong with a GPU that is there; empty if nothing did, or if the warning was taken before.
  std::string take_warning();
  /// Is called when the GPU has failed: gpu() then gives null, and absence() this reason.
  void give_up(const std::string& reason);

 private:
  void look_for_gpu(unsigned threads);

  const AutoSetup setup_;
  Rates rates_;
  std::mutex mutex_;  // guards all that follows
  bool looked_ = false;
  std::shared_ptr<const ChosenGpu> gpu_;
  std::string absence_;
  std::string warning_;
};

/// The GPUs on which data are made resident. Throws Error(unsupported) for the CPU, Error(device) if `auto` has none.
std::vector<std::shared_ptr<gpu::Runtime>> resident_runtimes(const Device& device, unsigned threads);

}  // namespace lode
