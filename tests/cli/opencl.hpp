// Tells whether the command's tests can use an OpenCL device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {

/// Why opencl:0 is not tested with these variables set; empty if it is tested.
inline std::string opencl_absence(std::vector<std::pair<std::string, std::string>> variables = {}) {
  if (tests::is_thread_sanitized()) return "every access in a driver looks like a race";
  Invocation invocation;
  invocation.variables = std::move(variables);
  invocation.arguments = {"--list-devices"};
  const std::string devices = run(invocation).output;
  const std::string line = "\nopencl:0\t";
  const std::size_t at = devices.find(line);
  const bool serves = at != std::string::npos && devices.compare(at + line.size(), 14, "not available:") != 0;
  return serves ? "" : "there is no OpenCL device: " + devices;
}

}  // namespace lode::test
