#include "device/auto_devices.hpp"

#include <array>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "gpu/engine/resident.hpp"
#include "lode/error.hpp"
#include "lode/version.hpp"

namespace lode {
namespace {

using base::Clock;
using base::seconds_since;

constexpr std::size_t measured_bytes = std::size_t{32} << 20;
constexpr double measured_seconds = 0.15;

// Text goes to the device as scan() sends it: several threads read it into pinned memory while earlier text is copied.
double measure_stream(gpu::Runtime& runtime, unsigned threads) {
  struct Turn {
    std::unique_ptr<gpu::Queue> queue;
    std::unique_ptr<gpu::PinnedBuffer> pinned;
    std::unique_ptr<gpu::Buffer> buffer;
  };
  std::array<Turn, 2> turns;
  for (Turn& turn : turns)
    turn = {runtime.make_queue(), runtime.make_pinned_buffer(measured_bytes), runtime.make_buffer(measured_bytes)};
  const std::vector<char> text(measured_bytes, 'x');
  const gpu::ReadText read = [&text](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), text.data() + offset, into.size());
  };
  std::size_t sent = 0;
  const auto send = [&] {
    Turn& turn = turns[sent++ % turns.size()];
    turn.queue->wait();
    gpu::read_in_parallel(read, 0, {reinterpret_cast<char*>(turn.pinned->bytes().data()), measured_bytes}, threads);
    turn.queue->write(*turn.buffer, 0, turn.pinned->bytes().data(), measured_bytes);
  };
  const auto wait = [&] {
    for (Turn& turn : turns) turn.queue->wait();
  };
  // The first round is not timed, because memory gets its pages when it is first touched.
  for (std::size_t turn = 0; turn < turns.size(); ++turn) send();
  wait();
  sent = 0;
  const auto begin = Clock::now();
  const auto seconds = [&] { return seconds_since(begin); };
  while (seconds() < measured_seconds) send();
  wait();
  return static_cast<double>(sent * measured_bytes) / seconds();
}

}  // namespace

void AutoDevices::look_for_gpu(unsigned threads) {
  absence_ = "there is no GPU";
  const auto refuse = [&](const GpuCandidate& candidate, const char* reason) {
    absence_ = candidate.name + " cannot be used";
    warning_ = candidate.name + " is not used: " + reason;
  };
  for (const GpuCandidate& candidate : setup_.find_gpus()) {
    try {
      ChosenGpu found{candidate.name, candidate.open(), setup_.stream_bytes_per_second};
      if (found.stream_bytes_per_second <= 0) {
        const std::string kind = "bytes a second from host to " + found.runtime->limits().version + " by " +
                                 std::to_string(threads) + " threads, lode " + version();
        std::optional<double> rate = rates_.find(kind);
        if (!rate) rates_.learn(kind, *(rate = measure_stream(*found.runtime, threads)));
        found.stream_bytes_per_second = *rate;
      }
      gpu_ = std::make_shared<const ChosenGpu>(std::move(found));
      absence_.clear();
      return;
    } catch (const Error& error) {
      refuse(candidate, error.what());
    } catch (const std::bad_alloc&) {
      refuse(candidate, "out of memory");
    }
  }
}

std::shared_ptr<const ChosenGpu> AutoDevices::gpu(unsigned threads) {
  const std::lock_guard lock(mutex_);
  if (!looked_) {
    looked_ = true;
    look_for_gpu(threads);
  }
  return gpu_;
}

std::string AutoDevices::absence() {
  const std::lock_guard lock(mutex_);
  return absence_;
}

std::string AutoDevices::take_warning() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warning_, {});
}

void AutoDevices::give_up(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  gpu_.reset();
  absence_ = reason;
}

std::vector<std::shared_ptr<gpu::Runtime>> resident_runtimes(const Device& device, unsigned threads) {
  if (device.is_cpu()) throw Error(ErrorKind::unsupported, "data are made resident on a GPU, not on the CPU");
  if (!device.is_auto()) return device.gpus()->runtimes;
  const auto gpu = device.automatic()->gpu(thread_count(threads));
  if (!gpu) throw Error(ErrorKind::device, "data are made resident on a GPU: " + device.automatic()->absence());
  return {gpu->runtime};
}

}  // namespace lode
