#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "gpu/algorithms/algorithm.hpp"
#include "plan/build_monitor.hpp"
#include "plan/filter.hpp"

namespace lode::gpu {
namespace {

using abi::lode_entry;

constexpr std::uint32_t filter_group_items = 1024;
// These hold if a group may have little local memory, as with NVIDIA's OpenCL. With so many items a unit, each item has
// 64 registers.
constexpr std::uint32_t small_local_bytes = 64 << 10;
constexpr std::uint32_t small_group_items = 256;
constexpr std::uint32_t small_items_of_unit = 1024;
constexpr std::uint32_t caching_group_items = 512;  // if the unit's cache holds the first filter
constexpr std::uint32_t least_first_words = 256;
// A first filter in local memory is no larger: what is left of local memory caches the text under way.
constexpr std::uint32_t most_first_words = 30 << 10;
constexpr std::uint32_t most_second_log2 = 22;  // 16 MiB: what an L2 cache holds
constexpr std::uint32_t most_first_bits = 3;    // bits of a word, for each window
constexpr std::uint32_t max_windows = 32;       // windows of an item in a tile
constexpr std::uint32_t most_blocks = 8;        // blocks of an item in a tile
// Where teams exchange, each item has room in the queues for four places, and two entries of three words to compare.
constexpr std::uint32_t team_queue_words = 4 + 2 * 3;

// Costs of filters in instructions of an item: counted in the kernel, then fitted to its measured rates.
constexpr double bit_cost = 2;                  // each bit of a window
constexpr double second_cost = 12;              // asking the second filter
constexpr double far_cost = 30;                 // a look-up in global memory
constexpr double queue_cost = 60;               // a tile in which anything passes
constexpr double hit_cost = 8;                  // each place of a team's tile that passes
constexpr double words_of_instruction = 2'200;  // so many words of local memory cost an instruction a block: less cache
constexpr double cached_cost = 2;               // a look-up in a table that the unit's cache holds
constexpr double clearly_less = 0.82;           // share of another filter's cost that is worth a change; fitted

// A small set stays in caches even with spare buckets. It gets 4 times as many, so that most have a single entry.
constexpr std::uint64_t most_with_spare_buckets = 1 << 16;
constexpr std::uint32_t spare_buckets_log2 = 2;
constexpr std::uint64_t spared_of_memory = 512;  // a class takes at most this part of the device's memory for them

// With more patterns, the widest stride has too many windows for the first filter. The number was measured.
constexpr std::uint32_t most_at_widest_stride = 50'000;

// A pass is dear, because it reads the whole text again. The costs were measured.
constexpr FilterCosts gpu_filter_costs{.max_stride = 8,
                                       .long_window = 1.1,
                                       .candidate = 30,
                                       .entry = 15,
                                       .pass = 0.3,
                                       .near_bits = 32.0 * most_first_words,
                                       .far_look = 12,
                                       .thorough = true,
                                       .compare_limit = 4,
                                       .compare_per_pattern = 0.27,
                                       .look_up_share = 0,
                                       .most_bytes_per_pattern = 0};

// The share of a window in its class's tables: an entry behind the first ones, up to two places for first entries, two
// words of the first filter and one of the second. A class has at least `least_first_words` and 128 words. A small
// class may take more: up to 120 KiB for the first filter, and spare buckets if there is room for them
// (choose_bucket_log2).
constexpr std::uint64_t bytes_of_window = 3 * sizeof(lode_entry) + 3 * 4;
constexpr std::uint64_t least_class_bytes = (least_first_words + 128 + 64) * 4;
constexpr std::uint64_t most_classes = max_window_length + gpu_filter_costs.max_stride - 1;

// Whether `vector` serves the class. `vector` tests each pattern at every place; `filter` looks a window up at every
// stride-th place. So `vector` wins if patterns are few and the stride is narrow, and it always serves a single
// pattern.
bool is_compared(const LengthClass& length_class) {
  return length_class.pattern_count == 1 ||
         length_class.pattern_count * length_class.stride <= gpu_filter_costs.compare_limit;
}

constexpr std::uint32_t top_bit = 0x80000000u;

static_assert(max_pattern_length < (std::uint64_t{1} << (32 - LODE_LENGTH_SHIFT)));
static_assert(max_window_offset < (1u << LODE_LENGTH_SHIFT));

// The hash of filter.cl: filter_add for each word.
std::uint32_t hash_window(const std::uint8_t* at, std::uint32_t window, bool folds) {
  constexpr std::uint32_t multipliers[4] = {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du, 0x27D4EB2Fu};
  std::uint32_t sum = 0;
  const std::uint32_t words = (window + 3) / 4;
  for (std::uint32_t word = 0; word < words; ++word) {
    const std::uint32_t bytes = std::min(4u, window - 4 * word);
    std::uint32_t value = load_partial_u32(at + 4 * word, bytes);
    if (folds) value |= loose_fold_mask;
    sum += value * (multipliers[word] << (8 * (4 - bytes)));
  }
  return sum;
}

std::uint32_t second_hash(std::uint32_t hash) { return hash * 0x7FEB352Du; }

std::uint32_t bucket_of(std::uint32_t hash, std::uint32_t bucket_log2) {
  return (hash ^ (hash >> 16)) * 0x2C1B3C6Du >> (32 - bucket_log2);
}

// The place of a window's first bit in a filter.
std::uint32_t filter_bit(std::uint32_t hash, std::uint64_t words) {
  return static_cast<std::uint32_t>(hash * (words * 32) >> 32);
}

// The top of the hash (t) names a word and the first bit in it. The bottom names a second and a third bit of that word:
//   hash  tttttttt tttttttt tttttt33 33322222
void set_bits(std::vector<std::uint32_t>& filter, std::uint32_t hash, std::uint32_t bits) {
  const std::uint32_t bit = filter_bit(hash, filter.size());
  std::uint32_t& word = filter[bit / 32];
  word |= top_bit >> bit % 32;
  if (bits > 1) word |= top_bit >> hash % 32;
  if (bits > 2) word |= top_bit >> (hash >> 5) % 32;
}

// Another hash names the word in the second filter and one of its bits; its other bit stands where the first filter's
// first bit stands in its word.
void set_second_bits(std::vector<std::uint32_t>& second, std::uint32_t log2, std::uint32_t hash, std::uint32_t bit) {
  const std::uint32_t mixed = second_hash(hash);
  second[mixed >> (32 - log2)] |= top_bit >> bit % 32 | top_bit >> mixed % 32;
}

// The share of the windows that are not in a filter and pass it all the same, by bits of other windows in their word.
// The number of those other windows has a Poisson distribution.
double share_passing(std::uint64_t windows, std::uint64_t words, std::uint32_t bits) {
  const double mean = static_cast<double>(windows) / static_cast<double>(words);
  double share = 0;
  double chance = std::exp(-mean);
  for (std::uint32_t others = 0; others < 128; ++others) {
    share += chance * std::pow(1 - std::pow(31.0 / 32, static_cast<double>(bits * others)), bits);
    chance *= mean / (others + 1);
  }
  return mean > 64 ? 1 : share;
}

enum class Place { local, cached, far };

struct FirstFilter {
  Place place = Place::local;
  std::uint64_t words = 0;
  std::uint32_t bits = 1;
  std::uint32_t second_log2 = 0;  // the second filter has 2^second_log2 words; 0: there is none
};

// The instructions that an item needs for a block of 16 bytes, beside those for hashing.
double cost_of(const FirstFilter& chosen, std::uint64_t entries, std::uint32_t stride, std::uint32_t blocks) {
  const double windows = 16.0 / stride;
  double passing = share_passing(entries, chosen.words, chosen.bits);
  double cost = windows * bit_cost * chosen.bits;
  switch (chosen.place) {
    case Place::local: cost += static_cast<double>(chosen.words) / words_of_instruction; break;
    case Place::cached: cost += windows * cached_cost; break;
    case Place::far: cost += windows * far_cost; break;
  }
  if (chosen.second_log2 != 0) {
    cost += windows * (second_cost + far_cost * passing);
    passing *= share_passing(entries, std::uint64_t{1} << chosen.second_log2, 2);
  }
  const double hits = 32 * blocks * windows * passing;  // in a tile
  return cost + (queue_cost * (1 - std::exp(-hits)) + hit_cost * hits) / blocks;
}

FirstFilter choose_first_filter(std::uint64_t entries, const LengthClass& length_class, std::uint32_t blocks,
                                std::uint64_t room_words, std::uint64_t cached_words) {
  const std::uint32_t stride = length_class.stride;
  // A window shorter than a word has zeros at the bottom of its hash (see filter_add), so further bits would be the
  // same for all windows.
  const std::uint32_t most_bits = length_class.window < sizeof(std::uint32_t) ? 1 : most_first_bits;
  const auto wanted_log2 = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(entries / 2, 64)));
  const std::uint32_t far_log2 = std::min(most_second_log2, wanted_log2);
  FirstFilter best{
      .place = Place::far, .words = std::uint64_t{1} << far_log2, .bits = std::min(2u, most_bits), .second_log2 = 0};
  double least = cost_of(best, entries, stride, blocks);
  for (std::uint64_t times = 1; times <= 8; times *= 2) {
    const std::uint64_t words = std::min(std::max<std::uint64_t>(least_first_words, entries * times), room_words);
    if (words < least_first_words) break;
    for (std::uint32_t bits = 1; bits <= most_bits; ++bits) {
      for (const std::uint32_t second_log2 : {0U, most_bits > 1 ? far_log2 : 0U}) {
        const FirstFilter tried{.place = Place::local, .words = words, .bits = bits, .second_log2 = second_log2};
        const double cost = cost_of(tried, entries, stride, blocks);
        if (cost >= least) continue;
        least = cost;
        best = tried;
      }
    }
  }
  const FirstFilter cached{.place = Place::cached, .words = cached_words, .bits = 1, .second_log2 = far_log2};
  if (most_bits > 1 && cached_words > room_words && cost_of(cached, entries, stride, blocks) < clearly_less * least)
    return cached;
  return best;
}

std::uint32_t choose_bucket_log2(std::uint64_t entries, const Limits& limits) {
  const auto log2 = static_cast<std::uint32_t>(std::bit_width(entries));
  const std::uint64_t spared_bytes = sizeof(lode_entry) << (log2 + spare_buckets_log2);
  // Spare buckets are not part of filter_table_bytes().
  const bool spares = entries <= most_with_spare_buckets && spared_bytes <= limits.memory_bytes / spared_of_memory;
  return spares ? log2 + spare_buckets_log2 : log2;
}

class Filter final : public Algorithm {
 public:
  explicit Filter(const AlgorithmSetup& setup) {
    PlanOptions options;
    options.threads = setup.options.threads;
    options.text_sample = setup.plan.text_sample;
    BuildMonitor monitor(options, setup.plan.distinct_count());
    FilterCosts costs = gpu_filter_costs;
    if (setup.plan.distinct_count() > most_at_widest_stride) costs.max_stride /= 2;
    const PatternAmount amount{setup.plan.distinct_count(), setup.plan.patterns.total_bytes()};
    while (costs.max_stride > 1 && !has_room(setup.runtime.limits(), filter_table_bytes(costs.max_stride), amount))
      costs.max_stride /= 2;
    tables_ = build_filter_tables(setup.plan, costs, options, monitor);
    std::vector<std::uint32_t> few;
    for (const LengthClass& length_class : tables_.classes) {
      if (is_compared(length_class))
        add_members(few, length_class);
      else
        add_class(setup, length_class);
    }
    if (!few.empty()) {
      vector_ = make_vector_of(setup, few);
      passes_.insert(passes_.end(), vector_->passes().begin(), vector_->passes().end());
    }
    tables_ = {};
  }

 private:
  void add_members(std::vector<std::uint32_t>& distincts, const LengthClass& length_class) const {
    for (std::uint64_t entry = 0; entry < length_class.entry_count; ++entry)
      distincts.push_back(tables_.entries[length_class.first_entry + entry].distinct);
    std::sort(distincts.begin(), distincts.end());
    distincts.erase(std::unique(distincts.begin(), distincts.end()), distincts.end());
  }

  void add_class(const AlgorithmSetup& setup, const LengthClass& length_class) {
    const Limits& limits = setup.runtime.limits();
    const bool teams = limits.team_items != 0;
    Pass pass;
    pass.file = "filter";
    pass.entry = "lode_filter";
    const bool is_small = teams && limits.local_bytes <= small_local_bytes;
    pass.group_items = choose_group_items(setup, !teams ? 64 : is_small ? small_group_items : filter_group_items);
    const std::uint32_t team = teams ? limits.team_items : pass.group_items;
    const std::uint32_t windows_per_block = 16 / length_class.stride;
    const std::uint32_t blocks = std::min(most_blocks, max_windows / windows_per_block);
    // If teams exchange, places and entries wait in queues for a full team; else only places do.
    const std::uint32_t queue_words = team * (teams ? team_queue_words : blocks * windows_per_block + 1);
    const auto queue_bytes = [&] { return pass.group_items / team * (1 + queue_words) * 4; };
    const std::uint32_t room_words = limits.local_bytes > queue_bytes() ? (limits.local_bytes - queue_bytes()) / 4 : 0;
    // A unit uses as a cache what its groups leave of its local memory.
    const std::uint32_t cached_words = is_small ? std::min(limits.unit_local_bytes / 2 / 4, most_first_words) : 0;
    const FirstFilter chosen = choose_first_filter(length_class.entry_count, length_class, blocks,
                                                   std::min(room_words, most_first_words), cached_words);
    if (chosen.place == Place::cached)
      pass.group_items = choose_group_items(setup, caching_group_items);
    else if (is_small)
      pass.items_of_unit = small_items_of_unit;

    const std::uint32_t bucket_log2 = choose_bucket_log2(length_class.entry_count, limits);
    const std::vector<lode_entry> table = make_table(setup.plan, length_class, bucket_log2);
    std::vector<std::uint32_t> first(chosen.words);
    std::vector<std::uint32_t> second(chosen.second_log2 == 0 ? 1 : std::size_t{1} << chosen.second_log2);
    for (const lode_entry& entry : table) {
      if (entry.place == 0) continue;
      set_bits(first, entry.hash, chosen.bits);
      if (chosen.second_log2 != 0)
        set_second_bits(second, chosen.second_log2, entry.hash, filter_bit(entry.hash, chosen.words));
    }
    pass.arguments = {keep(upload(setup.runtime, first)), keep(upload(setup.runtime, second)),
                      keep(upload(setup.runtime, table)), Argument(length_class.max_offset)};
    const bool is_local = chosen.place == Place::local;
    pass.local_bytes = queue_bytes() + (is_local ? static_cast<std::uint32_t>(chosen.words) * 4 : 0);
    pass.places_per_group = std::uint64_t{pass.group_items} * blocks * 16;
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    pass.constants = {{"LODE_STRIDE", length_class.stride},
                      {"LODE_WINDOW", length_class.window},
                      {"LODE_FOLD", length_class.fold},
                      {"LODE_FIRST_LOCAL", is_local ? 1 : 0},
                      {"LODE_FIRST_BITS", chosen.bits},
                      {"LODE_FIRST_WORDS", static_cast<std::int64_t>(chosen.words)},
                      {"LODE_SECOND_LOG2", chosen.second_log2},
                      {"LODE_BUCKET_LOG2", bucket_log2},
                      {"LODE_BLOCKS", blocks}};
    passes_.push_back(std::move(pass));
  }

  // The table of the class's windows, as the kernel reads it. The first entry of a bucket lies at the bucket's number;
  // the others lie behind all first entries, side by side. Entries a to e of buckets 0, 2, 2, 0, 2 of 4 buckets:
  //   index  0  1  2  3 | 4  5  6
  //   entry  a  -  b  - | d  c  e
  //   next   4     5    |    6
  std::vector<lode_entry> make_table(const PlanData& plan, const LengthClass& length_class,
                                     std::uint32_t bucket_log2) const {
    std::vector<lode_entry> table(std::size_t{1} << bucket_log2);
    for (lode_entry& slot : table) slot.next = LODE_NO_ENTRY;
    table.reserve(table.size() + length_class.entry_count / 2);
    // Entries that are not the first of their bucket. Until they are chained, `next` has the bucket's number.
    std::vector<lode_entry> others;
    for (std::uint64_t at = 0; at < length_class.entry_count; ++at) {
      const WindowEntry& window = tables_.entries[length_class.first_entry + at];
      const lode_entry entry = make_entry(plan, window, length_class);
      const std::uint32_t bucket = bucket_of(entry.hash, bucket_log2);
      if (table[bucket].place == 0) {
        table[bucket] = entry;
      } else {
        others.push_back(entry);
        others.back().next = bucket;
      }
    }
    // Sorted by bucket, neighbours in a bucket are neighbours in memory.
    std::stable_sort(others.begin(), others.end(),
                     [](const lode_entry& a, const lode_entry& b) { return a.next < b.next; });
    for (std::size_t at = 0; at < others.size(); ++at) {
      const std::uint32_t bucket = others[at].next;
      const bool is_first = at == 0 || others[at - 1].next != bucket;
      (is_first ? table[bucket] : table.back()).next = static_cast<std::uint32_t>(table.size());
      table.push_back(others[at]);
      table.back().next = LODE_NO_ENTRY;
    }
    return table;
  }

  static lode_entry make_entry(const PlanData& plan, const WindowEntry& window, const LengthClass& length_class) {
    const auto pattern = plan.bytes(window.distinct);
    lode_entry entry{};
    entry.hash = hash_window(pattern.data() + window.offset, length_class.window, length_class.fold != 0);
    entry.next = LODE_NO_ENTRY;
    entry.distinct = window.distinct;
    entry.place = window.offset | static_cast<std::uint32_t>(pattern.size()) << LODE_LENGTH_SHIFT;
    std::array<std::uint8_t, 16> head{};
    std::copy_n(pattern.begin(), std::min(head.size(), pattern.size()), head.begin());
    for (std::size_t word = 0; word < 4; ++word)
      entry.head[word] = load_u32(head.data() + 4 * word) | (length_class.fold != 0 ? loose_fold_mask : 0);
    return entry;
  }

  const Buffer* keep(std::unique_ptr<Buffer> buffer) {
    buffers_.push_back(std::move(buffer));
    return buffers_.back().get();
  }

  FilterTables tables_;  // only while passes are made
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Algorithm> vector_;  // serves the classes of few patterns
};

}  // namespace

TableBytes filter_table_bytes(std::uint32_t stride) {
  return {most_classes * least_class_bytes, bytes_of_window * stride, 0};
}

std::unique_ptr<Algorithm> make_filter(const AlgorithmSetup& setup) { return std::make_unique<Filter>(setup); }

}  // namespace lode::gpu
