/* A libcuda.so.1 for tests of drivers that cannot be used. It has one device, and its version is CUDA 10.2. If it is
 * compiled with FAKE_CUDA_IS_OLDER, it also lacks a function. */
#include <stdlib.h>

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }

int cuDriverGetVersion(int* version) {
  *version = 10020;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}

/* The command looks these functions up, but never calls them in a driver that cannot be used. */
#define NEVER_CALLED(name) \
  int name(void) { abort(); }
NEVER_CALLED(cuDeviceGet)
NEVER_CALLED(cuDeviceGetName)
NEVER_CALLED(cuDeviceGetAttribute)
NEVER_CALLED(cuDeviceTotalMem_v2)
NEVER_CALLED(cuGetErrorName)
NEVER_CALLED(cuGetErrorString)
NEVER_CALLED(cuDevicePrimaryCtxRetain)
#ifndef FAKE_CUDA_IS_OLDER
NEVER_CALLED(cuDevicePrimaryCtxRelease_v2)
#endif
NEVER_CALLED(cuCtxPushCurrent_v2)
NEVER_CALLED(cuCtxPopCurrent_v2)
NEVER_CALLED(cuModuleLoadDataEx)
NEVER_CALLED(cuModuleUnload)
NEVER_CALLED(cuModuleGetFunction)
NEVER_CALLED(cuFuncGetAttribute)
NEVER_CALLED(cuFuncSetAttribute)
NEVER_CALLED(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NEVER_CALLED(cuMemAlloc_v2)
NEVER_CALLED(cuMemFree_v2)
NEVER_CALLED(cuMemHostAlloc)
NEVER_CALLED(cuMemFreeHost)
NEVER_CALLED(cuPointerGetAttribute)
NEVER_CALLED(cuMemcpyHtoDAsync_v2)
NEVER_CALLED(cuMemcpyDtoHAsync_v2)
NEVER_CALLED(cuMemsetD32Async)
NEVER_CALLED(cuStreamCreate)
NEVER_CALLED(cuStreamDestroy_v2)
NEVER_CALLED(cuStreamSynchronize)
NEVER_CALLED(cuLaunchKernel)
