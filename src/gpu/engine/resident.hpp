// Resident: a text that lies in the memory of devices, in stripes.
//
// A text on one device is a single stripe if a buffer has room for it. Else the text is cut into stripes of one length
// (the last may be shorter), which are dealt to the devices in turn, so that all hold about as many. Each stripe is
// followed by the bytes that patterns may reach into. A text too small for stripes of 16 MiB lies on fewer devices.
// Immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/seam.hpp"
#include "text/unchanged_text.hpp"

namespace lode::gpu {

using ReadText = std::function<void(std::uint64_t offset, std::span<char> into)>;

struct Stripe {
  std::size_t device = 0;        // index of its runtime
  std::uint64_t begin = 0;       // the stripe owns [begin, end) of the text
  std::uint64_t end = 0;         // low <= begin <= end <= high
  std::uint64_t low = 0;         // the buffer holds [low, high): a pattern or condition may reach across begin and end
  std::uint64_t high = 0;        // at most the size of the text
  std::uint64_t offset = 0;      // where byte `low` lies in the buffer
  std::unique_ptr<Buffer> text;  // has text_padding behind the text, unless it is adopted
};

/// Copies texts to one device, through pinned memory. Pinning memory takes longer than copying it once, so whoever
/// copies often keeps an Uploader. Used by one thread at a time.
class Uploader {
 public:
  explicit Uploader(Runtime& runtime) : runtime_(runtime) {}

  /// Copies bytes [0, size), which `threads` threads read with `read`, to `into` from `offset` on.
  void copy(std::uint64_t size, const ReadText& read, Buffer& into, std::uint64_t offset, unsigned threads);

 private:
  struct Part {
    std::unique_ptr<PinnedBuffer> bytes;
    std::unique_ptr<Queue> queue;  // declared last: it waits before the memory that it reads from goes
  };
  Runtime& runtime_;
  std::array<Part, 3> parts_;
};

class Resident {
 public:
  /// Copies a text of `size` bytes to the devices; `threads` threads read it. Several devices hold stripes of it in
  /// turn, of `stripe_bytes` each; 0: chosen. `uploader` belongs to the one device; null: each device gets its own.
  Resident(std::vector<std::shared_ptr<Runtime>> runtimes, std::uint64_t size, const ReadText& read, unsigned threads,
           std::uint64_t stripe_bytes = 0, Uploader* uploader = nullptr);
  /// The text is device memory that the caller owns.
  Resident(const std::shared_ptr<Runtime>& runtime, std::uintptr_t device_pointer, std::uint64_t size);

  std::uint64_t size() const noexcept { return size_; }
  const std::vector<Stripe>& stripes() const noexcept { return stripes_; }
  const std::vector<std::shared_ptr<Runtime>>& runtimes() const noexcept { return runtimes_; }
  /// Copies bytes of the text back to the host.
  void read(std::uint64_t offset, std::span<char> into) const;
  /// Whether the text is such a one. It is read back to find that out, once for each kind.
  bool is(const text::UnchangedText& unchanged) const;
  /// A number that no other Resident of this process has or had. An address would not do, because it is used again.
  std::uint64_t number() const noexcept { return number_; }

 private:
  static std::uint64_t next_number();

  std::uint64_t number_ = next_number();
  std::vector<std::shared_ptr<Runtime>> runtimes_;
  std::uint64_t size_;
  std::vector<Stripe> stripes_;
  struct Facts {
    std::mutex mutex;
    std::map<text::UnchangedText::Kind, bool> known;
  };
  std::unique_ptr<Facts> facts_ = std::make_unique<Facts>();
};

/// The length of stripes for a text of `size` bytes on `devices` devices. Throws Error(device) if buffers are too
/// small.
std::uint64_t choose_stripe_bytes(std::uint64_t size, std::uint64_t devices, std::uint64_t max_buffer_bytes);
/// The length of a part if `size` bytes are cut into at most `parts` parts; a multiple of 64 KiB.
std::uint64_t cut_evenly(std::uint64_t size, std::uint64_t parts);

/// Calls `read` for parts of [offset, offset + into.size()), from `threads` threads.
void read_in_parallel(const ReadText& read, std::uint64_t offset, std::span<char> into, unsigned threads);

}  // namespace lode::gpu
