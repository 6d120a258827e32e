// PlaceQueue: collects candidates of a class and verifies them. The SIMD files include it once for each target.
//
// A place costs mispredicted branches and waits for memory. So a full queue is verified in steps over all of its
// places, without hard-to-predict branches. Each step prefetches what a later one reads:
//
//   place, hash    the bounds of the hash's bucket; each of its entries gives a pair
//   place, entry   the first bytes of the entry's pattern are compared with the text
//   equal pairs    only the rest of longer patterns is compared one by one
#if defined(LODE_CPU_PLACE_QUEUE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_PLACE_QUEUE_INL
#undef LODE_CPU_PLACE_QUEUE_INL
#else
#define LODE_CPU_PLACE_QUEUE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/look/window_class.hpp"
#include "cpu/verify/verifier-inl.hpp"
#include "cpu/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

/// Collects candidates of a class and verifies them.
class PlaceQueue {
 public:
  static constexpr std::size_t capacity = 512;

  // Places of the queue are relative to `origin`.
  PlaceQueue(const WindowClass& window_class, Collector& out, std::uint64_t origin)
      : class_(window_class),
        out_(out),
        text_(out.piece().data),
        origin_(origin),
        verifier_(window_class.plan, window_class.bounded(), out),
        counts_alike_(out.counts_alike()) {}

  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == capacity; }
  // Whether the places of another word may not find room.
  bool is_nearly_full() const { return size_ > capacity - 64; }
  // The place of an item. It stays when the item is verified, until another one takes its room.
  std::uint64_t place(std::size_t item) const { return places_[item]; }

  HWY_INLINE void add(std::uint64_t place, std::uint32_t hash) {
    places_[size_] = static_cast<std::uint32_t>(place);
    hashes_[size_] = hash;
    hwy::Prefetch(class_.bucket_starts + window_bucket(hash, class_.length_class.bucket_bits));
    ++size_;
  }
  // Adds as many of `count` places as there is room for, and returns how many. `from` has them as distances from
  // `first`. hashes_of() gives the hashes for a vector of distances, which may hold anything behind the last one.
  template <class HashesOf>
  HWY_INLINE std::size_t add(std::uint64_t first, const std::uint16_t* from, std::size_t count, HashesOf hashes_of) {
    const Words32 d;
    const hn::Rebind<std::uint16_t, Words32> half_d;
    const auto firsts = hn::Set(d, static_cast<std::uint32_t>(first));
    const std::size_t added = std::min(count, capacity - size_);
    for (std::size_t at = 0; at < added; at += hn::Lanes(d)) {
      const auto distances = hn::PromoteTo(d, hn::LoadU(half_d, from + at));
      hn::StoreU(hn::Add(firsts, distances), d, places_ + size_ + at);
      hn::StoreU(hashes_of(distances), d, hashes_ + size_ + at);
    }
    size_ += added;
    return added;
  }
  HWY_INLINE void drop_last(bool dropped) { size_ -= dropped ? 1 : 0; }

  // These bracket calls of add() that are not in the order of places. None of them lies before `place`.
  void begin_disorder(std::uint64_t place) { disordered_from_ = place; }
  void end_disorder() { disordered_from_ = never; }

  // Whether the budget has ended: windows from exhausted_at() on are not looked at.
  bool is_exhausted() const { return exhausted_at_ != never; }
  std::uint64_t exhausted_at() const { return exhausted_at_; }

  // Verifies all places and empties the queue.
  HWY_NOINLINE void verify() {
    std::uint64_t crowd_stop = never;
    std::size_t pairs = 0;
    const auto* const buckets = reinterpret_cast<const std::uint8_t*>(class_.bucket_starts);
    const std::uint32_t bucket_bits = class_.length_class.bucket_bits;
    const hn::CappedTag<std::uint64_t, pairs_at_once> pairs_d;
    for (std::size_t item = 0; item < size_; ++item) {
      // One load for both of the bucket's bounds.
      const std::uint64_t bounds =
          load_u64(buckets + window_bucket(hashes_[item], bucket_bits) * sizeof(std::uint32_t));
      const auto begin = static_cast<std::uint32_t>(bounds);
      const std::uint32_t count = static_cast<std::uint32_t>(bounds >> 32) - begin;
      hwy::Prefetch(class_.heads.data() + begin);
      if (HWY_UNLIKELY(count >= WindowClass::crowd_entries)) {
        if (search_crowd(item, begin)) continue;
        crowd_stop = places_[item];
        break;
      }
      // Four are written whatever their number: a branch on it would be mispredicted about as often as it is asked.
      const std::uint64_t first = Pair(places_[item], begin).both;
      for (std::uint32_t entry = 0; entry < pairs_at_once; entry += hn::Lanes(pairs_d))
        hn::StoreU(hn::Add(hn::Set(pairs_d, first), hn::Iota(pairs_d, entry)), pairs_d, &pairs_[pairs + entry].both);
      if (HWY_UNLIKELY(count > pairs_at_once)) {
        for (std::uint32_t entry = pairs_at_once; entry < count; ++entry) pairs_[pairs + entry].both = first + entry;
      }
      pairs += count;
      if (HWY_UNLIKELY(pairs > capacity)) {
        verify_pairs(pairs);
        pairs = 0;
      }
    }
    verify_pairs(pairs);
    stopped_at_ = std::min(stopped_at_, crowd_stop);
    if (HWY_UNLIKELY(!of_crowds_.empty())) emit_of_crowds();
    out_.add_candidates(size_);
    // A bounded search takes what lies behind. After places out of order it takes all from begin_disorder() on: only
    // lines and records are searched so, and none of them is reported twice.
    if (HWY_UNLIKELY(stopped_at_ != never)) exhausted_at_ = std::min(disordered_from_, origin_ + stopped_at_);
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t never = UINT64_MAX;
  static constexpr std::uint32_t pairs_at_once = 4;

  // A place and an entry of its bucket, as one number: a load of the whole would wait for two stores of its parts.
  struct Pair {
    Pair() = default;
    HWY_INLINE Pair(std::uint32_t place, std::uint32_t entry) : both(std::uint64_t{place} << 32 | entry) {}
    HWY_INLINE std::uint32_t place() const { return static_cast<std::uint32_t>(both >> 32); }
    HWY_INLINE std::uint32_t entry() const { return static_cast<std::uint32_t>(both); }
    std::uint64_t both;
  };

  // Looks for the patterns of a crowd at a place. Returns false where the budget does not suffice.
  HWY_NOINLINE bool search_crowd(std::size_t item, std::uint32_t first_entry) {
    crowd_.clear();
    if (!class_.search_crowd(first_entry, window_tag(hashes_[item]), text_, out_.piece().size, origin_ + places_[item],
                             verifier_.budget(), crowd_)) {
      return false;
    }
    for (const WindowClass::Found& found : crowd_) of_crowds_.push_back({places_[item], found});
    return true;
  }

  HWY_NOINLINE void emit_of_crowds() {
    for (const auto& [place, found] : of_crowds_)
      if (place < stopped_at_) out_.emit(found.start, found.distinct, found.length);
    of_crowds_.clear();
  }

  // Where the pattern of the pair would start; a very large number, if that is before the piece.
  HWY_INLINE std::uint64_t start_of(Pair pair) const {
    return origin_ + pair.place() - class_.heads[pair.entry()].offset;
  }

  // Reports the first `count` pairs that match, up to the place at which the budget ends. It is apart from verify(),
  // whose loop needs all registers.
  HWY_NOINLINE void verify_pairs(std::size_t count) {
    if (HWY_UNLIKELY(stopped_at_ != never)) return;
    const std::size_t equal = class_.length_class.fold != 0 ? keep_equal<true>(count) : keep_equal<false>(count);
    counts_alike_ ? count_pairs(equal) : emit_pairs(pairs_, equal);
  }

  // Keeps those of the first `count` pairs whose head stands in the text or would reach beyond it, and returns how many
  // are left. Tags need not be asked: where the whole pattern is equal, so is its window.
  template <bool folded>
  HWY_NOINLINE std::size_t keep_equal(std::size_t count) {
    const PatternHead* const heads = class_.heads.data();
    const std::uint8_t* const text = text_;
    const std::uint64_t origin = origin_;
    const std::uint64_t head_places = verifier_.head_places();
    Pair* const pairs = pairs_;
    std::size_t equal = 0;
    for (std::size_t at = 0; at < count; ++at) {
      const Pair pair = pairs[at];
      const PatternHead& head = heads[pair.entry()];
      const std::uint64_t start = origin + pair.place() - head.offset;  // wraps round before the piece
      pairs[equal] = pair;
      equal += HWY_UNLIKELY(start >= head_places) || equals_head<folded>(head, text + start) ? 1 : 0;
    }
    return equal;
  }

  // Counts the matches among the first `equal` pairs, whose heads are equal.
  HWY_INLINE void count_pairs(std::size_t equal) {
    std::size_t undecided = 0;
    std::uint64_t counted = count_decided(equal, never, undecided);
    if (HWY_UNLIKELY(undecided != 0)) {
      emit_pairs(undecided_, undecided);
      if (HWY_UNLIKELY(stopped_at_ != never)) counted = count_decided(equal, stopped_at_, undecided);
    }
    out_.add_alike(counted);
  }

  // How many of the first `equal` pairs before `end_place` match for certain. Lists the others in undecided_.
  HWY_INLINE std::uint64_t count_decided(std::size_t equal, std::uint64_t end_place, std::size_t& undecided) {
    const PatternHead* const heads = class_.heads.data();
    const std::uint64_t begin = out_.begin();
    const std::uint64_t wanted = out_.end() - begin;
    const std::uint64_t origin = origin_;
    const std::uint64_t head_places = verifier_.head_places();
    std::uint64_t counted = 0;
    std::size_t others = 0;
    for (std::size_t at = 0; at < equal; ++at) {
      const Pair pair = pairs_[at];
      const PatternHead& head = heads[pair.entry()];
      const std::uint64_t start = origin + pair.place() - head.offset;
      const bool decided = head.is_whole() & (start < head_places);
      undecided_[others] = pair;
      others += decided ? 0 : 1;
      counted += (decided & (start - begin < wanted) & (pair.place() < end_place)) ? 1 : 0;
    }
    undecided = others;
    return counted;
  }

  // Emits the matches among `count` pairs, whose heads are equal, up to the place at which the budget ends.
  HWY_INLINE void emit_pairs(const Pair* const pairs, std::size_t count) {
    const auto pair_at = [&](std::size_t at) HWY_ATTR {
      return Verifier::Pair{pairs[at].place(), start_of(pairs[at]), &class_.heads[pairs[at].entry()]};
    };
    stopped_at_ = verifier_.emit(count, pair_at);
  }

  const WindowClass& class_;
  Collector& out_;
  const std::uint8_t* const text_;
  const std::uint64_t origin_;
  Verifier verifier_;
  const bool counts_alike_;  // whether matches are only counted
  std::uint64_t exhausted_at_ = never;
  std::uint64_t disordered_from_ = never;
  std::size_t size_ = 0;
  std::uint64_t stopped_at_ = never;                                     // the place at which the budget ended
  std::vector<WindowClass::Found> crowd_;                                // what search_crowd() found at one place
  std::vector<std::pair<std::uint64_t, WindowClass::Found>> of_crowds_;  // the same for all places of the queue
  // Whole vectors are written, beyond the last item.
  static constexpr std::size_t room = capacity + hn::MaxLanes(Words32());
  std::uint32_t places_[room];
  std::uint32_t hashes_[room];  // the hashes of the places' windows
  static constexpr std::size_t pair_room = capacity + WindowClass::crowd_entries + pairs_at_once;
  Pair pairs_[pair_room];
  Pair undecided_[pair_room];  // pairs that their heads do not decide
};

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
