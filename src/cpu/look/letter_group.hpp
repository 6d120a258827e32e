// LetterGroup: patterns that are made of few letters, counted by shifts of bits that all of them share.
//
// Idea: where one pattern's candidates are frequent, `vector` marks its letters, a bit for each place, and tests probes
// by shifts of these (letter_bits-inl.hpp). Patterns that have their letters in common need the marks once. Each
// further pattern costs its shifts only, a few instructions for 256 or 512 places.
// Example: eight patterns of four bases each in DNA. Four letters are marked; then three ANDs for each pattern give the
// occurrences at 512 places.
// Worst case: 32 shifts for each pattern and vector of places. Patterns longer than 32 bytes are compared where all
// probes pass. Where that was more than four bytes for each place, a bounded search takes over.
// Loses where patterns are rare, or of many letters: a sieve takes fewer instructions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/instruction_sets.hpp"
#include "cpu/scan/collector.hpp"
#include "cpu/vector.hpp"
#include "plan/plan_data.hpp"
#include "plan/probes.hpp"

namespace lode {

class LetterGroup {
 public:
  static constexpr std::size_t most_letters = 32;
  static constexpr std::size_t most_patterns = 68;
  static constexpr std::uint64_t round_places = 4096;  // places that are tested at once

  struct Test {
    std::uint32_t letter = 0;  // its number in letters()
    std::uint32_t offset = 0;  // of the letter in the pattern
  };

  struct Member {
    VectorPattern pattern;
    std::vector<Test> tests;       // one for each probe, rarest letters first
    std::size_t likely_tests = 0;  // tests that a text like the sample takes before no place is left
  };

  /// Makes a group. There is none for more than most_patterns patterns or most_letters letters, or without a sample of
  /// the text.
  static std::optional<LetterGroup> make(const PlanData& plan, std::span<const std::uint32_t> distincts,
                                         std::string_view sample);

  std::span<const Probe> letters() const { return {letters_.data(), letter_count_}; }  // their offsets mean nothing
  std::span<const Member> members() const { return members_; }
  bool folded() const { return folded_; }
  std::uint32_t probe_reach() const { return probe_reach_; }  // the highest offset of a probe

 private:
  LetterGroup() = default;
  // The number of a probe's letter, which is added if it is new; absent where there are too many.
  std::optional<std::uint32_t> number_of(const Probe& probe);
  void order_tests(Member& member, std::span<const double> frequencies) const;

  std::array<Probe, most_letters> letters_{};
  std::size_t letter_count_ = 0;
  std::vector<Member> members_;
  bool folded_ = false;
  std::uint32_t probe_reach_ = 0;
};

/// Counts the members' occurrences in the collector's range. Precondition: out.takes_counts().
using LetterGroupRunner = void (*)(const LetterGroup& group, Collector& out);

LetterGroupRunner letter_group_runner(InstructionSet set);

}  // namespace lode
