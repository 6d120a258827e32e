#include "gpu/cuda/cuda.hpp"

#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/device_facts.hpp"
#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/cuda/runtime.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

using namespace cuda;

DeviceInfo absent(const std::string& name, const std::string& reason) { return {name, {}, false, reason, true}; }

std::vector<DeviceInfo> list() {
  const Driver driver;
  if (!driver.reason().empty()) return {absent("cuda", driver.reason())};
  int count = 0;
  if (const int result = driver.device_get_count.function(&count); result != 0)
    return {absent("cuda", driver.describe(driver.device_get_count.name, result))};
  if (count == 0) return {absent("cuda", "the driver lists no device: CUDA_VISIBLE_DEVICES may hide it")};

  std::vector<DeviceInfo> devices;
  NvrtcLibraries libraries(driver.version() / 1000);
  for (int index = 0; index < count; ++index) {
    const std::string name = "cuda:" + std::to_string(index);
    try {
      const DeviceFacts facts = inspect_device(driver, libraries, static_cast<unsigned>(index));
      devices.push_back({name, facts.describe(driver), facts.reason.empty(), facts.reason, true});
    } catch (const Error& error) {
      devices.push_back(absent(name, error.what()));
    }
  }
  return devices;
}

std::shared_ptr<Runtime> open(unsigned device) {
  const std::string name = "device cuda:" + std::to_string(device);
  const auto driver = std::make_shared<const Driver>();
  if (!driver->reason().empty()) throw Error(ErrorKind::device, name + " is not available: " + driver->reason());
  int count = 0;
  driver->run(driver->device_get_count, &count);
  if (device >= static_cast<unsigned>(count))
    throw Error(ErrorKind::device, name + " is not available: the driver lists " + std::to_string(count) +
                                       (count == 1 ? " device" : " devices") +
                                       " (CUDA_VISIBLE_DEVICES may hide others)");
  NvrtcLibraries libraries(driver->version() / 1000);
  const DeviceFacts facts = inspect_device(*driver, libraries, device);
  if (!facts.reason.empty())
    throw Error(ErrorKind::device, name + " (" + facts.name + ") cannot be used: " + facts.reason);
  return make_runtime(driver, facts);
}

}  // namespace

const Api& cuda_api() {
  static constexpr Api api{"cuda", list, open};
  return api;
}

}  // namespace lode::gpu
