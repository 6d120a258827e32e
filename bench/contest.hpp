// Contest: all engines on one row of any model but `build`.
//
// Where the row's definition says how many matches its text holds, Lode counts the whole text first. Then every engine
// is built and run on growing pieces of the text until a pass takes long enough; after each pass its count is compared
// with Lode's on the same piece. Only where all agree are they measured, side by side, each on the largest piece that it
// was verified on. A peer that takes longer than the task's most_seconds, to be made or for a pass, is told as too slow.
#pragma once

#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace lode::bench {

struct ContestOptions {
  int repetitions = 5;
  double seconds_per_pass = 1;          // an engine that needs longer for the text gets a piece of it
  double seconds_per_repetition = 0.3;  // a faster engine runs several times in each repetition
  double patience_seconds = 10;         // an engine whose repetitions would take longer has fewer, at least one
  bool named_algorithms = true;         // measure each algorithm of Lode, not `auto` alone
  std::optional<std::regex> engines;    // only those, and "lode"; then counts are checked by what the row expects alone
};

/// Two engines disagree, or Lode and what the row's definition expects. Nothing of the row may be reported.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EngineResult {
  std::string name;
  std::string algorithm = {};  // of Lode
  bool is_peer = false;
  bool is_read_loop = false;
  bool is_arithmetic = false;  // compute(): neither searches nor reads
  unsigned threads = 1;        // 0: all
  std::string not_run = {};    // why it did not take part; empty where it did
  std::string detail = {};
  std::uint64_t bytes = 0;    // of the piece that it was measured on
  std::uint64_t matches = 0;  // in that piece
  bool lists = false;         // gives each match, does not only count
  double build_seconds = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<double> seconds = {};  // one pass over the piece, by repetition

  double gigabytes_per_second() const;
  /// A pass moves the text once, whatever the engine reads again, and the matches where it lists them.
  std::uint64_t bytes_moved() const;
};

struct ContestResult {
  std::vector<EngineResult> engines;  // the read loops first
  std::uint64_t counted_bytes = 0;    // the piece on which Lode was measured, of which the next two tell
  std::uint64_t matches = 0;
  std::uint64_t patterns_present = 0;

  /// The fastest read loop with one thread, or for more with all.
  const EngineResult& read_ceiling(unsigned threads) const;
  /// How many times as fast as one thread all are where no memory is read; 0 where that was not measured.
  double arithmetic_speedup() const;
  /// Finds the same algorithm with one thread; null where that was not measured.
  const EngineResult* alone(const EngineResult& engine) const;
  /// Null where no peer took part.
  const EngineResult* best_peer() const;
};

/// Seconds per byte of `other` over those of `engine`, by repetition, the median: how many times faster
/// `engine` is.
double times_faster(const EngineResult& engine, const EngineResult& other);

/// Throws Mismatch.
ContestResult hold_contest(const Task& task, std::string_view text, const Row& row, const ContestOptions& options);

}  // namespace lode::bench
