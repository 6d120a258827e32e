// Device: where a search runs.
//
// Names, as the command takes them: `auto`, `cpu`, `opencl[:N]`, `cuda[:N|:all]`. This version runs on `cpu`; the other
// names are known and refused with Error(device) that says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"

namespace lode {

struct DeviceInfo {
  std::string name;         // as open_device takes it: "cpu"
  std::string description;  // for people: model, cores, instruction sets
  bool available = false;
  std::string reason;  // why it is not available; empty where it is
};

class LODE_API Device {
 public:
  /// The CPU with all its cores and its best instruction set.
  static Device cpu() { return Device("cpu"); }
  const std::string& name() const noexcept { return name_; }

 private:
  explicit Device(std::string name) : name_(std::move(name)) {}
  friend LODE_API Device open_device(std::string_view specification);
  std::string name_;
};

/// Throws Error(invalid_argument) for a name that is none, Error(device) for one that is not there.
LODE_API Device open_device(std::string_view specification);

/// Every kind of device, present or not.
LODE_API std::vector<DeviceInfo> list_devices();

/// The SIMD instruction sets that this build carries and this machine runs, best first, as SearcherOptions takes them:
/// some of "avx512vbmi", "avx512", "avx2", "sse4", "ssse3", "neon", and always "baseline".
LODE_API std::vector<std::string> cpu_instruction_sets();

}  // namespace lode
