#include "plan/rabin_karp.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "base/bytes.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {
constexpr std::uint64_t marks_per_pattern = 64;
constexpr std::uint64_t most_marks = std::uint64_t{1} << 26;

// Of taken slots, at the end and the beginning, too.
std::uint64_t longest_run(std::span<const std::uint32_t> owners) {
  std::uint64_t longest = 0;
  std::uint64_t run = 0;
  for (int round = 0; round < 2; ++round)
    for (const std::uint32_t owner : owners) longest = std::max(longest, run = owner != 0 ? run + 1 : 0);
  return longest;
}

}  // namespace

std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded) {
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < length; ++at) hash = hash * rolling_base + (folded ? fold(bytes[at]) : bytes[at]) + 1;
  return hash;
}

std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::uint64_t most_slots) {
  std::vector<std::uint32_t> all(plan.distinct_count());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  return build_rabin_karp_groups(plan, all, most_slots);
}

std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::span<const std::uint32_t> distincts,
                                                    std::uint64_t most_slots) {
  std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> members;
  for (const std::uint32_t distinct : distincts)
    members[{static_cast<std::uint32_t>(plan.bytes(distinct).size()), plan.ignore_case(distinct)}].push_back(distinct);

  std::vector<RabinKarpGroup> groups;
  for (const auto& [key, patterns] : members) {
    RabinKarpGroup& group = groups.emplace_back();
    group.length = key.first;
    group.ignore_case = key.second;
    group.leaving = 1;
    for (std::uint32_t at = 0; at < group.length; ++at) group.leaving *= rolling_base;
    const std::uint64_t slots = std::bit_ceil(std::uint64_t{patterns.size()} * 4);
    group.slot_shift = 64 - static_cast<std::uint32_t>(std::countr_zero(slots));
    const std::uint64_t marks =
        std::clamp(std::bit_ceil(patterns.size() * marks_per_pattern), std::uint64_t{64}, most_marks);
    group.mark_shift = 64 - static_cast<std::uint32_t>(std::countr_zero(marks));
    group.marks.resize((marks + 63) / 64);
    group.hashes.resize(slots);
    group.owners.resize(slots);
    for (const std::uint32_t distinct : patterns) {
      const std::uint64_t hash = rolling_hash(plan.bytes(distinct).data(), group.length, group.ignore_case);
      const std::uint64_t mark = rolling_key(hash) >> group.mark_shift;
      group.marks[mark / 64] |= std::uint64_t{1} << mark % 64;
      std::uint64_t slot = rolling_key(hash) >> group.slot_shift;
      for (std::uint64_t tried = 1; group.owners[slot] != 0; ++tried, slot = (slot + 1) & (slots - 1))
        if (tried == most_slots) return {};
      group.owners[slot] = distinct + 1;
      group.hashes[slot] = hash;
    }
    if (most_slots != UINT64_MAX && longest_run(group.owners) > most_slots) return {};
  }
  return groups;
}

}  // namespace lode
