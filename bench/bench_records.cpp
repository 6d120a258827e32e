// lode-bench-records: the first occurrence of each pattern in each record, by strstr, by Lode on the CPU and on GPUs, and by
// a kernel with a work-item for each cell. All results are compared before anything is timed. Exit 1 where they differ, 2 on
// errors.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <regex>

#include "arguments.hpp"
#include "device/registry.hpp"
#include "lode/lode.hpp"
#include "measure.hpp"
#include "record_contest.hpp"
#include "record_devices.hpp"
#include "record_report.hpp"
#include "record_workload.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double seconds_of_repetition = 0.02;  // what is faster runs several times
constexpr double most_iterations = 200;
constexpr double seconds_worth_repeating = 0.2;
constexpr double patience_seconds = 15;  // for all repetitions; what would take longer has fewer, at least one
constexpr std::uint64_t most_bytes_of_one_work_item = std::uint64_t{1} << 28;

struct Settings {
  std::vector<std::string> devices;
  std::uint64_t megabytes = 128;
  bool large = false;
  std::string only = ".*";
  std::string part;  // "contest", "devices" (the contest without the CPU) or "cells"; empty: contest and cells
  int repetitions = 5;
  std::string sample = LODE_BENCH_SAMPLE;
  std::string json_path;
  std::string commit;
  bool resumes = false;
};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Bench {
 public:
  Bench(const Settings& settings, const std::string& command_line) : settings_(settings) {
    std::vector<UsedDevice> used;
    for (const std::string& name : settings.devices) {
      devices_.push_back(open_device(name));
      if (devices_.back().gpus() == nullptr)
        throw std::runtime_error(name + " is not a GPU: the CPU always takes part; give cuda:0 or opencl:0");
      used.push_back({devices_.back().name(), devices_.back().gpus()->runtimes.front()->limits().version});
    }
    if (!settings.part.empty() && settings.part != "contest" && devices_.empty())
      throw std::runtime_error("--part " + settings.part + " needs a --device");
    const nlohmann::json same = {{"megabytes", settings.megabytes},
                                 {"large", settings.large},
                                 {"part", settings.part},
                                 {"repetitions", settings.repetitions},
                                 {"devices", settings.devices}};
    report_.emplace(settings.json_path, command_line, settings.commit, used, same, settings.resumes);
  }

  int run() {
    std::vector<RecordRecipe> recipes = record_recipes(settings_.megabytes << 20);
    if (settings_.large) recipes = large_record_recipes();
    const std::regex only(settings_.only);
    bool ran = false;
    for (const RecordRecipe& recipe : recipes) {
      if (!std::regex_match(recipe.name, only)) continue;
      ran = true;
      if (report_->has(recipe.name))
        std::cerr << "lode-bench-records: " << recipe.name << " was measured before\n";
      else {
        std::cerr << "lode-bench-records: " << recipe.name << "\n";
        measure_workload(recipe);
      }
    }
    if (!ran) throw std::runtime_error("no workload has a name that " + settings_.only + " matches");
    report_->summarize();
    return any_difference_ ? 1 : 0;
  }

 private:
  void measure_workload(const RecordRecipe& recipe) {
    const RecordWorkload workload(recipe, settings_.sample);
    PatternSet patterns;
    for (const std::string& pattern : workload.patterns()) patterns.add(pattern);
    PlanOptions plan_options;
    plan_options.text_sample = workload.records().bytes().substr(0, 1 << 20);
    const auto begin = Clock::now();
    const Plan plan = Plan::build(std::move(patterns), plan_options);
    const double plan_seconds = seconds_since(begin);
    const Reference reference(workload, plan);
    report_->begin(workload, reference, plan_seconds);
    bool equal = true;
    if (settings_.part != "cells") equal = hold_contest(workload, plan, reference) && equal;
    if (recipe.long_record > most_bytes_of_one_work_item && !devices_.empty()) {
      fmt::print("  no work-item for each cell: one would read {} MiB, for minutes\n", recipe.long_record >> 20);
    } else if (settings_.part.empty() || settings_.part == "cells") {
      for (const Device& device : devices_) equal = hold_cells(workload, plan, reference, device) && equal;
    }
    // A result that differs is not reported.
    if (equal) report_->end();
    any_difference_ |= !equal;
  }

  bool hold_contest(const RecordWorkload& workload, const Plan& plan, const Reference& reference) {
    Contestants contestants;
    if (settings_.part != "devices") add_cpu_contestants(contestants, workload, plan, reference);
    for (const Device& device : devices_)
      add_device_contestants(contestants, workload, plan, reference, device, settings_.repetitions);
    bool equal = true;
    std::vector<Job> jobs;
    std::vector<Contestant*> timed;
    for (const auto& one : contestants) {
      if (!one->not_run.empty()) continue;
      auto begin = Clock::now();
      const std::string difference = one->check ? one->check() : "";
      double once = seconds_since(begin);
      if (!difference.empty()) {
        equal = false;
        fmt::print("  {} ({}, {}) DIFFERS from the others: {}\n", one->name, one->place, one->output, difference);
        std::fflush(stdout);
        continue;
      }
      // The first run and the comparison took longer than those that follow.
      if (once < seconds_worth_repeating) {
        begin = Clock::now();
        one->run();
        once = seconds_since(begin);
      }
      jobs.push_back(
          {one->name + "/" + one->place + "/" + one->output, one->run,
           static_cast<std::uint64_t>(std::clamp(seconds_of_repetition / std::max(1e-9, once), 1.0, most_iterations)),
           static_cast<int>(
               std::clamp(patience_seconds / std::max(1e-9, once), 1.0, static_cast<double>(settings_.repetitions)))});
      timed.push_back(one.get());
    }
    if (!equal) return false;
    const std::vector<std::vector<double>> seconds = measure(jobs, settings_.repetitions);
    for (std::size_t job = 0; job < timed.size(); ++job) timed[job]->seconds = seconds[job];
    report_->add(workload, contestants);
    return true;
  }

  bool hold_cells(const RecordWorkload& workload, const Plan& plan, const Reference& reference, const Device& device) {
    const CellContest contest = hold_cell_contest(workload, plan, reference, device, settings_.repetitions);
    if (!contest.difference.empty()) {
      fmt::print("  {}: the matrix DIFFERS: {}\n", device.name(), contest.difference);
      return false;
    }
    report_->add(device.name(), contest);
    return true;
  }

  const Settings& settings_;
  std::vector<Device> devices_;
  std::optional<RecordReport> report_;
  bool any_difference_ = false;
};

}  // namespace
}  // namespace lode::bench

int main(int argument_count, char** words) {
  lode::bench::Arguments arguments(
      "lode-bench-records",
      "Records x patterns: Lode against strstr and against a work-item for each cell; all results compared first.");
  lode::bench::Settings settings;
  arguments.add("--device", settings.devices, "a GPU beside the CPU, as the command takes it; may be repeated");
  arguments.add("--megabytes", settings.megabytes, "MiB of records");
  arguments.add("--large", settings.large,
                "1 GiB of records and 64 KB of patterns, of letters, and a record of 1 GiB, instead");
  arguments.add("--only", settings.only, "workloads whose whole name matches this regular expression");
  arguments.add("--part", settings.part,
                "only the contest, its devices without the CPU, or the kernel with a work-item for each cell",
                {"contest", "devices", "cells"});
  arguments.add("--repetitions", settings.repetitions, "of each measurement");
  arguments.add("--sample", settings.sample, "text that English prose is learnt from");
  arguments.add("--json", settings.json_path, "where results go");
  arguments.add("--resume", settings.resumes,
                "workloads that the file of --json holds stay and are not measured again");
  arguments.add("--commit", settings.commit, "of the sources, for the results");
  return arguments.run(argument_count, words, [&](const std::string& command_line) {
    return lode::bench::Bench(settings, command_line).run();
  });
}
