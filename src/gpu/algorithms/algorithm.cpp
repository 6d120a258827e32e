#include "gpu/algorithms/algorithm.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace lode::gpu {
namespace {

struct Row {
  std::string_view name;
  std::unique_ptr<Algorithm> (*make)(const AlgorithmSetup&);
  TableBytes (*least_table_bytes)();
};

TableBytes no_table_bytes() { return {}; }
TableBytes least_filter_table_bytes() { return filter_table_bytes(1); }

constexpr std::array<Row, 6> rows{{
    {"naive", make_naive, no_table_bytes},
    {"vector", make_vector, vector_table_bytes},
    {"balanced", make_balanced, no_table_bytes},
    {"rabin-karp", make_rabin_karp, rabin_karp_table_bytes},
    {"boyer-moore", make_boyer_moore, boyer_moore_table_bytes},
    {"filter", make_filter, least_filter_table_bytes},
}};

}  // namespace

// Tiles of larger groups could reach more than 2^17 bytes behind a piece's end, where 32 bits no longer count places
// (see struct lode_piece).
constexpr std::uint32_t most_group_items = 1024;

std::uint32_t choose_group_items(const AlgorithmSetup& setup, std::uint32_t usual) {
  const Limits& limits = setup.runtime.limits();
  const std::uint32_t wanted = setup.options.gpu_group_items != 0 ? setup.options.gpu_group_items : usual;
  const std::uint32_t team = std::max(1u, limits.team_items);
  const std::uint32_t most = std::max(team, std::min(limits.max_group_items, most_group_items) / team * team);
  return std::clamp((wanted + team - 1) / team * team, team, most);
}

TableBytes least_table_bytes(std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.least_table_bytes();
  return {};
}

std::unique_ptr<Algorithm> make_algorithm(std::string_view name, const AlgorithmSetup& setup) {
  for (const Row& row : rows)
    if (row.name == name) return row.make(setup);
  return nullptr;
}

}  // namespace lode::gpu
