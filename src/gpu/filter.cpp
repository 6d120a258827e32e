#include <algorithm>
#include <bit>

#include "gpu/algorithm.hpp"
#include "plan/build_monitor.hpp"
#include "plan/filter.hpp"

namespace lode::gpu {
namespace {

using abi::lode_entry;

constexpr std::uint32_t usual_group_items = 1024;
constexpr std::uint32_t least_first_words = 256;
constexpr std::uint32_t most_second_log2 = 22;  // 16 MiB: what an L2 cache holds
// A filter with two bits for each window lets about (share of bits set)² of other windows pass.
constexpr double spare_share = 0.04;       // good enough
constexpr double crowded_share = 0.12;     // a second filter pays
constexpr double hopeless_share = 0.60;    // the first filter is not worth its time
constexpr std::uint32_t max_windows = 16;  // of an item in a tile
constexpr std::uint32_t usual_blocks = 2;
constexpr std::uint32_t run_tiles = 32;

// A pass reads the whole text again. Measured on an H200.
constexpr FilterCosts gpu_filter_costs{
    .max_stride = 8, .long_window = 1.1, .candidate = 25, .entry = 15, .pass = 0.15, .compare_limit = 0, .compare_per_pattern = 1};

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
  return (sum ^ (sum >> 15)) * 0x2C1B3C6Du;
}

std::uint32_t second_hash(std::uint32_t hash) { return (hash ^ (hash >> 16)) * 0x7FEB352Du; }

void set_bits(std::vector<std::uint32_t>& filter, std::uint32_t hash) {
  const std::uint64_t index = std::uint64_t{hash} * filter.size() >> 32;
  filter[index] |= 1u << (hash & 31) | 1u << (hash >> 5 & 31);
}

// Of the bits of a filter that are set for so many windows.
double share_of_bits(std::uint64_t windows, std::uint64_t words) {
  return 2.0 * static_cast<double>(windows) / (32.0 * static_cast<double>(words));
}

std::uint64_t words_for(std::uint64_t windows, double share) {
  return static_cast<std::uint64_t>(2.0 * static_cast<double>(windows) / (32.0 * share)) + 1;
}

class Filter final : public Algorithm {
 public:
  explicit Filter(const AlgorithmSetup& setup) {
    PlanOptions options;
    options.threads = setup.options.threads;
    options.text_sample = setup.plan.text_sample;
    BuildMonitor monitor(options, setup.plan.distinct_count());
    tables_ = build_filter_tables(setup.plan, gpu_filter_costs, options, monitor);
    for (const LengthClass& made : tables_.classes) add_class(setup, made);
    tables_ = {};
  }

 private:
  void add_class(const AlgorithmSetup& setup, const LengthClass& made) {
    const Limits& limits = setup.runtime.limits();
    const bool teams = limits.team_items != 0;
    Pass pass;
    pass.file = "filter";
    pass.entry = "lode_filter";
    pass.group_items = choose_group_items(setup, teams ? usual_group_items : 64);
    const std::uint32_t team = teams ? limits.team_items : pass.group_items;
    const std::uint32_t windows_per_block = 16 / made.stride;
    const std::uint32_t blocks = std::min(usual_blocks, max_windows / windows_per_block);
    const std::uint32_t round = teams ? 1 : blocks * windows_per_block;
    const std::uint32_t queue_bytes = pass.group_items / team * (1 + team * (round + 1)) * 4;

    const std::uint32_t room_words = limits.local_bytes > queue_bytes ? (limits.local_bytes - queue_bytes) / 4 : 0;
    const std::uint64_t wanted_words = std::max<std::uint64_t>(least_first_words, words_for(made.entry_count, spare_share));
    std::uint64_t first_words = std::min<std::uint64_t>(wanted_words, room_words);
    const bool first_local =
        first_words >= least_first_words && share_of_bits(made.entry_count, first_words) < hopeless_share;
    std::uint32_t second_log2 = 0;
    if (!first_local)
      first_words = std::min<std::uint64_t>(wanted_words, std::uint64_t{1} << most_second_log2);
    else if (share_of_bits(made.entry_count, first_words) > crowded_share)
      second_log2 = std::min(most_second_log2, static_cast<std::uint32_t>(std::bit_width(wanted_words)));

    const std::vector<lode_entry> sorted = sort_entries(setup.plan, made);
    const std::vector<std::uint32_t>& starts = bucket_starts_;
    std::vector<std::uint32_t> first(first_words);
    std::vector<std::uint32_t> second(second_log2 == 0 ? 1 : std::size_t{1} << second_log2);
    for (const lode_entry& entry : sorted) {
      set_bits(first, entry.hash);
      if (second_log2 != 0) set_bits(second, second_hash(entry.hash));
    }
    pass.arguments = {keep(upload(setup.runtime, first)), keep(upload(setup.runtime, second)),
                      keep(upload(setup.runtime, starts)), keep(upload(setup.runtime, sorted)),
                      Argument(made.max_offset)};
    pass.local_bytes = queue_bytes + (first_local ? static_cast<std::uint32_t>(first_words) * 4 : 0);
    pass.places_per_group = std::uint64_t{pass.group_items} * blocks * 16 * run_tiles;
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    pass.constants = {{"LODE_STRIDE", made.stride},
                      {"LODE_WINDOW", made.window},
                      {"LODE_FOLD", made.fold},
                      {"LODE_FIRST_LOCAL", first_local ? 1 : 0},
                      {"LODE_FIRST_WORDS", static_cast<std::int64_t>(first_words)},
                      {"LODE_SECOND_LOG2", second_log2},
                      {"LODE_BUCKET_LOG2", bucket_log2_},
                      {"LODE_BLOCKS", blocks},
                      {"LODE_RUN", run_tiles},
                      {"LODE_ROUND", round}};
    passes_.push_back(std::move(pass));
  }

  // The class's windows, by bucket; sets bucket_log2_ and bucket_starts_.
  std::vector<lode_entry> sort_entries(const PlanData& plan, const LengthClass& made) {
    bucket_log2_ = std::max(1u, static_cast<std::uint32_t>(std::bit_width(made.entry_count)));
    const auto bucket_of = [&](std::uint32_t hash) { return second_hash(hash) >> (32 - bucket_log2_); };
    std::vector<lode_entry> entries(made.entry_count);
    bucket_starts_.assign((std::size_t{1} << bucket_log2_) + 1, 0);
    for (std::uint64_t at = 0; at < made.entry_count; ++at) {
      const WindowEntry& window = tables_.entries[made.first_entry + at];
      const std::uint32_t hash =
          hash_window(plan.bytes(window.distinct).data() + window.offset, made.window, made.fold != 0);
      entries[at] = {hash, window.distinct, window.offset, 0};
      ++bucket_starts_[bucket_of(hash) + 1];
    }
    for (std::size_t bucket = 1; bucket < bucket_starts_.size(); ++bucket)
      bucket_starts_[bucket] += bucket_starts_[bucket - 1];
    std::vector<lode_entry> sorted(entries.size());
    std::vector<std::uint32_t> next(bucket_starts_.begin(), bucket_starts_.end() - 1);
    for (const lode_entry& entry : entries) sorted[next[bucket_of(entry.hash)]++] = entry;
    return sorted;
  }

  const Buffer* keep(std::unique_ptr<Buffer> buffer) {
    buffers_.push_back(std::move(buffer));
    return buffers_.back().get();
  }

  FilterTables tables_;  // while passes are made
  std::uint32_t bucket_log2_ = 1;
  std::vector<std::uint32_t> bucket_starts_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace

std::unique_ptr<Algorithm> make_filter(const AlgorithmSetup& setup) { return std::make_unique<Filter>(setup); }

}  // namespace lode::gpu
