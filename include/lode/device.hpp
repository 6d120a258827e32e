// Device: where a search runs.
//
// Names, as the command takes them: `auto`, `cpu`, `opencl[:N]`, `cuda[:N|:all]`. The libraries of GPUs (libOpenCL,
// libcuda, NVRTC) are loaded when a GPU is asked for or listed, not before. Copies of a Device share what it stands for.
//
// `auto` decides at each call: the CPU, or for a search that would take the CPU two seconds or more the first GPU (of
// CUDA, else of OpenCL) where it is estimated to be faster by at least 20 %. The estimates come from rates seen on this
// machine, kept in the cache folder; SearchStats tells them. A GPU that fails is given up and the CPU finishes the
// search; SearchStats says so. Only where the text is resident on that GPU, Error(device) is thrown.
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
  const GpuDevices* gpus() const noexcept { return gpus_.get(); }                        // internal; of GPUs
  const std::shared_ptr<AutoDevices>& automatic() const noexcept { return automatic_; }  // internal; of `auto`

 private:
  explicit Device(std::string name) : name_(std::move(name)) {}
  friend LODE_API Device make_gpu_device(std::string name, std::vector<std::shared_ptr<gpu::Runtime>> runtimes);
  friend LODE_API Device make_auto_device(AutoSetup setup);
  std::string name_;
  std::shared_ptr<const GpuDevices> gpus_;
  std::shared_ptr<AutoDevices> automatic_;
};

/// Throws Error(invalid_argument) for a name that is none, Error(device) for one that is not there. A GPU is tested with a
/// few searches of known answer before it is used for the first time; one that fails is refused with Error(device).
LODE_API Device open_device(std::string_view specification);

/// Every kind of device, present or not.
LODE_API std::vector<DeviceInfo> list_devices();

/// The SIMD instruction sets that this build carries and this machine runs, best first, as SearcherOptions takes them:
/// some of "avx512vbmi", "avx2", "sse4", "neon", and always "baseline".
LODE_API std::vector<std::string> cpu_instruction_sets();

}  // namespace lode
