// The registry of devices: which GPU APIs there are, and what a Device stands for. The only place that names them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"
#include "lode/device.hpp"

namespace lode {

/// What is behind a Device that is no CPU.
struct GpuDevices {
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes;  // at least one; all search together
};

/// A device over these runtimes, for tests and for callers that opened them themselves.
LODE_API Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes);

}  // namespace lode
