// Few patterns in one pass of `vector`: two probes of each are tested at the same places.
//
// Idea: the text is read once for all. A round of places is probed first, which leaves a bit for each step of two
// vectors; then the steps that had candidates are looked at. A pattern whose probes let many places through leaves the
// pass and is scanned by itself from there on. If two probes decide it, it stays, and what passes is counted.
// Example: `the` and `Moses`: `h`, `e` and `M`, `s` are compared at 32 places each, and the next 32. A step without
// candidates costs eight comparisons and no branch.
// Worst case: that of each pattern by itself, and one pass more. Loses on larger sets: a sieve looks at all of them at
// once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/vector_together.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/look/pattern_scan-inl.hpp"

#ifndef LODE_CPU_VECTOR_TOGETHER_ONCE
#define LODE_CPU_VECTOR_TOGETHER_ONCE

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

// Scans a range for a few patterns in one pass, as long as two probes of each let few places through. A pattern whose
// probes let many through is counted at every place if they decide it. Otherwise it is scanned by itself from there on.
template <bool folded>
class TogetherScan {
 public:
  static constexpr std::size_t most_patterns = VectorPattern::most_together;

  TogetherScan(std::span<const VectorPattern> patterns, Collector& out) : out_(out), left_(patterns.size()) {
    scans_.reserve(left_);
    for (std::size_t at = 0; at < left_; ++at) order_[at].scan = &scans_.emplace_back(patterns[at], out);
  }

  void run() {
    std::uint64_t at = out_.begin();
    std::uint64_t begins = order_[0].scan->group_begins();
    for (std::size_t scan = 1; scan < left_; ++scan) begins = std::min(begins, order_[scan].scan->group_begins());
    if (at < begins) {
      const auto first_text = reinterpret_cast<std::uintptr_t>(out_.piece().data + at + order_[0].scan->first().offset);
      const std::uint64_t lead = (0 - first_text) % lanes;
      for (std::size_t scan = 0; scan < left_ && lead != 0; ++scan) order_[scan].scan->take_first(at, lead);
      at += lead;
    }
    while (at < begins && left_ > 1) {
      const std::uint64_t begin = at;
      switch (left_) {
        case 2: at = scan_round<2>(at, begins); break;
        case 3: at = scan_round<3>(at, begins); break;
        default: at = scan_round<most_patterns>(at, begins);
      }
      leave_frequent((at - begin) / step, at);
    }
    while (left_ != 0) leave(left_ - 1, at);
  }

 private:
  static constexpr Bytes d{};
  static constexpr std::uint64_t lanes = hn::MaxLanes(Bytes());
  static constexpr std::uint64_t vectors = 2;  // vectors of places in a step
  static constexpr std::uint64_t step = vectors * lanes;
  static constexpr std::uint64_t most_round_steps = 64;
  static constexpr std::uint64_t first_round_steps = 16;
  static constexpr std::uint64_t first_step = std::uint64_t{1} << 63;
  // A pattern is counted at every place, or scanned alone, once one step in so many has a candidate of it. From there
  // on that costs less than to look at the candidates.
  static constexpr std::uint64_t counted_steps = 12;
  static constexpr std::uint64_t left_steps = 8;
  // The first round is short, so candidates must be more frequent in it by this factor.
  static constexpr std::uint64_t first_round_factor = 3;

  // Scans a round of places from `at` on. Returns where the next one begins. All steps are probed first; then those
  // that had candidates are looked at. A branch for each step would cost more than they do, as no processor foresees
  // it.
  template <std::size_t count>
  std::uint64_t scan_round(const std::uint64_t at, const std::uint64_t begins) {
    const std::size_t counted = counted_;
    typename PatternScan<folded>::template Probing<2> probing[count];
    for (std::size_t scan = 0; scan < count; ++scan)
      probing[scan] = typename PatternScan<folded>::template Probing<2>(*order_[scan].scan);
    const std::uint64_t end = at + std::min(round_steps_, (begins - at + step - 1) / step) * step;
    std::uint64_t counts[count] = {};
    std::uint64_t with_candidates = 0;  // a bit for each step, the lowest for the last
    for (std::uint64_t place = at; place < end; place += step) {
      for (std::uint64_t line = 0; line < step; line += 64) out_.piece().prefetch_ahead(place + line);
      auto any = hn::MaskFromVec(hn::Zero(d));  // candidates of patterns that are not counted
      for (std::size_t scan = 0; scan < count; ++scan) {
        for (std::uint64_t vector = 0; vector < vectors; ++vector) {
          const auto passed = probing[scan].test(place + vector * lanes);
          if (scan < counted)
            counts[scan] += hn::CountTrue(d, passed);
          else
            any = hn::Or(any, passed);
        }
      }
      with_candidates += with_candidates + (hn::AllFalse(d, any) ? 0 : 1);
    }
    std::uint64_t with_each[count] = {};
    for (; with_candidates != 0; with_candidates &= ~(first_step >> std::countl_zero(with_candidates))) {
      const std::uint64_t place = end - (64 - static_cast<unsigned>(std::countl_zero(with_candidates))) * step;
      hn::Mask<Bytes> passed[count][vectors];
      auto any = hn::MaskFromVec(hn::Zero(d));
      HWY_UNROLL(4) for (std::size_t scan = counted; scan < count; ++scan) {
        auto first = probing[scan].test(place);
        auto second = probing[scan].test(place + lanes);
        with_each[scan] += hn::AllFalse(d, hn::Or(first, second)) ? 0 : 1;
        if (order_[scan].scan->only_counts()) {
          counts[scan] += hn::CountTrue(d, first) + hn::CountTrue(d, second);
          first = second = hn::MaskFromVec(hn::Zero(d));
        } else {
          first = hn::And(first, probing[scan].test_third(place));
          second = hn::And(second, probing[scan].test_third(place + lanes));
        }
        passed[scan][0] = first;
        passed[scan][1] = second;
        any = hn::Or(any, hn::Or(first, second));
      }
      if (HWY_LIKELY(hn::AllFalse(d, any))) continue;
      for (std::size_t scan = counted; scan < count; ++scan)
        for (std::uint64_t vector = 0; vector < vectors; ++vector)
          order_[scan].scan->take(place + vector * lanes, passed[scan][vector]);
    }
    for (std::size_t scan = 0; scan < count; ++scan) {
      order_[scan].scan->add(counts[scan]);
      order_[scan].with_candidates = with_each[scan];
    }
    return end;
  }

  // After a round of `steps` steps: patterns with many candidates leave the pass, or are counted from now on.
  void leave_frequent(std::uint64_t steps, std::uint64_t at) {
    const std::uint64_t clear_steps = round_steps_ == most_round_steps ? steps : steps * first_round_factor;
    round_steps_ = most_round_steps;
    for (std::size_t scan = left_; scan-- > counted_;) {
      const Member& member = order_[scan];
      if (member.scan->is_exhausted()) {
        leave(scan, at);
      } else if (member.scan->only_counts()) {
        if (member.with_candidates * counted_steps <= clear_steps) continue;
        std::rotate(order_.begin() + counted_, order_.begin() + scan, order_.begin() + scan + 1);
        ++counted_;
        ++scan;  // the one that was before it has taken its place
      } else if (member.with_candidates * left_steps > clear_steps) {
        leave(scan, at);
      }
    }
  }

  // Takes a pattern out of the pass, and scans the rest of the range for it alone.
  void leave(std::size_t scan, std::uint64_t at) {
    PatternScan<folded>* const left = order_[scan].scan;
    std::move(order_.begin() + scan + 1, order_.begin() + left_, order_.begin() + scan);
    --left_;
    left->close();
    if (!left->is_exhausted()) scan_pattern(left->pattern(), out_, at);
  }

  struct Member {
    PatternScan<folded>* scan = nullptr;
    std::uint64_t with_candidates = 0;  // steps of the last round that had some
  };

  Collector& out_;
  std::vector<PatternScan<folded>> scans_;  // no array of optionals, which g++ 12 would fill with zeros
  // The first left_ are scanned together. Of these, the first counted_ are counted at every place.
  std::array<Member, most_patterns> order_;
  std::size_t counted_ = 0;
  std::size_t left_ = 0;
  std::uint64_t round_steps_ = first_round_steps;  // the most steps of the next round
};

void scan_together(std::span<const VectorPattern> patterns, Collector& out) {
  if (patterns.front().ignore_case)
    TogetherScan<true>(patterns, out).run();
  else
    TogetherScan<false>(patterns, out).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
