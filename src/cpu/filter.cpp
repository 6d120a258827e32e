// filter: hashes a window at every sampled place, tests one bit, verifies what passes.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers one. Here each class
// gets a blocked Bloom filter: three bits of one 32-bit word for each window. A vector of windows is hashed at once, the
// words are gathered, and the places that pass go to a queue. A full queue is verified in
// rounds that first ask for the memory they will need (buckets, then entries).
// Small classes are sieved together (sieve.hpp), where little passes; a class of very few patterns otherwise is scanned
// pattern by pattern as `vector` does.
// Worst case: every place passes and its bucket is long: sets of patterns that share all their windows, in a text made
// of them. Loses to `vector` on one pattern.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/filter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"

#ifndef LODE_CPU_FILTER_ONCE
#define LODE_CPU_FILTER_ONCE

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include "cpu/filter_class.hpp"
#include "cpu/scanner.hpp"
#include "cpu/sieve.hpp"
#include "cpu/vector.hpp"

namespace lode {

// head_masks[n] selects the first n of 16 bytes, as two numbers; all of them where n is 17.
inline constexpr auto head_masks = [] {
  std::array<std::array<std::uint64_t, 2>, EntryHead::bytes + 2> masks{};
  for (std::size_t length = 0; length < masks.size(); ++length)
    for (std::size_t byte = 0; byte < std::min(length, EntryHead::bytes); ++byte)
      masks[length][byte / 8] |= std::uint64_t{0xff} << (byte % 8 * 8);
  return masks;
}();

}  // namespace lode

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using WordVector = hn::Vec<Words>;

HWY_INLINE WordVector load_words(const std::uint8_t* at) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Words(), load_u32(at));
#else
  return hn::BitCast(Words(), hn::LoadU(hn::Repartition<std::uint8_t, Words>(), at));
#endif
}

// Places of a class that passed its filter, and what verifies them: a queue of them at a time, in rounds.
template <bool folded>
class PlaceQueue {
 public:
  static constexpr std::size_t capacity = 512;

  // Places are relative to `origin`.
  PlaceQueue(const FilterClass& filter, Collector& out, std::uint64_t origin)
      : filter_(filter),
        out_(out),
        text_(out.piece().data),
        origin_(origin),
        head_places_(out.piece().size < EntryHead::bytes ? 0 : out.piece().size - EntryHead::bytes + 1),
        budget_(filter.budget_bytes(out.end() - out.begin())) {}

  std::size_t size() const { return size_; }
  // Whether the places of another word may not find room.
  bool is_nearly_full() const { return size_ > capacity - 64; }
  // Until another one takes its room, also of an item that was verified.
  std::uint64_t place(std::size_t item) const { return places_[item]; }

  HWY_INLINE void add(std::uint64_t place, std::uint32_t hash) {
    places_[size_] = static_cast<std::uint32_t>(place);
    hashes_[size_] = hash;
    hwy::Prefetch(filter_.bucket_starts + window_bucket(hash, filter_.made.bucket_bits));
    ++size_;
  }
  HWY_INLINE void drop_last(bool dropped) { size_ -= dropped ? 1 : 0; }

  // Before places are added that are not in order, and after: none lies before `place`.
  void begin_disorder(std::uint64_t place) { disordered_from_ = place; }
  void end_disorder() { disordered_from_ = never; }

  // Whether the budget has ended: windows from exhausted_at() on are not looked at.
  bool is_exhausted() const { return exhausted_at_ != never; }
  std::uint64_t exhausted_at() const { return exhausted_at_; }

  // In rounds over the queue, each without hard-to-predict branches and each asking for the memory of the next.
  HWY_NOINLINE void verify() {
    for (std::size_t item = 0; item < size_; ++item) {
      const std::uint32_t* bucket = filter_.bucket_starts + window_bucket(hashes_[item], filter_.made.bucket_bits);
      entry_begins_[item] = bucket[0];
      entry_ends_[item] = bucket[1];
      hwy::Prefetch(filter_.heads.data() + bucket[0]);
    }
    std::size_t equal = 0;
    last_item_ = capacity;
    verified_ = size_;
    for (std::size_t item = 0; item < verified_; ++item) {
      const std::uint32_t end = entry_ends_[item];
      if (HWY_UNLIKELY(end - entry_begins_[item] >= FilterClass::crowd_entries)) {
        search_crowd(item);
        continue;
      }
      for (std::uint32_t entry = entry_begins_[item]; entry < end; ++entry) {
        equal_[equal] = {static_cast<std::uint32_t>(item), entry};
        equal += may_match(item, entry) ? 1 : 0;
        if (HWY_UNLIKELY(equal == capacity)) equal = emit_equal(equal);
      }
    }
    emit_equal(equal);
    if (HWY_UNLIKELY(!of_crowds_.empty())) emit_of_crowds();
    out_.add_candidates(size_);
    // What lies behind is left to rolling hashes; of lines all of the round, since a match more of a line is none.
    if (HWY_UNLIKELY(verified_ < size_)) exhausted_at_ = std::min(disordered_from_, origin_ + places_[verified_]);
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t never = UINT64_MAX;

  HWY_NOINLINE void search_crowd(std::size_t item) {
    crowd_.clear();
    if (!filter_.search_crowd(entry_begins_[item], window_tag(hashes_[item]), text_, out_.piece().size,
                              origin_ + places_[item], budget_, crowd_)) {
      verified_ = item;
      return;
    }
    for (const FilterClass::Found& found : crowd_) of_crowds_.push_back({item, found});
  }

  HWY_NOINLINE void emit_of_crowds() {
    for (const auto& [item, found] : of_crowds_)
      if (item < verified_) out_.emit(found.start, found.distinct, found.length);
    of_crowds_.clear();
  }

  // False only where the entry's pattern does not stand at the item's place: compares the first bytes.
  HWY_INLINE bool may_match(std::size_t item, std::uint32_t entry) const {
    const EntryHead& head = filter_.heads[entry];
    const std::uint64_t start = origin_ + places_[item] - head.offset;  // wraps round before the piece
    const bool same_tag = head.tag == window_tag(hashes_[item]);
    if (HWY_UNLIKELY(start >= head_places_)) return same_tag;
    std::uint64_t low = load_u64(text_ + start);
    std::uint64_t high = load_u64(text_ + start + 8);
    if constexpr (folded) {
      low = head.ignore_case != 0 ? fold_u64(low) : low;
      high = head.ignore_case != 0 ? fold_u64(high) : high;
    }
    const auto& masks = head_masks[head.length];
    return (((low ^ head.low) & masks[0]) | ((high ^ head.high) & masks[1]) | (same_tag ? 0 : 1)) == 0;
  }

  struct Equal {
    std::uint32_t item;  // of the queue
    std::uint32_t entry;
  };

  // Emits the first `count` of equal_, whose remaining bytes are compared here, up to the item at which the budget ends.
  // Returns 0.
  std::size_t emit_equal(std::size_t count) {
    const std::uint64_t size = out_.piece().size;
    for (std::size_t at = 0; at < count; ++at) {
      const std::uint32_t item = equal_[at].item;
      if (HWY_UNLIKELY(item >= verified_)) break;
      const EntryHead& head = filter_.heads[equal_[at].entry];
      const std::uint64_t start = origin_ + places_[item] - head.offset;
      std::uint64_t length = head.length;
      if (HWY_UNLIKELY(length > EntryHead::bytes || start >= head_places_)) {
        if (HWY_UNLIKELY(budget_.is_spent() && item != last_item_)) {
          verified_ = std::min<std::size_t>(verified_, item);
          break;
        }
        const auto pattern = filter_.plan.bytes(head.distinct);
        length = pattern.size();
        last_item_ = item;
        if (start >= size || length > size - start ||
            !budget_.equal(text_ + start, pattern.data(), length, folded && head.ignore_case != 0)) {
          continue;
        }
      }
      last_item_ = item;
      out_.emit(start, head.distinct, static_cast<std::uint32_t>(length));
    }
    return 0;
  }

  const FilterClass& filter_;
  Collector& out_;
  const std::uint8_t* const text_;
  const std::uint64_t origin_;
  const std::uint64_t head_places_;  // places before this one have the bytes of a head
  ComparisonBudget budget_;          // of what verification hashes and compares
  std::uint64_t exhausted_at_ = never;
  std::uint64_t disordered_from_ = never;
  std::size_t size_ = 0;
  std::size_t verified_ = 0;               // items, from the begin on, that are or will be verified
  std::size_t last_item_ = 0;              // whose entries are being emitted
  std::vector<FilterClass::Found> crowd_;  // of one item
  std::vector<std::pair<std::size_t, FilterClass::Found>> of_crowds_;  // of items
  std::uint32_t places_[capacity + 1];
  std::uint32_t hashes_[capacity + 1];  // of their windows
  std::uint32_t entry_begins_[capacity];
  std::uint32_t entry_ends_[capacity];
  Equal equal_[capacity + 1];  // whose heads are equal; written before that is known
};

// `words`: window_words() of the class's window.
template <std::uint32_t stride, std::uint32_t words, bool folded>
class ClassScan {
 public:
  ClassScan(const FilterClass& filter, Collector& out)
      : filter_(filter),
        out_(out),
        text_(out.piece().data),
        window_(filter.made.window),
        origin_((out.begin() + stride - 1) / stride * stride),
        lines_(out.one_per_line() ? &out.lines() : nullptr),
        known_before_(lines_ != nullptr && lines_->known_count() > 1),
        queue_(filter, out, origin_) {}

  void run() {
    const std::uint64_t size = out_.piece().size;
    if (size < window_ || out_.begin() >= out_.end()) return;
    // Places at which a window of an occurrence that starts in the range may lie.
    const std::uint64_t end = std::min(out_.end() + filter_.made.max_offset, size - window_ + 1);
    const std::uint64_t most = lines_ != nullptr ? round_words : round_words / 4;
    for (std::uint64_t at = origin_; at < end && !queue_.is_exhausted();) {
      const std::uint64_t readable = std::min(end, std::max(size, word_reach) - word_reach);
      std::uint64_t count = readable < at ? 0 : std::min(most, (readable - at) / 64);
      if (count != 0 && filter_.near) {
        queue_near(at, count);
      } else {
        if (count != 0) {
          scan_words(at, count);
        } else {
          scan_rest(at, std::min<std::uint64_t>(end - at, 64));
          count = 1;
        }
        lines_ != nullptr ? search_lines(at, count) : queue_hits(at, count);
      }
      at += count * 64;
    }
    if (!queue_.is_exhausted()) queue_.verify();
    if (HWY_UNLIKELY(queue_.is_exhausted())) filter_.scan_by_hashes(out_, queue_.exhausted_at());
  }

 private:
  static constexpr std::uint64_t lanes = hn::MaxLanes(Words());
  // A group is one vector of windows for each residue of the places modulo 4.
  static constexpr std::uint64_t group_bytes = 4 * lanes;
  static constexpr std::uint64_t group_places = group_bytes / stride;
  // Groups are tested by 64 places, which read so many bytes beyond them; a round is so many times 64 places.
  static constexpr std::uint64_t word_reach = 4 * words + 4;
  static constexpr std::size_t round_words = 64;
  static_assert(64 % group_bytes == 0);

  // Where window_hashes_ has the hash of the window at this place of a round.
  static HWY_INLINE std::uint64_t hash_index(std::uint64_t place) {
    const std::uint64_t within = place % group_bytes;
    return place / group_bytes * group_places + within % 4 / stride * lanes + within / 4;
  }

  // Tests the windows of `count` times 64 places from `at` on. What passed is only noted: a branch on it would wait for
  // the gather each time it is mispredicted.
  void scan_words(const std::uint64_t at, const std::uint64_t count) {
    const Words d;
    const hn::RebindToSigned<Words> signed_d;
    const auto* bits = filter_.bits.data();
    const int shift = static_cast<int>(32 - filter_.word_count_log2);
    const auto fold_mask = hn::Set(d, loose_fold_mask);
    const auto word_mask = hn::Set(d, window_word_mask(window_));
    const auto finisher = hn::Set(d, window_finisher);
    const auto one = hn::Set(d, 1);
    const auto low_five = hn::Set(d, 31);
    WordVector multipliers[words];
    const std::uint8_t* word_texts[words];  // the bytes of the first place's window, word by word
    for (std::uint32_t word = 0; word < words; ++word) {
      multipliers[word] = hn::Set(d, window_multipliers[word]);
      word_texts[word] = text_ + at + window_word_offset(window_, word);
    }
    const WordVector residue_bytes[4] = {hn::Set(d, 0xffu), hn::Set(d, 0xff00u), hn::Set(d, 0xff0000u),
                                         hn::Set(d, 0xff000000u)};
    // Lines are known before their places are tested where another class found a match, or where they are long.
    const bool known_lines =
        lines_ != nullptr && (known_before_ || (at < out_.end() && lines_->is_known(at - out_.begin())));
    for (std::uint64_t group = 0; group < count * (64 / group_bytes); ++group) {
      const std::uint64_t place = group * group_bytes;
      if (group_bytes == 64 || place % 64 == 0) hits_[place / 64] = 0;
      if (known_lines && lines_->are_known(std::min(at + place - out_.begin(), out_.end() - out_.begin()), group_bytes))
        continue;
      auto passed = hn::Zero(d);  // of each place a byte
      std::uint64_t hits = 0;
      for (std::uint32_t residue = 0; residue < 4; residue += stride) {
        WordVector sum = hn::Zero(d);
        for (std::uint32_t word = 0; word < words; ++word) {
          auto bytes = load_words(word_texts[word] + place + residue);
          if constexpr (folded) bytes = hn::Or(bytes, fold_mask);
          if constexpr (words == 1) bytes = hn::And(bytes, word_mask);
          const auto product = hn::Mul(bytes, multipliers[word]);
          sum = word == 0 ? product : hn::Add(sum, product);
        }
        const auto hash = hn::Mul(hn::Xor(sum, hn::ShiftRight<15>(sum)), finisher);
        const auto index = hn::BitCast(signed_d, hn::ShiftRightSame(hash, shift));
        const auto found = hn::GatherIndex(d, bits, index);
        const auto wanted = hn::Or(
            hn::Or(hn::Shl(one, hn::And(hash, low_five)), hn::Shl(one, hn::And(hn::ShiftRight<5>(hash), low_five))),
            hn::Shl(one, hn::And(hn::ShiftRight<10>(hash), low_five)));
        hn::StoreU(hash, d, window_hashes_ + group * group_places + residue / stride * lanes);
        const auto passes = hn::Eq(hn::And(found, wanted), wanted);
        if constexpr (HWY_TARGET == HWY_SCALAR)
          hits |= mask_bits(d, passes) << residue;
        else
          passed = hn::IfThenElse(passes, hn::Or(passed, residue_bytes[residue]), passed);
      }
#if HWY_TARGET != HWY_SCALAR
      const hn::Repartition<std::uint8_t, Words> bytes_d;
      hits = mask_bits(bytes_d, hn::Ne(hn::BitCast(bytes_d, passed), hn::Zero(bytes_d)));
#endif
      hits_[place / 64] |= hits << (place % 64);
    }
  }

  // Lists the places of `count` times 64 from `at` on that pass the tables in registers and the map behind them; returns
  // how many.
  std::size_t list_near(const std::uint64_t at, const std::uint64_t count) {
    constexpr std::uint64_t sampled = ~std::uint64_t{0} / ((std::uint64_t{1} << stride) - 1);
    const std::size_t listed = filter_.near_runner(*filter_.near, text_ + at, count, sampled, near_places_);
    std::size_t passed = 0;
    for (std::size_t item = 0; item < listed; ++item) {
      const std::uint16_t place = near_places_[item];
      near_places_[passed] = place;
      passed += filter_.near->passes_map(text_ + at + place) ? 1 : 0;
    }
    return passed;
  }

  // As scan_words and queue_hits, but tables in registers say which places are looked up.
  void queue_near(const std::uint64_t at, const std::uint64_t count) {
    const std::size_t passed = list_near(at, count);
    for (std::size_t item = 0; item < passed; ++item) {
      if (HWY_UNLIKELY(queue_.is_nearly_full())) {
        queue_.verify();
        if (queue_.is_exhausted()) return;
      }
      const std::uint64_t place = at + near_places_[item];
      queue_.add(place - origin_, hash_at(place));
      if (lines_ != nullptr) queue_.drop_last(lines_->is_known(place - out_.begin()));
    }
  }

  HWY_INLINE std::uint32_t hash_at(std::uint64_t place) const {
    std::uint32_t sum = 0;
    for (std::uint32_t word = 0; word < words; ++word) {
      std::uint32_t bytes = load_u32(text_ + place + window_word_offset(window_, word));
      if constexpr (folded) bytes |= loose_fold_mask;
      if constexpr (words == 1) bytes &= window_word_mask(window_);
      sum += bytes * window_multipliers[word];
    }
    return (sum ^ sum >> 15) * window_finisher;
  }

  // As scan_words for the `count` (at most 64) places from `at` on, one by one; reads nothing beyond the last window.
  void scan_rest(const std::uint64_t at, const std::uint64_t count) {
    hits_[0] = 0;
    for (std::uint64_t place = 0; place < count; place += stride) {
      const std::uint32_t hash = window_hash(text_ + at + place, window_, folded);
      window_hashes_[hash_index(place)] = hash;
      hits_[0] |= std::uint64_t{filter_.passes(hash)} << place;
    }
  }

  // `place` is one of the round that begins at `at`.
  HWY_INLINE void queue_place(std::uint64_t at, std::uint64_t place) {
    queue_.add(at - origin_ + place, window_hashes_[hash_index(place)]);
  }

  // Queues the places that passed in the round of `count` words that begins at `at`, and verifies full queues.
  void queue_hits(std::uint64_t at, std::uint64_t count) {
    for (std::uint64_t word = 0; word < count; ++word) {
      for (std::uint64_t hits = hits_[word]; hits != 0; hits &= hits - 1)
        queue_place(at, word * 64 + static_cast<unsigned>(std::countr_zero(hits)));
      if (!queue_.is_nearly_full()) continue;
      queue_.verify();
      if (queue_.is_exhausted()) return;
    }
  }

  // Looks for a match in each line of the round of `count` words that begins at `at`: first at the first place of each
  // line that passed, then, in the lines in which that was none, at the second, and so on.
  void search_lines(std::uint64_t at, std::uint64_t count) {
    std::uint64_t hits = 0;
    for (std::uint64_t word = 0; word < count; ++word) hits += static_cast<std::uint64_t>(std::popcount(hits_[word]));
    if (hits <= count) return queue_hits(at, count);  // too few to have many in a line
    queue_.verify();
    if (queue_.is_exhausted()) return;
    queue_.begin_disorder(at);
    const std::uint64_t begin = at - out_.begin();
    const std::uint64_t range_end = out_.end() - out_.begin();
    for (std::uint64_t word = 0; word < count; ++word) {
      line_ends_[word] = begin + word * 64 < range_end ? lines_->ends(begin + word * 64) : 0;
      hits_[word] &= ~line_ends_[word];
    }
    // In the sum, each line's start carries through the places that are neither hits nor ends to the first that is.
    std::uint64_t line_starts = 1;
    std::uint64_t carry = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      const std::uint64_t others = ~(hits_[word] | line_ends_[word]);
      line_starts |= line_ends_[word] << 1;
      const std::uint64_t sum = others + line_starts;
      const std::uint64_t carried = sum + carry;
      carry = (sum < others || carried < sum) ? 1 : 0;
      line_starts = line_ends_[word] >> 63;
      for (std::uint64_t first = carried & hits_[word]; first != 0; first &= first - 1) {
        const std::uint64_t place = word * 64 + static_cast<unsigned>(std::countr_zero(first));
        queue_place(at, place);
        queue_.drop_last(lines_->is_known(begin + place));
      }
      if (queue_.is_nearly_full()) search_queued_lines(at, count);
      if (queue_.is_exhausted()) return;
    }
    search_queued_lines(at, count);
    queue_.end_disorder();
  }

  // Verifies the queue, one place of each line, until a match of the line is known or no place of it is left.
  void search_queued_lines(std::uint64_t at, std::uint64_t count) {
    while (queue_.size() != 0) {
      const std::size_t searched = queue_.size();
      queue_.verify();
      if (queue_.is_exhausted()) return;
      for (std::size_t item = 0; item < searched; ++item) {
        const std::uint64_t place = queue_.place(item) - (at - origin_);
        if (lines_->is_known(at + place - out_.begin())) continue;
        const std::uint64_t next = next_hit_of_line(place, count);
        if (next != 0) queue_place(at, next);
      }
    }
  }

  // The next place of the same line that passed, relative to the round; 0: there is none.
  HWY_INLINE std::uint64_t next_hit_of_line(std::uint64_t place, std::uint64_t count) const {
    std::uint64_t word = place / 64;
    std::uint64_t stops = (hits_[word] | line_ends_[word]) & ~std::uint64_t{0} << 1 << (place % 64);
    while (stops == 0) {
      if (++word == count) return 0;
      stops = hits_[word] | line_ends_[word];
    }
    const auto bit = static_cast<unsigned>(std::countr_zero(stops));
    return (hits_[word] >> bit & 1) != 0 ? word * 64 + bit : 0;
  }

  const FilterClass& filter_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint32_t window_;
  const std::uint64_t origin_;  // of the places in the queue
  const Lines* const lines_;    // where only one match of each line is wanted
  const bool known_before_;     // other classes have found matches
  PlaceQueue<folded> queue_;
  std::uint16_t near_places_[(round_words + 1) * 64];  // those of a round that passed in registers, then also in memory
  std::uint64_t hits_[round_words];                    // of each place of a round: whether its window passed
  std::uint64_t line_ends_[round_words];               // with lines_: the line terminators of a round
  std::uint32_t window_hashes_[round_words * 64 / stride];  // of all windows of a round; see hash_index
};

template <std::uint32_t stride, std::uint32_t words>
void scan_class_of_words(const FilterClass& filter, Collector& out) {
  filter.made.fold != 0 ? ClassScan<stride, words, true>(filter, out).run()
                        : ClassScan<stride, words, false>(filter, out).run();
}

template <std::uint32_t stride>
void scan_class_of_stride(const FilterClass& filter, Collector& out) {
  switch (window_words(filter.made.window)) {
    case 1: return scan_class_of_words<stride, 1>(filter, out);
    case 2: return scan_class_of_words<stride, 2>(filter, out);
    case 3: return scan_class_of_words<stride, 3>(filter, out);
    default: return scan_class_of_words<stride, 4>(filter, out);
  }
}

void scan_class(const FilterClass& filter, Collector& out) {
  switch (filter.made.stride) {
    case 1: return scan_class_of_stride<1>(filter, out);
    case 2: return scan_class_of_stride<2>(filter, out);
    default: return scan_class_of_stride<4>(filter, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {
namespace {

// Scanning a class pattern by pattern costs less than sampling up to this many patterns, for stride 1.
constexpr std::uint32_t few_patterns = 16;
// A sieve that lets more through, of each place, costs more than sampling.
constexpr double most_sieve_passes = 0.04;

class FilterScanner final : public Scanner {
 public:
  FilterScanner(const PlanData& plan, InstructionSet set)
      : run_class_(LODE_FOR_INSTRUCTION_SET(set, scan_class)),
        run_pattern_(vector_runner(set)),
        run_sieve_(sieve_runner(set)) {
    const std::vector<bool> is_sieved = choose_sieve(plan, set);
    for (std::size_t at = 0; at < is_sieved.size(); ++at) {
      const LengthClass& made = plan.filter.classes[at];
      if (is_sieved[at]) continue;
      if (made.pattern_count * made.stride <= few_patterns)
        add_patterns(plan, made);
      else
        classes_.emplace_back(plan, made, set);
    }
  }

  void scan(Collector& out) const override {
    for (const VectorPattern& pattern : patterns_) run_pattern_(pattern, out);
    if (sieve_) run_sieve_(*sieve_, out);
    for (const FilterClass& filter : classes_) run_class_(filter, out);
  }

 private:
  // Which classes are sieved: the smallest ones, as many as there is room for.
  std::vector<bool> choose_sieve(const PlanData& plan, InstructionSet set) {
    const std::vector<LengthClass>& classes = plan.filter.classes;
    std::vector<bool> is_sieved(classes.size());
    if (set == InstructionSet::baseline) return is_sieved;  // which has no look-ups
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return classes[a].pattern_count < classes[b].pattern_count; });
    std::vector<std::uint32_t> members;
    std::vector<bool> chosen = is_sieved;
    for (const std::size_t at : order) {
      if (classes[at].min_length < 2) continue;
      if (members.size() + classes[at].pattern_count > Sieve::most_patterns) break;
      const std::vector<std::uint32_t> more = members_of(plan, classes[at]);
      members.insert(members.end(), more.begin(), more.end());
      chosen[at] = true;
    }
    if (members.size() < 2) return is_sieved;  // one is `vector`'s
    sieve_ = std::make_unique<const Sieve>(plan, members, sieve_tests(set));
    if (sieve_->expected_passes() <= most_sieve_passes) return chosen;
    sieve_.reset();
    return is_sieved;
  }

  static std::vector<std::uint32_t> members_of(const PlanData& plan, const LengthClass& made) {
    std::vector<std::uint32_t> members;
    for (std::uint64_t entry = 0; entry < made.entry_count; ++entry)
      members.push_back(plan.filter.entries[made.first_entry + entry].distinct);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }

  void add_patterns(const PlanData& plan, const LengthClass& made) {
    for (const std::uint32_t distinct : members_of(plan, made)) patterns_.emplace_back(plan, distinct);
  }

  void (*run_class_)(const FilterClass&, Collector&);
  VectorRunner run_pattern_;
  SieveRunner run_sieve_;
  std::vector<VectorPattern> patterns_;
  std::unique_ptr<const Sieve> sieve_;  // or none
  std::vector<FilterClass> classes_;
};

}  // namespace

std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set) {
  return std::make_unique<FilterScanner>(plan, set);
}

}  // namespace lode
#endif
