#include "forks.hpp"

#include <pthread.h>

#include <atomic>

namespace lode::python {
namespace {

std::atomic<bool> has_threads = false;
std::atomic<unsigned> forks = 0;

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

}  // namespace lode::python
