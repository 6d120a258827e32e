// What a fork leaves of the library's threads.
//
// A child of a process that has searched has oneTBB's state, but none of its threads, and perhaps a lock that one of them
// held. So searches in such a child use the caller's thread alone, which asks oneTBB for nothing. A child of a process
// that has only loaded the library uses all cores. Safe to call from any thread.
#pragma once

namespace lode::python {

/// To be called before the library may start threads.
void note_threads() noexcept;

/// How many forks after a use lie between the process that loaded the library and this one.
unsigned forks_after_use() noexcept;

/// The threads to ask the library for: those that the caller asks for, or one.
unsigned threads_here(unsigned asked) noexcept;

}  // namespace lode::python
