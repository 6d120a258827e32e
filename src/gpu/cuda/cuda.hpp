// CUDA behind the seam: NVIDIA's devices through the driver API and NVRTC, both loaded at run time.
//
// The driver decides which devices there are and their order (it honours CUDA_VISIBLE_DEVICES). Listing makes no
// context on any device.
#pragma once

#include "gpu/seam.hpp"

namespace lode::gpu {

const Api& cuda_api();

}  // namespace lode::gpu
