// Plan: what is compiled from a PatternSet alone.
//
// Holds the patterns, their length classes, the window chosen for each pattern, and the verification table.
// Device-independent, immutable, cheap to copy (copies share), safe to use from any number of threads. A sample of
// the text may tune it (which windows are rare) but never changes results. Memory: at most 100 bytes a pattern beyond
// the pattern bytes (and some hundred bytes, however few the patterns), and up to 256 KiB of the sample.
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

namespace lode {

struct PlanData;  // internal: src/plan

/// Called now and then with work done and work in all (any unit); may be called from any thread, one at a time.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct PlanOptions {
  std::string_view text_sample;  // a piece of the text to come, or empty; up to 256 KiB are kept
  unsigned threads = 0;          // 0: all cores
  std::stop_token stop;          // set: build throws Error(cancelled)
  Progress progress;
};

class LODE_API Plan {
 public:
  /// Throws Error(invalid_pattern) for an empty set, Error(cancelled).
  static Plan build(PatternSet patterns, const PlanOptions& options = {});

  /// Writes the plan to a temporary name beside `path` and renames it, so that nothing half written is left; into a
  /// device or a pipe it is written as it is. Throws Error(input_output).
  void save(const std::filesystem::path& path) const;
  /// Throws Error(input_output) or, for anything but an intact plan of this version, Error(damaged_plan). What it costs is
  /// in proportion to the bytes that are there, whatever they say. Checks on so many threads; 0: all cores.
  static Plan load(const std::filesystem::path& path, unsigned threads = 0);

  /// The same as one blob of bytes, to send elsewhere.
  std::string serialize() const;
  static Plan deserialize(std::string_view blob);

  const PatternSet& patterns() const noexcept;
  /// Memory of the tables and the patterns together.
  std::uint64_t memory_bytes() const noexcept;
  /// Number of patterns after equal ones are put together.
  std::uint32_t distinct_count() const noexcept;

  const PlanData& data() const noexcept { return *data_; }

 private:
  explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}
  friend class PlanFile;
  std::shared_ptr<const PlanData> data_;
};

}  // namespace lode
