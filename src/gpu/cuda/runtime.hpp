// The seam's Runtime for one CUDA device. It uses the device's primary context, so that it can adopt memory that other
// CUDA code of the process has allocated.
#pragma once

#include <memory>

#include "gpu/cuda/device_facts.hpp"
#include "gpu/cuda/driver.hpp"
#include "gpu/seam.hpp"

namespace lode::gpu::cuda {

/// Precondition: facts.reason is empty. Throws Error(device) if the driver fails.
std::shared_ptr<Runtime> make_runtime(std::shared_ptr<const Driver> driver, const DeviceFacts& facts);

}  // namespace lode::gpu::cuda
