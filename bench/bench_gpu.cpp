// lode-bench-gpu: the rows of gpu_rows.json on a GPU, as ratios to the read ceiling of the same run. Every count is
// compared with the CPU's first. Exit 1 where counts differ, 2 on errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "gpu_ceiling.hpp"
#include "lode/lode.hpp"
#include "lode/resident_text.hpp"
#include "row.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

struct Settings {
  std::string device = "cuda";
  std::string rows = LODE_BENCH_ROWS;
  std::string sample = LODE_BENCH_SAMPLE;
  std::string json_path;
  std::string only;       // empty: all usual ones
  std::string algorithm;  // alone, instead of `auto` and the row's own
  std::uint64_t text_bytes = 0;
  int repetitions = 7;
  bool host = false;
  SearcherOptions searcher;
};

// Seconds of each repetition after one that is thrown away, sorted.
template <class Run>
std::vector<double> time_runs(int repetitions, Run run) {
  run();
  std::vector<double> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = Clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings), device_(open_device(settings.device)), workshop_(settings.sample) {}

  int run(const std::string& command_line) {
    const std::regex only(settings_.only.empty() ? ".*" : settings_.only);
    for (Row row : read_rows(settings_.rows, false)) {
      if (!std::regex_match(row.name, only) || (settings_.only.empty() && !row.usual)) continue;
      if (settings_.text_bytes != 0) row.text_bytes = settings_.text_bytes;
      use_text(row);
      measure(row);
    }
    if (!settings_.json_path.empty()) {
      json result = {{"command", command_line}, {"results", results_}};
      for (const DeviceInfo& device : list_devices())
        if (device.available) result["devices"][device.name] = device.description;
      std::ofstream(settings_.json_path) << result.dump(1) << "\n";
    }
    return any_difference_ ? 1 : 0;
  }

 private:
  void use_text(const Row& row) {
    if (resident_ && text_kind_ == row.text_kind) return;
    resident_.reset();
    text_ = workshop_.text_of(row);
    text_kind_ = row.text_kind;
    auto begin = Clock::now();
    resident_.emplace(device_, text_);
    const double upload = std::chrono::duration<double>(Clock::now() - begin).count();
    ceiling_ = 0;
    if (resident_->data().stripes().size() != 1) return;
    const std::vector<ReadRate> rates = measure_read_rates(resident_->data(), settings_.repetitions);
    ceiling_ = rates.front().bytes_per_second;
    fmt::print("{}: {:.2f} GiB, uploaded at {:.1f} GB/s; read ceiling {:.1f} GB/s ({})\n", row.text_name,
               static_cast<double>(text_.size()) / (1 << 30), static_cast<double>(text_.size()) / upload / 1e9,
               ceiling_ / 1e9, rates.front().name);
    if (settings_.host) {
      copy_rates_ = measure_copy_rates(*resident_->data().runtimes()[0], text_, settings_.repetitions);
      fmt::print("pinned memory is copied to the device at {:.1f} GB/s, and filled by all cores at {:.1f} GB/s\n",
                 copy_rates_.pinned / 1e9, copy_rates_.fill / 1e9);
    }
    std::fflush(stdout);
  }

  void measure(const Row& row) {
    PatternSet patterns;
    for (const std::string& pattern : workshop_.patterns_of(row)) patterns.add(pattern, row.ignore_case);
    PlanOptions plan_options;
    plan_options.text_sample = text_.substr(0, 1 << 20);
    const Plan plan = Plan::build(std::move(patterns), plan_options);
    const std::uint64_t expected = Searcher(plan).count(text_);
    std::vector<std::string> algorithms = row.algorithms;
    algorithms.insert(algorithms.begin(), "auto");
    if (!settings_.algorithm.empty()) algorithms = {settings_.algorithm};
    for (const std::string& algorithm : algorithms) {
      SearcherOptions options = settings_.searcher;
      const std::size_t slash = algorithm.find('/');
      options.algorithm = algorithm.substr(0, slash);
      if (slash != std::string::npos)
        options.gpu_cascade = static_cast<std::uint32_t>(std::stoul(algorithm.substr(slash + 1)));
      try {
        const auto begin = Clock::now();
        const Searcher searcher(plan, options, device_);
        const std::uint64_t first = searcher.count(*resident_);
        const double start = std::chrono::duration<double>(Clock::now() - begin).count();
        report(row, algorithm, "count", expected, first, start, searcher, [&] { searcher.count(*resident_); });
        if (row.find) {
          std::uint64_t found = 0;
          const auto find = [&] {
            found = 0;
            searcher.find(*resident_, [&](std::span<const Match> batch) {
              found += batch.size();
              return true;
            });
          };
          find();
          report(row, algorithm, "find", expected, found, 0, searcher, find);
        }
        if (settings_.host) {
          const std::uint64_t streamed = searcher.count(text_);
          report(row, algorithm, "host", expected, streamed, 0, searcher, [&] { searcher.count(text_); });
        }
      } catch (const Error& error) {
        fmt::print("{:32} {:12} {}\n", row.name, algorithm, error.what());
        results_.push_back({{"row", row.name}, {"algorithm", algorithm}, {"error", error.what()}});
        any_difference_ |= error.kind() != ErrorKind::unsupported;
      }
    }
  }

  template <class Run>
  void report(const Row& row, const std::string& algorithm, const char* mode, std::uint64_t expected,
              std::uint64_t counted, double start, const Searcher& searcher, Run run) {
    const bool equal = counted == expected;
    any_difference_ |= !equal;
    SearchStats stats;
    RunOptions run_options;
    run_options.stats = &stats;
    searcher.count(*resident_, run_options);
    const std::vector<double> seconds = time_runs(settings_.repetitions, run);
    const double median = seconds[seconds.size() / 2];
    const double rate = static_cast<double>(text_.size()) / median;
    const double bytes = static_cast<double>(text_.size());
    fmt::print("{:32} {:12} {:5} {:8.1f} GB/s {:6.1f} %  {} matches {:.5f} %, candidates {:.4f} %{}\n", row.name,
               algorithm, mode, rate / 1e9, ceiling_ > 0 ? 100 * rate / ceiling_ : 0, counted,
               100 * static_cast<double>(counted) / bytes, 100 * static_cast<double>(stats.candidates) / bytes,
               equal ? "" : fmt::format("  DIFFERS from the CPU's {}", expected));
    std::fflush(stdout);
    results_.push_back({{"row", row.name},
                        {"text", row.text_name},
                        {"text_bytes", text_.size()},
                        {"patterns", searcher.plan().patterns().size()},
                        {"algorithm", algorithm},
                        {"ran", searcher.algorithm()},
                        {"mode", mode},
                        {"matches", counted},
                        {"equal_to_cpu", equal},
                        {"candidates", stats.candidates},
                        {"start_seconds", start},
                        {"seconds", seconds},
                        {"bytes_per_second", rate},
                        {"read_ceiling_bytes_per_second", ceiling_},
                        {"pinned_copy_bytes_per_second", copy_rates_.pinned},
                        {"pinned_fill_bytes_per_second", copy_rates_.fill}});
  }

  const Settings& settings_;
  Device device_;
  Workshop workshop_;
  std::string_view text_;
  TextKind text_kind_ = TextKind::english;
  std::optional<ResidentText> resident_;
  double ceiling_ = 0;
  CopyRates copy_rates_;
  json results_ = json::array();
  bool any_difference_ = false;
};

}  // namespace
}  // namespace lode::bench

int main(int argument_count, char** arguments) {
  CLI::App app("Measures GPUs against the read ceiling of the same run, counts compared with the CPU's first.",
               "lode-bench-gpu");
  lode::bench::Settings settings;
  app.add_option("--device", settings.device, "as the command takes it")->capture_default_str();
  app.add_option("--rows", settings.rows, "definitions of the rows")->capture_default_str();
  app.add_option("--sample", settings.sample, "text that English prose is learnt from")->capture_default_str();
  app.add_option("--json", settings.json_path, "where results go");
  app.add_option("--only", settings.only, "rows whose whole name matches this regular expression");
  app.add_option("--algorithm", settings.algorithm, "this one alone");
  app.add_option("--text-bytes", settings.text_bytes, "size of every text; takes KiB, MiB, GiB")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--repetitions", settings.repetitions)->capture_default_str();
  app.add_flag("--host", settings.host, "stream the text from the host, too");
  app.add_option("--cascade", settings.searcher.gpu_cascade, "see SearcherOptions");
  app.add_option("--group-items", settings.searcher.gpu_group_items);
  app.add_option("--groups-per-unit", settings.searcher.gpu_groups_per_unit);
  CLI11_PARSE(app, argument_count, arguments);
  std::string command_line = "lode-bench-gpu";
  for (int at = 1; at < argument_count; ++at) command_line.append(" ").append(arguments[at]);
  try {
    return lode::bench::Bench(settings).run(command_line);
  } catch (const std::exception& error) {
    std::cerr << "lode-bench-gpu: " << error.what() << "\n";
    return 2;
  }
}
