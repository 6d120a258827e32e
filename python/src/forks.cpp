#include "forks.hpp"

#include <pthread.h>

#include <atomic>
#include <limits>

#include "lode/error.hpp"

namespace lode::python {
namespace {

std::atomic<bool> has_threads = false;
std::atomic<unsigned> forks = 0;
constexpr unsigned never = std::numeric_limits<unsigned>::max();
std::atomic<unsigned> forks_at_gpus = never;  // `forks` when GPUs were first used

void refuse_gpus_of_parents() {
  if (forks_at_gpus == never || forks_at_gpus == forks) return;
  throw Error(
      ErrorKind::device,
      "this process was forked from one that had used GPUs, and their drivers do not survive that: start it anew "
      "(multiprocessing: 'spawn'), or search on the CPU");
}

void count_fork() {
  if (has_threads) ++forks;
}

}  // namespace

void note_threads() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, count_fork);
  static_cast<void>(registered);
  has_threads = true;
}

unsigned forks_after_use() noexcept { return forks; }

unsigned threads_here(unsigned asked) noexcept { return forks == 0 ? asked : 1; }

void note_gpus() {
  note_threads();
  refuse_gpus_of_parents();
  forks_at_gpus = forks.load();
}

Device device_here(const Device& device) {
  if (device.is_auto() && forks != 0) return Device::cpu();
  if (device.gpus() != nullptr) refuse_gpus_of_parents();
  return device;
}

}  // namespace lode::python
