// The GPUs for tests: the host as a GPU with teams and without, OpenCL if there is a device, and those that
// LODE_TEST_DEVICES names (a comma list of names that open_device takes).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"

namespace lode::gpu::tests {

inline constexpr const char* host_with_teams = "host-teams";
inline constexpr const char* host_without_teams = "host";

/// The names of all of them, which are test_device_names() of the program.
const std::vector<std::string>& runtime_names();
/// Why OpenCL is not tested; empty if it is tested.
const std::string& opencl_absence();
/// The runtime of a name. Each is made once and kept until the program ends.
std::shared_ptr<Runtime> open_runtime(const std::string& name);

}  // namespace lode::gpu::tests
