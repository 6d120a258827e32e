// PatternSet: the patterns of a search, in order; a pattern's id is its index.
//
// Patterns are bytes, which may include NUL and newline. Equal patterns keep their own ids, and each is reported. Each
// pattern may ignore case (view.hpp: `fold-simple`). A pattern has 1 byte to 1 MiB; a set has at most 16 777 216
// patterns and 4 GiB of pattern bytes. Crossing a limit throws Error(limit), an empty pattern throws Error(invalid_pattern). Several threads
// may read a set at once, but not while one of them changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"
#include "lode/form.hpp"

namespace lode {

inline constexpr std::uint64_t max_pattern_length = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_pattern_count = std::uint64_t{1} << 24;
inline constexpr std::uint64_t max_pattern_bytes = std::uint64_t{1} << 32;

class LODE_API PatternSet {
 public:
  PatternSet() = default;
  /// Adds one pattern per element, all with the same case rule.
  explicit PatternSet(std::span<const std::string_view> patterns, bool ignore_case = false);
  PatternSet(std::initializer_list<std::string_view> patterns, bool ignore_case = false);

  /// Appends a pattern and returns its id. The label is what programs show for the pattern; it may be empty.
  std::uint32_t add(std::string_view pattern, bool ignore_case = false, std::string_view label = {});
  /// The case of a pattern counts even if a view folds the text. Precondition: id < size().
  void keep_case(std::uint32_t id);
  /// Replaces the forms of a pattern (form.hpp), which are searched beside it. A plan that is built of the set refuses
  /// patterns that have no such form. Precondition: id < size().
  void set_forms(std::uint32_t id, Forms forms);
  /// Sets what stands in the place of the pattern's matches where a text is rewritten by Replacements::of_patterns. Throws
  /// Error(invalid_argument) for braces that hold what no replacement has (rewrite.hpp). It costs the least where ids
  /// ascend. Precondition: id < size().
  void set_replacement(std::uint32_t id, std::string_view replacement);
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
  bool keeps_case(std::uint32_t id) const noexcept { return id < keeps_case_.size() && keeps_case_[id]; }
  Forms forms(std::uint32_t id) const noexcept { return id < forms_.size() ? forms_[id] : Forms(); }
  bool any_forms() const noexcept;
  std::string_view label(std::uint32_t id) const noexcept;
  bool has_labels() const noexcept { return !label_ends_.empty(); }
  bool has_label(std::uint32_t id) const noexcept {
    return !label_ends_.empty() && label_ends_[id] != (id == 0 ? 0 : label_ends_[id - 1]);
  }
  /// The pattern's own replacement, which may be empty; nothing if it has none. Valid until the set changes.
  std::optional<std::string_view> replacement(std::uint32_t id) const noexcept;
  bool has_replacements() const noexcept { return !replacement_ends_.empty(); }
  bool has_replacement(std::uint32_t id) const noexcept {
    return id < replacement_ends_.size() && replacement_ends_[id] != (id == 0 ? 0 : replacement_ends_[id - 1]);
  }

  /// Whether any pattern contains this byte.
  bool any_contains(char byte) const noexcept;

  std::uint64_t total_bytes() const noexcept { return bytes_.size(); }
  std::uint32_t min_length() const noexcept { return min_length_; }  // 0 for an empty set
  std::uint32_t max_length() const noexcept { return max_length_; }  // 0 for an empty set

 private:
  friend class PlanFile;

  std::vector<char> bytes_;                // all patterns, one after the other
  std::vector<std::uint64_t> ends_;        // pattern id ends at bytes_[ends_[id]]; strictly increasing
  std::vector<std::uint8_t> ignore_case_;  // empty, or one 0/1 per pattern
  std::vector<bool> keeps_case_;           // of the patterns up to the last one whose case is kept
  std::vector<Forms> forms_;               // of the patterns up to the last one that was given forms
  std::vector<char> label_bytes_;          // all labels, one after the other
  std::vector<std::uint64_t> label_ends_;  // empty, or one end per pattern; never decreasing
  // All replacements, one after the other, each with a NUL behind it that tells an empty one from none.
  std::vector<char> replacement_bytes_;
  std::vector<std::uint64_t> replacement_ends_;  // of the patterns up to the last one that was given a replacement
  std::uint32_t min_length_ = 0;
  std::uint32_t max_length_ = 0;
};

// A UTF-8 byte order mark at the start of a pattern file is skipped, whatever the format.
enum class PatternFormat {
  lines,  // one pattern a line, all bytes up to LF; an empty line is skipped with a warning and takes no id
  hex,    // one pattern a line in hexadecimal digits, blanks allowed between bytes
  // one object a line with "text", "hex" or "base64", optional "label", "ignore_case", "forms" (a list of names, or a
  // string with commas) and "replacement" (rewrite.hpp); no other keys
  jsonl,
  by_name,  // jsonl or hex if the file's name ends in .jsonl or .hex, else lines
};

struct PatternFileOptions {
  PatternFormat format = PatternFormat::by_name;
  bool strip_carriage_return = false;  // lines: drops one CR before each LF; otherwise it is kept, with one warning
  bool ignore_case = false;            // whether patterns without a rule of their own ignore case
  Forms forms;                         // of patterns without "forms" of their own
  std::function<void(const std::string&)> warning;     // called once for each warning; may be empty
  std::string strip_option = "strip_carriage_return";  // the option that strips CRs, as the warning should call it
};

/// Appends the patterns of a file. "-" reads standard input. Throws Error(input_output) if the file cannot be read, and
/// Error(invalid_pattern) with file and line if it is malformed.
LODE_API void append_pattern_file(PatternSet& patterns, const std::filesystem::path& path,
                                  const PatternFileOptions& options = {});

/// Appends the patterns of a pattern file that lies in memory. Messages call it `name`.
LODE_API void append_pattern_text(PatternSet& patterns, std::string_view content, const std::string& name,
                                  const PatternFileOptions& options = {});

}  // namespace lode
