// The devices that OpenCL's drivers offer, in the order of their numbers.
#pragma once

#include <string>
#include <vector>

#include "gpu/opencl/library.hpp"
#include "gpu/opencl/runtime.hpp"

namespace lode::gpu::opencl {

struct Devices {
  std::vector<DeviceHandle> found;    // the devices of all platforms: GPUs, then accelerators, then CPUs
  std::string reason;                 // why there is no device; empty if there is one
  std::vector<std::string> failures;  // names each driver that could not list its devices
};

/// Never throws because of what it finds.
Devices find_devices(const Library& cl);

}  // namespace lode::gpu::opencl
