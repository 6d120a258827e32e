// Searcher: a plan bound to a device.
//
// Building one prepares the device's filters from the plan. A searcher is immutable and safe to use from any number of
// threads at once; each call may itself use several threads. Results do not depend on threads, chunks, algorithm,
// device or instruction set. Texts are bytes; offsets are 64-bit and count from the start of the text.
//
//   lode::Searcher searcher(lode::Plan::build(lode::PatternSet{"he", "she", "hers"}));
//   for (const lode::Match& match : searcher.find("ushers")) …   // (1, id 1), (2, id 0), (2, id 2)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lode/device.hpp"
#include "lode/export.hpp"
#include "lode/match.hpp"
#include "lode/options.hpp"
#include "lode/plan.hpp"

namespace lode {

/// What device `auto` takes a device to search at.
struct DeviceRate {
  /// A cautious figure; how fast text is copied to the GPU, measured once for a machine; earlier searches of the kind.
  enum class Source { assumed, copies, searches };
  std::string device;
  double bytes_per_second = 0;
  Source source = Source::assumed;
};

struct SearchStats {
  std::string algorithm;        // that ran; "vector, then boyer-moore" where GPUs changed to another on the way
  std::string device;           // that it ran on; where it was begun on one and finished on another, the latter
  std::string instruction_set;  // that it used
  // CPU: how the algorithm looks for which patterns; empty where its name says all of it. That leftmost kinds read parts
  // of a text backward is not told.
  std::string strategy;
  unsigned threads = 0;
  // Work-items of the smallest work-groups that a GPU, of several the first, was given: fewer than gpu_group_items of
  // the options where local memory has no room for them. 0: no GPU ran, or several algorithms, or patterns in parts.
  unsigned gpu_group_items = 0;
  std::uint64_t bytes = 0;       // of text searched
  std::uint64_t candidates = 0;  // places that passed a filter; of contains_any() they may differ from call to call
  std::uint64_t matches = 0;     // reported or counted
  double seconds = 0;
  std::string choice;  // device `auto`: what was estimated for which device; else empty
  // Device `auto`: the rates that the estimates are of, the CPU's first, the GPU's where one was considered. Empty
  // where the search is too small to ask the cache folder for rates, or the text is resident.
  std::vector<DeviceRate> rates;
  std::string warning;  // device `auto`: a GPU failed, and why; the results are complete all the same. Else empty
};

struct RunOptions {
  std::uint64_t begin = 0;              // only matches that start in [begin, end) are reported;
  std::uint64_t end = UINT64_MAX;       // the text outside is still there for matches to reach into
  std::uint64_t* not_before = nullptr;  // leftmost kinds, for a text searched in several ranges: the next match may
                                        // start here; moved behind the last match reported. Null: the start.
  std::stop_token stop;                 // set: the call throws Error(cancelled)
  Progress progress;                    // bytes done, bytes in all; must not use the searcher
  SearchStats* stats = nullptr;         // filled where given
};

/// A text that is read piece by piece at any offset, from several threads at once.
class LODE_API RandomAccessText {
 public:
  virtual ~RandomAccessText() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` with the bytes from `offset` on; the caller asks for no byte beyond size(). Throws where it cannot. Must
  /// not use the searcher that calls it.
  virtual void read(std::uint64_t offset, std::span<char> into) const = 0;
};

class ResidentText;

/// What is searched: bytes in memory, a random-access text, or one that is resident on a GPU. Borrows; the caller keeps
/// it alive.
class Text {
 public:
  Text(std::string_view bytes) : bytes_(bytes) {}             // NOLINT(google-explicit-constructor)
  Text(const std::string& bytes) : bytes_(bytes) {}           // NOLINT(google-explicit-constructor)
  Text(const char* bytes) : bytes_(bytes) {}                  // NOLINT(google-explicit-constructor)
  Text(const RandomAccessText& source) : source_(&source) {}  // NOLINT(google-explicit-constructor)
  Text(const ResidentText& text) : resident_(&text) {}        // NOLINT(google-explicit-constructor)

  LODE_API std::uint64_t size() const;
  const RandomAccessText* source() const noexcept { return source_; }
  const ResidentText* resident() const noexcept { return resident_; }
  std::string_view bytes() const noexcept { return bytes_; }  // where source() and resident() are null

 private:
  std::string_view bytes_;
  const RandomAccessText* source_ = nullptr;
  const ResidentText* resident_ = nullptr;
};

class LODE_API Searcher {
 public:
  /// Throws Error(unsupported) with the reason where the algorithm does not serve these patterns,
  /// Error(invalid_argument) for names that are none.
  explicit Searcher(Plan plan, SearcherOptions options = {}, const Device& device = Device::cpu());
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;
  ~Searcher();

  std::vector<Match> find(const Text& text, const RunOptions& run = {}) const;
  /// Calls the sink with the matches in order. Memory stays within the limit however many there are.
  void find(const Text& text, const MatchSink& sink, const RunOptions& run = {}) const;
  std::uint64_t count(const Text& text, const RunOptions& run = {}) const;
  /// One count per pattern, in id order.
  std::vector<std::uint64_t> count_per_pattern(const Text& text, const RunOptions& run = {}) const;
  /// Adds the same to `counts`, which has a place for each pattern. Where there are more patterns than bytes of text, the
  /// time depends on the text and its matches alone, so that one array may serve many short texts. Throws
  /// Error(invalid_argument) where the number of counts is another; after other errors a part may have been added.
  void add_counts(const Text& text, std::span<std::uint64_t> counts, const RunOptions& run = {}) const;
  /// The number of lines that start in [run.begin, run.end) and in which a match starts. Lines end with the options'
  /// line_terminator. Throws Error(unsupported) where a pattern contains that byte, so that a match has no one line.
  std::uint64_t count_lines(std::string_view text, const RunOptions& run = {}) const;
  bool contains(const Text& text, const RunOptions& run = {}) const;
  std::optional<Match> first(const Text& text, const RunOptions& run = {}) const;

  const Plan& plan() const noexcept;
  const SearcherOptions& options() const noexcept;
  const Device& device() const noexcept;
  const std::string& algorithm() const noexcept;        // that `auto` chose, or that was asked for
  const std::string& instruction_set() const noexcept;  // in use
  std::string strategy() const;                         // as in SearchStats

 private:
  void find_ordered(const Text& text, const MatchSink& sink, const RunOptions& run, bool ends_early) const;

  struct State;
  std::unique_ptr<State> state_;
};

struct AlgorithmInfo {
  std::string name;
  std::string summary;  // one line: the idea and how it runs
  std::string serves;   // one line: which patterns, and what it costs
};

/// THE table of algorithms, in its order; `auto` is not in it.
LODE_API std::vector<AlgorithmInfo> list_algorithms();

/// Empty where the algorithm serves these patterns, else the reason why not.
LODE_API std::string refusal(std::string_view algorithm, const PatternSet& patterns);

}  // namespace lode
