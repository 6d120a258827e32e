// The seam: all that the host loop asks of a GPU API.
//
// A Runtime is one opened device. It compiles kernels and makes buffers and queues. Each GPU API implements these
// classes in a folder of its own (opencl/, cuda/); outside that folder only device.cpp names the API. Every call may throw
// Error(ErrorKind::device) with the API's own words; after that the runtime may be unusable. A Runtime may be used from
// several threads at once; a Queue, a Buffer or a Kernel by one thread at a time. An object that a Runtime has made
// keeps alive what it needs of the Runtime.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lode/error.hpp"
#include "lode/options.hpp"

namespace lode::gpu {

struct Limits {
  std::string name;                    // for people: "NVIDIA H200"
  std::string version;                 // names all that makes compiled kernels differ: device, driver, compiler
  std::uint64_t memory_bytes = 0;      // the device's whole memory
  std::uint64_t max_buffer_bytes = 0;  // the largest buffer that the device can make
  std::uint32_t local_bytes = 0;       // local memory that one work-group may have
  std::uint32_t unit_local_bytes = 0;  // local memory of a compute unit, shared by its work-groups
  std::uint32_t compute_units = 1;
  std::uint32_t max_group_items = 1;
  std::uint32_t team_items = 0;  // work-items that run in step and can exchange words; 0: items cannot
};

/// Memory of the device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

 protected:
  explicit Buffer(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

 private:
  std::uint64_t size_bytes_;
};

/// Memory of the host that the device copies from and to at full speed.
class PinnedBuffer {
 public:
  virtual ~PinnedBuffer() = default;
  std::span<std::byte> bytes() const noexcept { return bytes_; }

 protected:
  explicit PinnedBuffer(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

/// A compiled entry point on its device.
class Kernel {
 public:
  virtual ~Kernel() = default;
};

/// One argument of a kernel: a buffer (null: a null pointer), or a value that is copied.
struct Argument {
  Argument(const Buffer* memory) : buffer(memory), is_buffer(true) {}  // NOLINT(google-explicit-constructor)
  template <class Value>
  requires std::is_trivially_copyable_v<Value> &&(!std::is_pointer_v<Value>)Argument(const Value& of)
      : value_bytes(sizeof of) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof of <= sizeof value);
    std::memcpy(value.data(), &of, sizeof of);
  }

  const Buffer* buffer = nullptr;
  bool is_buffer = false;
  std::uint32_t value_bytes = 0;
  alignas(8) std::array<std::byte, 64> value{};
};

struct Launch {
  std::uint32_t groups = 1;
  std::uint32_t group_items = 1;
  std::uint32_t local_bytes = 0;  // size of the kernel's LOCAL_MEMORY
};

/// Runs commands in order, while the caller goes on. The caller leaves host memory that they name untouched until
/// wait().
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) = 0;
  virtual void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
  virtual void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) = 0;  // both are multiples of 4
  virtual void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) = 0;
  /// Returns when all commands are done. Throws if one of them failed.
  virtual void wait() = 0;
};

/// The input of Runtime::compile.
struct KernelSource {
  std::string text;                                             // the whole translation unit
  std::string entry;                                            // the kernel function
  std::vector<std::pair<std::string, std::int64_t>> constants;  // preprocessor constants: name, value
  std::uint32_t items_of_unit = 0;  // work-items that a compute unit's registers must suffice for; 0: any number
};

/// Registers for each work-item if a compute unit of NVIDIA's is to run `items_of_unit` of them at once.
inline std::uint32_t nvidia_registers(std::uint32_t items_of_unit) {
  constexpr std::uint32_t of_unit = 65536;
  constexpr std::uint32_t most = 255;
  return std::min(most, of_unit / items_of_unit / 8 * 8);
}

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual const Limits& limits() const = 0;
  virtual std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) = 0;
  virtual std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) = 0;
  virtual std::unique_ptr<Queue> make_queue() = 0;
  /// Compiles the source into bytes that load_kernel takes. The error of a failed build carries the build log.
  virtual std::string compile(const KernelSource& source) = 0;
  /// `binary` is what compile gave for `source`, now or in another process with equal limits().version. Throws if the
  /// API can tell that it is anything else.
  virtual std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) = 0;
  /// How many work-groups of this launch a compute unit runs at once; at least 1.
  virtual std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const = 0;
  /// Makes a buffer over device memory that someone else owns and goes on owning. Throws Error(unsupported) if the API
  /// cannot do so.
  virtual std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) = 0;
  /// Waits for the commands that a stream of the API holds now; someone else owns the stream. Throws Error(unsupported)
  /// if the API cannot adopt memory.
  virtual void wait_for_stream(std::uintptr_t stream) {
    throw Error(ErrorKind::unsupported,
                "this GPU API shares no streams: there is none " + std::to_string(stream) + " to wait for");
  }
};

/// A GPU API, as the registry of devices knows it.
struct Api {
  std::string_view name;  // "cuda": its devices are "cuda:0", "cuda:1", …
  /// Lists all devices, also those that cannot be used, with the reason. An entry that is named like the API says that
  /// a driver could not list its devices, or why there is no device at all. Loads the API's libraries. Never throws
  /// because of what it finds.
  std::vector<DeviceInfo> (*list)();
  /// Throws Error(device) with the reason if there is no such device or it cannot be used.
  std::shared_ptr<Runtime> (*open)(unsigned device);
};

}  // namespace lode::gpu
