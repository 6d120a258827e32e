// Runs a search without the GIL so that Ctrl-C can end it.
//
// Python handles signals only in its main thread, and only while that holds the GIL. So if the main thread asks for
// work that may take long, another thread does it, and the main thread looks for signals twenty times a second. If a
// handler raises (as that of Ctrl-C does), the main thread sets the stop token, waits for the work to end, and raises
// the handler's exception. Short work, and work that another thread asks for, runs in the caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace lode::python {

/// Whether a search of so many bytes may keep the caller waiting for longer than a person waits for Ctrl-C.
bool may_take_long(std::uint64_t text_bytes, std::uint64_t pattern_bytes) noexcept;

/// Calls `work` without the GIL, so it must use no Python object. The caller must hold the GIL. Throws what `work`
/// throws, or nb::python_error with what a signal's handler raised.
void run_without_gil(bool may_take_long, const std::function<void(std::stop_token)>& work);

}  // namespace lode::python
