// A Runtime that says of itself what a test wants said, so that algorithms choose as they would on another device.
#pragma once

#include <memory>

#include "gpu/seam.hpp"

namespace lode::gpu::tests {

/// `runtime` with other limits. They must be within its own.
std::shared_ptr<Runtime> make_limited_runtime(std::shared_ptr<Runtime> runtime, const Limits& limits);

}  // namespace lode::gpu::tests
