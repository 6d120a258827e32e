// filter: hashes a window at every sampled place, tests one bit, verifies what passes.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers one. Here each class
// gets a bit table, one bit a hash, sized so that few bits are set and it stays in the nearest cache that allows that.
// Eight places are hashed and tested without a branch; only where one passes, the passing ones go to a queue. A full
// queue is verified in rounds that first ask for the memory they will need (buckets, then entries, then patterns).
// A class of very few patterns is scanned pattern by pattern as `vector` does.
// Worst case: every place passes and its bucket is long: sets of patterns that share all their windows, in a text made
// of them. Loses to `vector` on one pattern.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/filter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

template <std::uint32_t stride, bool long_window, bool folded>
class ClassScan {
 public:
  ClassScan(const FilterClass& filter, Collector& out)
      : filter_(filter),
        out_(out),
        text_(out.piece().data),
        bits_(filter.bits.data()),
        shift_(64 - filter.bit_count_log2),
        low_mask_(filter.made.window >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * filter.made.window)) - 1),
        high_offset_(long_window ? filter.made.window - 8 : 0) {}

  void run() {
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t window = filter_.made.window;
    if (size < window || out_.begin() >= out_.end()) return;
    // Places at which a window of an occurrence that starts in the range may lie.
    const std::uint64_t end = std::min(out_.end() + filter_.made.max_offset, size - window + 1);
    std::uint64_t at = (out_.begin() + stride - 1) / stride * stride;
    // A group of places reads this many bytes from its first place on.
    constexpr std::uint64_t reach = (group - 1) * stride + (long_window ? 16 : 8);
    while (at + (group - 1) * stride < end && at + reach <= size) {
      const std::uint64_t last = std::min(end - 1 - (group - 1) * stride, size - reach);
      at = scan_groups(at, last);
      verify_queue();
    }
    for (; at < end; at += stride) {
      const std::uint64_t hash = window_hash(text_ + at, filter_.made.window, folded);
      if (passes(hash)) push(at);
    }
    verify_queue();
  }

 private:
  static constexpr std::uint64_t group = 8;

  HWY_INLINE std::uint64_t hash_at(const std::uint8_t* place) const {
    std::uint64_t low = load_u64(place);
    if constexpr (folded) low = loose_fold(low);
    if constexpr (long_window) {
      std::uint64_t high = load_u64(place + high_offset_);
      if constexpr (folded) high = loose_fold(high);
      return window_hash_of_number(join_window(low, high));
    }
    return window_hash_of_number(low & low_mask_);
  }
  HWY_INLINE std::uint32_t passes(std::uint64_t hash) const {
    const std::uint64_t bit = hash >> shift_;
    return bits_[bit >> 5] >> (bit & 31) & 1;
  }

  // Groups that begin at at … last; returns where the next one begins. Stops early when the queue is full.
  std::uint64_t scan_groups(std::uint64_t at, std::uint64_t last) {
    for (; at <= last; at += group * stride) {
      const std::uint8_t* place = text_ + at;
      std::array<std::uint32_t, group> hits;
      for (std::uint64_t lane = 0; lane < group; ++lane) hits[lane] = passes(hash_at(place + lane * stride));
      std::uint32_t any = 0;
      for (std::uint64_t lane = 0; lane < group; ++lane) any |= hits[lane];
      if (HWY_LIKELY(any == 0)) continue;
      for (std::uint64_t lane = 0; lane < group; ++lane) {
        queue_[queued_] = at + lane * stride;
        queued_ += hits[lane];
      }
      if (HWY_UNLIKELY(queued_ + group > queue_.size())) return at + group * stride;
    }
    return at;
  }

  void push(std::uint64_t at) {
    queue_[queued_++] = at;
    if (queued_ + group > queue_.size()) verify_queue();
  }

  void verify_queue() {
    const LengthClass& made = filter_.made;
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint64_t at = queue_[item];
      const bool whole = at + (long_window ? 16 : 8) <= out_.piece().size;
      const std::uint64_t hash = whole ? hash_at(text_ + at) : window_hash(text_ + at, made.window, folded);
      hashes_[item] = hash;
      hwy::Prefetch(filter_.bucket_starts + window_bucket(hash, made.bucket_bits));
    }
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint32_t* bucket = filter_.bucket_starts + window_bucket(hashes_[item], made.bucket_bits);
      entry_begins_[item] = bucket[0];
      entry_ends_[item] = bucket[1];
      hwy::Prefetch(filter_.entries + bucket[0]);
    }
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint16_t tag = window_tag(hashes_[item]);
      for (std::uint32_t entry = entry_begins_[item]; entry < entry_ends_[item]; ++entry)
        if (filter_.entries[entry].tag == tag) verify(queue_[item], filter_.entries[entry]);
    }
    out_.add_candidates(queued_);
    queued_ = 0;
  }

  HWY_INLINE void verify(std::uint64_t at, const WindowEntry& entry) {
    if (at < entry.offset) return;
    const std::uint64_t start = at - entry.offset;
    const auto pattern = filter_.plan.bytes(entry.distinct);
    if (start + pattern.size() > out_.piece().size) return;
    const bool ignore_case = folded && filter_.plan.ignore_case(entry.distinct);
    if (!equal_bytes(text_ + start, pattern.data(), pattern.size(), ignore_case)) return;
    out_.emit(start, entry.distinct, static_cast<std::uint32_t>(pattern.size()));
  }

  static constexpr std::size_t queue_places = 256;

  const FilterClass& filter_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint32_t* bits_;
  const std::uint32_t shift_;
  const std::uint64_t low_mask_;
  const std::uint32_t high_offset_;
  std::size_t queued_ = 0;
  std::array<std::uint64_t, queue_places> queue_;  // places in the piece
  std::array<std::uint64_t, queue_places> hashes_;
  std::array<std::uint32_t, queue_places> entry_begins_;
  std::array<std::uint32_t, queue_places> entry_ends_;
};

template <std::uint32_t stride>
void scan_class_of_stride(const FilterClass& filter, Collector& out) {
  const bool long_window = filter.made.window > 8;
  if (filter.made.fold != 0)
    long_window ? ClassScan<stride, true, true>(filter, out).run() : ClassScan<stride, false, true>(filter, out).run();
  else
    long_window ? ClassScan<stride, true, false>(filter, out).run() : ClassScan<stride, false, false>(filter, out).run();
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

// Set bits are at most one in this many, so that few places pass by chance.
constexpr std::uint64_t bits_per_window = 32;
constexpr std::uint32_t least_bits_log2 = 13;
constexpr std::uint32_t most_bits_log2 = 28;

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

FilterClass::FilterClass(const PlanData& data, const LengthClass& length_class)
    : plan(data),
      made(length_class),
      bucket_starts(data.filter.bucket_starts.data() + made.first_bucket),
      entries(data.filter.entries.data() + made.first_entry) {
  bit_count_log2 = std::clamp(static_cast<std::uint32_t>(std::bit_width(made.entry_count * bits_per_window - 1)),
                              least_bits_log2, most_bits_log2);
  bits.resize(std::size_t{1} << (bit_count_log2 - 5));
  for (std::uint64_t at = 0; at < made.entry_count; ++at) {
    const auto pattern = plan.bytes(entries[at].distinct);
    const std::uint64_t hash = window_hash(pattern.data() + entries[at].offset, made.window, made.fold != 0);
    const std::uint64_t bit = hash >> (64 - bit_count_log2);
    bits[bit >> 5] |= std::uint32_t{1} << (bit & 31);
  }
}

std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set) {
  return std::make_unique<FilterScanner>(plan, set);
}

}  // namespace lode
#endif
