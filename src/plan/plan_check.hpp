// PlanCheck: whether what a saved plan says is what a build would have made of its patterns.
//
// A file with a right checksum is not trusted: whoever writes one knows how to compute it. What passes all checks finds
// what its patterns say, and nothing in it makes a searcher read outside its tables or work longer than a build's plan
// would. Only the choices of a build are the file's: how lengths are divided, strides, windows, and numbers of buckets.
//
// The functions are asked in their order, each as soon as the sections that it names have been read, so that little is
// read of what is no plan. Each takes a time in proportion to those sections. The bytes of the patterns come last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan_data.hpp"

namespace lode {

class PlanCheck {
 public:
  /// Of a plan that is being read; `ends` are its patterns', and lie where they stay.
  PlanCheck(const PlanData& plan, std::span<const std::uint64_t> ends, unsigned threads)
      : plan_(plan), ends_(ends), threads_(threads) {}

  /// More classes than a build makes, or more buckets than it gives so many entries, are in no plan.
  static constexpr std::uint32_t most_classes = max_window_length + 3;
  static constexpr std::uint32_t most_buckets_per_entry = 8;

  /// representative, group_starts, group_ids: every group lists ids of one length in increasing order, each id is in one,
  /// the representative is its first.
  bool groups_are_sound() const;
  /// filter.classes: each pattern is in one, and the sections of buckets and entries are theirs from end to end.
  bool classes_are_sound(std::uint64_t bucket_start_count, std::uint64_t entry_count) const;
  /// filter.bucket_starts: each class's begin with 0, never decrease, and end with its number of entries.
  bool buckets_are_sound() const;
  /// filter.entries: each names a pattern and an offset that there may be, and those of a bucket are in order.
  bool entries_are_sound();
  /// The patterns' bytes: of each pattern there is an entry for each residue of offsets modulo its class's stride, which
  /// lies where the hash of the window says.
  bool windows_are_sound() const;
  /// The patterns' bytes: those of a group are equal.
  bool equal_patterns_are_sound() const;

 private:
  std::uint64_t length_of(std::uint32_t id) const { return ends_[id] - (id == 0 ? 0 : ends_[id - 1]); }
  bool bucket_is_sound(std::size_t class_index, std::uint64_t bucket);
  bool windows_are_sound(std::uint32_t distinct) const;

  const PlanData& plan_;
  std::span<const std::uint64_t> ends_;
  unsigned threads_;
  std::uint32_t widest_stride_ = 1;
  // What entries say of their windows, by pattern and residue, so that patterns are looked at one after the other: entries
  // name them in the order of hashes, all over memory.
  std::vector<std::uint64_t> claims_;
};

}  // namespace lode
