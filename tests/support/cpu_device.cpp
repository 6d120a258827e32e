// The CPU is the device of programs that define no devices of their own. Nothing else may stand in this file, because
// the linker takes it from the library of test support only if these definitions are missing.

#include "support/test_devices.hpp"

namespace lode::tests {

const std::vector<std::string>& test_device_names() {
  static const std::vector<std::string> names = {"cpu"};
  return names;
}

Device open_test_device(const std::string& name) { return open_device(name); }

}  // namespace lode::tests
