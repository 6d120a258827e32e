// Verifier: searches every range a second time with an independent algorithm and compares all matches (--verify). It
// also compares what the checked algorithm counts, because counting works in other ways than listing.
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

/// Returns the options of the search with an algorithm that is independent of the checked one. Throws
/// Error(unsupported) if there is none.
SearcherOptions reference_options(const std::string& checked_algorithm, const Plan& plan, SearcherOptions options);

class Verifier {
 public:
  /// `options` are those of the search; their algorithm is the one to check.
  Verifier(const Plan& plan, const SearcherOptions& options, const Device& device);

  const std::string& checked_algorithm() const { return checked_.algorithm(); }
  const std::string& reference_algorithm() const { return reference_.algorithm(); }

  /// Forgets the last text.
  void begin_text();
  /// Describes the first difference in this range, in a sentence; nothing if there is none. Ranges of a text come in
  /// order.
  std::optional<std::string> compare(const Range& range);

  /// Compares counts of a range with the matches in it. `not_before`: the place from which on they might start.
  std::optional<std::string> compare_counts(const Range& range, std::uint64_t not_before,
                                            const std::vector<Match>& matches) const;

 private:
  std::optional<std::string> compare_part(const Range& range, std::uint64_t from, std::uint64_t until);

  Searcher checked_;
  Searcher reference_;
  bool counts_lines_ = true;  // whether lines can be counted: no pattern contains the line terminator
  // Offsets in the text from which on the next match may start, for the leftmost kinds.
  std::uint64_t checked_not_before_ = 0;
  std::uint64_t reference_not_before_ = 0;
};

}  // namespace lode::command
