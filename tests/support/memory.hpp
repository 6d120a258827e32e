// Measures the peak by which the process's resident memory grew since a moment.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace lode::tests {

class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
    begin_bytes_ = read_status_bytes("VmRSS:");
  }
  std::uint64_t growth_bytes() const {
    const std::uint64_t peak = read_status_bytes("VmHWM:");
    return peak > begin_bytes_ ? peak - begin_bytes_ : 0;
  }

 private:
  static std::uint64_t read_status_bytes(const std::string& field) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
      if (word != field) continue;
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
    return 0;
  }

  std::uint64_t begin_bytes_ = 0;
};

}  // namespace lode::tests
