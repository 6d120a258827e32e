// filter: hashes a window at every sampled place, tests one bit, verifies what passes.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers one. Here each class
// gets a blocked Bloom filter: three bits of one 32-bit word for each window. A vector of windows is hashed at once, the
// words are gathered, and the places that pass go to a queue. A full queue is verified in
// rounds that first ask for the memory they will need (buckets, then entries).
// A class of very few patterns is scanned pattern by pattern as `vector` does.
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
#include <vector>

#include "cpu/filter_class.hpp"
#include "cpu/scanner.hpp"
#include "cpu/vector.hpp"

namespace lode {

// Bytes of a pattern that are compared at once.
inline constexpr std::size_t head_bytes = 16;

// head_masks[n] selects the first n of 16 bytes, as two numbers.
inline constexpr auto head_masks = [] {
  std::array<std::array<std::uint64_t, 2>, head_bytes + 1> masks{};
  for (std::size_t length = 0; length <= head_bytes; ++length)
    for (std::size_t byte = 0; byte < length; ++byte) masks[length][byte / 8] |= std::uint64_t{0xff} << (byte % 8 * 8);
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
        queue_limit_(out.one_per_line() ? 16 : queue_places - group_places) {}

  void run() {
    const std::uint64_t size = out_.piece().size;
    if (size < window_ || out_.begin() >= out_.end()) return;
    // Places at which a window of an occurrence that starts in the range may lie.
    const std::uint64_t end = std::min(out_.end() + filter_.made.max_offset, size - window_ + 1);
    std::uint64_t at = origin_;
    // A group reads this many bytes from its first place on.
    constexpr std::uint64_t reach = group_bytes + 4 * words + 4;
    while (at + group_bytes <= end && at + reach <= size) {
      const std::uint64_t groups = scan_groups(at, std::min(end - group_bytes, size - reach));
      queue_hits(at, groups);
      at += groups * group_bytes;
    }
    for (; at < end; at += stride) {
      queue_[queued_] = static_cast<std::uint32_t>(at - origin_);
      hashes_[queued_] = window_hash(text_ + at, window_, folded);
      queued_ += filter_.passes(hashes_[queued_]) ? 1 : 0;
      if (queued_ >= queue_limit_) verify_queue();
    }
    verify_queue();
  }

 private:
  static constexpr std::size_t queue_places = 512;
  static constexpr std::uint64_t lanes = hn::MaxLanes(Words());
  // A group is one vector of windows for each residue of the places modulo 4.
  static constexpr std::uint64_t group_bytes = 4 * lanes;
  static constexpr std::uint64_t group_places = group_bytes / stride;
  static constexpr std::size_t round_groups = 16;
  static constexpr std::size_t line_round_groups = 8;

  // Tests the windows of the groups that begin at at … last, of one round at most; returns their number. What passed is
  // only noted: a branch on it would wait for the gather each time it is mispredicted.
  std::uint64_t scan_groups(const std::uint64_t at, const std::uint64_t last) {
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
    std::uint64_t offsets[words];
    for (std::uint32_t word = 0; word < words; ++word) {
      multipliers[word] = hn::Set(d, window_multipliers[word]);
      offsets[word] = window_word_offset(window_, word);
    }
    const bool lines = out_.one_per_line();
    const std::uint64_t groups =
        std::min((last - at) / group_bytes + 1, std::uint64_t{lines ? line_round_groups : round_groups});
    for (std::uint64_t group = 0; group < groups; ++group) {
      std::uint64_t hits = 0;
      if (lines && skip_marked(at + group * group_bytes)) {
        hits_[group] = 0;
        continue;
      }
      for (std::uint32_t residue = 0; residue < 4; residue += stride) {
        WordVector sum = hn::Zero(d);
        for (std::uint32_t word = 0; word < words; ++word) {
          auto bytes = load_words(text_ + at + group * group_bytes + residue + offsets[word]);
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
        hits |= mask_bits(d, hn::Eq(hn::And(found, wanted), wanted)) << (residue / stride * lanes);
      }
      hits_[group] = hits;
    }
    return groups;
  }

  // Whether all places of the group lie in lines of which a match is known.
  HWY_INLINE bool skip_marked(std::uint64_t at) const {
    if constexpr (group_bytes <= 64) return out_.are_64_marked(at);
    return false;
  }

  // Queues the places that passed in the `groups` groups from `at` on, and verifies full queues.
  void queue_hits(std::uint64_t at, std::uint64_t groups) {
    for (std::uint64_t group = 0; group < groups; ++group) {
      const auto base = static_cast<std::uint32_t>(at + group * group_bytes - origin_);
      std::size_t queued = queued_;
      for (std::uint64_t hits = hits_[group]; hits != 0; hits &= hits - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(hits));
        queue_[queued] = base + bit / lanes * stride + bit % lanes * 4;
        hashes_[queued] = window_hashes_[group * group_places + bit];
        hwy::Prefetch(filter_.bucket_starts + window_bucket(hashes_[queued], filter_.made.bucket_bits));
        ++queued;
      }
      queued_ = queued;
      if (queued_ >= queue_limit_) verify_queue();
    }
  }

  // Rounds over the queue, each without hard-to-predict branches and each asking for the memory of the next.
  void verify_queue() {
    const LengthClass& made = filter_.made;
    if (out_.one_per_line()) drop_marked();
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint32_t* bucket = filter_.bucket_starts + window_bucket(hashes_[item], made.bucket_bits);
      entry_begins_[item] = bucket[0];
      entry_ends_[item] = bucket[1];
      hwy::Prefetch(filter_.entries + bucket[0]);
    }
    std::size_t pending = 0;
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint16_t tag = window_tag(hashes_[item]);
      if (HWY_UNLIKELY(entry_ends_[item] - entry_begins_[item] >= FilterClass::crowd_entries)) {
        filter_.search_crowd(entry_begins_[item], tag, text_, out_.piece().size, origin_ + queue_[item],
                             [&](std::uint64_t start, std::uint32_t distinct, std::uint32_t length) {
                               out_.emit(start, distinct, length);
                             });
        continue;
      }
      for (std::uint32_t at = entry_begins_[item]; at < entry_ends_[item]; ++at) {
        const WindowEntry& entry = filter_.entries[at];
        pending_[pending] = {origin_ + queue_[item] - entry.offset, entry.distinct};
        pending += entry.tag == tag ? 1 : 0;
        if (HWY_UNLIKELY(pending == queue_places)) pending = verify_pending(pending);
      }
    }
    verify_pending(pending);
    out_.add_candidates(queued_);
    queued_ = 0;
  }

  // Leaves out the places in lines of which a match is known. A pattern has no line terminator in it where this is
  // asked for, so an occurrence lies in one line, and its windows too.
  void drop_marked() {
    std::size_t kept = 0;
    for (std::size_t item = 0; item < queued_; ++item) {
      queue_[kept] = queue_[item];
      hashes_[kept] = hashes_[item];
      kept += out_.is_marked(origin_ + queue_[item]) ? 0 : 1;
    }
    queued_ = kept;
  }

  // Compares the patterns that pending_ names, the first 16 bytes of all before the rest of any. Returns 0.
  std::size_t verify_pending(const std::size_t pending) {
    const PlanData& plan = filter_.plan;
    for (std::size_t item = 0; item < pending; ++item) {
      patterns_[item] = plan.bytes(pending_[item].distinct);
      hwy::Prefetch(patterns_[item].data());
    }
    const std::uint64_t size = out_.piece().size;
    std::size_t equal = 0;
    for (std::size_t item = 0; item < pending; ++item) {
      const std::span<const std::uint8_t> pattern = patterns_[item];
      const std::uint64_t start = pending_[item].start;
      equal_[equal] = static_cast<std::uint32_t>(item);
      const bool readable =
          start < size && size - start >= head_bytes && pattern.data() + head_bytes <= filter_.patterns_end;
      if (HWY_LIKELY(readable))
        equal += heads_differ(text_ + start, pattern, ignores_case(item)) ? 0 : 1;
      else
        equal += start < size && pattern.size() <= size - start ? 1 : 0;
    }
    for (std::size_t item = 0; item < equal; ++item) {
      const std::span<const std::uint8_t> pattern = patterns_[equal_[item]];
      const Pending& place = pending_[equal_[item]];
      if (pattern.size() > size - place.start) continue;
      const bool decided = pattern.size() <= head_bytes && place.start + head_bytes <= size &&
                           pattern.data() + head_bytes <= filter_.patterns_end;
      if (!decided && !equal_bytes(text_ + place.start, pattern.data(), pattern.size(), ignores_case(equal_[item])))
        continue;
      out_.emit(place.start, place.distinct, static_cast<std::uint32_t>(pattern.size()));
    }
    return 0;
  }

  HWY_INLINE bool ignores_case(std::size_t item) const {
    return folded && filter_.plan.ignore_case(pending_[item].distinct);
  }

  // Whether the first bytes of the pattern differ from the text, head_bytes of them where it has as many.
  static HWY_INLINE bool heads_differ(const std::uint8_t* text, std::span<const std::uint8_t> pattern,
                                      bool ignore_case) {
    const std::size_t length = std::min<std::size_t>(pattern.size(), head_bytes);
    std::uint64_t text_low = load_u64(text);
    std::uint64_t text_high = load_u64(text + 8);
    std::uint64_t pattern_low = load_u64(pattern.data());
    std::uint64_t pattern_high = load_u64(pattern.data() + 8);
    if (folded && ignore_case) {
      text_low = fold_u64(text_low);
      text_high = fold_u64(text_high);
      pattern_low = fold_u64(pattern_low);
      pattern_high = fold_u64(pattern_high);
    }
    return (((text_low ^ pattern_low) & head_masks[length][0]) |
            ((text_high ^ pattern_high) & head_masks[length][1])) != 0;
  }

  struct Pending {
    std::uint64_t start = 0;  // in the piece; wraps round where the pattern would begin before it
    std::uint32_t distinct = 0;
  };

  const FilterClass& filter_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint32_t window_;
  const std::uint64_t origin_;     // of the places in the queue
  const std::size_t queue_limit_;  // a queue of so many places is verified; small where each match saves others
  std::size_t queued_ = 0;
  std::uint64_t hits_[round_groups];  // bit residue / stride * lanes + lane: the window at residue + 4 * lane passed
  std::uint32_t window_hashes_[round_groups * group_places];  // of all windows of a round, in the order of the bits
  std::uint32_t queue_[queue_places + 1];                     // places, relative to origin_
  std::uint32_t hashes_[queue_places + 1];                    // of their windows
  std::uint32_t entry_begins_[queue_places];
  std::uint32_t entry_ends_[queue_places];
  Pending pending_[queue_places + 1];  // one more: written before it is known to count
  std::span<const std::uint8_t> patterns_[queue_places];
  std::uint32_t equal_[queue_places + 1];  // of pending_: those whose heads are equal
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

class FilterScanner final : public Scanner {
 public:
  FilterScanner(const PlanData& plan, InstructionSet set)
      : run_class_(LODE_FOR_INSTRUCTION_SET(set, scan_class)), run_pattern_(vector_runner(set)) {
    for (const LengthClass& made : plan.filter.classes) {
      if (made.pattern_count * made.stride <= few_patterns)
        add_patterns(plan, made);
      else
        classes_.emplace_back(plan, made);
    }
  }

  void scan(Collector& out) const override {
    for (const VectorPattern& pattern : patterns_) run_pattern_(pattern, out);
    for (const FilterClass& filter : classes_) run_class_(filter, out);
  }

 private:
  void add_patterns(const PlanData& plan, const LengthClass& made) {
    std::vector<std::uint32_t> members;
    for (std::uint64_t entry = 0; entry < made.entry_count; ++entry)
      members.push_back(plan.filter.entries[made.first_entry + entry].distinct);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    for (const std::uint32_t distinct : members) patterns_.emplace_back(plan, distinct);
  }

  void (*run_class_)(const FilterClass&, Collector&);
  VectorRunner run_pattern_;
  std::vector<VectorPattern> patterns_;
  std::vector<FilterClass> classes_;
};

}  // namespace

std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set) {
  return std::make_unique<FilterScanner>(plan, set);
}

}  // namespace lode
#endif
