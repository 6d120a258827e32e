// ResidentText: a text in the memory of a GPU, uploaded once and searched many times.
//
// The text stays there until the object is destroyed; searches copy nothing but their results. It serves searchers that
// were made with the same Device, with a copy of it, or with `auto`. Others throw Error(unsupported), even if they were
// made with the same device opened once more. If the GPU fails, a search throws Error(device), with `auto` too, because
// the CPU has no copy to go on with. A resident text is immutable, and any number of threads may search it.
//
//   lode::Device gpu = lode::open_device("cuda");
//   lode::ResidentText genome(gpu, bytes);
//   std::uint64_t hits = lode::Searcher(plan, {}, gpu).count(genome);
#pragma once

#include <cstdint>
#include <memory>

#include "lode/device.hpp"
#include "lode/export.hpp"
#include "lode/searcher.hpp"

namespace lode {

namespace gpu {
class Resident;
}

class LODE_API ResidentText {
 public:
  /// Copies the text to the device, with `threads` threads (0: all cores). `cuda:all` divides it among the devices.
  /// Throws Error(unsupported) for the CPU and for a text that is resident already, and Error(device) if the memory
  /// does not suffice.
  ResidentText(const Device& device, const Text& text, unsigned threads = 0);
  /// Takes `size` bytes at `device_pointer` as the text, without a copy. They lie in the device's memory, and the
  /// caller keeps them unchanged while this object lives. Throws Error(unsupported) unless the device is one CUDA
  /// device.
  static ResidentText adopt(const Device& device, std::uintptr_t device_pointer, std::uint64_t size);

  /// Waits until the commands are done that the caller's CUDA stream holds now. What they write may be adopted then.
  /// `stream` is a CUstream, or 1 for the legacy default stream, or 2 for the calling thread's default stream. Throws
  /// Error(unsupported) for devices other than CUDA.
  static void wait_for_stream(const Device& device, std::uintptr_t stream);

  std::uint64_t size() const noexcept;
  const gpu::Resident& data() const noexcept { return *data_; }  // internal

 private:
  explicit ResidentText(std::shared_ptr<const gpu::Resident> data) : data_(std::move(data)) {}
  std::shared_ptr<const gpu::Resident> data_;
};

}  // namespace lode
