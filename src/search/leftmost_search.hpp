// LeftmostSearch: finds the matches of a leftmost kind, by searches that list all occurrences.
//
// Listing all occurrences is enough as long as they are few beside the matches. But where patterns begin one another
// (a, aa, aaa … in a run of a), occurrences may be a thousand times as many. Then an automaton reads the text backward,
// block by block, and tells for each place the longest pattern that starts there. Only places behind the last match are
// asked, and once matches become rare, listing goes on.
//
//   patterns a aa aaa, text aaaaaaa: 7 + 6 + 5 occurrences, but 3 matches (leftmost_longest): aaa at 0 and 3, a at 6
//
// A text that is resident on a GPU cannot be read here, nor one that a view shows, and an automaton of very many patterns
// would take much memory. In these cases ranges become short instead. Each begins behind the last match, so what starts inside that is never
// listed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "lode/searcher.hpp"
#include "search/backend.hpp"

namespace lode {

class LeftmostSearch {
 public:
  LeftmostSearch(const Plan& plan, const SearcherOptions& options);
  ~LeftmostSearch();

  /// Lists the occurrences of distinct patterns that start in [part.begin, part.end), in order. Each call of `take`
  /// gets all occurrences of some places. Returns the number of candidates.
  using List = std::function<std::uint64_t(const RunOptions& part, CallReport& report, const TakeMatches& take)>;

  struct Found {
    std::uint64_t candidates = 0;
    std::uint64_t matches = 0;
  };
  /// As Searcher::find(), run.not_before included. `list` lists occurrences; the report is the one it filled.
  Found find(const Text& text, const RunOptions& run, const List& list, const MatchSink& sink,
             CallReport& report) const;

 private:
  class Places;
  class Run;
  const Places& places() const;

  const Plan& plan_;
  const SearcherOptions& options_;
  mutable std::once_flag places_wanted_;
  mutable std::unique_ptr<const Places> places_;
};

}  // namespace lode
