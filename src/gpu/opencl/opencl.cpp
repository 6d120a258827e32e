#include "gpu/opencl/opencl.hpp"

#include <fmt/format.h>

#include "gpu/opencl/devices.hpp"
#include "gpu/opencl/library.hpp"
#include "gpu/opencl/runtime.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

using namespace opencl;  // NOLINT(google-build-using-namespace): the API's own folder

// "OpenCL 3.0 CUDA" gives 300. A text that does not begin so gives 0.
unsigned version_number(const std::string& version) {
  constexpr std::string_view prefix = "OpenCL ";
  if (!version.starts_with(prefix) || version.size() < prefix.size() + 3) return 0;
  const auto digit = [&](std::size_t at) {
    const char byte = version[prefix.size() + at];
    return byte >= '0' && byte <= '9' ? static_cast<unsigned>(byte - '0') : 0u;
  };
  return digit(0) * 100 + digit(2) * 10;
}

// Why the device cannot be used; empty if it can.
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
  const Devices devices = find_devices(library());
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
  for (const std::string& failure : devices.failures) list.push_back({"opencl", {}, false, failure});
  if (list.empty()) list.push_back({"opencl", {}, false, devices.reason});
  return list;
}

std::shared_ptr<Runtime> open_opencl(unsigned device) {
  const std::string name = "opencl:" + std::to_string(device);
  const Devices devices = find_devices(library());
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
