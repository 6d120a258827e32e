// A GPU made of the host: a Runtime (src/gpu/seam.hpp) whose kernels run on the host (host_kernels.hpp).
//
// It is stricter than real devices. Buffers are as large as asked for, to the byte, and filled with poison. A queue
// runs its commands in wait() and not before, so that code that reads a result or reuses memory too early gets it
// wrong. Code that breaks the seam's contract gets std::logic_error, which no search takes for a device's failure.
// Memory beyond the limits is a failure of the device, Error(device).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "gpu/seam.hpp"

namespace lode::gpu::host {

/// Counts the bytes in use, and remembers the most that were in use at once.
class MemoryUse {
 public:
  void add(std::uint64_t bytes);
  void remove(std::uint64_t bytes) { used_ -= bytes; }
  std::uint64_t used() const { return used_; }
  std::uint64_t peak() const { return peak_; }

 private:
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
};

struct HostMemory {
  MemoryUse buffers;  // memory of the device
  MemoryUse pinned;   // memory of the host
};

struct HostDevice {
  std::uint32_t team_items = 4;  // 0 means that there are no teams, as in OpenCL
  std::uint32_t max_group_items = 8;
  std::uint32_t local_bytes = 16 << 10;
  std::uint32_t compute_units = 2;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_buffer_bytes = std::uint64_t{1} << 29;
  std::shared_ptr<HostMemory> memory = std::make_shared<HostMemory>();  // shared by all runtimes of this device
};

std::shared_ptr<Runtime> make_host_runtime(const HostDevice& device);

}  // namespace lode::gpu::host
