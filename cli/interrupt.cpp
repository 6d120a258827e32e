#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace lode::command {
namespace {

constexpr int interrupted_status = 130;

// These are global because a signal handler has no other way to reach the program's state. Lock-free atomics are safe
// in handlers, and between threads, any of which may receive the signal.
std::atomic<int> holders{0};
std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_interrupt(int) {
  const int before = interrupts.fetch_add(1);
  if (before > 0 || holders.load() == 0) ::_exit(interrupted_status);
}

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  if (::sigaction(SIGINT, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;  // in a background job
  action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

bool is_interrupted() noexcept { return interrupts.load() > 0; }

InterruptsHeld::InterruptsHeld() noexcept { holders.fetch_add(1); }

InterruptsHeld::~InterruptsHeld() {
  if (holders.fetch_sub(1) == 1 && interrupts.load() > 0) ::_exit(interrupted_status);
}

}  // namespace lode::command
