// A Runtime that reports the limits that a test wants, so that algorithms choose as they would on another device.
#pragma once

#include <memory>

#include "gpu/seam.hpp"

namespace lode::gpu::tests {

/// Wraps `runtime` with other limits, which must be within its own.
std::shared_ptr<Runtime> make_limited_runtime(std::shared_ptr<Runtime> runtime, const Limits& limits);

}  // namespace lode::gpu::tests
