// MatrixVerifier: compares the first occurrences in records with those that an independent algorithm gives (--verify).
//
// The reference knows nothing about records. It searches the text that holds them, and its matches are assigned to
// records here. Parts with very many hits are halved until the lists fit into memory, so nothing is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lode/records.hpp"
#include "lode/searcher.hpp"

namespace lode::command {

class MatrixVerifier {
 public:
  /// `checked` outlives this. `reference` has the same plan and condition, and reports all occurrences.
  MatrixVerifier(const RecordSearcher& checked, Searcher reference)
      : checked_(&checked), reference_(std::move(reference)) {}

  const std::string& reference_algorithm() const { return reference_.algorithm(); }

  /// Describes the first difference in these lines of a text, in a sentence; nothing if there is none. `first_record`
  /// is the number of the first line.
  std::optional<std::string> compare(std::string_view lines, char terminator, std::uint64_t first_record) const;

 private:
  /// Both return false, and leave `hits` incomplete, if several records have too many hits.
  bool list_checked(const Records& records, std::vector<RecordHit>& hits) const;
  bool list_expected(const Records& records, std::vector<RecordHit>& hits) const;
  /// Records of the hits count from `first_record`. A hit that is null is missing.
  std::string describe_difference(std::uint64_t first_record, const RecordHit* of_checked,
                                  const RecordHit* of_reference) const;

  const RecordSearcher* checked_;
  Searcher reference_;
};

}  // namespace lode::command
