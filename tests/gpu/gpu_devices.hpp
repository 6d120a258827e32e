// The GPUs that tests run on: the host as a GPU with teams and without, OpenCL where there is a device, and those that
// LODE_TEST_DEVICES names (a comma list, as open_device takes them).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"

namespace lode::gpu::tests {

inline constexpr const char* host_with_teams = "host-teams";
inline constexpr const char* host_without_teams = "host";

/// Names of all of them; the program's test_device_names().
const std::vector<std::string>& runtime_names();
/// Why OpenCL is not tested; empty where it is.
const std::string& opencl_absence();
/// One runtime for each name, kept for the whole program.
std::shared_ptr<Runtime> open_runtime(const std::string& name);

}  // namespace lode::gpu::tests
