// vector: tests the rarest bytes of a pattern at many positions at once.
//
// Idea: for two probe bytes of the pattern, load the text at position + probe offset, compare all lanes with the byte,
// and AND the results; a position whose lane is still set is a candidate. Candidates are probed further while there
// are any; a pattern with no more bytes than probes is then decided, a longer one is compared whole. Where candidates
// are frequent (a common word, DNA), more bytes are probed before the branch that asks whether there is one.
// Example: `that`, probes `h` at 1 and `a` at 2: one load at +1, one at +2, both equal at the t of `that`.
// Worst case: texts in which many places agree with most of a long pattern; where more than one in sixteen had to be
// compared, the rest of the range is left to `boyer-moore`, whose worst case is the text. Loses on sets: one pass per
// pattern.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"

#ifndef LODE_CPU_VECTOR_ONCE
#define LODE_CPU_VECTOR_ONCE

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cpu/comparison_budget.hpp"
#include "cpu/scanner.hpp"
#include "cpu/vector.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::ScalableTag<std::uint8_t>;

template <bool folded>
class PatternScan {
 public:
  PatternScan(const VectorPattern& pattern, Collector& out)
      : pattern_(pattern),
        out_(out),
        text_(out.piece().data),
        furthest_(out.piece().size - std::min(out.piece().size, group_)),
        first_(pattern.probes[0]),
        second_(pattern.probes[1]),
        counts_(out.takes_counts()),
        budget_(bytes_per_place * (out.end() - out.begin())) {}

  void run() {
    const Piece& piece = out_.piece();
    const std::uint64_t length = pattern_.bytes.size();
    if (length > piece.size) return;
    const std::uint64_t end = std::min<std::uint64_t>(out_.end(), piece.size - length + 1);
    std::uint64_t at = out_.begin();
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    // Last position at which all probes of a whole group of lanes lie inside the piece.
    if (piece.size >= group_ + reach && end >= group_) {
      const std::uint64_t last = std::min(end - group_, piece.size - reach - group_);
      while (at <= last && !is_exhausted()) {
        at = depth_ == 2 ? scan_two_probes(at, last) : scan_more_probes(at, last);
      }
    }
    for (; at < end && at + lanes_ + reach <= piece.size && !is_exhausted(); at += lanes_) {
      const std::uint64_t left = end - at;
      finish(at, probe_two(at), 2, left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
    for (; at < end && !is_exhausted(); ++at) verify(at);
    if (HWY_UNLIKELY(is_exhausted())) pattern_.scan_in_bounded_time(out_, exhausted_at_);
    if (occurrences_ != 0) out_.add(pattern_.distinct, occurrences_);
    out_.add_candidates(candidates_);
  }

 private:
  HWY_INLINE hn::Mask<Bytes> probe(std::uint64_t at, const Probe& probe) const {
    auto text = hn::LoadU(d_, text_ + at + probe.offset);
    if constexpr (folded) text = hn::Or(text, hn::Set(d_, probe.case_bit));
    return hn::Eq(text, hn::Set(d_, probe.byte));
  }
  HWY_INLINE hn::Mask<Bytes> probe_two(std::uint64_t at) const {
    return hn::And(probe(at, first_), probe(at, second_));
  }

  // Both rounds take groups of four vectors that begin at at … last, not necessarily all, and return where the next one
  // begins. Where many groups hold candidates, the next round probes more bytes before it branches; where few do, fewer.

  // A round of two probes. The loop over groups without candidates is so small that all it needs stays in registers.
  std::uint64_t scan_two_probes(std::uint64_t at, const std::uint64_t last) {
    const std::uint64_t begin = at;
    std::uint64_t with_candidates = 0;
    while (at <= last) {
      const auto first_byte = hn::Set(d_, first_.byte);
      const auto second_byte = hn::Set(d_, second_.byte);
      const auto first_case = hn::Set(d_, first_.case_bit);
      const auto second_case = hn::Set(d_, second_.case_bit);
      const std::uint8_t* const first_text = text_ + first_.offset;
      const std::uint8_t* const second_text = text_ + second_.offset;
      const auto probe_both = [&](std::uint64_t place) HWY_ATTR {
        auto one = hn::LoadU(d_, first_text + place);
        auto two = hn::LoadU(d_, second_text + place);
        if constexpr (folded) {
          one = hn::Or(one, first_case);
          two = hn::Or(two, second_case);
        }
        return hn::And(hn::Eq(one, first_byte), hn::Eq(two, second_byte));
      };
      hn::Mask<Bytes> a, b, c, e;
      bool found = false;
      do {
        prefetch_from(at);
        a = probe_both(at);
        b = probe_both(at + lanes_);
        c = probe_both(at + 2 * lanes_);
        e = probe_both(at + 3 * lanes_);
        at += group_;
        found = !hn::AllFalse(d_, hn::Or(hn::Or(a, b), hn::Or(c, e)));
      } while (HWY_LIKELY(!found) && at <= last);
      if (!found) break;
      ++with_candidates;
      take_group(at - group_, a, b, c, e, 2);
      if (at - begin >= groups_per_round * group_ || is_exhausted()) break;
    }
    if (with_candidates * 8 * group_ > at - begin && depth_ < pattern_.probe_count) ++depth_;
    return at;
  }

  // A round of `depth_` probes, more than two.
  std::uint64_t scan_more_probes(std::uint64_t at, std::uint64_t last) {
    const std::size_t depth = depth_;
    const std::uint64_t begin = at;
    std::uint64_t with_candidates = 0;
    for (last = std::min(last, at + (groups_per_round - 1) * group_); at <= last; at += group_) {
      prefetch_from(at);
      auto a = probe_two(at);
      auto b = probe_two(at + lanes_);
      auto c = probe_two(at + 2 * lanes_);
      auto e = probe_two(at + 3 * lanes_);
      for (std::size_t next = 2; next < depth; ++next) {
        const Probe& more = pattern_.probes[next];
        a = hn::And(a, probe(at, more));
        b = hn::And(b, probe(at + lanes_, more));
        c = hn::And(c, probe(at + 2 * lanes_, more));
        e = hn::And(e, probe(at + 3 * lanes_, more));
      }
      if (HWY_LIKELY(hn::AllFalse(d_, hn::Or(hn::Or(a, b), hn::Or(c, e))))) continue;
      ++with_candidates;
      take_group(at, a, b, c, e, depth);
      if (is_exhausted()) return at;
    }
    if (with_candidates * 8 * group_ > at - begin && depth_ < pattern_.probe_count)
      ++depth_;
    else if (with_candidates == 0)
      --depth_;
    return at;
  }

  // Asks for the lines of a group that comes later; behind the range, where the next one usually begins, but not behind
  // the piece.
  HWY_INLINE void prefetch_from(std::uint64_t at) const {
    const std::uint64_t ahead = std::min(at + prefetch_bytes, furthest_);
    for (std::uint64_t line = 0; line < group_; line += line_bytes) hwy::Prefetch(text_ + ahead + line);
  }

  // A group in which the first `depth` probes have found candidates.
  HWY_INLINE void take_group(std::uint64_t at, hn::Mask<Bytes> a, hn::Mask<Bytes> b, hn::Mask<Bytes> c,
                             hn::Mask<Bytes> e, std::size_t depth) {
    if (depth >= pattern_.probe_count && pattern_.probes_decide && counts_) {
      occurrences_ += hn::CountTrue(d_, a) + hn::CountTrue(d_, b) + hn::CountTrue(d_, c) + hn::CountTrue(d_, e);
      return;
    }
    finish(at, a, depth, ~std::uint64_t{0});
    finish(at + lanes_, b, depth, ~std::uint64_t{0});
    finish(at + 2 * lanes_, c, depth, ~std::uint64_t{0});
    finish(at + 3 * lanes_, e, depth, ~std::uint64_t{0});
  }

  HWY_INLINE void finish(std::uint64_t at, hn::Mask<Bytes> mask, std::size_t depth, std::uint64_t wanted) {
    if (HWY_LIKELY(hn::AllFalse(d_, mask))) return;
    for (std::size_t next = depth; next < pattern_.probe_count; ++next) {
      mask = hn::And(mask, probe(at, pattern_.probes[next]));
      if (hn::AllFalse(d_, mask)) return;
    }
    std::uint64_t bits = mask_bits(d_, mask) & wanted;
    if (pattern_.probes_decide) {
      if (counts_) {
        occurrences_ += static_cast<std::uint64_t>(std::popcount(bits));
        return;
      }
      for (; bits != 0; bits &= bits - 1)
        out_.emit(at + static_cast<unsigned>(std::countr_zero(bits)), pattern_.distinct,
                  static_cast<std::uint32_t>(pattern_.bytes.size()));
      return;
    }
    for (; bits != 0; bits &= bits - 1) verify(at + static_cast<unsigned>(std::countr_zero(bits)));
  }

  void verify(std::uint64_t at) {
    if (is_exhausted()) return;
    const std::uint64_t length = pattern_.bytes.size();
    if (!pattern_.probes_decide && budget_.is_spent()) {
      exhausted_at_ = at;
      return;
    }
    ++candidates_;
    if (budget_.equal(text_ + at, pattern_.bytes.data(), length, folded))
      out_.emit(at, pattern_.distinct, static_cast<std::uint32_t>(length));
  }

  bool is_exhausted() const { return exhausted_at_ != never; }

  static constexpr Bytes d_{};
  static constexpr std::uint64_t lanes_ = hn::MaxLanes(Bytes());
  static constexpr std::uint64_t group_ = 4 * lanes_;
  static constexpr std::uint64_t groups_per_round = 8;
  static constexpr std::uint64_t never = UINT64_MAX;
  // What may be compared, for each place of the range, before `boyer-moore` is likely to be faster.
  static constexpr std::uint64_t bytes_per_place = 4;
  static constexpr std::uint64_t line_bytes = 64;
  // A page: hardware prefetchers stop at its end, and some of them come too late for a loop that does more than load.
  static constexpr std::uint64_t prefetch_bytes = 4096;
  const VectorPattern& pattern_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint64_t furthest_;  // place of the last whole group in the piece
  const Probe first_;
  const Probe second_;
  const bool counts_;             // occurrences are only counted, in occurrences_
  std::size_t depth_ = 2;         // probes tested before a branch, 2 … probe_count
  std::uint64_t candidates_ = 0;  // compared whole
  std::uint64_t occurrences_ = 0;
  ComparisonBudget budget_;
  std::uint64_t exhausted_at_ = never;  // where the first place lies for which the budget did not suffice
};

void scan_vector_pattern(const VectorPattern& pattern, Collector& out) {
  pattern.ignore_case ? PatternScan<true>(pattern, out).run() : PatternScan<false>(pattern, out).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

VectorPattern::VectorPattern(const PlanData& plan, std::uint32_t index)
    : distinct(index), ignore_case(plan.ignore_case(index)), bytes(plan.bytes(index)), plan_(plan) {
  const std::vector<Probe> chosen = choose_probes(bytes, ignore_case, probes.size());
  std::copy(chosen.begin(), chosen.end(), probes.begin());
  probe_count = chosen.size();
  probes_decide = bytes.size() <= probes.size();
  if (probe_count == 1) probes[1] = probes[0];
  for (const Probe& probe : chosen) probe_reach = std::max(probe_reach, probe.offset);
}

void VectorPattern::scan_in_bounded_time(Collector& out, std::uint64_t begin) const {
  std::call_once(bounded_->once, [this] { bounded_->pattern.emplace(plan_, distinct); });
  bounded_->pattern->scan(out, begin);
}

VectorRunner vector_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_vector_pattern); }

namespace {

class VectorScanner final : public Scanner {
 public:
  VectorScanner(const PlanData& plan, InstructionSet set) : run_(vector_runner(set)) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
      patterns_.emplace_back(plan, distinct);
  }

  void scan(Collector& out) const override {
    for (const VectorPattern& pattern : patterns_) run_(pattern, out);
  }

 private:
  VectorRunner run_;
  std::vector<VectorPattern> patterns_;
};

}  // namespace

std::unique_ptr<Scanner> make_vector_scanner(const PlanData& plan, InstructionSet set) {
  return std::make_unique<VectorScanner>(plan, set);
}

}  // namespace lode
#endif
