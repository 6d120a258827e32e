// Verifier: turns candidates into matches, under one budget. Included once for each target by the SIMD files.
//
// A look hands over pairs of a place and a pattern whose head stands there: its first 16 bytes are equal, or the text
// ends before them. Most patterns are no longer, so that this decides. The rest of longer ones is compared, and
// counted. Where the budget ends, the place is returned: what lies there and behind it is left to a search in bounded
// time. The pairs of one place are taken all or none, so that nothing is reported twice.
// Example: the pair (place 7, `description of the`): `description of t` stands at 7, and the last two bytes are
// compared.
#if defined(LODE_CPU_VERIFIER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_VERIFIER_INL
#undef LODE_CPU_VERIFIER_INL
#else
#define LODE_CPU_VERIFIER_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "cpu/scan/collector.hpp"
#include "cpu/verify/bounded_search.hpp"
#include "cpu/verify/pattern_head-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

class Verifier {
 public:
  static constexpr std::uint64_t never = UINT64_MAX;

  Verifier(const PlanData& plan, const BoundedSearch& bounded, Collector& out)
      : plan_(plan),
        out_(out),
        text_(out.piece().data),
        size_(out.piece().size),
        head_places_(size_ < PatternHead::bytes ? 0 : size_ - PatternHead::bytes + 1),
        budget_(bounded.budget(out.end() - out.begin())) {}

  struct Pair {
    std::uint64_t place = 0;  // where the look found it; pairs of one place stand together
    std::uint64_t start = 0;  // where the pattern would start; a very large number, if that is before the piece
    const PatternHead* head = nullptr;
  };

  /// Places before this one have the bytes of a head.
  std::uint64_t head_places() const { return head_places_; }
  /// Whether the pattern may stand at `start`: its head does, or the text ends before that.
  template <bool folded>
  HWY_INLINE bool has_head(const PatternHead& head, std::uint64_t start) const {
    return HWY_UNLIKELY(start >= head_places_) || equals_head<folded>(head, text_ + start);
  }
  HWY_INLINE bool is_decided(const PatternHead& head, std::uint64_t start) const {
    return head.is_whole() & (start < head_places_);
  }

  /// Emits the matches among `count` pairs, pair_at(0) and so on, whose heads are equal. Returns the place at which the
  /// budget ended, or never.
  template <class PairAt>
  HWY_INLINE std::uint64_t emit(std::size_t count, const PairAt& pair_at) {
    std::uint64_t last_place = never;
    for (std::size_t at = 0; at < count; ++at) {
      const Pair pair = pair_at(at);
      const PatternHead& head = *pair.head;
      std::uint64_t length = head.length;
      if (HWY_UNLIKELY(!is_decided(head, pair.start))) {
        if (HWY_UNLIKELY(budget_.is_spent() && pair.place != last_place)) return pair.place;
        last_place = pair.place;
        const std::span<const std::uint8_t> pattern = plan_.bytes(head.distinct);
        length = pattern.size();
        if (pair.start >= size_ || length > size_ - pair.start ||
            !budget_.equal(text_ + pair.start, pattern.data(), length, head.ignore_case != 0))
          continue;
      }
      last_place = pair.place;
      out_.emit(pair.start, head.distinct, static_cast<std::uint32_t>(length));
    }
    return never;
  }

  ComparisonBudget& budget() { return budget_; }  // also for what callers hash and compare themselves

 private:
  const PlanData& plan_;
  Collector& out_;
  const std::uint8_t* const text_;
  const std::uint64_t size_;
  const std::uint64_t head_places_;
  ComparisonBudget budget_;
};

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
