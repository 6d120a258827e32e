#include "gpu/opencl/opencl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/opencl/library.hpp"
#include "gpu/opencl/runtime.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

using namespace opencl;  // NOLINT(google-build-using-namespace): the API's own folder

// Every device of every platform, in the order of their numbers. Where there is none, `reason` says why.
struct Devices {
  std::vector<DeviceHandle> found;
  std::string reason;
};

Devices find_devices() {
  Devices devices;
  const Library& cl = library();
  if (!cl.reason.empty()) {
    devices.reason = cl.reason;
    return devices;
  }
  cl_uint platform_count = 0;
  // The loader answers CL_PLATFORM_NOT_FOUND_KHR where no driver is installed; that is no failure.
  if (cl.clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) platform_count = 0;
  std::vector<cl_platform_id> platforms(platform_count);
  if (platform_count == 0 || cl.clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS) {
    devices.reason = "no OpenCL driver is installed: install that of the device, or pocl-opencl-icd for the CPU";
    return devices;
  }
  constexpr std::array<cl_device_type, 3> kinds{CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU};
  for (const cl_device_type kind : kinds) {
    for (const cl_platform_id platform : platforms) {
      cl_uint count = 0;
      if (cl.clGetDeviceIDs(platform, kind, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
      std::vector<cl_device_id> ids(count);
      if (cl.clGetDeviceIDs(platform, kind, count, ids.data(), nullptr) != CL_SUCCESS) continue;
      for (const cl_device_id id : ids) {
        // A device may be of several types; it counts as the first of them.
        const auto same = [&](const DeviceHandle& other) { return other.device == id; };
        if (std::none_of(devices.found.begin(), devices.found.end(), same)) devices.found.push_back({platform, id});
      }
    }
  }
  if (devices.found.empty()) devices.reason = "the OpenCL drivers that are installed find no device";
  return devices;
}

// "OpenCL 3.0 CUDA" is 300; 0 where the text is another.
unsigned version_number(const std::string& version) {
  constexpr std::string_view prefix = "OpenCL ";
  if (!version.starts_with(prefix) || version.size() < prefix.size() + 3) return 0;
  const auto digit = [&](std::size_t at) {
    const char byte = version[prefix.size() + at];
    return byte >= '0' && byte <= '9' ? static_cast<unsigned>(byte - '0') : 0u;
  };
  return digit(0) * 100 + digit(2) * 10;
}

// Why the device cannot be used; empty where it can.
std::string find_fault(const DeviceHandle& handle) {
  const std::string version = text_of(handle.device, CL_DEVICE_VERSION);
  if (version_number(version) < 120) return "it offers '" + version + "', and OpenCL 1.2 is needed: update its driver";
  if (value_of<cl_bool>(handle.device, CL_DEVICE_AVAILABLE) == CL_FALSE) return "its driver says it is not available";
  if (value_of<cl_bool>(handle.device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return "its driver has no compiler";
  if (value_of<cl_bool>(handle.device, CL_DEVICE_ENDIAN_LITTLE) == CL_FALSE) return "it is big-endian";
  return {};
}

std::string describe(const DeviceHandle& handle) {
  const auto memory_bytes = value_of<cl_ulong>(handle.device, CL_DEVICE_GLOBAL_MEM_SIZE);
  return fmt::format("{}, {:.1f} GiB, {} compute units, {}, driver {}", text_of(handle.device, CL_DEVICE_NAME),
                     static_cast<double>(memory_bytes) / (1 << 30),
                     value_of<cl_uint>(handle.device, CL_DEVICE_MAX_COMPUTE_UNITS),
                     text_of(handle.platform, CL_PLATFORM_NAME), text_of(handle.device, CL_DRIVER_VERSION));
}

std::vector<DeviceInfo> list_opencl() {
  std::vector<DeviceInfo> list;
  const Devices devices = find_devices();
  if (devices.found.empty()) list.push_back({"opencl", {}, false, devices.reason});
  for (const DeviceHandle& handle : devices.found) {
    DeviceInfo info;
    info.name = "opencl:" + std::to_string(list.size());
    try {
      info.description = describe(handle);
      info.is_gpu = (value_of<cl_device_type>(handle.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
      info.reason = find_fault(handle);
    } catch (const Error& error) {
      info.reason = error.what();
    }
    info.available = info.reason.empty();
    list.push_back(std::move(info));
  }
  return list;
}

std::shared_ptr<Runtime> open_opencl(unsigned device) {
  const std::string name = "opencl:" + std::to_string(device);
  const Devices devices = find_devices();
  if (devices.found.empty()) throw Error(ErrorKind::device, "device " + name + " is not available: " + devices.reason);
  if (device >= devices.found.size())
    throw Error(ErrorKind::device, fmt::format("there is no device {}: the last one is opencl:{} (lode --list-devices)",
                                               name, devices.found.size() - 1));
  const DeviceHandle& handle = devices.found[device];
  if (const std::string fault = find_fault(handle); !fault.empty())
    throw Error(ErrorKind::device, "device " + name + " is not available: " + fault);
  return open_runtime(handle, usual_form(handle));
}

}  // namespace

const Api& opencl_api() {
  static constexpr Api api{"opencl", list_opencl, open_opencl};
  return api;
}

}  // namespace lode::gpu
