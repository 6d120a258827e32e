// EntryPrefetch: entries name patterns in the order of hashes, so that nearly each one's bytes come from far away.
//
// A loop over entries asks for what it will look at some entries later, and no longer waits for memory at each one: first
// for where the pattern ends, then for its bytes, where those of its window lie, too.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan_data.hpp"

namespace lode {

class EntryPrefetch {
 public:
  /// Precondition: the entries' patterns are there.
  EntryPrefetch(const PlanData& plan, std::span<const WindowEntry> entries) : plan_(plan), entries_(entries) {}

  /// To be called before entry `at` is looked at.
  void advance(std::size_t at) const {
    if (at + 2 * ahead >= entries_.size()) return;
    const std::uint32_t next = plan_.lowest_id(entries_[at + 2 * ahead].distinct);
    __builtin_prefetch(&plan_.patterns.ends_[next]);
    const WindowEntry& entry = entries_[at + ahead];
    const std::uint8_t* const pattern = plan_.bytes(entry.distinct).data();
    __builtin_prefetch(pattern);
    __builtin_prefetch(pattern + entry.offset);
  }

 private:
  static constexpr std::size_t ahead = 16;

  const PlanData& plan_;
  std::span<const WindowEntry> entries_;
};

}  // namespace lode
