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

/// What Runtime::compile gives.
enum class CompiledForm {
  binary,  // the driver's
  source,  // the options and the source: load_kernel has them built again, which the driver's own cache makes quick
};

/// `source` for PoCL, which caches kernels itself and takes as long to give a binary as to compile it; else `binary`.
CompiledForm usual_form(const DeviceHandle& handle);

/// Throws Error(device) where the driver gives no context or queue.
std::shared_ptr<Runtime> open_runtime(const DeviceHandle& handle, CompiledForm form);

}  // namespace lode::gpu::opencl
