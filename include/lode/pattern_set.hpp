// PatternSet: the patterns of a search, in order; a pattern's id is its index.
//
// Patterns are bytes, NUL and newline included. Equal patterns keep their ids and are each reported. Each pattern may
// ignore ASCII case. Limits: 1 byte … 1 MiB a pattern, 16 777 216 patterns, 4 GiB of pattern bytes; crossing one
// throws Error(limit), an empty pattern throws Error(invalid_pattern). Not safe for concurrent changes; reading is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"

namespace lode {

inline constexpr std::uint64_t max_pattern_length = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_pattern_count = std::uint64_t{1} << 24;
inline constexpr std::uint64_t max_pattern_bytes = std::uint64_t{1} << 32;

class LODE_API PatternSet {
 public:
  PatternSet() = default;
  /// One pattern per element, all with the same case rule.
  explicit PatternSet(std::span<const std::string_view> patterns, bool ignore_case = false);
  PatternSet(std::initializer_list<std::string_view> patterns, bool ignore_case = false);

  /// Appends a pattern and returns its id. The label is what programs show for it; it may be empty.
  std::uint32_t add(std::string_view pattern, bool ignore_case = false, std::string_view label = {});
  void reserve(std::uint64_t pattern_count, std::uint64_t pattern_bytes);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ends_.size()); }
  bool empty() const noexcept { return ends_.empty(); }
  /// The bytes of a pattern, as given. Valid until the set changes. Precondition: id < size().
  std::string_view operator[](std::uint32_t id) const noexcept {
    const std::uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, static_cast<std::size_t>(ends_[id] - begin)};
  }
  bool ignore_case(std::uint32_t id) const noexcept { return !ignore_case_.empty() && ignore_case_[id] != 0; }
  bool any_ignore_case() const noexcept { return !ignore_case_.empty(); }
  std::string_view label(std::uint32_t id) const noexcept;
  bool has_labels() const noexcept { return !label_ends_.empty(); }

  /// Whether some pattern has this byte in it.
  bool any_contains(char byte) const noexcept;

  std::uint64_t total_bytes() const noexcept { return bytes_.size(); }
  std::uint32_t min_length() const noexcept { return min_length_; }  // 0 for an empty set
  std::uint32_t max_length() const noexcept { return max_length_; }  // 0 for an empty set

 private:
  friend class PlanFile;

  std::vector<char> bytes_;                // all patterns, one after the other
  std::vector<std::uint64_t> ends_;        // pattern id ends at bytes_[ends_[id]]; strictly increasing
  std::vector<std::uint8_t> ignore_case_;  // empty, or one 0/1 per pattern
  std::vector<char> label_bytes_;          // all labels, one after the other
  std::vector<std::uint64_t> label_ends_;  // empty, or one end per pattern; never decreasing
  std::uint32_t min_length_ = 0;
  std::uint32_t max_length_ = 0;
};

// A UTF-8 byte order mark at the start of a pattern file is skipped, whatever the format.
enum class PatternFormat {
  lines,    // bytes up to LF; an empty line is skipped with a warning and takes no id
  hex,      // one pattern a line in hexadecimal digits, blanks allowed between bytes
  jsonl,    // one object a line with "text", "hex" or "base64", optional "label" and "ignore_case"; no other keys
  by_name,  // jsonl where the file's name ends in .jsonl, else lines
};

struct PatternFileOptions {
  PatternFormat format = PatternFormat::by_name;
  bool strip_carriage_return = false;  // lines: drop one CR before each LF (else it is kept, with one warning)
  bool ignore_case = false;            // the default for patterns that do not say
  std::function<void(const std::string&)> warning;     // one call a warning; may be empty
  std::string strip_option = "strip_carriage_return";  // what the user sets for that, as the warning names it
};

/// Appends the patterns of a file. "-" reads standard input. Throws Error(input_output) where the file cannot be
/// read, Error(invalid_pattern) with file and line where it is malformed.
LODE_API void append_pattern_file(PatternSet& patterns, const std::filesystem::path& path,
                                  const PatternFileOptions& options = {});

/// The same for a pattern file that lies in memory; `name` stands in messages.
LODE_API void append_pattern_text(PatternSet& patterns, std::string_view content, const std::string& name,
                                  const PatternFileOptions& options = {});

}  // namespace lode
