// records: finds for each block of a text the record in which it begins, and fills cells.
//
// Idea: a kernel that has found an occurrence looks up its block. Few records begin in a block, and these it searches
// by halves (lies_in_record in common.h).
// Example: records that begin at 0, 3 and 20, blocks of 8 bytes: the blocks begin in records 0 1 1 2.
#include "common.h"

KERNEL void lode_records_index(GLOBAL const u64* RESTRICT starts, u32 count, u32 block_log2, u32 block_count,
                               GLOBAL u32* blocks LOCAL_ARGUMENT) {
  for (u32 block = group_index() * group_items() + item_index(); block < block_count;
       block += group_count() * group_items()) {
    const u64 place = (u64)block << block_log2;
    u32 record = 0;
    u32 last = count - 1;
    while (record < last) {
      const u32 middle = last - (last - record) / 2;
      if ((starts[middle] & ~LODE_NULL_RECORD) <= place)
        record = middle;
      else
        last = middle - 1;
    }
    blocks[block] = record;
  }
}

KERNEL void lode_records_fill(GLOBAL u32* cells, u64 words, u32 value LOCAL_ARGUMENT) {
  GLOBAL words4* blocks = (GLOBAL words4*)cells;
  words4 values;
  values.x = value;
  values.y = value;
  values.z = value;
  values.w = value;
  const u64 item = (u64)group_index() * group_items() + item_index();
  const u64 step = (u64)group_count() * group_items();
  for (u64 block = item; block < words / 4; block += step) blocks[block] = values;
  for (u64 word = words / 4 * 4 + item; word < words; word += step) cells[word] = value;
}
