// PlanParts: a saved plan taken apart, so that tests can change its parts and put it together again with a right
// checksum. It follows src/plan/plan_file.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lode/plan.hpp"
#include "plan/plan_data.hpp"

namespace lode::tests {

/// The place of the checksum in a saved plan, the first byte that it covers, and the end of the header, where the
/// sections begin.
inline constexpr std::size_t checksum_place = 16;
inline constexpr std::size_t checksum_begin = 24;
inline constexpr std::size_t plan_header_bytes = 136;

inline void renew_checksum(std::string& blob) {
  const std::uint64_t checksum = XXH3_64bits(blob.data() + checksum_begin, blob.size() - checksum_begin);
  std::memcpy(blob.data() + checksum_place, &checksum, sizeof checksum);
}

struct PlanParts {
  explicit PlanParts(const Plan& plan)
      : spelled_ids(plan.data().spelled_ids),
        spelled_forms(plan.data().spelled_forms),
        representative(plan.data().representative),
        group_starts(plan.data().group_starts),
        group_ids(plan.data().group_ids),
        filter(plan.data().filter) {
    const PatternSet& patterns = plan.data().patterns;
    for (Form form = Form::utf_16le; form <= Form::json; form = static_cast<Form>(static_cast<unsigned>(form) + 1))
      if (plan.forms().has(form)) forms |= std::uint64_t{1} << static_cast<unsigned>(form);
    for (std::uint32_t id = 0; id < patterns.size(); ++id) {
      pattern_bytes += patterns[id];
      ends.push_back(pattern_bytes.size());
      if (patterns.any_ignore_case()) ignore_case.push_back(patterns.ignore_case(id) ? 1 : 0);
      label_bytes += patterns.label(id);
      if (patterns.has_labels()) label_ends.push_back(label_bytes.size());
      if (const auto replacement = patterns.replacement(id)) {
        replacement_ends.resize(id, replacement_bytes.size());
        (replacement_bytes += *replacement) += '\0';
        replacement_ends.push_back(replacement_bytes.size());
      }
    }
  }

  /// The plan as a file has it. The counts of sections are computed from the parts.
  std::string to_bytes() const {
    std::string blob("LODEPLAN");
    const auto class_count = static_cast<std::uint32_t>(filter.classes.size());
    append(blob, std::array<std::uint32_t, 2>{5, class_count});
    append(blob, std::array<std::uint64_t, 15>{
                     0, view_steps, forms, pattern_bytes.size(), ends.size(), ignore_case.size(), label_bytes.size(),
                     label_ends.size(), replacement_bytes.size(), replacement_ends.size(), representative.size(),
                     group_starts.size(), group_ids.size(), filter.bucket_starts.size(), filter.entries.size()});
    append(blob, ends);
    append(blob, ignore_case);
    append(blob, label_ends);
    append(blob, replacement_ends);
    append(blob, spelled_ids);
    append(blob, spelled_forms);
    append(blob, representative);
    append(blob, group_starts);
    append(blob, group_ids);
    append(blob, filter.classes);
    append(blob, filter.bucket_starts);
    append(blob, filter.entries);
    append(blob, label_bytes);
    append(blob, replacement_bytes);
    append(blob, pattern_bytes);
    renew_checksum(blob);
    return blob;
  }

  std::uint64_t view_steps = 0, forms = 0;
  std::vector<std::uint64_t> ends, label_ends, replacement_ends;
  std::vector<std::uint8_t> ignore_case;
  std::vector<std::uint32_t> spelled_ids;
  std::vector<std::uint8_t> spelled_forms;
  std::vector<std::uint32_t> representative, group_starts, group_ids;
  FilterTables filter;
  std::string label_bytes, replacement_bytes, pattern_bytes;

 private:
  template <class Section>
  static void append(std::string& blob, const Section& section) {
    blob.append(reinterpret_cast<const char*>(section.data()), section.size() * sizeof(section[0]));
    blob.resize((blob.size() + 7) / 8 * 8);
  }
};

}  // namespace lode::tests
