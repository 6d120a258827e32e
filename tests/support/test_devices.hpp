// Where a test program runs its searches. Each program has one definition of these: support/cpu_device.cpp, or its own.
#pragma once

#include <string>
#include <vector>

#include "lode/device.hpp"

namespace lode::tests {

/// Devices to test, at least one.
const std::vector<std::string>& test_device_names();

/// The device of that name; the same one each time.
Device open_test_device(const std::string& name);

}  // namespace lode::tests
