#include "gpu/cuda/driver.hpp"

#include <utility>

#include "lode/error.hpp"

namespace lode::gpu::cuda {
namespace {

constexpr int oldest_version = 11000;  // NVRTC of CUDA 11 makes machine code, not only PTX

// Says what a user can do about an error; empty if the driver's own words must do.
const char* advice(int result) {
  switch (result) {
    case 2:  // CUDA_ERROR_OUT_OF_MEMORY
      return "lower the memory limit, or free the device's memory of other programs";
    case 4:  // CUDA_ERROR_DEINITIALIZED
      return "the process is ending";
    case 34:  // CUDA_ERROR_STUB_LIBRARY
      return "the libcuda.so.1 found is the CUDA toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case 46:  // CUDA_ERROR_DEVICE_UNAVAILABLE
      return "another process has the device to itself";
    case 100:  // CUDA_ERROR_NO_DEVICE
      return "the driver sees no device: CUDA_VISIBLE_DEVICES may hide it, or the container has none";
    case 3:  // CUDA_ERROR_NOT_INITIALIZED, in a child after fork()
      return "a child process cannot use the CUDA driver that its parent had begun to use";
    case 209:  // CUDA_ERROR_NO_BINARY_FOR_GPU
    case 222:  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
      return "install a newer NVIDIA driver, or an NVRTC that is no newer than the driver";
    case 214:  // CUDA_ERROR_ECC_UNCORRECTABLE
    case 220:  // CUDA_ERROR_NVLINK_UNCORRECTABLE
      return "the hardware failed: start again; if it stays, have the device looked at";
    case 221:  // CUDA_ERROR_JIT_COMPILER_NOT_FOUND
      return "install the driver's libnvidia-ptxjitcompiler, or an NVRTC that knows this device";
    case 226:  // CUDA_ERROR_CONTAINED
    case 700:  // CUDA_ERROR_ILLEGAL_ADDRESS
    case 714:  // CUDA_ERROR_HARDWARE_STACK_ERROR
    case 715:  // CUDA_ERROR_ILLEGAL_INSTRUCTION
    case 716:  // CUDA_ERROR_MISALIGNED_ADDRESS
    case 717:  // CUDA_ERROR_INVALID_ADDRESS_SPACE
    case 718:  // CUDA_ERROR_INVALID_PC
    case 719:  // CUDA_ERROR_LAUNCH_FAILED
      return "a kernel went wrong and this process can use the device no more: search on the CPU, and report this";
    case 701:  // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
      return "the work-groups are too large for this kernel: ask for smaller ones";
    case 702:  // CUDA_ERROR_LAUNCH_TIMEOUT
      return "the device also drives a display, which limits a kernel's time: use another device";
    case 802:  // CUDA_ERROR_SYSTEM_NOT_READY
      return "a service that the devices need does not run: on NVSwitch machines start nvidia-fabricmanager";
    case 803:  // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
      return "the kernel module and libcuda.so.1 are of different driver versions: reboot, or reload the module";
    case 804:  // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
      return "the forward-compatibility libcuda.so.1 found is not for this device: use the driver's own";
    case 999:  // CUDA_ERROR_UNKNOWN
      return "check that /dev/nvidia* can be opened and that the module nvidia_uvm is loaded (try nvidia-smi)";
    default: return "";
  }
}

}  // namespace

Driver::Driver() {
  if (library_.loaded()) library_.bind("cuFuncGetParamInfo", function_get_parameter);
  reason_ = find_reason();
}

std::string Driver::find_reason() {
  if (!library_.loaded()) return "there is no NVIDIA driver here (" + library_.reason() + ")";
  if (!missing_.empty()) return "the NVIDIA driver is too old: its libcuda.so.1 lacks " + missing_;
  if (const int result = init.function(0); result != 0) return describe(init.name, result);
  if (const int result = driver_get_version.function(&version_); result != 0)
    return describe(driver_get_version.name, result);
  if (version_ < oldest_version)
    return "the NVIDIA driver is too old: it knows CUDA " + version_text() + ", and 11.0 is needed: update it";
  return {};
}

std::string Driver::version_text() const {
  return std::to_string(version_ / 1000) + "." + std::to_string(version_ % 1000 / 10);
}

std::string Driver::describe(const char* call, int result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (get_error_name.function(result, &name) != 0 || name == nullptr) name = "unknown";
  if (get_error_string.function(result, &text) != 0 || text == nullptr) text = "no description";
  std::string message = std::string(call) + ": " + name + " (" + std::to_string(result) + ", " + text + ")";
  if (const char* help = advice(result); *help != '\0') message += std::string("; ") + help;
  return message;
}

void Driver::fail(const char* call, int result, const std::string& detail) const {
  throw Error(ErrorKind::device, "CUDA: " + describe(call, result) + detail);
}

int Driver::attribute(int attribute, Device device) const {
  int value = 0;
  run(device_get_attribute, &value, attribute, device);
  return value;
}

DeviceContext::DeviceContext(std::shared_ptr<const Driver> driver, Device device)
    : driver_(std::move(driver)), device_(device) {
  driver_->run(driver_->primary_context_retain, &context_, device_);
}

DeviceContext::~DeviceContext() { driver_->primary_context_release.function(device_); }

DeviceContext::Scope::Scope(const DeviceContext& context) : driver_(*context.driver_) {
  driver_.run(driver_.context_push, context.context_);
}

DeviceContext::Scope::~Scope() {
  Context popped = nullptr;
  driver_.context_pop.function(&popped);
}

}  // namespace lode::gpu::cuda
