#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "lode/version.hpp"

namespace lode::bench {
namespace {

class Collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      seconds_[run.run_name.function_name].push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
    }
  }
  const std::vector<double>& seconds(const std::string& name) const { return seconds_.at(name); }

 private:
  std::unordered_map<std::string, std::vector<double>> seconds_;
};

// Registers the jobs that take part in this repetition.
void enlist(const std::vector<Job>& jobs, int repetition) {
  benchmark::ClearRegisteredBenchmarks();
  for (const Job& job : jobs) {
    if (repetition >= job.most_repetitions) continue;
    benchmark::internal::Benchmark* const made =
        benchmark::RegisterBenchmark(job.name.c_str(), [&job](benchmark::State& state) {
          for (auto _ : state) {
            job.run();
            if (job.own_seconds) state.SetIterationTime(job.own_seconds());
          }
        });
    made->Iterations(static_cast<benchmark::IterationCount>(job.iterations));
    if (job.own_seconds) {
      made->UseManualTime();
    } else {
      made->UseRealTime();
    }
  }
}

}  // namespace

std::vector<std::vector<double>> measure(const std::vector<Job>& jobs, int repetitions) {
  Collector collector;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    enlist(jobs, repetition);
    benchmark::RunSpecifiedBenchmarks(&collector, "all");
  }
  benchmark::ClearRegisteredBenchmarks();
  std::vector<std::vector<double>> seconds;
  for (const Job& job : jobs) {
    seconds.push_back(collector.seconds(job.name));
    if (seconds.back().size() != static_cast<std::size_t>(std::min(repetitions, job.most_repetitions))) {
      throw std::runtime_error("a benchmark did not run as often as it should: " + job.name);
    }
  }
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_ratio(const std::vector<double>& top, const std::vector<double>& bottom) {
  std::vector<double> ratios;
  for (std::size_t repetition = 0; repetition < std::min(top.size(), bottom.size()); ++repetition) {
    ratios.push_back(top[repetition] / bottom[repetition]);
  }
  return median(std::move(ratios));
}

nlohmann::json describe_machine() {
  constexpr std::string_view key = "model name";
  std::string processor;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; processor.empty() && std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) processor = line.substr(colon + 2);
  }
  // Not every architecture's kernel tells a model.
  if (utsname names{}; processor.empty() && ::uname(&names) == 0) processor = names.machine;
  return {{"processor", processor}, {"cores", std::thread::hardware_concurrency()}};
}

nlohmann::json read_results(const std::filesystem::path& path, const std::string& program,
                            const nlohmann::json& settings) {
  std::ifstream file(path);
  if (path.empty() || !file) return nullptr;
  const nlohmann::json known = nlohmann::json::parse(file);
  if (known.at("program") != program || known.at("lode_version") != version() || known.at("settings") != settings) {
    throw std::runtime_error(path.string() + " holds results of another program or of other settings: " +
                             known.at("settings").dump() + " instead of " + settings.dump() + "; give another file");
  }
  return known;
}

void write_json(const std::filesystem::path& path, const nlohmann::json& json) {
  if (path.empty()) return;
  const std::filesystem::path temporary = path.string() + ".part";
  {
    std::ofstream file(temporary);
    file << json.dump(1) << "\n";
    if (!file.flush()) throw std::runtime_error(temporary.string() + ": cannot be written");
  }
  // Bytes before the name: after a failure of power a name without its bytes would stand for results.
  if (const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC); descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
  std::filesystem::rename(temporary, path);
}

}  // namespace lode::bench
