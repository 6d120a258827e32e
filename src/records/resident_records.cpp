#include "lode/resident_records.hpp"

#include "base/threads.hpp"
#include "device/auto_devices.hpp"
#include "gpu/records/resident_records.hpp"
#include "lode/error.hpp"
#include "lode/records.hpp"

namespace lode {
namespace {

std::shared_ptr<gpu::Runtime> only_runtime_of(const Device& device) {
  const auto runtimes = resident_runtimes(device, 1);
  if (runtimes.size() != 1)
    throw Error(ErrorKind::unsupported, "a matrix lies in the memory of one device, not of " + device.name());
  return runtimes[0];
}

}  // namespace

ResidentRecords::ResidentRecords(const Device& device, const Records& records, unsigned threads)
    : data_(
          std::make_shared<gpu::ResidentRecords>(resident_runtimes(device, threads), records, thread_count(threads))) {}

std::uint64_t ResidentRecords::size() const noexcept { return data_->size(); }
std::uint64_t ResidentRecords::total_bytes() const noexcept { return data_->total_bytes(); }

DeviceMatrix::DeviceMatrix(std::shared_ptr<gpu::Runtime> runtime, std::unique_ptr<gpu::Buffer> buffer,
                           std::uint64_t cells)
    : runtime_(std::move(runtime)), buffer_(std::move(buffer)), size_(cells) {}

DeviceMatrix::DeviceMatrix(const Device& device, std::uint64_t cells)
    : runtime_(only_runtime_of(device)), size_(cells) {
  if (cells > runtime_->limits().max_buffer_bytes / sizeof(std::int32_t))
    throw Error(ErrorKind::device, "the device has no buffer for " + std::to_string(cells) + " cells");
  buffer_ = runtime_->make_buffer(std::max<std::uint64_t>(16, cells * sizeof(std::int32_t)));
}

DeviceMatrix DeviceMatrix::adopt(const Device& device, std::uintptr_t device_pointer, std::uint64_t cells) {
  if (device_pointer % 16 != 0)
    throw Error(ErrorKind::invalid_argument, "a matrix in device memory begins at a multiple of 16 bytes");
  std::shared_ptr<gpu::Runtime> runtime = only_runtime_of(device);
  std::unique_ptr<gpu::Buffer> buffer = runtime->adopt(device_pointer, cells * sizeof(std::int32_t));
  return DeviceMatrix(std::move(runtime), std::move(buffer), cells);
}

DeviceMatrix::DeviceMatrix(DeviceMatrix&&) noexcept = default;
DeviceMatrix& DeviceMatrix::operator=(DeviceMatrix&&) noexcept = default;
DeviceMatrix::~DeviceMatrix() = default;

void DeviceMatrix::check(std::uint64_t first, std::uint64_t count) const {
  if (first > size_ || count > size_ - first)
    throw Error(ErrorKind::invalid_argument, "the matrix has " + std::to_string(size_) + " cells, fewer than " +
                                                 std::to_string(first) + " and " + std::to_string(count));
}

void DeviceMatrix::write(std::uint64_t first, std::span<const std::int32_t> cells) {
  check(first, cells.size());
  if (cells.empty()) return;
  const std::unique_ptr<gpu::Queue> queue = runtime_->make_queue();
  queue->write(*buffer_, first * sizeof(std::int32_t), cells.data(), cells.size_bytes());
  queue->wait();
}

void DeviceMatrix::read(std::uint64_t first, std::span<std::int32_t> cells) const {
  check(first, cells.size());
  if (cells.empty()) return;
  const std::unique_ptr<gpu::Queue> queue = runtime_->make_queue();
  queue->read(*buffer_, first * sizeof(std::int32_t), cells.data(), cells.size_bytes());
  queue->wait();
}

}  // namespace lode
