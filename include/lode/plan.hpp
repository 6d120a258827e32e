// Plan: the tables compiled from a PatternSet, for every device.
//
// A plan holds the patterns, their length classes, the window chosen for each pattern, and the verification table. It
// is immutable, cheap to copy (copies share the tables) and safe to use from any number of threads. A sample of the
// text may tune it, because it shows which windows are rare, but never changes results. A plan takes at most 100 bytes
// of memory a pattern beyond the pattern bytes, a few hundred bytes however few the patterns are, and up to 256 KiB for
// the sample.
//
//   lode::Plan plan = lode::Plan::build(lode::PatternSet{"kitty", "puppy"});
//   plan.save("animals.plan");
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "lode/export.hpp"
#include "lode/pattern_set.hpp"
#include "lode/view.hpp"

namespace lode {

struct PlanData;  // internal: src/plan

/// Called now and then with the work done and the work in all, in any unit. Any thread may call it, one at a time.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct PlanOptions {
  View view;                     // patterns, and later texts, are searched as it shows them
  std::string_view text_sample;  // a piece of the text to come, or empty; up to 256 KiB are kept
  unsigned threads = 0;          // 0: all cores
  std::stop_token stop;          // when it is set, build() throws Error(cancelled)
  Progress progress;
};

class LODE_API Plan {
 public:
  /// Throws Error(invalid_pattern) for an empty set, for a pattern that the view empties, and for one that has no such
  /// form (base64 does not fit all, but UTF-16 only UTF-8); Error(limit) where a form makes more than max_spellings, or
  /// all spellings together are more than a set may hold; and Error(cancelled) when `options.stop` is set.
  static Plan build(PatternSet patterns, const PlanOptions& options = {});

  /// Writes the plan under a temporary name beside `path` and renames it, so that no half-written file is left. A
  /// device or a pipe is written to directly. Throws Error(input_output) if that fails.
  void save(const std::filesystem::path& path) const;
  /// Throws Error(input_output) if the file cannot be read, and Error(damaged_plan) for anything but an intact plan of
  /// this version. Time and memory are in proportion to the bytes that are there, whatever these claim. `threads`
  /// threads check the plan; 0: all cores.
  static Plan load(const std::filesystem::path& path, unsigned threads = 0);

  /// These do what save() and load() do, but with one blob of bytes, to send elsewhere.
  std::string serialize() const;
  static Plan deserialize(std::string_view blob);

  /// The patterns as the view shows them. What has no label is labelled with the pattern as it was given. Of its forms
  /// each has those that are spelled otherwise than the ones before.
  const PatternSet& patterns() const noexcept;
  /// The forms with which the patterns were built, all together.
  Forms forms() const noexcept;
  const View& view() const noexcept;
  /// Bytes of memory that tables and patterns take together.
  std::uint64_t memory_bytes() const noexcept;
  /// The number of distinct patterns, with all spellings of their forms: equal ones count once.
  std::uint32_t distinct_count() const noexcept;

  const PlanData& data() const noexcept { return *data_; }

 private:
  explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}
  friend class PlanFile;
  std::shared_ptr<const PlanData> data_;
};

/// Whether a match may hold this byte of the text: a pattern contains it, or the view decodes, or changes blanks.
LODE_API bool may_span(const Plan& plan, char byte);
/// For a text of which more is to come: the place before which all matches that start there are known, whatever follows.
/// The next piece of the text may begin there, with the four bytes before it, or all that there are.
LODE_API std::uint64_t certain_until(const Plan& plan, std::string_view text);

}  // namespace lode
