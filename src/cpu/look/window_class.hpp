// WindowClass: one length class of a plan, with what the CPU needs beside the plan's tables.
//
// A *Bloom filter* is asked before any bucket is looked at; a near table or pairs may take its place. *Heads* are the
// entries of the verification table with the first bytes of their patterns, so that most candidates are decided by one
// cache line. *Crowds* are buckets of so many entries that comparing each with the text would be a cliff (patterns that
// agree in all their windows). In a crowd, the entries of equal offset and length are found by one hash of that many
// bytes of the text instead. If verification still takes too long, scan_in_bounded_time() searches without windows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu/look/near_table.hpp"
#include "cpu/look/pair_table.hpp"
#include "cpu/verify/bounded_search.hpp"
#include "cpu/verify/comparison_budget.hpp"
#include "cpu/verify/pattern_head.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// What is asked instead of the Bloom filter, where that costs less: one of them, or none.
struct FirstLook {
  std::unique_ptr<const NearTable> near;
  std::unique_ptr<const PairTable> pairs;
};

class WindowClass {
 public:
  /// Fills the tables of the class on so many threads.
  WindowClass(const PlanData& data, const LengthClass& class_of_plan, InstructionSet set, unsigned threads,
              FirstLook first_look);

  const PlanData& plan;
  const LengthClass& length_class;
  const std::uint32_t* bucket_starts;  // 2^bucket_bits + 1 numbers of this class
  std::vector<PatternHead> heads;      // one for each entry of this class; the last stands for none
  std::uint32_t word_count_log2 = 0;   // `bits` has 2^word_count_log2 words
  std::vector<std::uint32_t> bits;     // the blocked Bloom filter, by the windows' sums
  FirstLook first_look;
  NearRunners near_runners;          // for first_look.near
  PairRunner pair_runner = nullptr;  // for first_look.pairs

  // The sum of a window (plan/filter.hpp) names a word of `bits` by its top bits, and two bits of that word, counted
  // from the word's top, by its bits 5 to 9 and 10 to 14.
  std::uint32_t word_of(std::uint32_t sum) const { return sum >> (32 - word_count_log2); }
  static std::uint32_t wanted_bits(std::uint32_t sum) {
    constexpr std::uint32_t top = std::uint32_t{1} << 31;
    return top >> (sum >> 5 & 31) | top >> (sum >> 10 & 31);
  }
  bool passes(std::uint32_t sum) const { return (bits[word_of(sum)] & wanted_bits(sum)) == wanted_bits(sum); }

  /// Buckets of at least this many entries are crowds.
  static constexpr std::uint32_t crowd_entries = 24;

  struct Found {
    std::uint64_t start = 0;
    std::uint32_t distinct = 0;
    std::uint32_t length = 0;
  };

  /// Looks for the patterns of a crowd, the bucket that begins at `first_entry`. Its window stands at text[place], and
  /// the hash of that has this tag. Adds every pattern that occurs there to `found`. Takes what it hashes and compares
  /// off `budget`, and returns false, with `found` incomplete, where that does not suffice.
  bool search_crowd(std::uint32_t first_entry, std::uint16_t tag, const std::uint8_t* text, std::uint64_t text_size,
                    std::uint64_t place, ComparisonBudget& budget, std::vector<Found>& found) const;

  const BoundedSearch& bounded() const { return bounded_; }
  /// Reports the occurrences in the collector's range whose windows stand at `place` or behind it.
  void scan_in_bounded_time(Collector& out, std::uint64_t place) const;

 private:
  struct CrowdMember {
    std::uint64_t hash = 0;  // content_hash() of the pattern
    std::uint32_t distinct = 0;
  };
  // A group: the entries of a crowd that agree in tag, offset, length and case rule.
  struct CrowdGroup {
    std::uint16_t tag = 0;
    std::uint16_t offset = 0;
    bool ignore_case = false;
    std::uint32_t length = 0;
    std::uint64_t first_member = 0;  // its place in members_; the members are sorted by hash
    std::uint64_t member_count = 0;
  };
  struct Crowd {
    std::uint32_t first_entry = 0;
    std::uint64_t first_group = 0;
    std::uint64_t group_count = 0;
  };

  std::span<const WindowEntry> entries() const {
    return std::span(plan.filter.entries).subspan(length_class.first_entry, length_class.entry_count);
  }
  void fill_bits_and_heads(unsigned threads);
  void fill_crowds(unsigned threads);
  // Fills the places of members_ that belong to the crowd whose entries begin at `first_entry`. Returns its groups.
  std::vector<CrowdGroup> fill_members(std::uint32_t first_entry, std::uint64_t first_member, std::uint64_t end_member);
  std::span<const CrowdGroup> groups_of(std::uint32_t first_entry) const;
  std::span<const CrowdMember> members_equal_to(const CrowdGroup& group, const std::uint8_t* text) const;

  std::vector<Crowd> crowds_;  // sorted by first_entry
  std::vector<CrowdGroup> groups_;
  std::vector<CrowdMember> members_;
  BoundedSearch bounded_;
};

/// Reports the occurrences of the class's patterns in the collector's range.
using ClassRunner = void (*)(const WindowClass& window_class, Collector& out);

ClassRunner class_runner(InstructionSet set);

}  // namespace lode
