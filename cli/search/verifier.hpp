// Verifier: searches every range a second time with another algorithm and compares all matches (--verify), and what the
// algorithm to be checked counts, which it does in other ways than it lists.
//
// Ranges with very many matches are halved until the lists fit into memory, so nothing is left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/settings.hpp"
#include "cli/input/ranges.hpp"
#include "lode/searcher.hpp"

namespace lode::command {

/// The options of the search, with an algorithm that is independent of the one to be checked.
SearcherOptions reference_options(const std::string& checked_algorithm, const Plan& plan, SearcherOptions options);

class Verifier {
 public:
  /// Compares the algorithm that `settings` choose with an independent one. `options` are those of the search.
  Verifier(const Plan& plan, const SearcherOptions& options, const Device& device);

  const std::string& checked_algorithm() const { return checked_.algorithm(); }
  const std::string& reference_algorithm() const { return reference_.algorithm(); }

  /// Forgets the last text.
  void begin_text();
  /// What differs first in this range, as a sentence; nothing where all is equal. Ranges of a text come in order.
  std::optional<std::string> compare(const Range& range);

  /// Compares counts of a range with the matches in it. `not_before`: where these might start.
  std::optional<std::string> compare_counts(const Range& range, std::uint64_t not_before,
                                            const std::vector<Match>& matches) const;

 private:
  std::optional<std::string> compare_part(const Range& range, std::uint64_t from, std::uint64_t until);

  Searcher checked_;
  Searcher reference_;
  bool counts_lines_ = true;              // no pattern contains the line terminator
  std::uint64_t checked_not_before_ = 0;  // offsets in the text, for the leftmost kinds
  std::uint64_t reference_not_before_ = 0;
};

}  // namespace lode::command
