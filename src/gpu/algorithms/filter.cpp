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
// Where a group may have little local memory (NVIDIA's OpenCL). So many items a unit leave each 64 registers.
constexpr std::uint32_t small_local_bytes = 64 << 10;
constexpr std::uint32_t small_group_items = 256;
constexpr std::uint32_t small_items_of_unit = 1024;
constexpr std::uint32_t caching_group_items = 512;  // with a first filter that the unit's cache holds
constexpr std::uint32_t least_first_words = 256;
// Of local memory; what is left of it caches the text under way.
constexpr std::uint32_t most_first_words = 30 << 10;
constexpr std::uint32_t most_second_log2 = 22;  // 16 MiB: what an L2 cache holds
constexpr std::uint32_t most_first_bits = 3;    // of a word for each window
constexpr std::uint32_t max_windows = 32;       // of an item in a tile
constexpr std::uint32_t most_blocks = 8;        // of an item in a tile
// Words that an item of a team has in queues: four places and two entries to compare of three words each.
constexpr std::uint32_t team_queue_words = 4 + 2 * 3;

// What filters cost, in instructions of an item: from the kernel's, and fitted to its rates on an H200.
constexpr double bit_cost = 2;                  // of each bit of a window
constexpr double second_cost = 12;              // of asking the second filter
constexpr double far_cost = 30;                 // of a look-up in global memory
constexpr double queue_cost = 60;               // of a tile in which anything passes
constexpr double hit_cost = 8;                  // of each place of a team's tile that passes
constexpr double words_of_instruction = 2'200;  // local memory that costs an instruction a block, for want of cache
constexpr double cached_cost = 2;               // of a look-up in a table that the unit's cache holds
constexpr double clearly_less = 0.82;           // of another filter's cost; fitted to three sets on an H200

// Of small sets, whose tables stay in caches, most buckets have one entry: so many times as many are made.
constexpr std::uint64_t most_with_spare_buckets = 1 << 16;
constexpr std::uint32_t spare_buckets_log2 = 2;
constexpr std::uint64_t spared_of_memory = 512;  // of the device's memory, at most, for one class

// Of more patterns the widest stride has too many windows for the first filter. Measured on an H200.
constexpr std::uint32_t most_at_widest_stride = 50'000;

// A pass reads the whole text again. Measured on an H200.
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

// A window's share of its class's tables: an entry, up to two places by its hash, two words of the first filter and one of
// the second. However few there are, a class has `least_first_words` and 128 words. Small classes may take more, up to
// 120 KiB for the first filter and, where there is room (choose_bucket_log2), places.
constexpr std::uint64_t bytes_of_window = 3 * sizeof(lode_entry) + 3 * 4;
constexpr std::uint64_t least_class_bytes = (least_first_words + 128 + 64) * 4;
constexpr std::uint64_t most_classes = max_window_length + gpu_filter_costs.max_stride - 1;

// Whether `vector` serves the class: it tests each pattern at every place, which wins while windows would be looked up at as
// many. Measured on an H200: four patterns of 20 bytes at a quarter of the rate of reading, 97 % of it with a window every
// eighth place; four of two bytes at 43 and 32 %.
bool is_compared(const LengthClass& length_class) {
  return length_class.pattern_count == 1 ||
         length_class.pattern_count * length_class.stride <= gpu_filter_costs.compare_limit;
}

constexpr std::uint32_t top_bit = 0x80000000u;

static_assert(max_pattern_length < (std::uint64_t{1} << (32 - LODE_LENGTH_SHIFT)));
static_assert(max_window_offset < (1u << LODE_LENGTH_SHIFT));

// As in filter.cl.
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

// Where the first bit of a window is in a filter.
std::uint32_t filter_bit(std::uint32_t hash, std::uint64_t words) {
  return static_cast<std::uint32_t>(hash * (words * 32) >> 32);
}

void set_bits(std::vector<std::uint32_t>& filter, std::uint32_t hash, std::uint32_t bits) {
  const std::uint32_t bit = filter_bit(hash, filter.size());
  std::uint32_t& word = filter[bit / 32];
  word |= top_bit >> bit % 32;
  if (bits > 1) word |= top_bit >> hash % 32;
  if (bits > 2) word |= top_bit >> (hash >> 5) % 32;
}

// The second filter's word is another; one of its bits is where the first filter's is in its word.
void set_second_bits(std::vector<std::uint32_t>& second, std::uint32_t log2, std::uint32_t hash, std::uint32_t bit) {
  const std::uint32_t mixed = second_hash(hash);
  second[mixed >> (32 - log2)] |= top_bit >> bit % 32 | top_bit >> mixed % 32;
}

// Of windows that are not in the filter so many pass it: their word holds other windows' bits, whose number is a Poisson
// variable.
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
  std::uint32_t second_log2 = 0;  // words of the second filter; 0: none
};

// What a block of 16 bytes costs an item beside hashing, in instructions.
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
  const double hits = 32 * blocks * windows * passing;  // of a tile
  return cost + (queue_cost * (1 - std::exp(-hits)) + hit_cost * hits) / blocks;
}

FirstFilter choose_first_filter(std::uint64_t entries, const LengthClass& length_class, std::uint32_t blocks,
                                std::uint64_t room_words, std::uint64_t cached_words) {
  const std::uint32_t stride = length_class.stride;
  // The bottom of a hash says nothing of a shorter window (see filter_add): more bits would be the same one for all.
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
  // filter_table_bytes does not count on them.
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
    // Of a team that exchanges: places and entries that wait for it to be complete.
    const std::uint32_t queue_words = team * (teams ? team_queue_words : blocks * windows_per_block + 1);
    const auto queue_bytes = [&] { return pass.group_items / team * (1 + queue_words) * 4; };
    const std::uint32_t room_words = limits.local_bytes > queue_bytes() ? (limits.local_bytes - queue_bytes()) / 4 : 0;
    // What groups leave of a unit's local memory is its cache.
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

  // The class's windows, as the kernel finds them.
  std::vector<lode_entry> make_table(const PlanData& plan, const LengthClass& length_class,
                                     std::uint32_t bucket_log2) const {
    std::vector<lode_entry> table(std::size_t{1} << bucket_log2);
    for (lode_entry& slot : table) slot.next = LODE_NO_ENTRY;
    table.reserve(table.size() + length_class.entry_count / 2);
    std::vector<lode_entry> others;  // of their bucket; `next` is the bucket
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
    // Neighbours in their bucket are neighbours in memory.
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

  FilterTables tables_;  // while passes are made
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Algorithm> vector_;  // of classes of a few patterns
};

}  // namespace

TableBytes filter_table_bytes(std::uint32_t stride) {
  return {most_classes * least_class_bytes, bytes_of_window * stride, 0};
}

std::unique_ptr<Algorithm> make_filter(const AlgorithmSetup& setup) { return std::make_unique<Filter>(setup); }

}  // namespace lode::gpu
