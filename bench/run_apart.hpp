// Work in a process of its own, which can be ended: what a library does cannot be interrupted within this one.
//
// The work sees a copy of all memory and gives bytes. It must not wait for other threads: in its process there are none.
#pragma once

#include <functional>
#include <string>

namespace lode::bench {

/// What `work` returned. Throws NotServed with the reason where it threw one, where its process died, and where it took
/// longer than `most_seconds`.
std::string run_apart(double most_seconds, const std::function<std::string()>& work);

}  // namespace lode::bench
