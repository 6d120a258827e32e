// Running a search without the GIL so that Ctrl-C ends it.
//
// Python handles signals in its main thread only, and only while that holds the GIL. So work that may take long and
// comes from the main thread is given to a thread of its own, and the main thread asks for signals twenty times a
// second. Where a handler raises (as that of Ctrl-C does), the stop token is set, the work is waited for, and the
// handler's exception goes on to the caller. From other threads, and where the work is short, it runs where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace lode::python {

/// Whether a search of so many bytes may keep the caller waiting for longer than a person waits for Ctrl-C.
bool may_take_long(std::uint64_t text_bytes, std::uint64_t pattern_bytes) noexcept;

/// Needs the GIL, which is released while `work` runs: it must use no Python object. Throws what `work` throws, or
/// nb::python_error with what a signal's handler raised.
void run_without_gil(bool may_take_long, const std::function<void(std::stop_token)>& work);

}  // namespace lode::python
