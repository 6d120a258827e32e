// FilterClass: one length class of a plan, with what the CPU needs beside the plan's tables.
//
// That is a Bloom filter, asked before any bucket is looked at; *heads*, the entries of the verification table with the
// first bytes of their patterns, so that most candidates are decided by one cache line; and *crowds*: buckets of so many entries that
// comparing each with the text would be a cliff (patterns that agree in all their windows). In a crowd, the
// entries of equal offset and length are found by one hash of that many bytes of the text instead. Where even so a text
// makes verification too long, scan_in_bounded_time() does without windows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu/look/near_filter.hpp"
#include "cpu/look/pair_filter.hpp"
#include "cpu/verify/bounded_search.hpp"
#include "cpu/verify/comparison_budget.hpp"
#include "cpu/verify/pattern_head.hpp"
#include "plan/plan_data.hpp"

namespace lode {

/// What is asked before the Bloom filter, where that costs less: one of them, or none.
struct FirstLook {
  std::unique_ptr<const NearFilter> near;
  std::unique_ptr<const PairFilter> pairs;
};

class FilterClass {
 public:
  /// Fills its tables on so many threads.
  FilterClass(const PlanData& data, const LengthClass& class_of_plan, InstructionSet set, unsigned threads,
              FirstLook first_look);

  const PlanData& plan;
  const LengthClass& length_class;
  const std::uint32_t* bucket_starts;  // of this class: 2^bucket_bits + 1
  std::vector<PatternHead> heads;      // of this class's entries, and one that stands for none
  std::uint32_t word_count_log2 = 0;   // 2^word_count_log2 words of bits
  std::vector<std::uint32_t> bits;     // blocked Bloom filter of the windows' sums
  FirstLook first_look;
  NearRunners near_runners;          // of first_look.near
  PairRunner pair_runner = nullptr;  // of first_look.pairs

  // By a window's sum (plan/filter.hpp): the word of `bits`, two bits of it, counted from its top.
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

  /// The bucket that begins at `first_entry` is a crowd; its window stands at text[place], its hash has this
  /// tag. Adds every pattern of it that occurs there to `found`. Takes what it hashes and compares off `budget`, and
  /// returns false, with `found` incomplete, where that does not suffice.
  bool search_crowd(std::uint32_t first_entry, std::uint16_t tag, const std::uint8_t* text, std::uint64_t text_size,
                    std::uint64_t place, ComparisonBudget& budget, std::vector<Found>& found) const;

  const BoundedSearch& bounded() const { return bounded_; }
  /// Reports the occurrences in the collector's range whose windows stand at `place` or behind it.
  void scan_in_bounded_time(Collector& out, std::uint64_t place) const;

 private:
  struct CrowdMember {
    std::uint64_t hash = 0;  // content_hash of the pattern
    std::uint32_t distinct = 0;
  };
  // Entries of a crowd that agree in tag, offset, length and case rule.
  struct CrowdGroup {
    std::uint16_t tag = 0;
    std::uint16_t offset = 0;
    bool ignore_case = false;
    std::uint32_t length = 0;
    std::uint64_t first_member = 0;  // in members_, sorted by hash
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
  // Of the crowd whose entries begin there: its members' places in members_. Returns its groups.
  std::vector<CrowdGroup> fill_members(std::uint32_t first_entry, std::uint64_t first_member, std::uint64_t end_member);
  std::span<const CrowdGroup> groups_of(std::uint32_t first_entry) const;
  std::span<const CrowdMember> members_equal_to(const CrowdGroup& group, const std::uint8_t* text) const;

  std::vector<Crowd> crowds_;  // sorted by first_entry
  std::vector<CrowdGroup> groups_;
  std::vector<CrowdMember> members_;
  BoundedSearch bounded_;
};

/// Reports the occurrences of the class's patterns in the collector's range.
using ClassRunner = void (*)(const FilterClass& filter, Collector& out);

ClassRunner class_runner(InstructionSet set);

}  // namespace lode
