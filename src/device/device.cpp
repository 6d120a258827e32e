#include "lode/device.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/instruction_sets.hpp"
#include "device/auto_devices.hpp"
#include "device/registry.hpp"
#include "gpu/cuda/cuda.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/self_test.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

struct GpuApi {
  const gpu::Api& (*api)();
  bool takes_all;  // whether NAME:all stands for all its devices together
};
constexpr std::array<GpuApi, 2> gpu_apis{{{gpu::cuda_api, true}, {gpu::opencl_api, false}}};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](unsigned char byte) { return std::isdigit(byte) != 0; });
}

std::shared_ptr<gpu::Runtime> open_one(const gpu::Api& api, unsigned device) {
  std::shared_ptr<gpu::Runtime> runtime = api.open(device);
  gpu::require_sound(std::string(api.name) + ":" + std::to_string(device), runtime);
  return runtime;
}

// The number of the device with a name such as "cuda:1".
unsigned number_of(std::string_view name) {
  return static_cast<unsigned>(std::stoul(std::string(name.substr(name.find(':') + 1))));
}

std::vector<std::shared_ptr<gpu::Runtime>> open_all(const gpu::Api& api) {
  std::vector<std::shared_ptr<gpu::Runtime>> runtimes;
  std::string reason;
  const std::string prefix = std::string(api.name) + ":";
  for (const DeviceInfo& device : api.list()) {
    if (device.available && device.name.starts_with(prefix))
      runtimes.push_back(open_one(api, number_of(device.name)));
    else
      reason = device.reason;
  }
  if (runtimes.empty())
    throw Error(ErrorKind::device, "device " + std::string(api.name) + ":all is not available: " + reason);
  return runtimes;
}

std::vector<GpuCandidate> find_gpus() {
  std::vector<GpuCandidate> found;
  for (const GpuApi& known : gpu_apis) {
    const gpu::Api& api = known.api();
    for (const DeviceInfo& device : api.list()) {
      if (device.available && device.is_gpu)
        found.push_back({device.name, [&api, name = device.name] { return open_one(api, number_of(name)); }});
    }
  }
  return found;
}

}  // namespace

Device make_auto_device(AutoSetup setup) {
  Device device("auto");
  device.automatic_ = std::make_shared<AutoDevices>(std::move(setup));
  return device;
}

Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes) {
  Device device(std::move(name));
  device.gpus_ = std::make_shared<const GpuDevices>(GpuDevices{std::move(runtimes)});
  return device;
}

Device open_device(std::string_view specification) {
  if (specification == "cpu") return Device::cpu();
  if (specification == "auto") return make_auto_device({find_gpus});
  for (const GpuApi& known : gpu_apis) {
    const gpu::Api& api = known.api();
    if (!specification.starts_with(api.name)) continue;
    const std::string_view rest = specification.substr(api.name.size());
    if (rest.empty()) return make_gpu_device(std::string(api.name) + ":0", {open_one(api, 0)});
    if (rest[0] != ':') continue;
    if (known.takes_all && rest == ":all") return make_gpu_device(std::string(specification), open_all(api));
    if (is_number(rest.substr(1)))
      return make_gpu_device(std::string(specification), {open_one(api, number_of(specification))});
  }
  throw Error(ErrorKind::invalid_argument,
              "there is no device " + std::string(specification) + ": use auto, cpu, opencl[:N] or cuda[:N|:all]");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  devices.push_back({"cpu", describe_cpu(), true, {}, false});
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
