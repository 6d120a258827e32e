#include "gpu/engine/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "gpu/abi.hpp"
#include "gpu/kernel_cache.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t usual_tile_matches = 128;
constexpr std::uint32_t sorting_groups_per_unit = 8;

// A longer list is sorted by the digits of its starts, lowest digit first, a shorter one by comparisons:
//   start   bits 31 ... 22 | 21 ... 11 | 10 ... 0
constexpr std::uint32_t digit_bits = 11;
constexpr std::uint32_t digits = 3;
constexpr std::size_t least_for_digits = 256;

std::unique_ptr<Kernel> make_order_kernel(Runtime& runtime, const char* entry) {
  return make_helper_kernel(runtime, "order", entry, LODE_MODE_LIST, {{"LODE_ORDER_TILE", OrderKernels::tile_matches}});
}

std::uint32_t digit_of(const abi::lode_match& match, std::uint32_t digit) {
  return match.start >> (digit * digit_bits) & ((1U << digit_bits) - 1);
}

}  // namespace

void sort_matches(std::span<abi::lode_match> matches) {
  if (matches.size() < least_for_digits) {
    std::sort(matches.begin(), matches.end(), comes_before);
    return;
  }
  // A sort by comparisons mispredicts every second branch; counting digits has no such branches.
  std::vector<std::array<std::uint32_t, digits>> places(std::size_t{1} << digit_bits);
  for (const abi::lode_match& match : matches)
    for (std::uint32_t digit = 0; digit < digits; ++digit) ++places[digit_of(match, digit)][digit];
  std::array<std::uint32_t, digits> sums{};
  for (auto& place : places)
    for (std::uint32_t digit = 0; digit < digits; ++digit) sums[digit] += std::exchange(place[digit], sums[digit]);
  std::vector<abi::lode_match> moved(matches.size());
  std::span<abi::lode_match> from = matches, to = moved;
  for (std::uint32_t digit = 0; digit < digits; ++digit) {
    for (const abi::lode_match& match : from) to[places[digit_of(match, digit)][digit]++] = match;
    std::swap(from, to);
  }
  if (from.data() != matches.data()) std::copy(from.begin(), from.end(), matches.begin());
  for (auto begin = matches.begin(), end = begin; begin != matches.end(); begin = end) {
    while (end != matches.end() && end->start == begin->start) ++end;
    if (end - begin > 1) std::sort(begin, end, comes_before);
  }
}

OrderKernels::OrderKernels(Runtime& runtime)
    : count(make_order_kernel(runtime, "lode_order_count")),
      sum(make_order_kernel(runtime, "lode_order_sum")),
      move(make_order_kernel(runtime, "lode_order_move")),
      tiles(make_order_kernel(runtime, "lode_order_tiles")),
      group_items(helper_group_items(runtime)),
      groups(runtime.limits().compute_units * sorting_groups_per_unit) {}

std::uint64_t OrderTiles::most(std::uint64_t matches) {
  return std::clamp<std::uint64_t>(matches / usual_tile_matches, 1, OrderKernels::max_tiles);
}

OrderTiles::OrderTiles(std::uint64_t matches, std::uint32_t first, std::uint32_t end) : begin(first) {
  const std::uint64_t range = std::max<std::uint64_t>(end - first, 1);
  shift = static_cast<std::uint32_t>(std::bit_width((range - 1) / most(matches)));
  count = static_cast<std::uint32_t>(((range - 1) >> shift) + 1);
}

void enqueue_order(Queue& queue, const OrderKernels& kernels, const OrderTiles& cut, std::uint32_t matches,
                   const Buffer& list, Buffer& tiles, Buffer& ordered) {
  const Launch many{kernels.groups, kernels.group_items, 0};
  queue.clear(tiles, 0, std::uint64_t{cut.count} * 4);
  const std::array<Argument, 5> counted{{&list, matches, cut.begin, cut.shift, &tiles}};
  queue.launch(*kernels.count, many, counted);
  const std::array<Argument, 2> summed{{&tiles, cut.count}};
  queue.launch(*kernels.sum, {1, kernels.group_items, (kernels.group_items + 1) * 4}, summed);
  const std::array<Argument, 6> moved{{&list, matches, cut.begin, cut.shift, &tiles, &ordered}};
  queue.launch(*kernels.move, many, moved);
  const std::array<Argument, 3> sorted{{&tiles, cut.count, &ordered}};
  queue.launch(*kernels.tiles,
               {std::min(cut.count, kernels.groups), kernels.group_items,
                OrderKernels::tile_matches * static_cast<std::uint32_t>(sizeof(abi::lode_match))},
               sorted);
}

}  // namespace lode::gpu
