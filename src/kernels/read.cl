// read: reads a text and does nothing with it. No search can be faster, so its rate is the read ceiling.
//
// The sum of all words is kept, so that the compiler can leave out no load.
#include "common.h"

// LODE_BLOCKS: blocks of 16 bytes that an item has under way at a time, 1 … 8.
KERNEL void lode_read(GLOBAL const words4* RESTRICT text, u64 blocks, GLOBAL u32* sums LOCAL_ARGUMENT) {
  u32 sum = 0;
  const u64 step = (u64)group_items() * LODE_BLOCKS;
  for (u64 tile = group_index() * step; tile + step <= blocks; tile += group_count() * step) {
    UNROLL
    for (u32 block = 0; block < LODE_BLOCKS; ++block) {
      const words4 bytes = text[tile + block * group_items() + item_index()];
      sum += bytes.x ^ bytes.y ^ bytes.z ^ bytes.w;
    }
  }
  add_global(sums, sum);
}
