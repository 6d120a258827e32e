// OpenCL behind the seam: any device with OpenCL 1.2 and a compiler, through the ICD loader.
//
// Nothing is loaded before the first call of list or open. Devices are numbered over all platforms: GPUs first, then
// accelerators, then CPUs, each kind in the order in which the loader gives them.
#pragma once

#include "gpu/seam.hpp"

namespace lode::gpu {

const Api& opencl_api();

}  // namespace lode::gpu
