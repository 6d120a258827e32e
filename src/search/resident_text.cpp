#include "lode/resident_text.hpp"

#include <cstring>

#include "base/threads.hpp"
#include "device/auto_devices.hpp"
#include "gpu/engine/resident.hpp"
#include "lode/error.hpp"

namespace lode {
ResidentText::ResidentText(const Device& device, const Text& text, unsigned threads) {
  if (text.resident() != nullptr) throw Error(ErrorKind::unsupported, "the text is resident already");
  gpu::ReadText read;
  if (const RandomAccessText* source = text.source())
    read = [source](std::uint64_t offset, std::span<char> into) { source->read(offset, into); };
  else
    read = [bytes = text.bytes()](std::uint64_t offset, std::span<char> into) {
      std::memcpy(into.data(), bytes.data() + offset, into.size());
    };
  data_ = std::make_shared<gpu::Resident>(resident_runtimes(device, threads), text.size(), read, thread_count(threads));
}

ResidentText ResidentText::adopt(const Device& device, std::uintptr_t device_pointer, std::uint64_t size) {
  const auto runtimes = resident_runtimes(device, 0);
  if (runtimes.size() != 1)
    throw Error(ErrorKind::unsupported, "device memory is adopted by one device, not by " + device.name());
  return ResidentText(std::make_shared<gpu::Resident>(runtimes[0], device_pointer, size));
}

void ResidentText::wait_for_stream(const Device& device, std::uintptr_t stream) {
  for (const auto& runtime : resident_runtimes(device, 1)) runtime->wait_for_stream(stream);
}

std::uint64_t ResidentText::size() const noexcept { return data_->size(); }

}  // namespace lode
