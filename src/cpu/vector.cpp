// vector: tests the rarest bytes of a pattern at many places at once.
//
// Idea: for two probe bytes of the pattern, load the text at place + probe offset, compare all lanes with the byte, and
// AND the results. A place whose lane is still set is a candidate. Candidates are probed further while there are any. A
// pattern with no more bytes than probes is then decided, a longer one is compared whole.
// In large texts four vectors of places lie in four parts of the range, because memory gives four streams faster than
// one.
// Where candidates are not rare, a round of places is probed before any of them is looked at, and a third probe joins
// the two.
// Where they are frequent (a common word, DNA), the text is compared with each of the pattern's *letters*, its
// different bytes, once: that gives a bit for each place. All probes are then shifts of these bits, many words at once.
// Where further probes turn away nearly all that letters let through (a periodic text), the last that did becomes one
// of the two.
// Example: `that`, probes `h` at 1 and `a` at 2: one load at +1, one at +2, both equal at the first `t` of `that`. With
// letters `h`, `a`, `t`: where bits t, h >> 1, a >> 2 and t >> 3 are set.
// Worst case: texts in which many places agree with most of a long pattern. Where more than four bytes a place had to
// be compared, the rest of the range is left to a search in bounded time.
// Loses on sets: a pass for each pattern, or for each four where two probes of them let little through.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/look/pattern_scan-inl.hpp"

#ifndef LODE_CPU_VECTOR_ONCE
#define LODE_CPU_VECTOR_ONCE

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "cpu/scanner.hpp"
#include "cpu/vector.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

// The code of a pattern's scan is compiled only here, so that all it needs may stay in registers.
void scan_pattern(const VectorPattern& pattern, Collector& out, std::uint64_t at) {
  if (pattern.ignore_case)
    PatternScan<true>(pattern, out).scan_from(at);
  else
    PatternScan<false>(pattern, out).scan_from(at);
}

void scan_vector_patterns(std::span<const VectorPattern> patterns, Collector& out) {
  while (!patterns.empty()) {
    std::size_t count = 1;
    while (count < std::min(patterns.size(), VectorPattern::most_together) &&
           patterns[count].ignore_case == patterns[0].ignore_case)
      ++count;
    if (count == 1)
      scan_pattern(patterns.front(), out, out.begin());
    else
      scan_together(patterns.first(count), out);
    patterns = patterns.subspan(count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

VectorPattern::VectorPattern(const PlanData& plan, std::uint32_t index)
    : distinct(index), ignore_case(plan.ignore_case(index)), bytes(plan.bytes(index)), bounded_(plan) {
  const std::vector<Probe> chosen = choose_probes(bytes, ignore_case, probes.size());
  std::copy(chosen.begin(), chosen.end(), probes.begin());
  probe_count = chosen.size();
  probes_decide = bytes.size() <= probes.size();
  for (std::size_t at = 0; at < probe_count; ++at) {
    const auto known = std::find_if(letters.begin(), letters.begin() + letter_count,
                                    [&](const Probe& letter) { return letter.byte == probes[at].byte; });
    letter_of[at] = static_cast<std::uint8_t>(known - letters.begin());
    if (letter_of[at] == letter_count && letter_count < letters.size()) letters[letter_count++] = probes[at];
  }
  if (letter_count <= usual_letters) sort_letters();
  letters_decide = probes_decide && std::all_of(letter_of.begin(), letter_of.begin() + probe_count,
                                                [&](std::uint8_t letter) { return letter < letters.size(); });
  if (probe_count == 1) probes[1] = probes[0];
  for (const Probe& probe : chosen) probe_reach = std::max(probe_reach, probe.offset);
}

// Puts the letters with the most probes first. Where letters are few, they are about equally frequent in the text.
void VectorPattern::sort_letters() {
  std::array<std::size_t, 8> probes_of{};
  for (std::size_t at = 0; at < probe_count; ++at) ++probes_of[letter_of[at]];
  std::array<std::uint8_t, 8> order{};
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::stable_sort(order.begin(), order.begin() + letter_count,
                   [&](std::uint8_t a, std::uint8_t b) { return probes_of[a] > probes_of[b]; });
  const auto before = letters;
  std::array<std::uint8_t, 8> place{};
  for (std::uint8_t to = 0; to < letter_count; ++to) {
    letters[to] = before[order[to]];
    place[order[to]] = to;
  }
  for (std::size_t at = 0; at < probe_count; ++at) letter_of[at] = place[letter_of[at]];
}

VectorRunner vector_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_vector_patterns); }

namespace {

class VectorScanner final : public Scanner {
 public:
  VectorScanner(const PlanData& plan, InstructionSet set) : run_(vector_runner(set)) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
      patterns_.emplace_back(plan, distinct);
  }

  void scan(Collector& out) const override { run_(patterns_, out); }

 private:
  VectorRunner run_;
  std::vector<VectorPattern> patterns_;
};

}  // namespace

std::unique_ptr<Scanner> make_vector_scanner(const PlanData& plan, InstructionSet set, unsigned) {
  return std::make_unique<VectorScanner>(plan, set);
}

}  // namespace lode
#endif
