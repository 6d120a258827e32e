// PlanFile: a plan as bytes, and back.
//
// Layout, little-endian: magic "LODEPLAN", version, checksum (XXH3-64 of all that follows), counts of the sections,
// then the sections in fixed order, each padded to 8 bytes. Reading refuses another magic or version, a wrong size, a
// wrong checksum, and then checks every index against its range: a file with a right checksum is not trusted either.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lode/plan.hpp"

namespace lode {

class PlanFile {
 public:
  static std::string to_bytes(const PlanData& plan);
  /// Throws Error(damaged_plan); `name` stands in the message.
  static Plan from_bytes(std::string_view bytes, const std::string& name);
  static void write(const PlanData& plan, const std::filesystem::path& path);
  /// Also of a pipe. Reads no more than the header of what is no plan.
  static Plan read(const std::filesystem::path& path);
};

}  // namespace lode
