// lode-bench-gpu: the rows of gpu_rows.json or gpu_experiments.json on a GPU, as ratios to the read ceiling of the same run. Every count is
// compared with the CPU's first; where it differs no time is taken. Exit 1 where counts differ, 2 on errors.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "arguments.hpp"
#include "device/registry.hpp"
#include "gpu_ceiling.hpp"
#include "lode/lode.hpp"
#include "lode/resident_text.hpp"
#include "lode/version.hpp"
#include "measure.hpp"
#include "row.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::uint64_t listed_bytes = 8;  // of a match, as it leaves the device

struct Settings {
  std::string device = "cuda";
  std::string rows = LODE_BENCH_ROWS;
  std::string sample = LODE_BENCH_SAMPLE;
  std::string json_path;
  std::string only;       // empty: all usual ones
  std::string algorithm;  // alone, instead of `auto` and the row's own
  std::uint64_t text_bytes = 0;
  int repetitions = 7;
  bool quick = false;
  bool resumes = false;
  bool host = false;
  std::string file;  // empty: none
  std::string commit;
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

// NAME, NAME/CASCADING or NAME/CASCADING/GROUPSxITEMS.
SearcherOptions options_of(const std::string& way, SearcherOptions options) {
  static const std::regex shape("([^/]+)(?:/(\\d+)(?:/(\\d+)x(\\d+))?)?");
  std::smatch parts;
  if (!std::regex_match(way, parts, shape))
    throw std::runtime_error("'" + way + "' is not a NAME/CASCADING/GROUPSxITEMS");
  const auto number = [&](std::size_t part) { return static_cast<unsigned>(std::stoul(parts[part])); };
  options.algorithm = parts[1];
  if (parts[2].matched) options.gpu_cascade = number(2);
  if (parts[3].matched) {
    options.gpu_groups_per_unit = number(3);
    options.gpu_group_items = number(4);
  }
  return options;
}

// What the CPU counts.
struct Expected {
  std::uint64_t matches = 0;
  std::uint64_t patterns_present = 0;
};

Expected count_on_cpu(const Plan& plan, std::string_view text) {
  Expected expected;
  for (const std::uint64_t count : Searcher(plan).count_per_pattern(text)) {
    expected.matches += count;
    expected.patterns_present += count != 0;
  }
  return expected;
}

// The text as a file, which lies in the page cache since it has just been written. Removed at the end.
class TextFile {
 public:
  TextFile(std::filesystem::path path, std::string_view text) : path_(std::move(path)) {
    if (std::filesystem::exists(path_)) throw std::runtime_error(path_.string() + ": is there already");
    std::ofstream file(path_, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush()) {
      std::filesystem::remove(path_);
      throw std::runtime_error(path_.string() + ": cannot be written");
    }
    text_.emplace(path_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  const FileText& text() const { return *text_; }

 private:
  std::filesystem::path path_;
  std::optional<FileText> text_;
};

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings), device_(open_device(settings.device)), workshop_(settings.sample) {
    if (device_.gpus() == nullptr)
      throw std::runtime_error(settings.device + " is not a GPU; lode-bench-cpu measures the CPU");
  }

  int run(const std::string& command_line) {
    const std::regex only(settings_.only.empty() ? ".*" : settings_.only);
    begin_results(command_line);
    bool any = false;
    for (Row row : read_rows(settings_.rows, settings_.quick)) {
      if (!std::regex_match(row.name, only) || (settings_.only.empty() && !row.usual)) continue;
      any = true;
      if (settings_.text_bytes != 0) resize_text(row, settings_.text_bytes);
      if (settings_.sample != LODE_BENCH_SAMPLE) row.expected.reset();  // prose of another chain
      if (row.model != Model::count && row.model != Model::find)
        throw std::runtime_error(row.name + ": on GPUs there are the models count and find");
      if (was_measured(row)) {
        std::cerr << "lode-bench-gpu: " << row.name << " was measured before\n";
        continue;
      }
      std::cerr << "lode-bench-gpu: " << row.name << "\n";
      try {
        use_text(row);
      } catch (const Error& error) {  // the device has less memory
        resident_.reset();
        report_error(row, "auto", "count", error);
        write_json(settings_.json_path, all_);
        continue;
      }
      measure(row);
      write_json(settings_.json_path, all_);
    }
    if (!any) throw std::runtime_error("no row has a name that matches " + settings_.only);
    return any_difference_ ? 1 : 0;
  }

 private:
  void begin_results(const std::string& command_line) {
    const json settings = {
        {"device", settings_.device},
        {"rows", std::filesystem::path(settings_.rows).filename().string()},
        {"quick", settings_.quick},
        {"repetitions", settings_.repetitions},
        {"host", settings_.host},
        {"file", !settings_.file.empty()},
        {"algorithm", settings_.algorithm},
        {"text_bytes", settings_.text_bytes},
        {"shape",
         {settings_.searcher.gpu_cascade, settings_.searcher.gpu_group_items, settings_.searcher.gpu_groups_per_unit}}};
    if (settings_.resumes) all_ = read_results(settings_.json_path, "lode-bench-gpu", settings);
    if (!all_.is_null()) {
      const json& known = all_.at("results");
      any_difference_ =
          std::any_of(known.begin(), known.end(), [](const json& one) { return !one.value("equal_to_cpu", true); });
      return;
    }
    all_ = {{"program", "lode-bench-gpu"},   {"lode_version", version()}, {"commit", settings_.commit},
            {"machine", describe_machine()}, {"command", command_line},   {"settings", settings},
            {"results", json::array()}};
    for (const DeviceInfo& device : list_devices())
      if (device.available) all_["devices"][device.name] = device.description;
    for (const auto& runtime : device_.gpus()->runtimes)
      all_["ran_on"].push_back({{"name", runtime->limits().name}, {"driver", runtime->limits().version}});
  }

  bool was_measured(const Row& row) const {
    const json& known = all_.at("results");
    return std::any_of(known.begin(), known.end(), [&](const json& one) { return one.at("row") == row.name; });
  }

  // Before much time goes into a text that has no place.
  void require_memory(const Row& row) const {
    const std::uint64_t host_bytes =
        static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
    std::uint64_t device_bytes = 0;
    for (const auto& runtime : device_.gpus()->runtimes) device_bytes += runtime->limits().memory_bytes;
    for (const auto& [bytes, place] : {std::pair{host_bytes, "the host"}, std::pair{device_bytes, "the device"}})
      if (row.text_bytes > bytes)
        throw Error(ErrorKind::limit, fmt::format("a text of {} MiB does not fit {}, which has {} MiB",
                                                  row.text_bytes >> 20, place, bytes >> 20));
  }

  void use_text(const Row& row) {
    if (resident_ && recipe_ == row.text()) return;
    resident_.reset();
    require_memory(row);
    text_ = workshop_.text_of(row);
    recipe_ = row.text();
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
    file_.reset();
    if (!settings_.file.empty()) file_.emplace(settings_.file, text_);
    if (settings_.host || file_) {
      copy_rates_ = measure_copy_rates(*resident_->data().runtimes()[0], text_, settings_.repetitions);
      fmt::print("pinned memory is copied to the device at {:.1f} GB/s, and filled by all cores at {:.1f} GB/s\n",
                 copy_rates_.pinned / 1e9, copy_rates_.fill / 1e9);
    }
    std::fflush(stdout);
  }

  void measure(const Row& row) {
    PatternSet patterns;
    lengths_ = {UINT64_MAX, 0};
    for (const std::string& pattern : workshop_.patterns_of(row)) {
      patterns.add(pattern, row.ignore_case);
      lengths_ = {std::min<std::uint64_t>(lengths_.first, pattern.size()),
                  std::max<std::uint64_t>(lengths_.second, pattern.size())};
    }
    PlanOptions plan_options;
    plan_options.view = View(row.view);
    plan_options.text_sample = text_.substr(0, 1 << 20);
    const Plan plan = Plan::build(std::move(patterns), plan_options);
    const Expected expected = count_on_cpu(plan, text_);
    if (row.expected && *row.expected != expected.matches) {
      json one = {{"row", row.name}, {"algorithm", "auto"}, {"mode", "count"}, {"equal_to_cpu", false}};
      one["error"] =
          fmt::format("the CPU counts {}, the definition of the row says {}", expected.matches, *row.expected);
      add_difference(std::move(one));
      return;
    }
    fmt::print("{}: {} patterns, {:.1f} % of them present, {} matches ({:.4f} % of the bytes)\n", row.name,
               plan.patterns().size(),
               100 * static_cast<double>(expected.patterns_present) / static_cast<double>(plan.patterns().size()),
               expected.matches, 100 * static_cast<double>(expected.matches) / static_cast<double>(text_.size()));
    std::vector<std::string> algorithms = row.algorithms;
    algorithms.insert(algorithms.begin(), "auto");
    if (!settings_.algorithm.empty()) algorithms = {settings_.algorithm};
    for (const std::string& algorithm : algorithms) {
      const char* mode = "count";
      const SearcherOptions options = options_of(algorithm, settings_.searcher);
      try {
        const auto begin = Clock::now();
        const Searcher searcher(plan, options, device_);
        const std::uint64_t first = searcher.count(*resident_);
        const double start = std::chrono::duration<double>(Clock::now() - begin).count();
        report(row, algorithm, "count", expected, first, start, searcher, [&] { searcher.count(*resident_); });
        if (row.find || row.model == Model::find) {
          mode = "find";
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
          mode = "host";
          const std::uint64_t streamed = searcher.count(text_);
          report(row, algorithm, "host", expected, streamed, 0, searcher, [&] { searcher.count(text_); });
        }
        if (file_) {
          mode = "file";
          const std::uint64_t read = searcher.count(file_->text());
          report(row, algorithm, "file", expected, read, 0, searcher, [&] { searcher.count(file_->text()); });
        }
      } catch (const Error& error) {
        report_error(row, algorithm, mode, error);
      }
    }
  }

  void report_error(const Row& row, const std::string& algorithm, const char* mode, const Error& error) {
    fmt::print("{:32} {:20} {:5} {}\n", row.name, algorithm, mode, error.what());
    json one = {{"row", row.name}, {"algorithm", algorithm}, {"mode", mode}};
    // Not to serve a row is an answer.
    one[error.kind() == ErrorKind::unsupported ? "not_run" : "error"] = error.what();
    all_["results"].push_back(std::move(one));
    any_difference_ |= error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::limit;
  }

  void add_difference(json one) {
    fmt::print("{:32} {:20} {:5} DIFFERS: {}\n", one.at("row").get<std::string>(),
               one.at("algorithm").get<std::string>(), one.at("mode").get<std::string>(),
               one.at("error").get<std::string>());
    std::fflush(stdout);
    any_difference_ = true;
    all_["results"].push_back(std::move(one));
  }

  template <class Run>
  void report(const Row& row, const std::string& algorithm, const char* mode, const Expected& expected,
              std::uint64_t counted, double start, const Searcher& searcher, Run run) {
    json one = {{"row", row.name},
                {"text", row.text_name},
                {"text_bytes", text_.size()},
                {"patterns", searcher.plan().patterns().size()},
                {"algorithm", algorithm},
                {"mode", mode},
                {"equal_to_cpu", counted == expected.matches},
                {"pinned_copy_bytes_per_second", copy_rates_.pinned},
                {"pinned_fill_bytes_per_second", copy_rates_.fill}};
    if (counted != expected.matches) {  // a rate of what is wrong would only mislead
      one["error"] = fmt::format("counts {}, the CPU counts {}", counted, expected.matches);
      add_difference(std::move(one));
      return;
    }
    SearchStats stats;
    RunOptions run_options;
    run_options.stats = &stats;
    searcher.count(*resident_, run_options);
    const std::vector<double> seconds = time_runs(settings_.repetitions, run);
    const double median = seconds[seconds.size() / 2];
    const double rate = static_cast<double>(text_.size()) / median;
    const double bytes = static_cast<double>(text_.size());
    const bool lists = std::string_view(mode) == "find";
    fmt::print("{:32} {:20} {:5} {:8.4g} GB/s ({:.4g}–{:.4g}) {:6.1f} %  {} matches {:.5f} %, candidates {:.4f} %\n",
               row.name, algorithm, mode, rate / 1e9, bytes / seconds.back() / 1e9, bytes / seconds.front() / 1e9,
               ceiling_ > 0 ? 100 * rate / ceiling_ : 0, counted, 100 * static_cast<double>(counted) / bytes,
               100 * static_cast<double>(stats.candidates) / bytes);
    std::fflush(stdout);
    one["patterns_present"] = expected.patterns_present;
    one["matches_per_byte"] = static_cast<double>(counted) / bytes;
    one["shortest"] = lengths_.first;
    one["longest"] = lengths_.second;
    one["ran"] = searcher.algorithm();
    if (stats.gpu_group_items != 0) one["ran_group_items"] = stats.gpu_group_items;
    one["matches"] = counted;
    one["bytes_moved"] = text_.size() + (lists ? listed_bytes * counted : 0);
    one["candidates"] = stats.candidates;
    one["start_seconds"] = start;
    one["seconds"] = seconds;
    one["bytes_per_second"] = rate;
    one["read_ceiling_bytes_per_second"] = ceiling_;
    all_["results"].push_back(std::move(one));
  }

  const Settings& settings_;
  Device device_;
  Workshop workshop_;
  std::string_view text_;
  TextRecipe recipe_;  // of text_
  std::optional<ResidentText> resident_;
  std::optional<TextFile> file_;
  double ceiling_ = 0;
  CopyRates copy_rates_;
  std::pair<std::uint64_t, std::uint64_t> lengths_;  // of the row's patterns: the shortest, the longest
  json all_;
  bool any_difference_ = false;
};

}  // namespace
}  // namespace lode::bench

int main(int argument_count, char** words) {
  lode::bench::Arguments arguments(
      "lode-bench-gpu",
      "Measures GPUs against the read ceiling of the same run, counts compared with the CPU's first.");
  lode::bench::Settings settings;
  arguments.add("--device", settings.device, "as the command takes it");
  arguments.add("--rows", settings.rows, "definitions of the rows");
  arguments.add("--sample", settings.sample, "text that English prose is learnt from");
  arguments.add("--json", settings.json_path, "where results go");
  arguments.add("--only", settings.only, "rows whose whole name matches this regular expression");
  arguments.add("--algorithm", settings.algorithm, "this one alone");
  arguments.add_bytes("--text-bytes", settings.text_bytes, "size of every text");
  arguments.add("--repetitions", settings.repetitions, "3 where quick");
  arguments.add("--quick", settings.quick, "small texts, fewer repetitions");
  arguments.add("--resume", settings.resumes, "rows that the file of --json holds stay and are not measured again");
  arguments.add("--host", settings.host, "stream the text from the host, too");
  arguments.add("--file", settings.file, "write the text there, stream it from that file, too, and remove it");
  arguments.add("--cascade", settings.searcher.gpu_cascade, "see SearcherOptions");
  arguments.add("--group-items", settings.searcher.gpu_group_items, "see SearcherOptions");
  arguments.add("--groups-per-unit", settings.searcher.gpu_groups_per_unit, "see SearcherOptions");
  arguments.add("--commit", settings.commit, "of the sources, for the results");
  return arguments.run(argument_count, words, [&](const std::string& command_line) {
    if (settings.quick && !arguments.has("--repetitions")) settings.repetitions = 3;
    return lode::bench::Bench(settings).run(command_line);
  });
}
