// DeviceFacts: what the driver tells of a device before there is a context on it, and the compiler that serves it.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/nvrtc.hpp"

namespace lode::gpu::cuda {

struct DeviceFacts {
  Device device = 0;
  std::string name;            // "NVIDIA H200"
  int compute_capability = 0;  // 90 for 9.0
  std::uint64_t memory_bytes = 0;
  NvrtcChoice compiler;
  std::string reason;  // why the device cannot be used; empty if it can

  std::string capability_text() const;
  /// A text for people: name, capability, memory, versions.
  std::string describe(const Driver& driver) const;
};

/// Throws Error(device) if there is no such device or the driver fails.
DeviceFacts inspect_device(const Driver& driver, NvrtcLibraries& libraries, unsigned index);

}  // namespace lode::gpu::cuda
