#include "cpu/look/window_class.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"

namespace lode {

static_assert(max_window_offset < 256);  // heads have a byte for it

namespace {

// A Bloom filter has so many bits for each window, so that about one other place in a hundred passes.
constexpr std::uint64_t bits_per_window = 16;
// A filter of few windows stays in the first cache with four times as many bits, and hardly any other place passes.
constexpr std::uint64_t few_windows = 2048;
constexpr std::uint64_t bits_per_few_windows = 64;
constexpr std::uint32_t least_words_log2 = 8;
constexpr std::uint32_t most_words_log2 = 24;
constexpr std::uint64_t grain_entries = 1 << 14;
constexpr std::uint64_t grain_crowds = 64;
constexpr std::size_t block_entries = 256;
// The cost of a crowd's group, in bytes of the budget, beside the bytes that are hashed and compared.
constexpr std::uint64_t group_bytes = 16;

}  // namespace

WindowClass::WindowClass(const PlanData& data, const LengthClass& class_of_plan, InstructionSet set, unsigned threads,
                         FirstLook look)
    : plan(data),
      length_class(class_of_plan),
      bucket_starts(data.filter.bucket_starts.data() + length_class.first_bucket),
      first_look(std::move(look)),
      bounded_(data, set, length_class.stride) {
  if (first_look.near) near_runners = lode::near_runners(set);
  if (first_look.pairs) pair_runner = lode::pair_runner(set);
  fill_bits_and_heads(threads);
  fill_crowds(threads);
}

void WindowClass::fill_bits_and_heads(unsigned threads) {
  const std::uint64_t per_window = length_class.entry_count <= few_windows ? bits_per_few_windows : bits_per_window;
  const std::uint64_t words = length_class.entry_count * per_window / 32;
  word_count_log2 = std::clamp(static_cast<std::uint32_t>(std::bit_width(words)), least_words_log2, most_words_log2);
  resize_empty(bits, std::size_t{1} << word_count_log2, threads);
  resize_empty(heads, length_class.entry_count + 1, threads);
  run_ranges(threads, length_class.entry_count, grain_entries, [&](std::uint64_t begin, std::uint64_t end) {
    // Patterns and words of bits lie all over memory. So a block of entries goes from step to step. Each step
    // prefetches what the next one needs, for many entries at once.
    std::array<std::span<const std::uint8_t>, block_entries> patterns;
    std::array<std::uint32_t, block_entries> sums;
    for (std::uint64_t block = begin; block < end; block += block_entries) {
      const std::span<const WindowEntry> of_block =
          entries().subspan(block, std::min<std::uint64_t>(end - block, block_entries));
      for (std::size_t at = 0; at < of_block.size(); ++at) {
        patterns[at] = plan.bytes(of_block[at].distinct);
        __builtin_prefetch(patterns[at].data());
        __builtin_prefetch(patterns[at].data() + of_block[at].offset);
      }
      for (std::size_t at = 0; at < of_block.size(); ++at) {
        const WindowEntry& entry = of_block[at];
        sums[at] = window_sum(patterns[at].data() + entry.offset, length_class.window, length_class.fold != 0);
        __builtin_prefetch(&bits[word_of(sums[at])], 1);
        PatternHead& head = heads[block + at];
        head = PatternHead(patterns[at], plan.ignore_case(entry.distinct), entry.distinct);
        head.offset = static_cast<std::uint8_t>(entry.offset);
      }
      for (std::size_t at = 0; at < of_block.size(); ++at)
        std::atomic_ref(bits[word_of(sums[at])]).fetch_or(wanted_bits(sums[at]), std::memory_order_relaxed);
    }
  });
}

void WindowClass::fill_crowds(unsigned threads) {
  std::vector<std::uint64_t> first_members;  // the first one of each crowd, and the end
  std::uint64_t member_count = 0;
  for (std::uint64_t bucket = 0; bucket < std::uint64_t{1} << length_class.bucket_bits; ++bucket) {
    const std::uint32_t entry_count = bucket_starts[bucket + 1] - bucket_starts[bucket];
    if (entry_count < crowd_entries) continue;
    crowds_.push_back({bucket_starts[bucket], 0, 0});
    first_members.push_back(member_count);
    member_count += entry_count;
  }
  first_members.push_back(member_count);
  members_.resize(member_count);
  std::vector<std::vector<CrowdGroup>> groups(crowds_.size());
  run_ranges(threads, crowds_.size(), grain_crowds, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at)
      groups[at] = fill_members(crowds_[at].first_entry, first_members[at], first_members[at + 1]);
  });
  for (std::size_t at = 0; at < groups.size(); ++at) {
    crowds_[at].first_group = groups_.size();
    crowds_[at].group_count = groups[at].size();
    groups_.insert(groups_.end(), groups[at].begin(), groups[at].end());
  }
}

std::vector<WindowClass::CrowdGroup> WindowClass::fill_members(std::uint32_t first_entry, std::uint64_t first_member,
                                                               std::uint64_t end_member) {
  struct Sortable {
    std::uint64_t key;  // tag, offset, length and case rule, on which the members of a group agree
    CrowdMember member;
  };
  std::vector<Sortable> sorted(end_member - first_member);
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    const WindowEntry& entry = entries()[first_entry + at];
    const auto pattern = plan.bytes(entry.distinct);
    __builtin_prefetch(pattern.data());  // the next loop reads the pattern
    sorted[at].key = std::uint64_t{entry.tag} << 48 | std::uint64_t{entry.offset} << 32 |
                     std::uint64_t{pattern.size()} << 1 | (plan.ignore_case(entry.distinct) ? 1 : 0);
    sorted[at].member.distinct = entry.distinct;
  }
  for (auto& [key, member] : sorted)
    member.hash = content_hash(plan.bytes(member.distinct), (key & 1) != 0, process_seed());
  std::sort(sorted.begin(), sorted.end(), [](const Sortable& a, const Sortable& b) {
    return a.key != b.key ? a.key < b.key : a.member.hash < b.member.hash;
  });
  std::vector<CrowdGroup> groups;
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    const std::uint64_t key = sorted[at].key;
    if (at == 0 || key != sorted[at - 1].key)
      groups.push_back({static_cast<std::uint16_t>(key >> 48), static_cast<std::uint16_t>(key >> 32 & 0xffff),
                        (key & 1) != 0, static_cast<std::uint32_t>(key) >> 1, first_member + at, 0});
    ++groups.back().member_count;
    members_[first_member + at] = sorted[at].member;
  }
  return groups;
}

bool WindowClass::search_crowd(std::uint32_t first_entry, std::uint16_t tag, const std::uint8_t* text,
                               std::uint64_t text_size, std::uint64_t place, ComparisonBudget& budget,
                               std::vector<Found>& found) const {
  for (const CrowdGroup& group : groups_of(first_entry)) {
    budget.spend(group_bytes);
    if (budget.is_spent()) return false;
    if (group.tag != tag || place < group.offset) continue;
    const std::uint64_t start = place - group.offset;
    if (group.length > text_size - start) continue;
    budget.spend(group.length);
    for (const CrowdMember& member : members_equal_to(group, text + start))
      if (equal_bytes(text + start, plan.bytes(member.distinct).data(), group.length, group.ignore_case))
        found.push_back({start, member.distinct, group.length});
  }
  return true;
}

void WindowClass::scan_in_bounded_time(Collector& out, std::uint64_t place) const {
  bounded_.scan(out, place, out.end(), [this] {
    std::vector<BoundedSearch::Window> windows;
    windows.reserve(length_class.entry_count);
    for (const WindowEntry& entry : entries()) windows.push_back({entry.distinct, entry.offset});
    return windows;
  });
}

std::span<const WindowClass::CrowdGroup> WindowClass::groups_of(std::uint32_t first_entry) const {
  const auto crowd = std::lower_bound(crowds_.begin(), crowds_.end(), first_entry,
                                      [](const Crowd& a, std::uint32_t entry) { return a.first_entry < entry; });
  return std::span(groups_).subspan(crowd->first_group, crowd->group_count);
}

std::span<const WindowClass::CrowdMember> WindowClass::members_equal_to(const CrowdGroup& group,
                                                                        const std::uint8_t* text) const {
  const std::span<const CrowdMember> members = std::span(members_).subspan(group.first_member, group.member_count);
  const std::uint64_t hash = content_hash({text, group.length}, group.ignore_case, process_seed());
  const auto begin = std::lower_bound(members.begin(), members.end(), hash,
                                      [](const CrowdMember& a, std::uint64_t wanted) { return a.hash < wanted; });
  auto end = begin;
  while (end != members.end() && end->hash == hash) ++end;
  return members.subspan(static_cast<std::size_t>(begin - members.begin()), static_cast<std::size_t>(end - begin));
}

}  // namespace lode
