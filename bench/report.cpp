#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "lode/version.hpp"
#include "measure.hpp"

namespace lode::bench {
namespace {

using nlohmann::json;

json text_of(const Row& row) {
  json text = {{"kind", row.text_name}, {"bytes", row.text_bytes}, {"seed", Workshop::text_seed}};
  if (row.writing != Writing::plain) text["writing"] = name_of(row.writing);
  return text;
}

json described(const Row& row, const std::vector<std::string>& patterns) {
  std::uint64_t bytes = 0;
  std::size_t shortest = patterns.front().size();
  std::size_t longest = shortest;
  for (const std::string& pattern : patterns) {
    bytes += pattern.size();
    shortest = std::min(shortest, pattern.size());
    longest = std::max(longest, pattern.size());
  }
  json out = {{"name", row.name}, {"model", name_of(row.model)}};
  out["text"] = text_of(row);
  out["patterns"] = {{"count", patterns.size()},  {"bytes", bytes},
                     {"shortest", shortest},      {"longest", longest},
                     {"seed", row.patterns.seed}, {"ignore_case", row.ignore_case}};
  if (!row.pattern.empty()) out["patterns"]["pattern"] = row.pattern;
  if (!row.view.empty()) out["view"] = row.view;
  return out;
}

json spread(const std::vector<double>& seconds) {
  return {{"median", median(seconds)},
          {"least", *std::min_element(seconds.begin(), seconds.end())},
          {"most", *std::max_element(seconds.begin(), seconds.end())},
          {"all", seconds}};
}

}  // namespace

Report::Report(std::filesystem::path path, const std::string& command_line, const std::string& commit,
               const json& settings, bool resumes)
    : path_(std::move(path)) {
  if (resumes) all_ = read_results(path_, "lode-bench-cpu", settings);
  if (!all_.is_null()) return;
  all_ = {
      {"program", "lode-bench-cpu"},   {"lode_version", version()},    {"commit", commit},
      {"machine", describe_machine()}, {"command_line", command_line}, {"threads", std::thread::hardware_concurrency()},
      {"settings", settings},          {"rows", json::array()}};
}

bool Report::has(const Row& row) const {
  for (const json& known : all_.at("rows")) {
    if (known.at("name") != row.name) continue;
    if (known.at("model") != name_of(row.model) || known.at("text") != text_of(row))
      throw std::runtime_error(path_.string() + " holds the row " + row.name + " as it was defined before");
    return true;
  }
  return false;
}

void Report::add(const Row& row, const std::vector<std::string>& patterns, const ContestResult& result) {
  json out = described(row, patterns);
  const double share = static_cast<double>(result.patterns_present) / static_cast<double>(patterns.size());
  const double density = static_cast<double>(result.matches) / static_cast<double>(result.counted_bytes);
  out["counted_bytes"] = result.counted_bytes;
  out["matches"] = result.matches;
  out["matches_per_byte"] = density;
  out["patterns"]["present"] = result.patterns_present;
  fmt::print(
      "\n{}: {} MiB of {}, {} patterns{}, {:.1f} % of them present, {} matches ({:.4f} % of the bytes) in "
      "the first {} MiB\n",
      row.name, row.text_bytes >> 20, row.text_name, patterns.size(), row.ignore_case ? " ignoring case" : "",
      100 * share, result.matches, 100 * density, result.counted_bytes >> 20);
  fmt::print("  {:<38} {:>7} {:>9} {:>8} {:>8} {:>7} {:>8} {:>9}  {}\n", "engine", "threads", "MiB", "GB/s", "least",
             "% read", "x peer", "build s", "detail");

  const EngineResult* const peer = result.best_peer();
  if (peer) out["best_peer"] = peer->name;
  for (const EngineResult& engine : result.engines) {
    const std::string threads = engine.threads == 0 ? "all" : std::to_string(engine.threads);
    json one = {{"name", engine.name}, {"threads", threads}};
    if (!engine.not_run.empty()) {
      one["not_run"] = engine.not_run;
      fmt::print("  {:<38} {:>7} not run: {}\n", engine.name, threads, engine.not_run);
      out["engines"].push_back(std::move(one));
      continue;
    }
    const EngineResult& ceiling = result.read_ceiling(engine.threads);
    const double share_of_read = times_faster(engine, ceiling);
    const bool is_lode = !engine.is_peer && !engine.is_read_loop && !engine.is_arithmetic;
    one["bytes"] = engine.bytes;
    one["bytes_moved"] = engine.bytes_moved();
    one["seconds"] = spread(engine.seconds);
    one["gigabytes_per_second"] = engine.gigabytes_per_second();
    one["share_of_read"] = share_of_read;
    if (is_lode || engine.is_peer) {
      one["matches"] = engine.matches;
      one["build_seconds"] = engine.build_seconds;
      one["memory_bytes"] = engine.memory_bytes;
      one["detail"] = engine.detail;
    }
    if (is_lode && engine.threads != 1) {
      if (const EngineResult* const alone = result.alone(engine)) {
        const unsigned threads_used = engine.threads == 0 ? std::thread::hardware_concurrency() : engine.threads;
        one["times_one_thread"] = times_faster(engine, *alone);
        one["share_of_linear"] = times_faster(engine, *alone) / threads_used;
        if (engine.threads == 0 && result.arithmetic_speedup() > 0)
          one["share_of_arithmetic_speedup"] = times_faster(engine, *alone) / result.arithmetic_speedup();
      }
    }
    if (is_lode && peer) one["times_best_peer"] = times_faster(engine, *peer);
    const double slowest = *std::max_element(engine.seconds.begin(), engine.seconds.end());
    fmt::print("  {:<38} {:>7} {:>9.3f} {:>8.3f} {:>8.3f} {:>7.1f} {:>8} {:>9}  {}\n", engine.name, threads,
               static_cast<double>(engine.bytes) / (1 << 20), engine.gigabytes_per_second(),
               static_cast<double>(engine.bytes) / slowest / 1e9, 100 * share_of_read,
               is_lode && peer ? fmt::format("{:.2f}", times_faster(engine, *peer)) : "",
               is_lode || engine.is_peer ? fmt::format("{:.3f}", engine.build_seconds) : "", engine.detail);
    out["engines"].push_back(std::move(one));
  }
  std::fflush(stdout);
  all_["rows"].push_back(std::move(out));
  write();
}

void Report::add(const Row& row, const std::vector<std::string>& patterns, const BuildCost& cost) {
  json out = described(row, patterns);
  const auto count = static_cast<double>(patterns.size());
  const double plan_each = static_cast<double>(cost.plan_bytes - cost.pattern_bytes) / count;
  const double resident_each =
      (static_cast<double>(cost.resident_bytes) - static_cast<double>(cost.pattern_bytes)) / count;
  out["plan_bytes_per_pattern"] = plan_each;
  out["resident_bytes_per_pattern"] = resident_each;
  out["saved_bytes"] = cost.saved_bytes;
  fmt::print(
      "\n{}: {} patterns of {} bytes in all; beyond these a plan takes {:.1f} bytes a pattern, "
      "plan and searcher together {:.1f}; {:.1f} MB saved\n",
      row.name, patterns.size(), cost.pattern_bytes, plan_each, resident_each,
      static_cast<double>(cost.saved_bytes) / 1e6);
  for (const BuildStep& step : cost.steps) {
    out["steps"].push_back({{"name", step.name}, {"seconds", spread(step.seconds)}});
    fmt::print("  {:<20} {:.3f} s\n", step.name, median(step.seconds));
  }
  std::fflush(stdout);
  all_["rows"].push_back(std::move(out));
  write();
}

void Report::write() const { write_json(path_, all_); }

}  // namespace lode::bench
