#include "plan/rabin_karp.hpp"

#include <bit>
#include <map>
#include <numeric>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {

constexpr std::uint64_t marks_per_pattern = 64;
constexpr std::uint64_t most_marks = std::uint64_t{1} << 26;

template <unsigned bits>
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return RollingHash<bits>::reduce(RollingHash<bits>::multiply_add(a, b, 0));
}

template <unsigned bits>
std::uint64_t power_of_base(std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (std::uint64_t square = RollingHash<bits>::base(); exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = product<bits>(power, square);
    square = product<bits>(square, square);
  }
  return power;
}

// Fills the tables of a group whose length and case rule are known.
template <unsigned bits>
void fill_group(RabinKarpGroup& group, const PlanData& plan, std::span<const std::uint32_t> patterns) {
  group.weight = power_of_base<bits>(group.length);
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const std::uint64_t value = (group.ignore_case ? fold(static_cast<std::uint8_t>(byte)) : byte) + std::uint64_t{1};
    group.leaving[byte] = RollingHash<bits>::prime - product<bits>(group.weight, value) + 1;
  }
  const std::uint64_t slots = std::bit_ceil(std::uint64_t{patterns.size()} * 4);
  group.slot_shift = 64 - static_cast<std::uint32_t>(std::countr_zero(slots));
  const std::uint64_t marks =
      std::clamp(std::bit_ceil(patterns.size() * marks_per_pattern), std::uint64_t{64}, most_marks);
  group.mark_mask = marks - 1;
  group.marks.resize(marks / 64);
  group.hashes.resize(slots);
  group.owners.resize(slots);
  for (const std::uint32_t distinct : patterns) {
    const std::uint64_t hash = rolling_hash<bits>(plan.bytes(distinct).data(), group.length, group.ignore_case);
    group.marks[(hash & group.mark_mask) / 64] |= std::uint64_t{1} << hash % 64;
    std::uint64_t slot = rolling_key(hash) >> group.slot_shift;
    while (group.owners[slot] != 0) slot = (slot + 1) & (slots - 1);
    group.owners[slot] = distinct + 1;
    group.hashes[slot] = hash;
  }
}

}  // namespace

template <unsigned bits>
std::uint64_t RollingHash<bits>::base() {
  static const std::uint64_t base = process_seed() >> (66 - bits) | 2;
  return base;
}

template <unsigned bits>
std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded) {
  const std::uint64_t base = RollingHash<bits>::base();
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < length; ++at)
    hash = RollingHash<bits>::multiply_add(hash, base, (folded ? fold(bytes[at]) : bytes[at]) + std::uint64_t{1});
  return RollingHash<bits>::reduce(hash);
}

template class RollingHash<31>;
template class RollingHash<61>;
template std::uint64_t rolling_hash<31>(const std::uint8_t*, std::size_t, bool);
template std::uint64_t rolling_hash<61>(const std::uint8_t*, std::size_t, bool);

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
    group.length > longest_of_short_hashes ? fill_group<61>(group, plan, patterns)
                                           : fill_group<31>(group, plan, patterns);
  }
  return groups;
}

}  // namespace lode
