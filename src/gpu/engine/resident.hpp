// Resident: a text that lies in the memory of devices, in stripes.
//
// One device and one buffer where that suffices. Else the text is cut into stripes of one length, but for a somewhat
// shorter last one, dealt to the devices in turn so that all hold as many; each stripe is followed by the bytes that
// patterns may reach into. A text too small for stripes of 16 MiB lies on fewer devices. Immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/seam.hpp"

namespace lode::gpu {

using ReadText = std::function<void(std::uint64_t offset, std::span<char> into)>;

struct Stripe {
  std::size_t device = 0;        // index of its runtime
  std::uint64_t begin = 0;       // of the text; the stripe owns [begin, end)
  std::uint64_t end = 0;         //
  std::uint64_t low = 0;         // the buffer holds [low, high) of the text; more than it owns, for what reaches across
  std::uint64_t high = 0;        //
  std::uint64_t offset = 0;      // of byte `low` in the buffer
  std::unique_ptr<Buffer> text;  // with text_padding behind, unless adopted
};

/// Pinned memory through which texts come to one device. To pin it takes longer than to copy it once; whoever copies often
/// keeps one. Used by one thread at a time.
class Uploader {
 public:
  explicit Uploader(Runtime& runtime) : runtime_(runtime) {}

  /// Copies bytes [0, size) of what `read` gives to `into`, from `offset` on, `threads` threads reading them.
  void copy(std::uint64_t size, const ReadText& read, Buffer& into, std::uint64_t offset, unsigned threads);

 private:
  struct Part {
    std::unique_ptr<PinnedBuffer> bytes;
    std::unique_ptr<Queue> queue;  // before the memory that it reads from goes
  };
  Runtime& runtime_;
  std::array<Part, 3> parts_;
};

class Resident {
 public:
  /// Copies a text of `size` bytes to the devices, `threads` threads reading it. Several devices hold stripes of it in
  /// turn, of `stripe_bytes` each; 0: chosen. `uploader`, of the one device; null: one is made.
  Resident(std::vector<std::shared_ptr<Runtime>> runtimes, std::uint64_t size, const ReadText& read, unsigned threads,
           std::uint64_t stripe_bytes = 0, Uploader* uploader = nullptr);
  /// Takes device memory that is the caller's as the text.
  Resident(const std::shared_ptr<Runtime>& runtime, std::uintptr_t device_pointer, std::uint64_t size);

  std::uint64_t size() const noexcept { return size_; }
  const std::vector<Stripe>& stripes() const noexcept { return stripes_; }
  const std::vector<std::shared_ptr<Runtime>>& runtimes() const noexcept { return runtimes_; }
  /// No other that this process makes has the same; addresses are used again.
  std::uint64_t number() const noexcept { return number_; }

 private:
  static std::uint64_t next_number();

  std::uint64_t number_ = next_number();
  std::vector<std::shared_ptr<Runtime>> runtimes_;
  std::uint64_t size_;
  std::vector<Stripe> stripes_;
};

/// Length of stripes for a text of `size` bytes on so many devices. Throws Error(device) where buffers are too small.
std::uint64_t choose_stripe_bytes(std::uint64_t size, std::uint64_t devices, std::uint64_t max_buffer_bytes);
/// Length of the parts of so many bytes, in `parts` parts; a multiple of 64 KiB.
std::uint64_t cut_evenly(std::uint64_t size, std::uint64_t parts);

/// Calls read for the parts of [offset, offset + into.size()), from several threads.
void read_in_parallel(const ReadText& read, std::uint64_t offset, std::span<char> into, unsigned threads);

}  // namespace lode::gpu
