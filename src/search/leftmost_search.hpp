// LeftmostSearch: the matches of a leftmost kind, from searches that list all occurrences.
//
// That is all there is to do where occurrences are few beside the matches that are taken. Where patterns begin one another
// (a, aa, aaa … in a run of a) they may be a thousand times as many. Then an automaton that reads the text backward, a block
// at a time, tells of each place the longest pattern that starts there, and only places behind the last match are asked.
// It ends where such places become rare. The text of a GPU cannot be read here, and an automaton of very many patterns
// would take much memory: there ranges become short instead, and each begins behind the last match taken, so that what
// starts inside of it is never listed.
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

  /// Lists the occurrences of distinct patterns that start in part.begin … part.end, in order, each call all of some
  /// places; returns how many candidates there were.
  using List = std::function<std::uint64_t(const RunOptions& part, CallReport& report, const TakeMatches& take)>;

  struct Found {
    std::uint64_t candidates = 0;
    std::uint64_t matches = 0;
  };
  /// As Searcher::find with run.not_before.
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
