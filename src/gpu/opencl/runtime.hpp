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

/// What Runtime::compile returns.
enum class CompiledForm {
  binary,  // the driver's binary
  source,  // the options and the source; load_kernel builds them again, which is quick if the driver has a cache
};

/// Returns `binary`, but for PoCL `source`: PoCL caches kernels itself, and giving a binary takes it as long as
/// compiling.
CompiledForm usual_form(const DeviceHandle& handle);

/// Throws Error(device) if the driver makes no context or queue.
std::shared_ptr<Runtime> open_runtime(const DeviceHandle& handle, CompiledForm form);

}  // namespace lode::gpu::opencl
