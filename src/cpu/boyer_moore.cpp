// boyer-moore: compares from the pattern's end and skips by the larger of two rules.
//
// Idea: at a difference the bad-character rule moves the pattern until the text byte meets its last occurrence in it,
// the good-suffix rule until the matched suffix meets its next occurrence. After a match the pattern moves by its
// period, and the part that still overlaps is not compared again (Galil), which keeps the worst case linear.
// Example: GCAGAGAG in ZZGCAGAGAG: the good-suffix shift of 2 after `AG` differs from the pattern finds the match.
// Worst case: text x 1 after Galil, but no skipping: one-byte patterns, small alphabets. Loses there against `vector`,
// which reads every byte but 64 at a time, and on sets: one pass per pattern.
#include <algorithm>
#include <array>

#include "cpu/scanner.hpp"
#include "plan/boyer_moore.hpp"

namespace lode {
namespace {

constexpr std::array<std::uint8_t, 256> make_folds() {
  std::array<std::uint8_t, 256> folds{};
  for (unsigned byte = 0; byte < 256; ++byte) folds[byte] = fold(static_cast<std::uint8_t>(byte));
  return folds;
}
constexpr std::array<std::uint8_t, 256> folds = make_folds();

template <bool folded>
std::uint8_t text_byte(std::uint8_t byte) {
  return folded ? folds[byte] : byte;
}

struct Pattern {
  Pattern(const PlanData& plan, std::uint32_t index)
      : distinct(index), tables(plan.bytes(index), plan.ignore_case(index)) {
    // The skip of the byte under the pattern's end; 0 where it may match.
    skip = tables.bad_character;
    skip[tables.pattern.back()] = 0;
    if (tables.ignore_case)
      for (unsigned byte = 0; byte < 256; ++byte) skip[byte] = skip[folds[byte]];
  }
  std::uint32_t distinct;
  BoyerMooreTables tables;
  std::array<std::uint32_t, 256> skip;
};

template <bool folded>
void scan_pattern(const Pattern& pattern, Collector& out) {
  const BoyerMooreTables& tables = pattern.tables;
  const std::uint64_t length = tables.pattern.size();
  if (length > out.piece().size) return;
  const std::uint64_t end = std::min<std::uint64_t>(out.end(), out.piece().size - length + 1);
  const std::uint8_t* text = out.piece().data;
  std::uint64_t at = out.begin();
  std::uint64_t known = 0;  // the first `known` bytes at `at` match
  while (at < end) {
    if (known == 0) {
      const std::uint8_t* last = text + length - 1;
      std::uint64_t skip = pattern.skip[last[at]];
      while (skip != 0) {
        at += skip;
        if (at >= end) return;
        skip = pattern.skip[last[at]];
      }
    }
    std::uint64_t left = length;
    while (left > known && text_byte<folded>(text[at + left - 1]) == tables.pattern[left - 1]) --left;
    if (left == known) {
      out.emit(at, pattern.distinct, static_cast<std::uint32_t>(length));
      at += tables.period;
      known = length - tables.period;
      continue;
    }
    const std::uint64_t bad = tables.bad_character[text_byte<folded>(text[at + left - 1])];
    const std::uint64_t matched = length - left;
    at += std::max<std::uint64_t>(tables.good_suffix[left - 1], bad > matched ? bad - matched : 0);
    known = 0;
  }
}

class BoyerMooreScanner final : public Scanner {
 public:
  explicit BoyerMooreScanner(const PlanData& plan) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
      patterns_.emplace_back(plan, distinct);
  }

  void scan(Collector& out) const override {
    for (const Pattern& pattern : patterns_)
      pattern.tables.ignore_case ? scan_pattern<true>(pattern, out) : scan_pattern<false>(pattern, out);
  }

 private:
  std::vector<Pattern> patterns_;
};

}  // namespace

std::unique_ptr<Scanner> make_boyer_moore_scanner(const PlanData& plan, InstructionSet) {
  return std::make_unique<BoyerMooreScanner>(plan);
}

}  // namespace lode
