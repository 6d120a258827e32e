// ResidentText: a text in the memory of a GPU, uploaded once and searched many times.
//
// It stays there until the object goes; searches of it copy nothing but their results. It is for searchers of the Device
// it was made with or of a copy of that, and of `auto`; others, of a Device opened once more too, throw
// Error(unsupported). Where the GPU fails, a search throws Error(device), with `auto` too: the CPU has no copy to go on
// with. Immutable; any number of threads may search it.
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
  /// Copies the text to the device, with `threads` threads (0: all cores). With `cuda:all` it is divided among the
  /// devices. Throws Error(unsupported) for the CPU, Error(device) where the memory does not suffice.
  ResidentText(const Device& device, const Text& text, unsigned threads = 0);
  /// Takes `size` bytes at `device_pointer` as the text without a copy: memory of the device (CUDA only, one device)
  /// that the caller keeps unchanged while this lives. Throws Error(unsupported) elsewhere.
  static ResidentText adopt(const Device& device, std::uintptr_t device_pointer, std::uint64_t size);

  /// Returns when the commands are done that a CUDA stream of the caller's holds now: what they write may be adopted then.
  /// `stream` is a CUstream, or 1 for the legacy default stream, 2 for the calling thread's. Throws Error(unsupported) for
  /// other devices.
  static void wait_for_stream(const Device& device, std::uintptr_t stream);

  std::uint64_t size() const noexcept;
  const gpu::Resident& data() const noexcept { return *data_; }  // internal

 private:
  explicit ResidentText(std::shared_ptr<const gpu::Resident> data) : data_(std::move(data)) {}
  std::shared_ptr<const gpu::Resident> data_;
};

}  // namespace lode
