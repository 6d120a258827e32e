// Times things against each other through Google Benchmark.
//
// All jobs run once, one after the other, then all a second time, and so on: what disturbs the machine for a
// while disturbs all of them, and ratios are taken within a repetition.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lode::bench {

struct Job {
  std::string name;                          // unique within one measurement
  std::function<void()> run;                 // one iteration
  std::uint64_t iterations = 1;              // in one repetition
  int most_repetitions = 1 << 20;            // a job that has fewer than asked for takes part in the first ones only
  std::function<double()> own_seconds = {};  // of the last run, where what runs takes its time itself; else empty
};

/// Seconds of one iteration: result[job][repetition].
std::vector<std::vector<double>> measure(const std::vector<Job>& jobs, int repetitions);

/// Precondition: not empty.
double median(std::vector<double> values);

/// The median of top[r] / bottom[r].
double median_ratio(const std::vector<double>& top, const std::vector<double>& bottom);

/// The processor that measures and how many threads it runs at once, so that results tell where they are from.
nlohmann::json describe_machine();

/// What a file of results holds, so that a run can go on: null where there is none yet. Throws std::runtime_error where it
/// is of another program, version or of other `settings`.
nlohmann::json read_results(const std::filesystem::path& path, const std::string& program,
                            const nlohmann::json& settings);

/// Replaces the file as a whole, so that power may fail at any time; an empty path: nothing. Throws where it cannot be
/// written.
void write_json(const std::filesystem::path& path, const nlohmann::json& json);

}  // namespace lode::bench
