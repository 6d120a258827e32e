#include <algorithm>
#include <bit>

#include "gpu/algorithm.hpp"

namespace lode::gpu {
namespace {

using abi::lode_entry;

// Local memory that a compute unit's work-groups share is used for as many of them as run at once.
constexpr std::uint32_t usual_group_items = 1024;
constexpr std::uint32_t least_first_log2 = 8;
constexpr std::uint32_t most_second_log2 = 22;  // 16 MiB: what an L2 cache holds
// A filter with two bits for each window lets about (2 x windows / bits)² of other windows pass.
constexpr double spare_share = 0.04;       // of bits set: good enough
constexpr double crowded_share = 0.12;     // of bits set: a second filter pays
constexpr double hopeless_share = 0.60;    // of bits set: the first filter is not worth its time
constexpr std::uint32_t max_windows = 16;  // FILTER_MAX_WINDOWS of filter.cl
constexpr std::uint32_t max_blocks = 4;    // FILTER_MAX_BLOCKS

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

void set_bits(std::vector<std::uint32_t>& filter, std::uint32_t log2_words, std::uint32_t hash) {
  filter[(hash >> 2) & ((1u << log2_words) - 1)] |= 1u << (hash >> 27) | 1u << (hash >> 22 & 31);
}

double share_of_bits(std::uint64_t windows, std::uint32_t log2_words) {
  return 2.0 * static_cast<double>(windows) / (32.0 * static_cast<double>(std::uint64_t{1} << log2_words));
}

std::uint32_t log2_for(std::uint64_t windows, double share, std::uint32_t least, std::uint32_t most) {
  std::uint32_t log2_words = least;
  while (log2_words < most && share_of_bits(windows, log2_words) > share) ++log2_words;
  return log2_words;
}

class Filter final : public Algorithm {
 public:
  explicit Filter(const AlgorithmSetup& setup) {
    for (const LengthClass& made : setup.plan.filter.classes) add_class(setup, made);
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
    const std::uint32_t blocks = std::min(max_blocks, max_windows / windows_per_block);
    const std::uint32_t round = teams ? 1 : blocks * windows_per_block;
    const std::uint32_t queue_bytes = pass.group_items / team * (1 + team * (round + 1)) * 4;

    const std::uint32_t room = limits.local_bytes > queue_bytes ? limits.local_bytes - queue_bytes : 0;
    const auto most_first_log2 = static_cast<std::uint32_t>(std::bit_width(std::max(1024u, room) / 4) - 1);
    std::uint32_t first_log2 = log2_for(made.entry_count, spare_share, least_first_log2, most_first_log2);
    const bool first_local = share_of_bits(made.entry_count, first_log2) < hopeless_share &&
                             queue_bytes + (4u << first_log2) <= limits.local_bytes;
    std::uint32_t second_log2 = 0;
    if (!first_local)
      first_log2 = log2_for(made.entry_count, spare_share, least_first_log2, most_second_log2);
    else if (share_of_bits(made.entry_count, first_log2) > crowded_share)
      second_log2 = log2_for(made.entry_count, spare_share, least_first_log2, most_second_log2);

    const std::vector<lode_entry> sorted = sort_entries(setup.plan, made);
    const std::vector<std::uint32_t>& starts = bucket_starts_;
    std::vector<std::uint32_t> first(std::size_t{1} << first_log2);
    std::vector<std::uint32_t> second(second_log2 == 0 ? 1 : std::size_t{1} << second_log2);
    for (const lode_entry& entry : sorted) {
      set_bits(first, first_log2, entry.hash);
      if (second_log2 != 0) set_bits(second, second_log2, second_hash(entry.hash));
    }
    pass.arguments = {keep(upload(setup.runtime, first)), keep(upload(setup.runtime, second)),
                      keep(upload(setup.runtime, starts)), keep(upload(setup.runtime, sorted)),
                      Argument(made.max_offset)};
    pass.local_bytes = queue_bytes + (first_local ? 4u << first_log2 : 0);
    pass.places_per_group = std::uint64_t{pass.group_items} * blocks * 16;
    pass.constants = {{"LODE_STRIDE", made.stride},
                      {"LODE_WINDOW", made.window},
                      {"LODE_FOLD", made.fold},
                      {"LODE_FIRST_LOCAL", first_local ? 1 : 0},
                      {"LODE_FIRST_LOG2", first_log2},
                      {"LODE_SECOND_LOG2", second_log2},
                      {"LODE_BUCKET_LOG2", bucket_log2_},
                      {"LODE_BLOCKS", blocks},
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
      const WindowEntry& window = plan.filter.entries[made.first_entry + at];
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

  std::uint32_t bucket_log2_ = 1;
  std::vector<std::uint32_t> bucket_starts_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace

std::unique_ptr<Algorithm> make_filter(const AlgorithmSetup& setup) { return std::make_unique<Filter>(setup); }

}  // namespace lode::gpu
