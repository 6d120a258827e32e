// MatrixVerifier: compares the first occurrences in records with those that an independent algorithm gives (--verify).
//
// The reference knows nothing of records: it searches the text that holds them and takes apart what it finds here.
// Parts with very many hits are halved until the lists fit into memory, so nothing is left out.
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
  /// `checked` outlives this. `reference` has the same plan and condition, and all occurrences.
  MatrixVerifier(const RecordSearcher& checked, Searcher reference)
      : checked_(&checked), reference_(std::move(reference)) {}

  const std::string& reference_algorithm() const { return reference_.algorithm(); }

  /// What differs first in these lines of a text, as a sentence; nothing where all is equal. `first_record` is the number
  /// of the first one.
  std::optional<std::string> compare(std::string_view lines, char terminator, std::uint64_t first_record) const;

 private:
  /// Returns false, and leaves `hits` incomplete, where there are too many of several records.
  bool list_checked(const Records& records, std::vector<RecordHit>& hits) const;
  bool list_expected(const Records& records, std::vector<RecordHit>& hits) const;
  /// Of hits of records from `first_record` on; null: the other one's hit is missing.
  std::string describe_difference(std::uint64_t first_record, const RecordHit* of_checked,
                                  const RecordHit* of_reference) const;

  const RecordSearcher* checked_;
  Searcher reference_;
};

}  // namespace lode::command
