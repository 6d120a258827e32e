#include "gpu/cuda/device_facts.hpp"

#include <array>

namespace lode::gpu::cuda {

std::string DeviceFacts::capability_text() const {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

std::string DeviceFacts::describe(const Driver& driver) const {
  std::string text = name + ", compute capability " + capability_text() + ", " + std::to_string(memory_bytes >> 20) +
                     " MiB, driver for CUDA " + driver.version_text();
  if (compiler.nvrtc != nullptr) text += ", NVRTC " + compiler.nvrtc->version_text();
  if (compiler.target.is_ptx) text += " (older than the device: makes PTX for " + compiler.target.name() + ")";
  return text;
}

DeviceFacts inspect_device(const Driver& driver, NvrtcLibraries& libraries, unsigned index) {
  DeviceFacts facts;
  driver.run(driver.device_get, &facts.device, static_cast<int>(index));
  std::array<char, 256> name{};
  driver.run(driver.device_get_name, name.data(), static_cast<int>(name.size() - 1), facts.device);
  facts.name = name.data();
  facts.compute_capability = 10 * driver.attribute(device_attribute::compute_capability_major, facts.device) +
                             driver.attribute(device_attribute::compute_capability_minor, facts.device);
  std::size_t memory_bytes = 0;
  driver.run(driver.device_total_memory, &memory_bytes, facts.device);
  facts.memory_bytes = memory_bytes;
  facts.compiler = libraries.find(facts.compute_capability);
  facts.reason = facts.compiler.reason;
  if (driver.attribute(device_attribute::compute_mode, facts.device) == compute_mode_prohibited)
    facts.reason = "its compute mode forbids its use (an administrator can change that: nvidia-smi -c 0)";
  return facts;
}

}  // namespace lode::gpu::cuda
