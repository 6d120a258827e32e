// KindFilter: keeps those of a stream of occurrences that a leftmost match kind reports.
//
// It takes occurrences one by one, sorted by (offset, id). A match is decided when an occurrence with another offset
// comes, or when settle() says that none is left at this offset. Its only state between offsets is the place where the
// next match may start, so chunks, ranges and streams cannot change what is found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lode/match.hpp"

namespace lode {

class KindFilter {
 public:
  /// `kind` is one of the leftmost kinds. `not_before`: the place from which on the next match may start.
  KindFilter(MatchKind kind, std::uint64_t not_before) : kind_(kind), not_before_(not_before) {}

  /// Takes the next occurrence. Appends the match that it decides, if any.
  void take(const Match& occurrence, std::vector<Match>& out) {
    if (best_ && best_->offset != occurrence.offset) settle(out);
    if (occurrence.offset < not_before_) return;
    if (!best_ || (kind_ == MatchKind::leftmost_longest && occurrence.length > best_->length)) best_ = occurrence;
  }
  /// Says that no other occurrence will come at the last offset. Appends the match there, if any.
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
  std::optional<Match> best_;  // the best occurrence at the last offset
};

}  // namespace lode
