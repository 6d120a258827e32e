// PlanCheck: whether a saved plan says what a build would have made of its patterns.
//
// A file with a right checksum is not trusted: whoever writes one knows how to compute it. A plan that passes all
// checks finds what its patterns say, and nothing in it makes a searcher read outside its tables or work longer than a
// build's plan would. Only the choices of a build are left to the file: how lengths are divided, strides, windows, and
// numbers of buckets. With forms, the spellings are what the file says that they are.
//
// The functions are called in their order, each as soon as the sections that it names have been read, so that little is
// read of a file that is not a plan. Each takes a time in proportion to those sections. The bytes of the patterns come
// last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan_data.hpp"

namespace lode {

class PlanCheck {
 public:
  /// Checks a plan that is being read. `ends` are the ends of its patterns, and must stay where they are.
  PlanCheck(const PlanData& plan, std::span<const std::uint64_t> ends, unsigned threads)
      : plan_(plan), ends_(ends), threads_(threads) {}

  /// No build makes more classes, or gives more buckets to so many entries.
  static constexpr std::uint32_t most_classes = max_window_length + 3;
  static constexpr std::uint32_t most_buckets_per_entry = 8;

  /// spelled_ids, spelled_forms, and the ends of labels: the spellings are in order, each pattern is given once, and
  /// nothing else has a label.
  bool spellings_are_sound() const;
  /// representative, group_starts, group_ids: every group lists ids of one length in increasing order, each id is in
  /// one group, and the representative is the first of its group. With forms, no group has two spellings of a pattern.
  bool groups_are_sound() const;
  /// filter.classes: each pattern is in one class, and the classes fill the sections of buckets and entries from end to
  /// end.
  bool classes_are_sound(std::uint64_t bucket_start_count, std::uint64_t entry_count) const;
  /// filter.bucket_starts: the numbers of each class begin with 0, never decrease, and end with its number of entries.
  bool buckets_are_sound() const;
  /// filter.entries: each names a pattern and an offset that are possible, and the entries of a bucket are in order.
  bool entries_are_sound();
  /// The patterns' bytes: each pattern has an entry for each residue of offsets modulo its class's stride, which lies
  /// where the hash of the window says.
  bool windows_are_sound() const;
  /// The patterns' bytes: the patterns of a group are equal.
  bool equal_patterns_are_sound() const;

 private:
  std::uint64_t length_of(std::uint32_t id) const { return ends_[id] - (id == 0 ? 0 : ends_[id - 1]); }
  bool bucket_is_sound(std::size_t class_index, std::uint64_t bucket);
  bool windows_are_sound(std::uint32_t distinct) const;

  const PlanData& plan_;
  std::span<const std::uint64_t> ends_;
  unsigned threads_;
  std::uint32_t widest_stride_ = 1;
  // The claims of entries about their windows, by pattern and residue. They let patterns be looked at one after the
  // other; entries name them in the order of hashes, all over memory.
  std::vector<std::uint64_t> claims_;
};

}  // namespace lode
