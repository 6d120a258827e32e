// Order: sorts a slot's list of matches, on the device or, if it is short, on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gpu/abi.hpp"
#include "gpu/seam.hpp"

namespace lode::gpu {

/// The order of matches: by start, then by distinct pattern.
inline bool comes_before(const abi::lode_match& a, const abi::lode_match& b) {
  return a.start != b.start ? a.start < b.start : a.distinct < b.distinct;
}

/// A list of at most so many matches is copied along with the answer, and sorted by the host. The device would take
/// longer, because its kernels wait for each other and for those of other pieces.
inline constexpr std::uint64_t most_sorted_by_host = 1 << 14;

/// Sorts on the host.
void sort_matches(std::span<abi::lode_match> matches);

/// The kernels of kernels/order.cl on one device. Immutable; launches of one kernel need the caller's lock.
class OrderKernels {
 public:
  explicit OrderKernels(Runtime& runtime);

  static constexpr std::uint32_t tile_matches = 1024;  // LODE_ORDER_TILE: the largest tile that the device sorts
  static constexpr std::uint32_t max_tiles = 1 << 16;

  std::unique_ptr<Kernel> count, sum, move, tiles;
  std::uint32_t group_items;
  std::uint32_t groups;
};

/// How the starts [begin, end) of a list of `matches` matches are cut into tiles.
struct OrderTiles {
  OrderTiles(std::uint64_t matches, std::uint32_t begin, std::uint32_t end);
  /// The most tiles that a list of so many matches has.
  static std::uint64_t most(std::uint64_t matches);
  std::uint32_t begin;
  std::uint32_t shift;  // a tile is 2^shift starts
  std::uint32_t count;  // tiles, at least 1, <= most()
};

/// Queues the sorting of the `matches` matches of `list` into `ordered`. `tiles` has room for cut.count numbers.
void enqueue_order(Queue& queue, const OrderKernels& kernels, const OrderTiles& cut, std::uint32_t matches,
                   const Buffer& list, Buffer& tiles, Buffer& ordered);

}  // namespace lode::gpu
