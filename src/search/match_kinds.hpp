// KindFilter: keeps of a stream of occurrences those that a match kind reports.
//
// Takes occurrences sorted by (offset, id), in any number of batches; a batch may end between two occurrences of the
// same offset only where more_at_same_offset is said.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lode/match.hpp"

namespace lode {

class KindFilter {
 public:
  /// `not_before`: the next match may start here; only for the leftmost kinds.
  KindFilter(MatchKind kind, std::uint64_t not_before) : kind_(kind), not_before_(not_before) {}

  /// Takes the next occurrence; appends the match that is decided by it, if any.
  void take(const Match& occurrence, std::vector<Match>& out) {
    if (best_ && best_->offset != occurrence.offset) settle(out);
    if (occurrence.offset < not_before_) return;
    if (!best_ || (kind_ == MatchKind::leftmost_longest && occurrence.length > best_->length)) best_ = occurrence;
  }
  /// No more occurrence of the offset taken last will come.
  void settle(std::vector<Match>& out) {
    if (!best_) return;
    out.push_back(*best_);
    not_before_ = best_->offset + best_->length;
    best_.reset();
  }
  std::uint64_t not_before() const { return not_before_; }

 private:
  MatchKind kind_;
  std::uint64_t not_before_;
  std::optional<Match> best_;  // of the offset taken last
};

}  // namespace lode
