// Searcher: a plan bound to a device.
//
// Building a searcher prepares the device's tables from the plan. A searcher is immutable and safe to use from any
// number of threads at once; each call may itself use several threads. Results do not depend on threads, chunks,
// algorithm, device or instruction set. Texts are bytes; offsets have 64 bits and count from the start of the text.
//
//   lode::Searcher searcher(lode::Plan::build(lode::PatternSet{"he", "she", "hers"}));
//   for (const lode::Match& match : searcher.find("ushers")) …   // (1, id 1), (2, id 0), (2, id 2)
#pragma once

#include <cstdint>
#include <functional>
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

/// The rate at which a device searches, as device `auto` estimates it.
struct DeviceRate {
  /// Where the rate comes from. assumed: a cautious figure. copies: how fast text is copied to the GPU, which is
  /// measured once for a machine. searches: earlier searches of the same kind.
  enum class Source { assumed, copies, searches };
  std::string device;
  double bytes_per_second = 0;
  Source source = Source::assumed;
};

struct SearchStats {
  std::string algorithm;        // the one that ran; "vector, then boyer-moore" if GPUs changed to another on the way
  std::string device;           // the one that the search ran on; if it changed on the way, the last one
  std::string instruction_set;  // the one that was used
  // CPU: how the algorithm looks for which patterns; empty if its name says all of it. It does not tell whether a
  // leftmost kind read parts of the text backward.
  std::string strategy;
  unsigned threads = 0;
  // The work-items of the smallest work-groups that a GPU (the first, if there are several) was given. They are fewer
  // than gpu_group_items of the options if local memory has no room for those. 0: no GPU ran, or several algorithms
  // did, or the patterns were searched for in shards.
  unsigned gpu_group_items = 0;
  std::uint64_t bytes = 0;       // bytes of text that were searched
  std::uint64_t candidates = 0;  // places that passed a look or filter; for contains_any() they may vary between calls
  std::uint64_t matches = 0;     // matches that were reported or counted
  double seconds = 0;
  std::string choice;  // device `auto`: what was estimated for which device; else empty
  // Device `auto`: the rates that the estimates rest on, first the CPU's, then the GPU's if one was considered. Empty
  // if the search is too small to ask the cache folder for rates, or if the text is resident.
  std::vector<DeviceRate> rates;
  std::string warning;  // device `auto`: why a GPU failed; the results are complete all the same. Else empty
};

struct RunOptions {
  std::uint64_t begin = 0;              // Only matches that start in [begin, end) are reported,
  std::uint64_t end = UINT64_MAX;       // but they may reach beyond, and conditions see the text around them.
  std::uint64_t* not_before = nullptr;  // Leftmost kinds, for a text that is searched in several ranges: where the next
                                        // match may start. The call moves it behind the last match reported. Null: 0.
  std::stop_token stop;                 // when it is set, the call throws Error(cancelled)
  Progress progress;                    // called with bytes done and bytes in all; must not use the searcher
  SearchStats* stats = nullptr;         // filled by the call, unless null
};

/// A text that the library reads piece by piece, at any offset and from several threads at once.
class LODE_API RandomAccessText {
 public:
  virtual ~RandomAccessText() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` with the bytes from `offset` on; no byte beyond size() is ever asked for. Throws if it cannot. It
  /// must not use the searcher that calls it.
  virtual void read(std::uint64_t offset, std::span<char> into) const = 0;
};

class ResidentText;

/// A text to search: bytes in memory, a random-access text, or one that is resident on a GPU. A Text borrows it; the
/// caller keeps it alive.
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
  std::string_view bytes() const noexcept { return bytes_; }  // only if source() and resident() are null

 private:
  std::string_view bytes_;
  const RandomAccessText* source_ = nullptr;
  const ResidentText* resident_ = nullptr;
};

class Replacements;

class LODE_API Searcher {
 public:
  /// Throws Error(unsupported) with the reason if the algorithm does not serve these patterns, and
  /// Error(invalid_argument) for an unknown name of an algorithm or instruction set.
  explicit Searcher(Plan plan, SearcherOptions options = {}, const Device& device = Device::cpu());
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;
  ~Searcher();

  std::vector<Match> find(const Text& text, const RunOptions& run = {}) const;
  /// Calls the sink with the matches in order. Memory stays within the limit, however many matches there are.
  void find(const Text& text, const MatchSink& sink, const RunOptions& run = {}) const;
  std::uint64_t count(const Text& text, const RunOptions& run = {}) const;
  /// One count per pattern, in id order.
  std::vector<std::uint64_t> count_per_pattern(const Text& text, const RunOptions& run = {}) const;
  /// Adds these counts to `counts`, which has one element per pattern. If there are more patterns than bytes of text,
  /// the time depends on the text and its matches alone, so one array may serve many short texts. Throws
  /// Error(invalid_argument) if `counts` has another size; after other errors a part of the counts may have been added.
  void add_counts(const Text& text, std::span<std::uint64_t> counts, const RunOptions& run = {}) const;
  /// The number of lines that start in [run.begin, run.end) and in which a match starts. Lines end with the options'
  /// line_terminator. Throws Error(unsupported) if a pattern contains that byte, because a match might lie in several
  /// lines.
  std::uint64_t count_lines(std::string_view text, const RunOptions& run = {}) const;
  bool contains(const Text& text, const RunOptions& run = {}) const;
  std::optional<Match> first(const Text& text, const RunOptions& run = {}) const;
  /// Gives the sink the text of [run.begin, run.end) with replacements for the matches that start there (rewrite.hpp), and
  /// returns how many there were.
  /// A match that reaches beyond the end is replaced as a whole. For a text that is rewritten in several ranges,
  /// `run.not_before` tells the next one where to begin. `on_match` is called for each match before it is replaced; it may
  /// be empty. Throws Error(unsupported) unless the match kind is a leftmost one, and Error(invalid_argument) for a
  /// replacement that the text's encoding does not have.
  std::uint64_t rewrite(const Text& text, const Replacements& replacements,
                        const std::function<bool(std::string_view)>& sink, const RunOptions& run = {},
                        const std::function<void(const Match&)>& on_match = {}) const;

  const Plan& plan() const noexcept;
  const SearcherOptions& options() const noexcept;
  const Device& device() const noexcept;
  const std::string& algorithm() const noexcept;        // the one that `auto` chose, or that was asked for
  const std::string& instruction_set() const noexcept;  // the one in use
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

/// Lists THE table of algorithms, in its order; `auto` is not in it.
LODE_API std::vector<AlgorithmInfo> list_algorithms();

/// Returns why the algorithm does not serve these patterns; empty if it does. A plan's patterns include all spellings of
/// forms, a set's do not.
LODE_API std::string refusal(std::string_view algorithm, const PatternSet& patterns);
LODE_API std::string refusal(std::string_view algorithm, const Plan& plan);

}  // namespace lode
