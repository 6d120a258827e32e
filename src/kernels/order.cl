// order: sorts a list of matches by (start, distinct).
//
// Idea: the range of starts is cut into tiles. Matches are counted by tile, the counts are summed up, and each match is
// moved to its tile's part of the list. Then each tile is sorted in local memory by rank: an item counts the matches
// that come before its own. No two matches are equal, so no two ranks are. A tile of more than LODE_ORDER_TILE matches
// is left as it is, for the host.
// Example: starts 5 1 6 2 in tiles of 4: counts 2 2, sums 0 2, moved 1 2 | 5 6 or 2 1 | 6 5, sorted 1 2 5 6.
#include "common.h"

KERNEL void lode_order_count(GLOBAL const struct lode_match* list, u32 count, u32 begin, u32 shift,
                             GLOBAL u32* tiles LOCAL_ARGUMENT) {
  for (u32 at = group_index() * group_items() + item_index(); at < count; at += group_count() * group_items())
    add_global(tiles + ((list[at].start - begin) >> shift), 1);
}

// A single group replaces each number by the sum of those before it: 2 2 3 becomes 0 2 4.
KERNEL void lode_order_sum(GLOBAL u32* tiles, u32 tile_count LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  const u32 item = item_index();
  const u32 items = group_items();
  LOCAL u32* sums = memory + 1;  // memory[0]: the sum of all numbers before this round
  if (item == 0) memory[0] = 0;
  for (u32 round = 0; round < tile_count; round += items) {
    const u32 own = round + item < tile_count ? tiles[round + item] : 0;
    sums[item] = own;
    group_sync();
    for (u32 step = 1; step < items; step *= 2) {
      const u32 before = item >= step ? sums[item - step] : 0;
      group_sync();
      sums[item] += before;
      group_sync();
    }
    const u32 carried = memory[0];
    if (round + item < tile_count) tiles[round + item] = carried + sums[item] - own;
    group_sync();
    if (item == 0) memory[0] = carried + sums[items - 1];
    group_sync();
  }
}

// Moves each match to its tile. `tiles` says where each tile begins; the moves count it up to where each tile ends.
KERNEL void lode_order_move(GLOBAL const struct lode_match* list, u32 count, u32 begin, u32 shift, GLOBAL u32* tiles,
                            GLOBAL struct lode_match* ordered LOCAL_ARGUMENT) {
  for (u32 at = group_index() * group_items() + item_index(); at < count; at += group_count() * group_items()) {
    const struct lode_match match = list[at];
    ordered[add_global(tiles + ((match.start - begin) >> shift), 1)] = match;
  }
}

// Sorts each tile. A tile begins where the one before it ends.
KERNEL void lode_order_tiles(GLOBAL const u32* tiles, u32 tile_count,
                             GLOBAL struct lode_match* ordered LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  LOCAL struct lode_match* matches = (LOCAL struct lode_match*)memory;
  for (u32 tile = group_index(); tile < tile_count; tile += group_count()) {
    const u32 begin = tile == 0 ? 0 : tiles[tile - 1];
    const u32 count = tiles[tile] - begin;
    const u32 sorted = count <= LODE_ORDER_TILE ? count : 0;
    for (u32 at = item_index(); at < sorted; at += group_items()) matches[at] = ordered[begin + at];
    group_sync();
    for (u32 at = item_index(); at < sorted; at += group_items()) {
      const struct lode_match match = matches[at];
      u32 rank = 0;
      for (u32 other = 0; other < sorted; ++other) {
        const struct lode_match compared = matches[other];
        rank += compared.start < match.start || (compared.start == match.start && compared.distinct < match.distinct);
      }
      ordered[begin + rank] = match;
    }
    group_sync();
  }
}
