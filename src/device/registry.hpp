// What a Device stands for: GPUs, or the choice between the CPU and a GPU. Only device.cpp names the GPU APIs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"
#include "lode/device.hpp"

namespace lode {

/// The state behind a Device that stands for GPUs.
struct GpuDevices {
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes;  // at least one; all search together
};

/// Makes a device over these runtimes, for tests and for callers that opened them themselves. No self-test is run.
LODE_API Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes);

struct GpuCandidate {
  std::string name;
  std::function<std::shared_ptr<gpu::Runtime>()> open;  // throws Error(device) if the GPU cannot be used
};

/// What `auto` chooses from, and by what.
struct AutoSetup {
  std::function<std::vector<GpuCandidate>()> find_gpus;  // best first; called once, when a large job comes
  double least_cpu_seconds = 2;                          // no GPU is looked for if the CPU can do the job sooner
  double stream_bytes_per_second = 0;  // how fast host text comes to a GPU; 0: measured, and kept in the cache folder
};

/// Makes a device that chooses at each call.
LODE_API Device make_auto_device(AutoSetup setup);

}  // namespace lode
