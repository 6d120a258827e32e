// PlanFile: a plan as bytes, and back.
//
// Layout, little-endian: magic "LODEPLAN", version, checksum (XXH3-64 of all that follows), counts of the sections,
// then the sections in fixed order, each padded to 8 bytes: what describes the patterns, the tables, and the bytes of
// the labels, replacements and patterns last.
// Reading refuses another magic or version, a wrong size, a wrong checksum, and all that a build would not have made of
// these patterns (plan_check.hpp): a file with a right checksum is not trusted either. Each section is checked as it
// comes, so that reading costs time and memory in proportion to what is there, whatever a header says.
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
  /// Reads a file or a pipe, and no more than the header of what is not a plan. Checks on so many threads; 0: all
  /// cores.
  static Plan read(const std::filesystem::path& path, unsigned threads);

 private:
  static bool replacements_are_sound(const PatternSet& patterns);
  template <class Reader>
  static Plan read_sections(Reader& reader, const std::string& name, unsigned threads);
};

}  // namespace lode
