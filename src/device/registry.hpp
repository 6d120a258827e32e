// The registry of devices: which GPU APIs there are, and what a Device stands for. The only place that names them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"
#include "lode/device.hpp"

namespace lode {

/// What is behind a Device that stands for GPUs.
struct GpuDevices {
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes;  // at least one; all search together
};

/// A device over these runtimes, for tests and for callers that opened them themselves. They are taken as sound.
LODE_API Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes);

struct GpuCandidate {
  std::string name;
  std::function<std::shared_ptr<gpu::Runtime>()> open;  // throws Error(device) where it cannot be used
};

/// What `auto` chooses from.
struct AutoSetup {
  std::function<std::vector<GpuCandidate>()> find_gpus;  // best first; called once, when a large job comes
  double least_cpu_seconds = 2;        // a job that the CPU does faster never makes anyone look for a GPU
  double stream_bytes_per_second = 0;  // at which a GPU is given host text; 0: measured and kept in the cache folder
};

/// A device that decides at each call.
LODE_API Device make_auto_device(AutoSetup setup);

}  // namespace lode
