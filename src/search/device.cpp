#include "lode/device.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cpu/instruction_sets.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

constexpr const char* no_gpu = "this version searches on the CPU only: use --device cpu or auto";

struct GpuKind {
  std::string_view name;
  bool takes_all;
};
constexpr std::array<GpuKind, 2> gpu_kinds{{{"opencl", false}, {"cuda", true}}};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](unsigned char byte) { return std::isdigit(byte) != 0; });
}

}  // namespace

Device open_device(std::string_view specification) {
  if (specification == "auto" || specification == "cpu") return Device::cpu();
  for (const GpuKind& kind : gpu_kinds) {
    if (!specification.starts_with(kind.name)) continue;
    const std::string_view rest = specification.substr(kind.name.size());
    if (rest.empty() || (rest[0] == ':' && (is_number(rest.substr(1)) || (kind.takes_all && rest == ":all"))))
      throw Error(ErrorKind::device, "device " + std::string(specification) + " is not available: " + no_gpu);
  }
  throw Error(ErrorKind::invalid_argument,
              "there is no device " + std::string(specification) + ": use auto, cpu, opencl[:N] or cuda[:N|:all]");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  devices.push_back({"cpu", describe_cpu(), true, {}});
  for (const GpuKind& kind : gpu_kinds) devices.push_back({std::string(kind.name), {}, false, no_gpu});
  return devices;
}

std::vector<std::string> cpu_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet set : instruction_sets()) names.emplace_back(name_of(set));
  return names;
}

}  // namespace lode
