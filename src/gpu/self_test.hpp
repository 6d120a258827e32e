// The self-test of a GPU: a few searches whose answers are known, before the device's answers are believed.
//
// A text of some KiB is searched by the algorithms `filter` and `vector`, counting and listing, in several pieces; a
// plain loop of the host gives the answers. The cache folder keeps that a device has passed, under the versions of its
// driver and of this library and the source of the kernels. A device that has passed is not tested again.
#pragma once

#include <memory>
#include <string>

#include "gpu/seam.hpp"

namespace lode::gpu {

/// Throws Error(device) if the device gives wrong answers, or fails. `name` stands in the message.
void run_self_test(const std::string& name, const std::shared_ptr<Runtime>& runtime);

/// Runs the self-test, unless the cache folder says that the device has passed it.
void require_sound(const std::string& name, const std::shared_ptr<Runtime>& runtime);

}  // namespace lode::gpu
