// The self-test of a GPU: a few searches of known answer, before anything is made of what the device says.
//
// A text of some KiB is searched by the algorithms `filter` and `vector`, counting and listing, in several pieces; a plain
// loop of the host gives the answers. That a device has passed is kept in the cache folder, under its driver's and this
// library's version and kernels: with it there nothing runs.
#pragma once

#include <memory>
#include <string>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// Throws Error(device) where the device gives wrong answers, or fails. `name` stands in the message.
void run_self_test(const std::string& name, const std::shared_ptr<Runtime>& runtime);

/// The same, unless it is known that the device has passed.
void require_sound(const std::string& name, const std::shared_ptr<Runtime>& runtime);

}  // namespace lode::gpu
