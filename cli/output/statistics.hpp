// Statistics: tells what ran and how fast (--stats). They are gathered over all calls of a searcher and all
// repetitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/output/writer.hpp"
#include "lode/plan.hpp"
#include "lode/records.hpp"
#include "lode/searcher.hpp"

namespace lode::command {

/// How long each stage before the search took; nothing for stages that did not happen.
struct StageSeconds {
  std::optional<double> pattern_read, plan_build, plan_load, plan_save, prepare;
};

/// Counts of what was replaced in texts.
struct RewriteCounts {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;                                 // before they are packed
  std::unordered_map<std::uint32_t, std::uint64_t> replaced = {};  // matches of each pattern that has some
};

class Statistics {
 public:
  /// Adds the statistics of one call of a searcher.
  void add(const SearchStats& call);
  void add(const RecordStats& call);
  void add(const RewriteCounts& text);
  /// Adds what others have gathered.
  void add(const Statistics& others);
  /// Ends a repetition, which took so long with reading. The sums start anew with the next one.
  void end_repetition(double seconds);

  void set_plan(const Plan& plan, const StageSeconds& seconds);
  void set_reference(const std::string& algorithm, bool equal);
  /// Says that a call failed, so that its statistics are missing.
  void set_failed() { any_failed_ = true; }

  /// The report, with one `name: value` a line.
  std::string report(const Searcher& searcher, unsigned threads) const;
  std::string report(const RecordSearcher& searcher, unsigned threads) const;
  /// The report's lines about the plan, which are all if nothing was searched.
  std::string plan_report() const;
  /// Writes `before` and an object with "device", "choice" and "rates", for the summary of --json: what device `auto`
  /// did in the call that searched most bytes. Writes nothing if a device was named.
  void append_choice(Writer& writer, const char* before) const;

 private:
  struct Ran {
    std::string algorithm, device, instruction_set, strategy;
    bool searches_records = false;
  };
  std::string report(const Ran& ran, unsigned threads) const;
  std::string rewrite_report() const;
  void begin_repetition();

  std::string device_, choice_;  // those of the call that searched most bytes
  std::vector<DeviceRate> rates_;
  std::uint64_t most_bytes_ = 0;
  std::uint64_t bytes_ = 0, candidates_ = 0, matches_ = 0;
  std::optional<RewriteCounts> rewrites_;
  std::uint64_t records_ = 0, flagged_records_ = 0, false_positives_ = 0;
  double flag_seconds_ = 0, verify_seconds_ = 0;
  bool any_failed_ = false;
  bool repetition_ended_ = false;
  std::vector<double> seconds_;
  std::uint32_t patterns_ = 0;
  std::uint64_t plan_bytes_ = 0;
  StageSeconds stage_seconds_;
  std::string reference_;
  bool reference_equal_ = true;
};

}  // namespace lode::command
