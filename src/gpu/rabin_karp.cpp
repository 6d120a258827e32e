#include <algorithm>
#include <bit>
#include <map>

#include "base/bytes.hpp"
#include "gpu/algorithm.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t base = 0x9E3779B1u;             // RABIN_KARP_BASE
constexpr std::uint32_t mix_multiplier = 0x85EBCA6Bu;   // RABIN_KARP_MIX
constexpr std::uint32_t bits_multiplier = 0xC2B2AE35u;  // RABIN_KARP_BITS

constexpr std::uint32_t max_hashed = 128;         // bytes; longer patterns are hashed by their first
constexpr std::size_t max_local_patterns = 4096;  // whose bits are copied to local memory
constexpr std::uint32_t short_run_words = 31;     // of an item; odd
constexpr std::uint32_t long_run_words = 63;      // where a run's first hash takes many steps
constexpr std::uint32_t long_hash = 48;           // bytes from which it does

struct Entry {
  std::uint32_t hash = 0;
  std::uint32_t distinct = 0;
};

std::uint32_t hash_of(std::span<const std::uint8_t> bytes, bool ignore_case) {
  std::uint32_t hash = 0;
  for (const std::uint8_t byte : bytes) hash = hash * base + (ignore_case ? fold(byte) : byte);
  return hash;
}

std::uint32_t mix(std::uint32_t hash) { return (hash ^ (hash >> 15)) * mix_multiplier; }

class RabinKarp final : public Algorithm {
 public:
  explicit RabinKarp(const AlgorithmSetup& setup) {
    const PlanData& plan = setup.plan;
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> groups;
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
      const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(plan.bytes(distinct).size(), max_hashed));
      groups[{length, plan.ignore_case(distinct)}].push_back(distinct);
    }
    for (const auto& [key, members] : groups) add_pass(setup, key.first, key.second, members);
  }

 private:
  void add_pass(const AlgorithmSetup& setup, std::uint32_t hashed, bool ignore_case,
                const std::vector<std::uint32_t>& members) {
    abi::lode_rolling table{};
    table.leaving = 1;
    table.hashed = hashed;
    for (std::uint32_t at = 0; at < hashed; ++at) table.leaving *= base;
    table.bucket_log2 = static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(members.size())));
    // One word for each pattern; twice as many where that costs little.
    table.bits_log2_words = std::max(6u, table.bucket_log2 + (table.bucket_log2 < 12 ? 1 : 0));
    const std::uint32_t bits_bytes = 4u << table.bits_log2_words;

    Pass pass;
    pass.file = "rabin_karp";
    pass.entry = "lode_rabin_karp";
    pass.group_items = choose_group_items(setup, 128);
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    // Runs as long as local memory allows, bits in local memory where a run is left beside them.
    const std::uint32_t room = setup.runtime.limits().local_bytes;
    bool bits_are_local = members.size() <= max_local_patterns;
    table.run_words = hashed < long_hash ? short_run_words : long_run_words;
    const auto fits = [&] { return (bits_are_local ? bits_bytes : 0) + tile_bytes(pass, table) <= room; };
    while (!fits() && table.run_words > 7) table.run_words = (table.run_words + 1) / 2 - 1;
    if (!fits()) bits_are_local = false;
    const std::uint32_t team = std::max(1u, setup.runtime.limits().team_items);
    while (!fits() && pass.group_items > team) pass.group_items = std::max(team, pass.group_items / 2 / team * team);
    pass.local_bytes = (bits_are_local ? bits_bytes : 0) + tile_bytes(pass, table);
    pass.places_per_group = std::uint64_t{pass.group_items} * table.run_words * 4;
    pass.constants = {{"LODE_FOLDS", ignore_case ? 1 : 0}, {"LODE_LOCAL_BITS", bits_are_local ? 1 : 0}};

    std::vector<Entry> entries;
    entries.reserve(members.size());
    std::vector<std::uint32_t> bits(std::size_t{1} << table.bits_log2_words);
    for (const std::uint32_t distinct : members) {
      const std::uint32_t hash = hash_of(setup.plan.bytes(distinct).first(hashed), ignore_case);
      entries.push_back({hash, distinct});
      const std::uint32_t mixed = mix(hash);
      const std::uint32_t places = mixed * bits_multiplier;
      bits[mixed >> (32 - table.bits_log2_words)] |= 1u << (places >> 27) | 1u << (places >> 22 & 31);
    }
    const auto bucket_of = [&](std::uint32_t hash) {
      return static_cast<std::uint32_t>(std::uint64_t{mix(hash)} >> (32 - table.bucket_log2));
    };
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const Entry& a, const Entry& b) { return bucket_of(a.hash) < bucket_of(b.hash); });
    std::vector<std::uint32_t> starts((std::size_t{1} << table.bucket_log2) + 1);
    for (const Entry& entry : entries) ++starts[bucket_of(entry.hash) + 1];
    for (std::size_t bucket = 1; bucket < starts.size(); ++bucket) starts[bucket] += starts[bucket - 1];

    buffers_.push_back(upload(setup.runtime, bits));
    pass.arguments.emplace_back(buffers_.back().get());
    buffers_.push_back(upload(setup.runtime, starts));
    pass.arguments.emplace_back(buffers_.back().get());
    buffers_.push_back(upload(setup.runtime, entries));
    pass.arguments.emplace_back(buffers_.back().get());
    pass.arguments.emplace_back(table);
    passes_.push_back(std::move(pass));
  }

  static std::uint32_t tile_bytes(const Pass& pass, const abi::lode_rolling& table) {
    return (pass.group_items * table.run_words + (table.hashed + 3) / 4 + 1) * 4;
  }

  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace

std::unique_ptr<Algorithm> make_rabin_karp(const AlgorithmSetup& setup) { return std::make_unique<RabinKarp>(setup); }

}  // namespace lode::gpu
