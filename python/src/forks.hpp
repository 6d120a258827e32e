// Makes searches work in a process that was forked.
//
// If the parent has searched, the child has oneTBB's state, but none of its threads, and perhaps a lock that one of
// them held. So searches in such a child use only the caller's thread, and oneTBB is not called. If the parent has only
// loaded the library, the child uses all cores. The drivers of GPUs do not survive a fork; some crash in the child. So
// in the child `auto` is the CPU, and a GPU is refused if the parent used GPUs. Safe to call from any thread.
#pragma once

#include "lode/device.hpp"

namespace lode::python {

/// Must be called before the library may start threads.
void note_threads() noexcept;

/// How many of the forks between the process that loaded the library and this one came after the library was used.
unsigned forks_after_use() noexcept;

/// How many threads to ask the library for: as many as the caller asks for, or one in a child.
unsigned threads_here(unsigned asked) noexcept;

/// Must be called before GPUs are opened or listed. Throws Error(device) if a process that this one was forked from
/// used them.
void note_gpus();

/// The device to search on: the given one, or the CPU in place of `auto` in a child. Throws as note_gpus() for GPUs.
Device device_here(const Device& device);

}  // namespace lode::python
