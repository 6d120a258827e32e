#include "gpu/opencl/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lode::gpu::opencl {
namespace {

constexpr cl_int platform_not_found = -1001;  // the loader's CL_PLATFORM_NOT_FOUND_KHR: no driver is installed

std::string name_of(const Library& cl, cl_platform_id platform) {
  std::array<char, 256> name{};
  const cl_int status = cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr);
  return status == CL_SUCCESS ? "'" + std::string(name.data()) + "'" : "without a name";
}

// The platform's devices of one kind; empty if there are none.
std::vector<cl_device_id> devices_of(const Library& cl, cl_platform_id platform, cl_device_type kind, cl_int& status) {
  cl_uint count = 0;
  status = cl.clGetDeviceIDs(platform, kind, 0, nullptr, &count);
  std::vector<cl_device_id> ids(status == CL_SUCCESS ? count : 0);
  if (!ids.empty()) status = cl.clGetDeviceIDs(platform, kind, count, ids.data(), nullptr);
  if (status != CL_SUCCESS) ids.clear();
  // A driver that does not know the kind has no device of it.
  if (status == CL_DEVICE_NOT_FOUND || status == CL_INVALID_DEVICE_TYPE) status = CL_SUCCESS;
  return ids;
}

}  // namespace

Devices find_devices(const Library& cl) {
  Devices devices;
  if (!cl.reason.empty()) {
    devices.reason = cl.reason;
    return devices;
  }
  cl_uint platform_count = 0;
  cl_int status = cl.clGetPlatformIDs(0, nullptr, &platform_count);
  std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? platform_count : 0);
  if (!platforms.empty()) status = cl.clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  if (status != CL_SUCCESS && status != platform_not_found) {
    devices.reason =
        "the OpenCL loader could not list the drivers: clGetPlatformIDs failed with " + name_of_status(status);
    return devices;
  }
  if (platforms.empty() || status == platform_not_found) {
    devices.reason = "no OpenCL driver is installed: install that of the device, or pocl-opencl-icd for the CPU";
    return devices;
  }
  constexpr std::array<cl_device_type, 3> kinds{CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU};
  std::vector<cl_platform_id> failed;
  for (const cl_device_type kind : kinds) {
    for (const cl_platform_id platform : platforms) {
      for (const cl_device_id id : devices_of(cl, platform, kind, status)) {
        // A device may be of several types; it counts as the first of them.
        const auto same = [&](const DeviceHandle& other) { return other.device == id; };
        if (std::none_of(devices.found.begin(), devices.found.end(), same)) devices.found.push_back({platform, id});
      }
      if (status == CL_SUCCESS || std::find(failed.begin(), failed.end(), platform) != failed.end()) continue;
      failed.push_back(platform);
      devices.failures.push_back(
          fmt::format("the OpenCL driver {} could not list its devices: clGetDeviceIDs failed with {}",
                      name_of(cl, platform), name_of_status(status)));
    }
  }
  if (devices.found.empty())
    devices.reason =
        devices.failures.empty() ? "the OpenCL drivers that are installed find no device" : devices.failures.front();
  return devices;
}

}  // namespace lode::gpu::opencl
