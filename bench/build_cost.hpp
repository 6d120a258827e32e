// What it costs to make a plan and a searcher from a large pattern set, and to save and load the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.hpp"

namespace lode::bench {

struct BuildStep {
  std::string name;
  std::vector<double> seconds;  // by repetition
};

struct BuildCost {
  std::vector<BuildStep> steps;
  std::uint64_t plan_bytes = 0;      // tables and patterns, as the plan says
  std::uint64_t resident_bytes = 0;  // by how much the process grew while a plan and its searcher were made
  std::uint64_t saved_bytes = 0;
  std::uint64_t pattern_bytes = 0;
};

BuildCost measure_build(const Task& task, int repetitions);

}  // namespace lode::bench
