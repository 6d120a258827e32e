// Interrupts (Ctrl-C) end the command with status 130, but never in the middle of a write or of saving a plan.
//
// handle_interrupts() installs the handler. While an InterruptsHeld exists, an interrupt waits until it is gone. A
// second interrupt does not wait.
#pragma once

namespace lode::command {

void handle_interrupts();
/// Whether an interrupt waits.
bool is_interrupted() noexcept;

class InterruptsHeld {
 public:
  InterruptsHeld() noexcept;
  ~InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;
};

}  // namespace lode::command
