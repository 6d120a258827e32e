// The devices that OpenCL's drivers offer, in the order of their numbers.
#pragma once

#include <string>
#include <vector>

#include "gpu/opencl/library.hpp"
#include "gpu/opencl/runtime.hpp"

namespace lode::gpu::opencl {

struct Devices {
  std::vector<DeviceHandle> found;    // of all platforms: GPUs, then accelerators, then the others
  std::string reason;                 // why there is none; empty where there is one
  std::vector<std::string> failures;  // of drivers that could not say what they have
};

/// Never throws for what it finds.
Devices find_devices(const Library& cl);

}  // namespace lode::gpu::opencl
