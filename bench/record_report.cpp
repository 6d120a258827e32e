#include "record_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>

#include "lode/version.hpp"
#include "measure.hpp"

namespace lode::bench {
namespace {

using nlohmann::json;

double per_second(double amount, const Contestant& one) { return amount / median(one.seconds); }
double bytes_rate(const Contestant& one) { return per_second(static_cast<double>(one.bytes), one); }
double cells_rate(const Contestant& one) { return per_second(static_cast<double>(one.cells) * 4, one); }

// The slowest and the fastest repetition, of so many bytes.
std::string range_of(double bytes, const Contestant& one) {
  const auto [least, most] = std::minmax_element(one.seconds.begin(), one.seconds.end());
  return fmt::format("{:.3g}–{:.3g}", bytes / *most / 1e9, bytes / *least / 1e9);
}

// The records once, whatever is read again, and the result: of sparse hits the three arrays, a cell 4 bytes, a record a
// bit.
std::uint64_t bytes_moved(const Contestant& one, std::uint64_t hits) {
  std::uint64_t result = one.cells * sizeof(std::int32_t);
  if (one.output == "sparse") result = hits * 12 + (one.rows + 1) * sizeof(std::uint64_t);
  if (one.output == "hits") result = hits * sizeof(RecordHit);
  if (one.output == "any") result = (one.rows + 7) / 8;
  return one.bytes + result;
}

bool has_run(const Contestant& one) { return one.not_run.empty() && !one.seconds.empty(); }

// The ceilings of a contestant's place: measured beside it, or told by the contestant.
double ceiling_of(const Contestants& contestants, const Contestant& of, const char* kind) {
  double best = std::string_view(kind) == "read" ? of.read_ceiling : of.write_ceiling;
  for (const auto& one : contestants)
    if (one->place == of.place && one->output == kind)
      best = std::max(best, one->output == "read" ? bytes_rate(*one) : cells_rate(*one));
  return best;
}

const Contestant* strstr_of(const Contestants& contestants, const char* place) {
  for (const auto& one : contestants)
    if (one->name == "strstr" && one->place == place && has_run(*one)) return one.get();
  return nullptr;
}

// How many times less a byte takes `one` than `other`.
double times_faster(const Contestant& one, const Contestant& other) {
  return median_ratio(other.seconds, one.seconds) * static_cast<double>(one.bytes) / static_cast<double>(other.bytes);
}

// Finds the entry of a workload in the results; nothing where it is not there.
std::optional<json> find_entry(const json& all, const std::string& workload, const std::string& name,
                               const std::string& place, const std::string& output) {
  for (const json& row : all.at("workloads")) {
    if (row.at("name") != workload) continue;
    for (const json& one : row.at("contestants"))
      if (one.at("name") == name && one.at("place") == place && one.value("output", "") == output &&
          one.contains("gigabytes_per_second"))
        return one;
  }
  return std::nullopt;
}

std::string percent(double share) { return share > 0 ? fmt::format("{:.1f}", 100 * share) : ""; }
std::string times(double factor) {
  if (factor <= 0) return "";
  return factor < 100 ? fmt::format("{:.2f}", factor) : fmt::format("{:.0f}", factor);
}

}  // namespace

RecordReport::RecordReport(std::filesystem::path path, const std::string& command_line, const std::string& commit,
                           const std::vector<UsedDevice>& devices, const json& settings, bool resumes)
    : path_(std::move(path)) {
  if (resumes) all_ = read_results(path_, "lode-bench-records", settings);
  if (!all_.is_null()) return;
  all_ = {{"program", "lode-bench-records"},
          {"lode_version", version()},
          {"commit", commit},
          {"machine", describe_machine()},
          {"command_line", command_line},
          {"threads", std::thread::hardware_concurrency()},
          {"settings", settings},
          {"seeds",
           {{"text", RecordWorkload::text_seed},
            {"patterns", RecordWorkload::pattern_seed},
            {"planted", RecordWorkload::plant_seed}}},
          {"workloads", json::array()}};
  for (const DeviceInfo& device : list_devices()) {
    const auto used =
        std::find_if(devices.begin(), devices.end(), [&](const UsedDevice& one) { return one.name == device.name; });
    if (device.name != "cpu" && used == devices.end()) continue;
    all_["devices"][device.name] = {{"description", device.description}};
    if (used != devices.end()) all_["devices"][device.name]["driver"] = used->driver;
    fmt::print("{}: {}\n", device.name, device.description);
  }
  fmt::print("seeds: text {}, patterns {}, planted {}\n", RecordWorkload::text_seed, RecordWorkload::pattern_seed,
             RecordWorkload::plant_seed);
}

void RecordReport::begin(const RecordWorkload& workload, const Reference& reference, double plan_seconds) {
  const RecordRecipe& recipe = workload.recipe();
  const std::uint64_t records = workload.records().size();
  const std::uint64_t bytes = workload.bytes_of(records);
  const std::uint64_t pattern_bytes = recipe.patterns * recipe.pattern_bytes;
  workload_ = {{"name", recipe.name},
               {"bytes", bytes},
               {"records", records},
               {"longest_record", workload.records().longest()},
               {"patterns", recipe.patterns},
               {"pattern_bytes", pattern_bytes},
               {"hits", reference.hits()},
               {"matching_records", reference.matching_records()},
               {"patterns_present", reference.patterns_present()},
               {"hits_per_byte", static_cast<double>(reference.hits()) / static_cast<double>(bytes)},
               {"plan_seconds", plan_seconds},
               {"contestants", json::array()},
               {"cell_kernel", json::array()}};
  fmt::print(
      "\n{}: {} MB in {} records, the longest of {} bytes; {} patterns of {} bytes, {:.1f} % of them present; {} hits "
      "({:.4f} % of the bytes), {:.2f} % of the records match; plan in {:.3f} s\n",
      recipe.name, bytes / 1000000, records, workload.records().longest(), recipe.patterns, recipe.pattern_bytes,
      100 * static_cast<double>(reference.patterns_present()) / static_cast<double>(recipe.patterns), reference.hits(),
      100 * static_cast<double>(reference.hits()) / static_cast<double>(bytes),
      100 * static_cast<double>(reference.matching_records()) / static_cast<double>(records), plan_seconds);
  std::fflush(stdout);
}

void RecordReport::add(const RecordWorkload& workload, const Contestants& contestants) {
  const Contestant* const one_thread = strstr_of(contestants, "1 thread");
  const Contestant* const all_threads = strstr_of(contestants, "all threads");
  const auto whole = static_cast<double>(workload.bytes_of(workload.records().size()));
  fmt::print("  {:<18} {:<18} {:<6} {:>8} {:>10} {:>8} {:>13} {:>6} {:>7} {:>9} {:>9}  {}\n", "contestant", "place",
             "output", "% run on", "seconds", "GB/s", "least–most", "% read", "% write", "x strstr", "x all", "detail");
  for (const auto& contestant : contestants) {
    const Contestant& one = *contestant;
    json out = {{"name", one.name}, {"place", one.place}};
    if (!has_run(one)) {
      out["not_run"] = one.not_run;
      fmt::print("  {:<18} {:<18} not run: {}\n", one.name, one.place, one.not_run);
      workload_["contestants"].push_back(std::move(out));
      continue;
    }
    out["output"] = one.output;
    out["seconds"] = one.seconds;
    // Only all records have all hits, and only `dense` runs on fewer.
    out["bytes_moved"] = bytes_moved(one, workload_.at("hits"));
    if (one.output == "write") {
      out["gigabytes_per_second"] = cells_rate(one) / 1e9;
      fmt::print("  {:<18} {:<18} {:<6} {:>8} {:>10} {:>8.2f} {:>13}\n", one.name, one.place, one.output, "", "",
                 cells_rate(one) / 1e9, range_of(static_cast<double>(one.cells) * 4, one));
      workload_["contestants"].push_back(std::move(out));
      continue;
    }
    const double share = static_cast<double>(one.bytes) / whole;
    const double read = ceiling_of(contestants, one, "read");
    const double write = ceiling_of(contestants, one, "write");
    const double of_read = read > 0 ? bytes_rate(one) / read : 0;
    const double of_write = write > 0 && one.cells != 0 ? cells_rate(one) / write : 0;
    const bool is_ceiling = one.output == "read";
    const double to_one = one_thread && !is_ceiling ? times_faster(one, *one_thread) : 0;
    const double to_all = all_threads && !is_ceiling ? times_faster(one, *all_threads) : 0;
    out["records"] = one.rows;
    out["bytes"] = one.bytes;
    out["gigabytes_per_second"] = bytes_rate(one) / 1e9;
    out["seconds_for_all"] = median(one.seconds) / share;
    out["share_of_read"] = of_read;
    if (one.cells != 0) {
      out["cells"] = one.cells;
      out["share_of_write"] = of_write;
    }
    if (one.read_ceiling > 0) out["read_ceiling_gigabytes_per_second"] = one.read_ceiling / 1e9;
    if (one.write_ceiling > 0) out["write_ceiling_gigabytes_per_second"] = one.write_ceiling / 1e9;
    if (to_one > 0) out["times_strstr_one_thread"] = to_one;
    if (to_all > 0) out["times_strstr_all_threads"] = to_all;
    if (!one.detail.empty()) out["detail"] = one.detail;
    fmt::print("  {:<18} {:<18} {:<6} {:>8} {:>10.4g} {:>8.3f} {:>13} {:>6} {:>7} {:>9} {:>9}  {}\n", one.name,
               one.place, one.output, share < 1 ? fmt::format("{:.3g}", 100 * share) : "100",
               median(one.seconds) / share, bytes_rate(one) / 1e9, range_of(static_cast<double>(one.bytes), one),
               percent(of_read), percent(of_write), times(to_one), times(to_all), one.detail);
    workload_["contestants"].push_back(std::move(out));
  }
  fmt::print("  all results agree\n");
  std::fflush(stdout);
}

void RecordReport::add(const std::string& device, const CellContest& contest) {
  const double ratio = median_ratio(contest.cell_kernel_seconds, contest.lode_seconds);
  fmt::print("  {}: a dense matrix of {} records in {:.4g} s, by a work-item for each cell in {:.4g} s: {} x\n", device,
             contest.rows, median(contest.lode_seconds), median(contest.cell_kernel_seconds), times(ratio));
  std::fflush(stdout);
  workload_["cell_kernel"].push_back({{"device", device},
                                      {"records", contest.rows},
                                      {"bytes", contest.bytes},
                                      {"cells", contest.cells},
                                      {"bytes_moved", contest.bytes + contest.cells * sizeof(std::int32_t)},
                                      {"lode_seconds", contest.lode_seconds},
                                      {"cell_kernel_seconds", contest.cell_kernel_seconds},
                                      {"ratio", ratio}});
}

void RecordReport::end() {
  all_["workloads"].push_back(std::move(workload_));
  workload_ = nullptr;
  write();
}

bool RecordReport::has(const std::string& workload) const {
  const json& rows = all_.at("workloads");
  return std::any_of(rows.begin(), rows.end(), [&](const json& row) { return row.at("name") == workload; });
}

void RecordReport::summarize() const {
  fmt::print("\n");
  if (const auto one = find_entry(all_, "few-hits", "filter", "1 thread", "sparse"); one)
    fmt::print("1 thread against strstr on 1 thread, few hits: sparse {:.0f} x (aim 100)\n",
               one->value("times_strstr_one_thread", 0.0));
  const auto few = find_entry(all_, "few-hits", "filter", "1 thread", "sparse");
  const auto many = find_entry(all_, "90-percent", "filter", "1 thread", "sparse");
  if (few && many)
    fmt::print("90 % of the records matching take {:.2f} times as long as few hits (1 thread, sparse)\n",
               few->at("gigabytes_per_second").get<double>() / many->at("gigabytes_per_second").get<double>());
  std::string where;
  double least = 0;
  for (const json& row : all_.at("workloads"))
    for (const json& contest : row.at("cell_kernel"))
      if (where.empty() || contest.at("ratio").get<double>() < least) {
        least = contest.at("ratio").get<double>();
        where = row.at("name").get<std::string>() + " on " + contest.at("device").get<std::string>();
      }
  if (!where.empty())
    fmt::print("smallest ratio to a work-item for each cell: {} ({}); aim: never below 1\n", times(least), where);
}

void RecordReport::write() const { write_json(path_, all_); }

}  // namespace lode::bench
