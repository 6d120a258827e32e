// A device that OpenCL has opened: one context, in which all its memory, queues and kernels live.
#pragma once

#include <memory>

#include "gpu/opencl/library.hpp"
#include "gpu/seam.hpp"

namespace lode::gpu::opencl {

struct DeviceHandle {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

/// Throws Error(device) where the driver gives no context or queue.
std::shared_ptr<Runtime> open_runtime(const DeviceHandle& handle);

}  // namespace lode::gpu::opencl
