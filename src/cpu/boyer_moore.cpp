// boyer-moore: compares from the pattern's end and skips by the larger of two rules.
//
// Idea: at a difference the bad-character rule moves the pattern until the text's byte meets its last occurrence in it,
// and the good-suffix rule until the matched suffix meets its next occurrence. After a match the pattern moves by its
// period, and the part that still overlaps is not compared again (Galil), which keeps the worst case linear.
// A skip waits for the byte that the one before it led to. So four parts of the range are skipped through at once, by
// the bad-character rule, and places whose last four bytes match are noted without a branch and compared later. Where
// that takes more than four bytes a place, both rules go on.
// Example: GCAGAGAG in ZZGCAGAGAG: after a mismatch before `AG`, the good-suffix shift of 2 finds the match.
// Worst case: text x 1 after Galil, but no skipping: one-byte patterns, small alphabets. Loses there against `vector`,
// which reads every byte but 64 at a time, and on sets: one pass per pattern.
#include "cpu/boyer_moore.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "cpu/scanner.hpp"
#include "cpu/verify/comparison_budget.hpp"
#include "plan/filter.hpp"

namespace lode {
namespace {

constexpr std::array<std::uint8_t, 256> make_folds() {
  std::array<std::uint8_t, 256> folds{};
  for (unsigned byte = 0; byte < 256; ++byte) folds[byte] = fold(static_cast<std::uint8_t>(byte));
  return folds;
}
constexpr std::array<std::uint8_t, 256> folds = make_folds();

constexpr std::uint64_t lanes = 4;  // parts of a range that are skipped through at once

template <bool folded>
std::uint8_t text_byte(std::uint8_t byte) {
  return folded ? folds[byte] : byte;
}

}  // namespace

BoyerMoorePattern::BoyerMoorePattern(const PlanData& plan, std::uint32_t distinct)
    : distinct_(distinct), tables_(plan.bytes(distinct), plan.ignore_case(distinct)), shift_(tables_.bad_character) {
  if (tables_.ignore_case)
    for (unsigned byte = 0; byte < 256; ++byte) shift_[byte] = tables_.bad_character[folds[byte]];
  skip_ = shift_;
  for (unsigned byte = 0; byte < 256; ++byte)
    if ((tables_.ignore_case ? folds[byte] : byte) == tables_.pattern.back()) skip_[byte] = 0;
}

void BoyerMoorePattern::scan(Collector& out) const {
  tables_.ignore_case ? scan_lanes<true>(out) : scan_lanes<false>(out);
}

template <bool folded>
void BoyerMoorePattern::scan_lanes(Collector& out) const {
  constexpr std::uint64_t most_steps = 256;
  constexpr std::uint64_t bytes_per_place = 4;
  constexpr std::uint32_t fold_mask = folded ? loose_fold_mask : 0;
  const std::uint64_t length = tables_.pattern.size();
  std::uint64_t begin = out.begin();
  if (length > out.piece().size) return;
  const std::uint64_t end = std::min<std::uint64_t>(out.end(), out.piece().size - length + 1);
  if (begin < 4) {
    // At the first places the word of four bytes that ends with a short pattern would begin before the piece.
    scan_text<folded>(out, begin, std::min<std::uint64_t>(4, end));
    begin = 4;
  }
  if (begin >= end) return;

  const std::uint8_t* const text = out.piece().data;
  const std::uint64_t known = std::min<std::uint64_t>(length, 4);
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - 8 * known);
  std::uint32_t last_word = load_partial_u32(tables_.pattern.data() + length - known, known) << (32 - 8 * known);
  last_word = (last_word | fold_mask) & mask;

  std::array<std::uint64_t, lanes> at;
  std::array<std::uint64_t, lanes> stop;
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    at[lane] = begin + (end - begin) / lanes * lane;
    stop[lane] = lane + 1 < lanes ? begin + (end - begin) / lanes * (lane + 1) : end;
  }
  std::array<std::uint64_t, most_steps * lanes> noted;
  ComparisonBudget budget(bytes_per_place * (end - begin));
  while (!budget.is_spent()) {
    std::uint64_t least = stop[0] - at[0];
    for (std::uint64_t lane = 1; lane < lanes; ++lane) least = std::min(least, stop[lane] - at[lane]);
    // So many steps lead no lane beyond its stop, and comparing all that they note costs no more than the range has
    // bytes.
    const std::uint64_t steps = std::min(least / length, most_steps);
    if (steps == 0) break;
    std::uint64_t count = 0;
    auto [a, b, c, d] = at;
    const auto step = [&](std::uint64_t& place) {
      const std::uint32_t word = load_u32(text + (place + length - 4));
      noted[count] = place;
      count += ((word | fold_mask) & mask) == last_word ? 1 : 0;
      place += shift_[word >> 24];
    };
    for (std::uint64_t done = 0; done < steps; ++done) {
      step(a);
      step(b);
      step(c);
      step(d);
    }
    at = {a, b, c, d};
    for (std::uint64_t item = 0; item < count; ++item)
      if (budget.equal(text + noted[item], tables_.pattern.data(), length, folded))
        out.emit(noted[item], distinct_, static_cast<std::uint32_t>(length));
  }
  for (std::uint64_t lane = 0; lane < lanes; ++lane) scan_text<folded>(out, at[lane], stop[lane]);
}

template <bool folded>
void BoyerMoorePattern::scan_text(Collector& out, std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t length = tables_.pattern.size();
  if (length > out.piece().size) return;
  end = std::min<std::uint64_t>(end, out.piece().size - length + 1);
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
    for (const BoyerMoorePattern& pattern : patterns_) pattern.scan(out);
  }

 private:
  std::vector<BoyerMoorePattern> patterns_;
};

}  // namespace

std::unique_ptr<Scanner> make_boyer_moore_scanner(const PlanData& plan, InstructionSet, unsigned) {
  return std::make_unique<BoyerMooreScanner>(plan);
}

}  // namespace lode
