#include "plan/filter.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "lode/plan.hpp"
#include "plan/build_monitor.hpp"
#include "plan/length_classes.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {

constexpr std::uint64_t grain = 4096;

// Windows that the sample does not hold are told apart by their *grams*, shorter windows of so many bytes.
constexpr std::uint32_t gram_bytes = 4;
constexpr std::uint32_t text_weight = 16;  // a window in the text sample counts as much as so many in patterns

// Counts how often windows occur, in the text sample and among the patterns. They are counted by their hashes, so that
// a few share a count.
class WindowCounts {
 public:
  WindowCounts(std::uint64_t windows, unsigned threads)
      : shift_(32 - static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::bit_width(windows * 2), 10, 22))),
        is_shared_(threads > 1) {
    resize_empty(counts_, std::size_t{1} << (32 - shift_), threads);
  }

  void add(std::uint32_t hash, std::uint32_t weight) {
    const std::atomic_ref count(counts_[hash >> shift_]);
    // A single thread need not wait until its store has reached memory.
    if (is_shared_)
      count.fetch_add(weight, std::memory_order_relaxed);
    else
      count.store(count.load(std::memory_order_relaxed) + weight, std::memory_order_relaxed);
  }
  std::uint32_t operator()(std::uint32_t hash) const { return counts_[hash >> shift_]; }
  /// Prefetches the count that add() or operator() will soon look at.
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&counts_[hash >> shift_], 1); }

 private:
  std::uint32_t shift_;
  bool is_shared_;
  std::vector<std::uint32_t> counts_;
};

// Marks the hashes of what patterns hold; a few other hashes seem to be marked, too. For a set of few patterns only
// these are counted in the text sample, so that its tables stay small: most of the sample stands in no pattern.
class Marks {
 public:
  explicit Marks(std::uint64_t hashes)
      : bits_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::bit_width(hashes * 64), 12, 20))),
        marked_(std::size_t{1} << (bits_ - 6)) {}

  void mark(std::uint32_t hash) {
    const std::uint32_t at = hash >> (32 - bits_);
    marked_[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  bool has(std::uint32_t hash) const {
    const std::uint32_t at = hash >> (32 - bits_);
    return (marked_[at / 64] >> (at % 64) & 1) != 0;
  }

 private:
  std::uint32_t bits_;
  std::vector<std::uint64_t> marked_;
};

// At how many offsets a window of a pattern of this length may lie.
std::uint32_t offset_count(std::size_t length, std::uint32_t window) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(length - window, max_window_offset)) + 1;
}

// Buckets of few entries save comparisons. As long as the buckets' starts stay in the second cache, many buckets are
// cheaper.
constexpr std::uint64_t few_entries = std::uint64_t{1} << 12;

std::uint32_t choose_bucket_bits(std::uint64_t entries, std::uint64_t patterns, std::uint64_t most_bytes_per_pattern) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(entries, 2) - 1));
  const std::uint64_t fixed = patterns * sizeof(std::uint64_t) + entries * sizeof(WindowEntry);
  const auto fits = [&](std::uint32_t of) {
    return most_bytes_per_pattern == 0 || fixed + (sizeof(std::uint32_t) << of) <= most_bytes_per_pattern * patterns;
  };
  if (entries <= few_entries && fits(bits + 2)) return bits + 2;
  return entries <= 64 * few_entries && fits(bits + 1) ? bits + 1 : bits;
}

class ClassBuilder {
 public:
  ClassBuilder(const PlanData& plan, const FilterCosts& costs, const PlanOptions& options, BuildMonitor& monitor,
               LengthClass& length_class, std::vector<std::uint32_t> members)
      : plan_(plan),
        thorough_(costs.thorough),
        most_bytes_per_pattern_(costs.most_bytes_per_pattern),
        options_(options),
        monitor_(monitor),
        class_(length_class),
        members_(std::move(members)) {}

  void build(FilterTables& tables) {
    choose_windows();
    class_.bucket_bits = choose_bucket_bits(entries_.size(), members_.size(), most_bytes_per_pattern_);
    class_.first_bucket = tables.bucket_starts.size();
    class_.first_entry = tables.entries.size();
    class_.entry_count = entries_.size();
    sort_into_buckets(tables);
  }

 private:
  std::uint32_t hash_at(const std::uint8_t* at) const { return window_hash(at, class_.window, class_.fold != 0); }

  // The hashes of a pattern's windows, by their offsets.
  struct Hashes {
    std::array<std::uint32_t, max_window_offset + 1> of;
    std::uint32_t count = 0;
  };
  template <std::uint32_t words>
  void hash_windows(std::span<const std::uint8_t> pattern, Hashes& hashes) const {
    const std::uint32_t window = words == 1 ? class_.window : std::clamp(class_.window, 4 * words - 3, 4 * words);
    for (std::uint32_t offset = 0; offset < hashes.count; ++offset)
      hashes.of[offset] = window_hash(pattern.data() + offset, window, class_.fold != 0);
  }
  void hash_windows(std::uint64_t member, Hashes& hashes) const {
    const auto pattern = plan_.bytes(members_[member]);
    hashes.count = offset_count(pattern.size(), class_.window);
    switch (window_words(class_.window)) {
      case 1: return hash_windows<1>(pattern, hashes);
      case 2: return hash_windows<2>(pattern, hashes);
      case 3: return hash_windows<3>(pattern, hashes);
      default: return hash_windows<4>(pattern, hashes);
    }
  }

  // Calls take(member, hashes) for each member, and prefetches the counts of its windows in time: those of a large set
  // lie all over memory.
  template <class Take>
  void for_each_member(std::uint64_t begin, std::uint64_t end, const WindowCounts& counts, Take take) const {
    std::array<Hashes, 2> hashes;
    for (std::uint64_t member = begin; member <= end; ++member) {
      if (member < end) {
        Hashes& next = hashes[member % 2];
        hash_windows(member, next);
        for (std::uint32_t offset = 0; offset < next.count; ++offset) counts.prefetch(next.of[offset]);
      }
      if (member > begin) take(member - 1, hashes[(member - 1) % 2]);
    }
  }

  std::uint32_t gram_hash(const std::uint8_t* at) const { return window_hash(at, gram_bytes, class_.fold != 0); }

  // Marks every window that may be chosen, and if `weighs_grams` every gram of one.
  void mark_members(std::optional<Marks>& windows, std::optional<Marks>& grams, bool weighs_grams) const {
    std::uint64_t bytes = 0;
    for (const std::uint32_t member : members_) bytes += plan_.bytes(member).size();
    windows.emplace(bytes);
    if (weighs_grams) grams.emplace(bytes);
    for (const std::uint32_t member : members_) {
      const auto pattern = plan_.bytes(member);
      const std::uint32_t offsets = offset_count(pattern.size(), class_.window);
      for (std::uint32_t offset = 0; offset < offsets; ++offset) windows->mark(hash_at(pattern.data() + offset));
      if (!weighs_grams) continue;
      for (std::uint32_t at = 0; at + gram_bytes < offsets + class_.window; ++at)
        grams->mark(gram_hash(pattern.data() + at));
    }
  }

  void choose_windows() {
    const unsigned threads = thread_count(options_.threads);
    // If each residue has but one place, there is nothing to choose.
    const bool choice = class_.max_length >= class_.window + class_.stride;
    const std::string_view sample = options_.text_sample.substr(0, max_text_sample_bytes);
    const bool weighs_grams = choice && thorough_ && class_.window > gram_bytes && !sample.empty();
    std::optional<Marks> window_marks, gram_marks;
    if (choice && !sample.empty() && members_.size() <= grain) mark_members(window_marks, gram_marks, weighs_grams);
    const std::uint64_t of_sample = window_marks ? 0 : sample.size() * 2;
    const std::uint64_t of_members = members_.size() * (window_marks ? std::uint64_t{64} : std::uint64_t{8});
    WindowCounts counts(choice ? of_members + of_sample : 0, threads);
    WindowCounts grams(weighs_grams ? (gram_marks ? of_members : of_sample) : 0, 1);
    const Rarity rarity{counts, weighs_grams ? &grams : nullptr};
    if (choice) {
      run_ranges(threads, members_.size(), grain, [&](std::uint64_t begin, std::uint64_t end) {
        monitor_.advance(0);
        for_each_member(begin, end, counts, [&](std::uint64_t, const Hashes& hashes) {
          for (std::uint32_t offset = 0; offset < hashes.count; ++offset) counts.add(hashes.of[offset], 1);
        });
      });
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(sample.data());
      for (std::size_t at = 0; at + class_.window <= sample.size(); ++at) {
        const std::uint32_t hash = hash_at(bytes + at);
        if (!window_marks || window_marks->has(hash)) counts.add(hash, text_weight);
        if (!weighs_grams) continue;
        const std::uint32_t gram = gram_hash(bytes + at);
        if (!gram_marks || gram_marks->has(gram)) grams.add(gram, 1);
      }
    }
    resize_empty(entries_, members_.size() * class_.stride, threads);
    resize_empty(hashes_, entries_.size(), threads);
    std::atomic<std::uint32_t> max_offset{0};
    run_ranges(threads, members_.size(), grain, [&](std::uint64_t begin, std::uint64_t end) {
      monitor_.advance(end - begin);
      std::uint32_t highest = 0;
      for_each_member(begin, end, counts, [&](std::uint64_t member, const Hashes& hashes) {
        highest = std::max(highest, choose_windows_of(member, hashes, choice ? &rarity : nullptr));
      });
      std::uint32_t known = max_offset.load();
      while (known < highest && !max_offset.compare_exchange_weak(known, highest)) {
      }
    });
    class_.max_offset = max_offset.load();
  }

  struct Rarity {
    const WindowCounts& windows;
    const WindowCounts* grams;  // null where they are not weighed
  };

  // A number that is lower for a rarer window: by its count in the text sample, then by that of its rarest gram there,
  // then by its count in the set. These stand in the number from the top:
  //
  //   count / text_weight (32 bits)   gram (24 bits)   count % text_weight (8 bits)
  std::uint64_t frequency(const std::uint8_t* at, std::uint32_t hash, const Rarity& rarity) const {
    const std::uint32_t count = rarity.windows(hash);
    if (rarity.grams == nullptr) return count;
    std::uint32_t least = UINT32_MAX;
    for (std::uint32_t gram = 0; gram + gram_bytes <= class_.window; ++gram)
      least = std::min(least, (*rarity.grams)(gram_hash(at + gram)));
    return std::uint64_t{count / text_weight} << 32 | std::uint64_t{std::min(least, 0xffffffu)} << 8 |
           count % text_weight;
  }

  // Chooses a member's window for each residue. Returns the highest of their offsets.
  std::uint32_t choose_windows_of(std::uint64_t member, const Hashes& hashes, const Rarity* rarity) {
    const std::uint32_t distinct = members_[member];
    const std::uint8_t* const pattern = plan_.bytes(distinct).data();
    std::uint32_t highest = 0;
    for (std::uint32_t residue = 0; residue < class_.stride; ++residue) {
      std::uint32_t best = residue;
      if (rarity != nullptr) {
        std::uint64_t least = frequency(pattern + residue, hashes.of[residue], *rarity);
        for (std::uint32_t offset = residue + class_.stride; offset < hashes.count; offset += class_.stride) {
          const std::uint64_t found = frequency(pattern + offset, hashes.of[offset], *rarity);
          best = found < least ? offset : best;
          least = std::min(least, found);
        }
      }
      highest = std::max(highest, best);
      const std::uint32_t hash = hashes.of[best];
      entries_[member * class_.stride + residue] = {distinct, static_cast<std::uint16_t>(best), window_tag(hash)};
      hashes_[member * class_.stride + residue] = hash;
    }
    return highest;
  }

  void sort_into_buckets(FilterTables& tables) {
    const std::size_t bucket_count = std::size_t{1} << class_.bucket_bits;
    const std::uint32_t shift = 32 - class_.bucket_bits;
    const unsigned threads = thread_count(options_.threads);
    tables.bucket_starts.resize(class_.first_bucket + bucket_count + 1);
    tables.entries.resize(class_.first_entry + entries_.size());
    std::uint32_t* starts = tables.bucket_starts.data() + class_.first_bucket;
    WindowEntry* sorted = tables.entries.data() + class_.first_entry;

    std::fill(starts, starts + bucket_count + 1, 0);
    for (const std::uint32_t hash : hashes_) ++starts[(hash >> shift) + 1];
    for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) starts[bucket + 1] += starts[bucket];
    monitor_.advance(0);
    std::vector<std::uint32_t> next(starts, starts + bucket_count);
    for (std::size_t entry = 0; entry < entries_.size(); ++entry)
      sorted[next[hashes_[entry] >> shift]++] = entries_[entry];
    monitor_.advance(0);
    run_ranges(threads, bucket_count, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t bucket = begin; bucket < end; ++bucket) {
        if (starts[bucket + 1] - starts[bucket] < 2) continue;
        std::sort(sorted + starts[bucket], sorted + starts[bucket + 1], [](const WindowEntry& a, const WindowEntry& b) {
          if (a.tag != b.tag) return a.tag < b.tag;
          return a.offset != b.offset ? a.offset < b.offset : a.distinct < b.distinct;
        });
      }
    });
  }

  const PlanData& plan_;
  bool thorough_;
  std::uint64_t most_bytes_per_pattern_;
  const PlanOptions& options_;
  BuildMonitor& monitor_;
  LengthClass& class_;
  std::vector<std::uint32_t> members_;  // distinct indexes
  std::vector<WindowEntry> entries_;    // one for each member and residue
  std::vector<std::uint32_t> hashes_;   // each entry's window hash
};

}  // namespace

FilterTables build_filter_tables(const PlanData& plan, const FilterCosts& costs, const PlanOptions& options,
                                 BuildMonitor& monitor) {
  FilterTables tables;
  tables.classes = choose_length_classes(plan, costs);
  std::vector<std::vector<std::uint32_t>> members(tables.classes.size());
  for (std::size_t at = 0; at < members.size(); ++at) members[at].reserve(tables.classes[at].pattern_count);
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const std::size_t length = plan.bytes(distinct).size();
    std::size_t at = 0;
    while (tables.classes[at].max_length < length) ++at;
    members[at].push_back(distinct);
  }
  std::uint64_t entry_count = 0;
  std::uint64_t bucket_count = 0;
  for (const LengthClass& length_class : tables.classes) {
    const std::uint64_t entries = std::uint64_t{length_class.pattern_count} * length_class.stride;
    entry_count += entries;
    bucket_count +=
        (std::uint64_t{1} << choose_bucket_bits(entries, length_class.pattern_count, costs.most_bytes_per_pattern)) + 1;
  }
  tables.entries.reserve(entry_count);
  tables.bucket_starts.reserve(bucket_count);
  advise_huge_pages(tables.entries.data(), entry_count * sizeof(WindowEntry));
  advise_huge_pages(tables.bucket_starts.data(), bucket_count * sizeof(std::uint32_t));
  for (std::size_t at = 0; at < members.size(); ++at) {
    tables.classes[at].fold = plan.patterns.any_ignore_case() ? 1 : 0;
    ClassBuilder(plan, costs, options, monitor, tables.classes[at], std::move(members[at])).build(tables);
  }
  return tables;
}

}  // namespace lode
