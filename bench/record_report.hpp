// Results of workloads of records, as lines for people and as JSON for programs. JSON is written after each workload: a run
// that is cut short leaves a file with those that were finished.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record_contest.hpp"
#include "record_devices.hpp"

namespace lode::bench {

/// Devices beside the CPU that take part, with what differs between drivers.
struct UsedDevice {
  std::string name;
  std::string driver;
};

class RecordReport {
 public:
  /// `path` may be empty: no JSON then. `commit` is of the sources.
  /// `settings`: what all workloads have in common. `resumes`: workloads that the file holds stay; throws
  /// std::runtime_error where they are of other settings.
  RecordReport(std::filesystem::path path, const std::string& command_line, const std::string& commit,
               const std::vector<UsedDevice>& devices, const nlohmann::json& settings, bool resumes);

  /// Whether the workload was measured before.
  bool has(const std::string& workload) const;

  void begin(const RecordWorkload& workload, const Reference& reference, double plan_seconds);
  void add(const RecordWorkload& workload, const Contestants& contestants);
  void add(const std::string& device, const CellContest& contest);
  /// Ends the workload that was begun.
  void end();
  /// Prints the figures that the aims speak of.
  void summarize() const;

 private:
  void write() const;

  std::filesystem::path path_;
  nlohmann::json all_;
  nlohmann::json workload_;
};

}  // namespace lode::bench
