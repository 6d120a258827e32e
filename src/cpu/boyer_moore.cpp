// boyer-moore: compares from the pattern's end and skips by the larger of two rules.
//
// Idea: at a difference the bad-character rule moves the pattern until the text byte meets its last occurrence in it,
// the good-suffix rule until the matched suffix meets its next occurrence. After a match the pattern moves by its
// period, and the part that still overlaps is not compared again (Galil), which keeps the worst case linear.
// Example: GCAGAGAG in ZZGCAGAGAG: the good-suffix shift of 2 after `AG` differs from the pattern finds the match.
// Worst case: text x 1 after Galil, but no skipping: one-byte patterns, small alphabets. Loses there against `vector`,
// which reads every byte but 64 at a time, and on sets: one pass per pattern.
#include "cpu/boyer_moore.hpp"

#include <algorithm>

#include "cpu/scanner.hpp"

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

}  // namespace

BoyerMoorePattern::BoyerMoorePattern(const PlanData& plan, std::uint32_t distinct)
    : distinct_(distinct), tables_(plan.bytes(distinct), plan.ignore_case(distinct)), skip_(tables_.bad_character) {
  skip_[tables_.pattern.back()] = 0;
  if (tables_.ignore_case)
    for (unsigned byte = 0; byte < 256; ++byte) skip_[byte] = skip_[folds[byte]];
}

void BoyerMoorePattern::scan(Collector& out, std::uint64_t begin) const {
  tables_.ignore_case ? scan_text<true>(out, begin) : scan_text<false>(out, begin);
}

template <bool folded>
void BoyerMoorePattern::scan_text(Collector& out, std::uint64_t begin) const {
  const std::uint64_t length = tables_.pattern.size();
  if (length > out.piece().size) return;
  const std::uint64_t end = std::min<std::uint64_t>(out.end(), out.piece().size - length + 1);
  const std::uint8_t* text = out.piece().data;
  std::uint64_t at = begin;
  std::uint64_t known = 0;  // the first `known` bytes at `at` match
  while (at < end) {
    if (known == 0) {
      const std::uint8_t* last = text + length - 1;
      std::uint64_t skip = skip_[last[at]];
      while (skip != 0) {
        at += skip;
        if (at >= end) return;
        skip = skip_[last[at]];
      }
    }
    std::uint64_t left = length;
    while (left > known && text_byte<folded>(text[at + left - 1]) == tables_.pattern[left - 1]) --left;
    if (left == known) {
      out.emit(at, distinct_, static_cast<std::uint32_t>(length));
      at += tables_.period;
      known = length - tables_.period;
      continue;
    }
    const std::uint64_t bad = tables_.bad_character[text_byte<folded>(text[at + left - 1])];
    const std::uint64_t matched = length - left;
    at += std::max<std::uint64_t>(tables_.good_suffix[left - 1], bad > matched ? bad - matched : 0);
    known = 0;
  }
}

namespace {

class BoyerMooreScanner final : public Scanner {
 public:
  explicit BoyerMooreScanner(const PlanData& plan) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
      patterns_.emplace_back(plan, distinct);
  }

  void scan(Collector& out) const override {
    for (const BoyerMoorePattern& pattern : patterns_) pattern.scan(out, out.begin());
  }

 private:
  std::vector<BoyerMoorePattern> patterns_;
};

}  // namespace

std::unique_ptr<Scanner> make_boyer_moore_scanner(const PlanData& plan, InstructionSet) {
  return std::make_unique<BoyerMooreScanner>(plan);
}

}  // namespace lode
