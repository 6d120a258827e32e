// lode-bench-cpu: the rows of rows.json, Lode against what runs in process. Exit 1 where counts differ, 2 on
// errors.
#include <iostream>
#include <regex>

#include "arguments.hpp"
#include "build_cost.hpp"
#include "contest.hpp"
#include "report.hpp"
#include "row.hpp"

int main(int argument_count, char** words) {
  lode::bench::Arguments arguments(
      "lode-bench-cpu", "Measures the library against peers and against the read bandwidth, counts verified first.");
  std::string rows_path = LODE_BENCH_ROWS;
  std::string sample = LODE_BENCH_SAMPLE;
  std::string json_path;
  std::string only;
  std::string python;
  std::string commit;
  std::string instruction_set;
  std::string engines;
  bool quick = false;
  bool list = false;
  bool resumes = false;
  std::uint64_t text_bytes = 0;
  double most_seconds = 120;
  lode::bench::ContestOptions options;
  arguments.add("--rows", rows_path, "definitions of the rows");
  arguments.add("--sample", sample, "text that English prose is learnt from");
  arguments.add("--json", json_path, "where results go");
  arguments.add("--only", only, "rows whose whole name matches this regular expression");
  arguments.add("--python", python, "a Python that has the peers written for it");
  arguments.add("--quick", quick, "small texts, few repetitions, `auto` and `naive` instead of every algorithm");
  arguments.add(
      "--engines", engines,
      "beside lode itself, engines whose whole name matches this regular expression, as \"lode find\"; the counts of "
      "others, as of naive, are not compared then");
  arguments.add("--list", list, "names of the rows");
  arguments.add("--commit", commit, "of the sources, for the results");
  arguments.add("--resume", resumes, "rows that the file of --json holds stay and are not measured again");
  arguments.add_bytes("--text-bytes", text_bytes, "size of every text, instead of the rows' own");
  arguments.add("--most-seconds", most_seconds, "what a peer may take to be made, and for a pass; 10 where quick");
  arguments.add(
      "--instruction-set", instruction_set,
      "that Lode is kept to, and peers as far as they can be: memmem and std::boyer_moore_searcher, which are "
      "compiled without others, and what Hyperscan compiles for; Python's peers are left out",
      lode::cpu_instruction_sets());
  arguments.add("--repetitions", options.repetitions, "3 where quick");
  arguments.add("--algorithms,!--no-algorithms", options.named_algorithms, "measure every named algorithm, or `auto`");
  return arguments.run(argument_count, words, [&](const std::string& command_line) {
    if (quick) {
      if (!arguments.has("--repetitions")) options.repetitions = 3;
      if (!arguments.has("--algorithms")) options.named_algorithms = false;
      if (!arguments.has("--most-seconds")) most_seconds = 10;
      options.seconds_per_pass = 0.05;
      options.seconds_per_repetition = 0.02;
    }
    const std::regex filter(only.empty() ? ".*" : only);
    lode::bench::Workshop workshop(sample);
    nlohmann::json settings = {{"quick", quick},
                               {"repetitions", options.repetitions},
                               {"named_algorithms", options.named_algorithms},
                               {"python", !python.empty()},
                               {"most_seconds", most_seconds}};
    if (!instruction_set.empty()) settings["instruction_set"] = instruction_set;
    if (!engines.empty()) {
      settings["engines"] = engines;
      options.engines.emplace(engines);
    }
    lode::bench::Report report(json_path, command_line, commit, settings, resumes);
    std::size_t run_count = 0;
    for (lode::bench::Row& row : lode::bench::read_rows(rows_path, quick)) {
      if (!std::regex_match(row.name, filter)) continue;
      ++run_count;
      if (list) {
        std::cout << row.name << "\n";
        continue;
      }
      if (text_bytes != 0) lode::bench::resize_text(row, text_bytes);
      if (sample != LODE_BENCH_SAMPLE) row.expected.reset();  // prose of another chain
      if (report.has(row)) {
        std::cerr << "lode-bench-cpu: " << row.name << " was measured before\n";
        continue;
      }
      std::cerr << "lode-bench-cpu: " << row.name << "\n";
      if (row.model == lode::bench::Model::build) {
        const std::vector<std::string> patterns = workshop.patterns_of(row);
        report.add(
            row, patterns,
            lode::bench::measure_build({.patterns = patterns, .ignore_case = row.ignore_case}, options.repetitions));
        continue;
      }
      const std::string_view text = workshop.text_of(row);
      constexpr std::size_t sample_bytes = std::size_t{1} << 20;
      const lode::bench::Task task{.patterns = workshop.patterns_of(row),
                                   .ignore_case = row.ignore_case,
                                   .view = row.view,
                                   .text_sample = text.substr(0, sample_bytes),
                                   .text_bytes = text.size(),
                                   .model = row.model,
                                   .python = python,
                                   .instruction_set = instruction_set,
                                   .most_seconds = most_seconds};
      try {
        report.add(row, task.patterns, lode::bench::hold_contest(task, text, row, options));
      } catch (const lode::bench::Mismatch& mismatch) {
        std::cerr << "lode-bench-cpu: " << row.name << ": " << mismatch.what() << "; nothing of it is reported\n";
        return 1;
      }
    }
    if (run_count == 0) throw std::runtime_error("no row has a name that matches " + only);
    return 0;
  });
}
