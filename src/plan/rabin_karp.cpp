#include "plan/rabin_karp.hpp"

#include <bit>
#include <map>
#include <numeric>

#include "base/bytes.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {
constexpr std::uint64_t slot_multiplier = 0x9E3779B97F4A7C15u;
}  // namespace

std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded) {
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < length; ++at) hash = hash * rolling_base + (folded ? fold(bytes[at]) : bytes[at]) + 1;
  return hash;
}

std::uint64_t rolling_slot(const RabinKarpGroup& group, std::uint64_t hash) {
  return (hash * slot_multiplier) >> group.slot_shift;
}

std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan) {
  std::vector<std::uint32_t> all(plan.distinct_count());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  return build_rabin_karp_groups(plan, all);
}

std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::span<const std::uint32_t> distincts) {
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
    group.hashes.resize(slots);
    group.owners.resize(slots);
    for (const std::uint32_t distinct : patterns) {
      const std::uint64_t hash = rolling_hash(plan.bytes(distinct).data(), group.length, group.ignore_case);
      std::uint64_t slot = rolling_slot(group, hash);
      while (group.owners[slot] != 0) slot = (slot + 1) & (slots - 1);
      group.owners[slot] = distinct + 1;
      group.hashes[slot] = hash;
    }
  }
  return groups;
}

}  // namespace lode
