#include "gpu_devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "device/registry.hpp"
#include "host_runtime.hpp"
#include "lode/device.hpp"
#include "support/environment.hpp"
#include "support/test_devices.hpp"

namespace lode::gpu::tests {
namespace {

std::string find_opencl_absence() {
  // PoCL's threads and the code that it compiles are not instrumented, so every access would look like a race.
  if (lode::tests::is_thread_sanitized()) return "the thread sanitizer cannot see into PoCL";
  std::string reason = "there is no OpenCL device";
  for (const DeviceInfo& device : list_devices()) {
    if (!device.name.starts_with("opencl")) continue;
    if (device.available) return {};
    reason = device.name + ": " + device.reason;
  }
  return reason;
}

// A process that runs one test of another device does not load OpenCL. So it is quicker, and can be searched for leaks.
bool may_use_opencl() {
  const std::string filter = GTEST_FLAG_GET(filter);
  return filter.find_first_of("*?:") != std::string::npos || filter.find("opencl") != std::string::npos;
}

std::vector<std::string> find_runtime_names() {
  std::vector<std::string> names = {host_with_teams, host_without_teams};
  if (may_use_opencl() && opencl_absence().empty()) names.emplace_back("opencl:0");
  const char* const asked = std::getenv("LODE_TEST_DEVICES");
  std::istringstream list(asked == nullptr ? "" : asked);
  for (std::string name; std::getline(list, name, ',');)
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::shared_ptr<Runtime> open(const std::string& name) {
  if (name == host_with_teams) return host::make_host_runtime({});
  if (name == host_without_teams) {
    host::HostDevice device;
    device.team_items = 0;
    device.max_group_items = 4;
    return host::make_host_runtime(device);
  }
  return open_device(name).gpus()->runtimes.front();
}

}  // namespace

const std::string& opencl_absence() {
  static const std::string reason = find_opencl_absence();
  return reason;
}

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names = find_runtime_names();
  return names;
}

std::shared_ptr<Runtime> open_runtime(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Runtime>> opened;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Runtime>& runtime = opened[name];
  if (!runtime) runtime = open(name);
  return runtime;
}

}  // namespace lode::gpu::tests

namespace lode::tests {

const std::vector<std::string>& test_device_names() { return gpu::tests::runtime_names(); }

Device open_test_device(const std::string& name) { return make_gpu_device(name, {gpu::tests::open_runtime(name)}); }

}  // namespace lode::tests
