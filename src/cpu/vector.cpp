// vector: tests the rarest bytes of a pattern at many positions at once.
//
// Idea: for two probe bytes of the pattern, load the text at position + probe offset, compare all lanes with the byte,
// and AND the results; a position whose lane is still set is a candidate. Candidates are probed further while there
// are any; a pattern with no more bytes than probes is then decided, a longer one is compared whole.
// Example: `that`, probes `h` at 1 and `a` at 2: one load at +1, one at +2, both equal at the t of `that`.
// Worst case: texts of one repeated byte with a pattern of the same byte but one: text x pattern length. Loses on sets:
// one pass per pattern.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"

#ifndef LODE_CPU_VECTOR_ONCE
#define LODE_CPU_VECTOR_ONCE

#include <algorithm>
#include <array>
#include <bit>

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
      : pattern_(pattern), out_(out), text_(out.piece().data), first_(pattern.probes[0]), second_(pattern.probes[1]) {}

  void run() {
    const Piece& piece = out_.piece();
    const std::uint64_t length = pattern_.bytes.size();
    if (length > piece.size) return;
    const std::uint64_t end = std::min<std::uint64_t>(out_.end(), piece.size - length + 1);
    std::uint64_t at = out_.begin();
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    // Last position at which all probes of a whole group of lanes lie inside the piece.
    const std::uint64_t group = 4 * lanes_;
    for (; at + group <= end && at + group + reach <= piece.size; at += group) {
      const auto a = probe_two(at);
      const auto b = probe_two(at + lanes_);
      const auto c = probe_two(at + 2 * lanes_);
      const auto e = probe_two(at + 3 * lanes_);
      if (HWY_LIKELY(hn::AllFalse(d_, hn::Or(hn::Or(a, b), hn::Or(c, e))))) continue;
      finish(at, a, ~std::uint64_t{0});
      finish(at + lanes_, b, ~std::uint64_t{0});
      finish(at + 2 * lanes_, c, ~std::uint64_t{0});
      finish(at + 3 * lanes_, e, ~std::uint64_t{0});
    }
    for (; at < end && at + lanes_ + reach <= piece.size; at += lanes_) {
      const std::uint64_t left = end - at;
      finish(at, probe_two(at), left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
    for (; at < end; ++at) verify(at);
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

  void finish(std::uint64_t at, hn::Mask<Bytes> mask, std::uint64_t wanted) {
    if (HWY_LIKELY(hn::AllFalse(d_, mask))) return;
    for (std::size_t next = 2; next < pattern_.probe_count; ++next) {
      mask = hn::And(mask, probe(at, pattern_.probes[next]));
      if (hn::AllFalse(d_, mask)) return;
    }
    std::uint64_t bits = mask_bits(d_, mask) & wanted;
    if (pattern_.probes_decide) {
      if (out_.takes_counts()) {
        out_.add(pattern_.distinct, static_cast<std::uint64_t>(std::popcount(bits)));
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
    ++candidates_;
    if (equal_bytes(text_ + at, pattern_.bytes.data(), pattern_.bytes.size(), folded))
      out_.emit(at, pattern_.distinct, static_cast<std::uint32_t>(pattern_.bytes.size()));
  }

 public:
  std::uint64_t candidates() const { return candidates_; }

 private:
  static constexpr Bytes d_{};
  static constexpr std::uint64_t lanes_ = hn::MaxLanes(Bytes());
  const VectorPattern& pattern_;
  Collector& out_;
  const std::uint8_t* text_;
  const Probe first_;
  const Probe second_;
  std::uint64_t candidates_ = 0;
};

void scan_vector_pattern(const VectorPattern& pattern, Collector& out) {
  if (pattern.ignore_case) {
    PatternScan<true> scan(pattern, out);
    scan.run();
    out.add_candidates(scan.candidates());
  } else {
    PatternScan<false> scan(pattern, out);
    scan.run();
    out.add_candidates(scan.candidates());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

VectorPattern::VectorPattern(const PlanData& plan, std::uint32_t index)
    : distinct(index), ignore_case(plan.ignore_case(index)), bytes(plan.bytes(index)) {
  const std::vector<Probe> chosen = choose_probes(bytes, ignore_case, probes.size());
  std::copy(chosen.begin(), chosen.end(), probes.begin());
  probe_count = chosen.size();
  probes_decide = bytes.size() <= probes.size();
  if (probe_count == 1) probes[1] = probes[0];
  for (const Probe& probe : chosen) probe_reach = std::max(probe_reach, probe.offset);
}

VectorRunner vector_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_vector_pattern); }

namespace {

class VectorScanner final : public Scanner {
 public:
  VectorScanner(const PlanData& plan, InstructionSet set) : run_(vector_runner(set)) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) patterns_.emplace_back(plan, distinct);
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
