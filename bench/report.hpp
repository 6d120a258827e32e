// Results as JSON for programs and as lines for people. Rows are written as they come: a run that is cut
// short leaves a file with the rows that were finished.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "build_cost.hpp"
#include "contest.hpp"
#include "row.hpp"

namespace lode::bench {

class Report {
 public:
  /// `path` may be empty: no JSON then. `commit` is of the sources. `settings`: what all rows have in common.
  /// `resumes`: rows that the file holds stay; throws std::runtime_error where they are of other settings.
  Report(std::filesystem::path path, const std::string& command_line, const std::string& commit,
         const nlohmann::json& settings, bool resumes);

  /// Whether the row was measured before. Throws std::runtime_error where that was on another text.
  bool has(const Row& row) const;

  void add(const Row& row, const std::vector<std::string>& patterns, const ContestResult& result);
  void add(const Row& row, const std::vector<std::string>& patterns, const BuildCost& cost);

 private:
  void write() const;

  std::filesystem::path path_;
  nlohmann::json all_;
};

}  // namespace lode::bench
