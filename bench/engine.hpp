// Engine: something that searches a text for all occurrences of a pattern set, overlaps included, as the row's model says.
//
// Lode with each of its algorithms and the peers that run in process stand behind this one interface, so that
// one loop verifies and measures all of them. An engine is made for one pattern set; making it is timed
// apart.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lode/searcher.hpp"
#include "row.hpp"

namespace lode::bench {

class Engine {
 public:
  virtual ~Engine() = default;
  /// The number of occurrences, or of hits in records, after doing all that the model asks for.
  virtual std::uint64_t count(std::string_view text) = 0;
  /// Seconds that the last count took, or before any the making, where only the engine itself can tell: it runs in another process.
  virtual std::optional<double> own_seconds() const { return std::nullopt; }
  /// What it says about itself: algorithm and instruction set for Lode, the version for a peer.
  virtual std::string detail() const = 0;
  /// Memory of what was compiled from the patterns, 0 where it is not known.
  virtual std::uint64_t memory_bytes() const { return 0; }
};

/// Why an engine does not take part: a normal answer, shown in the results.
class NotServed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Task {
  std::vector<std::string> patterns;  // not empty
  bool ignore_case = false;
  std::string view = {};              // that the text is searched through; empty: none
  std::string_view text_sample = {};  // a piece of the text to come; only Lode uses it
  std::uint64_t text_bytes = 0;       // of the text, for what divides it
  Model model = Model::count;
  std::string python = {};  // the Python that has the peers written for it; empty: none
  // What Lode is kept to, and peers as far as they can be; empty: what the processor has. A name of cpu_instruction_sets().
  std::string instruction_set = {};
  double most_seconds = 120;  // for making a peer, or a pass of it, where it runs in a process that can be ended
};

constexpr std::size_t stream_piece_bytes = std::size_t{1} << 20;

/// Throws NotServed where there are many: searchers of one pattern run once per pattern, and beyond this many they would
/// only waste the time of the run.
void require_few_patterns(const Task& task);

struct EngineKind {
  std::string name;  // as results show it: "lode", "lode find", "lode filter", "hyperscan" …
  bool is_peer = false;
  unsigned threads = 1;  // 0: all
  std::string algorithm = "auto";
  bool finds = false;
  Schedule schedule = Schedule::dynamic_chunks;
  std::uint64_t chunks = 0;  // of the text; 0: as Lode chooses
  std::string not_run = {};  // why it takes no part; empty where it does
};

/// Lode by `auto`, where the row counts also finding, then each named algorithm, then the row's own ways, then the
/// peers, those that the row leaves out, too.
std::vector<EngineKind> engine_kinds(const Row& row);

/// Throws NotServed with the reason where the engine does not serve the task.
std::unique_ptr<Engine> make_engine(const EngineKind& kind, const Task& task);

PatternSet pattern_set_of(const Task& task);

}  // namespace lode::bench
