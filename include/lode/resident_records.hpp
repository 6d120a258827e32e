// ResidentRecords: records in the memory of GPUs, uploaded once and searched many times.
// DeviceMatrix: results that stay in the memory of a GPU.
//
// They serve searchers that were made with the same Device, with a copy of it, or with `auto`; others throw
// Error(unsupported). Resident records are immutable, and any number of threads may search them. A matrix serves one
// search at a time.
//
//   lode::Device gpu = lode::open_device("cuda");
//   lode::ResidentRecords records(gpu, lode::Records::of_lines(text));
//   std::vector<std::uint8_t> bits = lode::RecordSearcher(plan, {}, gpu).contains_any(records);
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lode/device.hpp"
#include "lode/export.hpp"

namespace lode {

class Records;

namespace gpu {
class Buffer;
class ResidentRecords;
class Runtime;
}  // namespace gpu

class LODE_API ResidentRecords {
 public:
  /// Copies the records to the device, with `threads` threads (0: all cores). `cuda:all` divides them among the
  /// devices. Beside their bytes they take 8 bytes a record, on the device and on the host, and at most a 64th of the
  /// bytes. Throws Error(unsupported) for the CPU, and Error(device) if the memory does not suffice.
  ResidentRecords(const Device& device, const Records& records, unsigned threads = 0);

  std::uint64_t size() const noexcept;
  /// Bytes from the first record's begin to the last record's end, gaps included.
  std::uint64_t total_bytes() const noexcept;
  const gpu::ResidentRecords& data() const noexcept { return *data_; }  // internal

 private:
  std::shared_ptr<const gpu::ResidentRecords> data_;
};

/// 32-bit cells in the memory of one GPU.
class LODE_API DeviceMatrix {
 public:
  /// Makes room for `cells` cells, whose values are undefined. Throws Error(unsupported) for the CPU and for several
  /// GPUs, and Error(device) if the memory does not suffice.
  DeviceMatrix(const Device& device, std::uint64_t cells);
  /// Takes cells at `device_pointer` without a copy; the caller still owns them. Throws Error(unsupported) for devices
  /// other than CUDA, and Error(invalid_argument) if the pointer is not a multiple of 16.
  static DeviceMatrix adopt(const Device& device, std::uintptr_t device_pointer, std::uint64_t cells);
  DeviceMatrix(DeviceMatrix&&) noexcept;
  DeviceMatrix& operator=(DeviceMatrix&&) noexcept;
  ~DeviceMatrix();

  std::uint64_t size() const noexcept { return size_; }
  /// Copies cells.size() cells, from cell `first` on, to the host. Throws Error(invalid_argument) if there are fewer.
  void read(std::uint64_t first, std::span<std::int32_t> cells) const;
  /// Copies cells to the device, from the cell with this index on.
  void write(std::uint64_t first, std::span<const std::int32_t> cells);

  const std::shared_ptr<gpu::Runtime>& runtime() const noexcept { return runtime_; }  // internal
  const gpu::Buffer& buffer() const noexcept { return *buffer_; }                     // internal

 private:
  void check(std::uint64_t first, std::uint64_t count) const;
  DeviceMatrix(std::shared_ptr<gpu::Runtime> runtime, std::unique_ptr<gpu::Buffer> buffer, std::uint64_t cells);
  std::shared_ptr<gpu::Runtime> runtime_;
  std::unique_ptr<gpu::Buffer> buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace lode
