// AutoDevices: what is behind the device `auto`: the GPU that large jobs may go to, found when the first of them comes, and
// the rates seen so far. Shared by all searchers of the device; safe to use from any number of threads.
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
  double stream_bytes_per_second = 0;  // at which it is given text of the host
};

class AutoDevices {
 public:
  explicit AutoDevices(AutoSetup setup) : setup_(std::move(setup)) {}

  double least_cpu_seconds() const noexcept { return setup_.least_cpu_seconds; }
  Rates& rates() noexcept { return rates_; }

  /// The GPU; null where there is none, or it was given up. The first call loads the libraries of GPUs, opens one and,
  /// once for a machine, takes a fifth of a second to measure it, with `threads` threads. Never throws Error(device).
  std::shared_ptr<const ChosenGpu> gpu(unsigned threads);
  /// Why gpu() gives none.
  std::string absence();
  /// What went wrong with GPUs that are there; empty where nothing did, and when it was asked for before.
  std::string take_warning();
  /// The GPU has failed: nobody is given it any more.
  void give_up(const std::string& reason);

 private:
  void look_for_gpu(unsigned threads);

  const AutoSetup setup_;
  Rates rates_;
  std::mutex mutex_;  // of all that follows
  bool looked_ = false;
  std::shared_ptr<const ChosenGpu> gpu_;
  std::string absence_;
  std::string warning_;
};

/// The GPUs on which something is made resident. Throws Error(unsupported) for the CPU, Error(device) where `auto` has none.
std::vector<std::shared_ptr<gpu::Runtime>> resident_runtimes(const Device& device, unsigned threads);

}  // namespace lode
