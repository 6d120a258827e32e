// The OpenCL loader's library, opened at run time, and what makes its C interface safe to use.
//
// Only the types come from the Khronos headers; every function is looked up by name. Functions keep the names that the
// OpenCL specification gives them. check() turns a status into Error(device) with the call, the status by name and,
// where something can be done about it, what to do.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/dynamic_library.hpp"

namespace lode::gpu::opencl {

#define LODE_OPENCL_FUNCTIONS(FUNCTION) \
  FUNCTION(clGetPlatformIDs)            \
  FUNCTION(clGetPlatformInfo)           \
  FUNCTION(clGetDeviceIDs)              \
  FUNCTION(clGetDeviceInfo)             \
  FUNCTION(clCreateContext)             \
  FUNCTION(clReleaseContext)            \
  FUNCTION(clCreateCommandQueue)        \
  FUNCTION(clReleaseCommandQueue)       \
  FUNCTION(clCreateBuffer)              \
  FUNCTION(clReleaseMemObject)          \
  FUNCTION(clCreateProgramWithSource)   \
  FUNCTION(clCreateProgramWithBinary)   \
  FUNCTION(clBuildProgram)              \
  FUNCTION(clGetProgramBuildInfo)       \
  FUNCTION(clGetProgramInfo)            \
  FUNCTION(clReleaseProgram)            \
  FUNCTION(clCreateKernel)              \
  FUNCTION(clGetKernelInfo)             \
  FUNCTION(clGetKernelWorkGroupInfo)    \
  FUNCTION(clSetKernelArg)              \
  FUNCTION(clReleaseKernel)             \
  FUNCTION(clEnqueueNDRangeKernel)      \
  FUNCTION(clEnqueueReadBuffer)         \
  FUNCTION(clEnqueueWriteBuffer)        \
  FUNCTION(clEnqueueFillBuffer)         \
  FUNCTION(clEnqueueMapBuffer)          \
  FUNCTION(clEnqueueUnmapMemObject)     \
  FUNCTION(clGetEventInfo)              \
  FUNCTION(clReleaseEvent)              \
  FUNCTION(clFlush)                     \
  FUNCTION(clFinish)

struct Library {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared takes none
#define LODE_DECLARE(name) decltype(::name)* name = nullptr;
  LODE_OPENCL_FUNCTIONS(LODE_DECLARE)
#undef LODE_DECLARE

  std::string reason;  // why the library cannot be used; empty if all functions are there
  base::DynamicLibrary object;
};

/// Loads the library at the first call. Never throws; Library::reason says what is missing.
const Library& library();

/// The name of a status, such as "CL_OUT_OF_RESOURCES"; "status -77" if the specification has no name for it.
std::string name_of_status(cl_int status);

/// Throws Error(device) unless the status is CL_SUCCESS.
void check(cl_int status, std::string_view call);

template <class Handle>
struct Release {
  cl_int(CL_API_CALL* function)(Handle) = nullptr;
  void operator()(Handle handle) const noexcept { function(handle); }
};

/// Owns an OpenCL object, or null.
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle>>;

template <class Handle>
Owned<Handle> own(Handle handle, cl_int(CL_API_CALL* release)(Handle)) {
  return Owned<Handle>(handle, Release<Handle>{release});
}

/// Texts and numbers that OpenCL gives for platforms and devices. Each function throws as check() does.
std::string text_of(cl_platform_id platform, cl_platform_info what);
std::string text_of(cl_device_id device, cl_device_info what);

template <class Value>
Value value_of(cl_device_id device, cl_device_info what) {
  Value value{};
  check(library().clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

}  // namespace lode::gpu::opencl
