// The devices on which a test program searches. Each program has one definition of these functions: that of
// support/cpu_device.cpp, or its own.
#pragma once

#include <string>
#include <vector>

#include "lode/device.hpp"

namespace lode::tests {

/// The devices to test, at least one.
const std::vector<std::string>& test_device_names();

/// The device of that name, which is the same one each time.
Device open_test_device(const std::string& name);

}  // namespace lode::tests
