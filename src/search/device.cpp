#include "lode/device.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cpu/instruction_sets.hpp"
#include "gpu/cuda/cuda.hpp"
#include "gpu/opencl/opencl.hpp"
#include "lode/error.hpp"
#include "search/device_registry.hpp"

namespace lode {
namespace {

struct GpuApi {
  const gpu::Api& (*api)();
  bool takes_all;  // NAME:all stands for all its devices together
};
constexpr std::array<GpuApi, 2> gpu_apis{{{gpu::cuda_api, true}, {gpu::opencl_api, false}}};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](unsigned char byte) { return std::isdigit(byte) != 0; });
}

std::vector<std::shared_ptr<gpu::Runtime>> open_all(const gpu::Api& api) {
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes;
  std::string reason;
  const std::string prefix = std::string(api.name) + ":";
  for (const DeviceInfo& device : api.list()) {
    if (device.available && device.name.starts_with(prefix))
      runtimes.push_back(api.open(static_cast<unsigned>(std::stoul(device.name.substr(prefix.size())))));
    else
      reason = device.reason;
  }
  if (runtimes.empty())
    throw Error(ErrorKind::device, "device " + std::string(api.name) + ":all is not available: " + reason);
  return runtimes;
}

}  // namespace

Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes) {
  Device device(std::move(name));
  device.gpus_ = std::make_shared<const GpuDevices>(GpuDevices{std::move(runtimes)});
  return device;
}

Device open_device(std::string_view specification) {
  if (specification == "auto" || specification == "cpu") return Device::cpu();
  for (const GpuApi& known : gpu_apis) {
    const gpu::Api& api = known.api();
    if (!specification.starts_with(api.name)) continue;
    const std::string_view rest = specification.substr(api.name.size());
    if (rest.empty()) return make_gpu_device(std::string(api.name) + ":0", {api.open(0)});
    if (rest[0] != ':') continue;
    if (known.takes_all && rest == ":all") return make_gpu_device(std::string(specification), open_all(api));
    if (is_number(rest.substr(1)))
      return make_gpu_device(std::string(specification),
                             {api.open(static_cast<unsigned>(std::stoul(std::string(rest.substr(1)))))});
  }
  throw Error(ErrorKind::invalid_argument,
              "there is no device " + std::string(specification) + ": use auto, cpu, opencl[:N] or cuda[:N|:all]");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  devices.push_back({"cpu", describe_cpu(), true, {}});
  for (const GpuApi& known : gpu_apis) {
    const std::vector<DeviceInfo> found = known.api().list();
    devices.insert(devices.end(), found.begin(), found.end());
  }
  return devices;
}

std::vector<std::string> cpu_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet set : instruction_sets()) names.emplace_back(name_of(set));
  return names;
}

}  // namespace lode
