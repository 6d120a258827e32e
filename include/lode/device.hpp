// Device: where a search runs.
//
// A device has the name that the command takes: `auto`, `cpu`, `opencl[:N]` or `cuda[:N|:all]`. The GPU libraries
// (libOpenCL, libcuda, NVRTC) are loaded when a GPU is asked for or listed, not before. Copies of a Device share the
// device that they stand for.
//
// `auto` decides at each call. A search that the CPU can finish within two seconds stays on the CPU. A longer one goes
// to the first GPU (of CUDA, else of OpenCL) if that is estimated to save at least 20 % of the time, or half of it
// where only the lines that match are wanted. The estimates come from rates that were seen on this machine and are kept
// in the cache folder; SearchStats holds them. If the GPU fails, it is not used again, the CPU finishes the search, and
// SearchStats says so. If the text is resident on the GPU that fails, the search throws Error(device).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"
#include "lode/options.hpp"

namespace lode {

struct GpuDevices;  // internal: src/device/registry.hpp
struct AutoSetup;   // internal: src/device/registry.hpp
class AutoDevices;  // internal: src/device/auto_devices.hpp

namespace gpu {
class Runtime;
}

class LODE_API Device {
 public:
  /// The CPU with all its cores and its best instruction set.
  static Device cpu() { return Device("cpu"); }
  const std::string& name() const noexcept { return name_; }
  bool is_cpu() const noexcept { return gpus_ == nullptr && automatic_ == nullptr; }
  bool is_auto() const noexcept { return automatic_ != nullptr; }
  const GpuDevices* gpus() const noexcept { return gpus_.get(); }                        // internal; null: no GPUs
  const std::shared_ptr<AutoDevices>& automatic() const noexcept { return automatic_; }  // internal; null: not `auto`

 private:
  explicit Device(std::string name) : name_(std::move(name)) {}
  friend LODE_API Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes);
  friend LODE_API Device make_auto_device(AutoSetup setup);
  std::string name_;
  std::shared_ptr<const GpuDevices> gpus_;
  std::shared_ptr<AutoDevices> automatic_;
};

/// Throws Error(invalid_argument) if the name is not one of those above, Error(device) if there is no such device.
/// Before a GPU is used for the first time, it is tested with a few searches whose answers are known; one that fails
/// the test is refused with Error(device).
LODE_API Device open_device(std::string_view specification);

/// Lists every kind of device, present or not.
LODE_API std::vector<DeviceInfo> list_devices();

/// Lists the SIMD instruction sets that this build contains and this machine can run, best first, by the names that
/// SearcherOptions takes: on x86-64 some of "avx512vbmi", "avx2", "sse4", and always "baseline"; on aarch64 "neon".
LODE_API std::vector<std::string> cpu_instruction_sets();

}  // namespace lode
