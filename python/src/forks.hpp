// What a fork leaves of the library's threads.
//
// A child of a process that has searched has oneTBB's state, but none of its threads, and perhaps a lock that one of them
// held. So searches in such a child use the caller's thread alone, which asks oneTBB for nothing. A child of a process
// that has only loaded the library uses all cores. GPUs' drivers do not outlive a fork at all: some crash in the child.
// There `auto` is the CPU, and a GPU that the parent used is refused. Safe to call from any thread.
#pragma once

#include "lode/device.hpp"

namespace lode::python {

/// To be called before the library may start threads.
void note_threads() noexcept;

/// How many forks after a use lie between the process that loaded the library and this one.
unsigned forks_after_use() noexcept;

/// The threads to ask the library for: those that the caller asks for, or one.
unsigned threads_here(unsigned asked) noexcept;

/// To be called before GPUs are opened or listed. Throws Error(device) where a process used them that this one was forked
/// from.
void note_gpus();

/// The device to search on: this one, or the CPU. Throws as note_gpus() for GPUs.
Device device_here(const Device& device);

}  // namespace lode::python
