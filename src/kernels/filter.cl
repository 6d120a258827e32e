// filter: hashes a window at every sampled place, tests two bits of a table, queues what passes, verifies it in full teams.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers exactly one sampled
// place with one of its windows. A pass serves one length class. An item loads blocks of 16 bytes and takes the bytes
// behind them from its neighbour; each window of them is hashed, and a Bloom filter (two bits of one word) is asked, in
// local memory if it fits there. Few windows pass; their places go to a queue of the team. As soon as it can feed the
// whole team, every item takes one place: the window's full hash finds a bucket, and entries of equal hash are compared
// exactly. A large set has a second, larger filter in global memory, asked before the bucket.
// Example: pattern `puppy`, stride 2, window 4: entries `pupp` (offset 0) and `uppy` (offset 1).
// Worst case: every place passes and its bucket is long. Loses to `vector` on one pattern.
#include "common.h"

// Constants: LODE_STRIDE 1, 2, 4, 8 or 16; LODE_WINDOW 1 … 16; LODE_FOLD; LODE_FIRST_LOCAL: the filter lies in local
// memory; LODE_FIRST_WORDS of the first filter, LODE_SECOND_LOG2: words of the second, 0: there is none;
// LODE_BUCKET_LOG2 buckets; LODE_BLOCKS: blocks of a tile for each item; LODE_RUN: tiles that a team takes one after the
// other; LODE_ROUND: windows of an item that are queued before the queue is looked at.

#define FILTER_MAX_BLOCKS 4
#define FILTER_BLOCK_WINDOWS (16 / LODE_STRIDE)
#define FILTER_WINDOWS (LODE_BLOCKS * FILTER_BLOCK_WINDOWS)  // of an item in a tile, at most 16
#define FILTER_WORDS ((LODE_WINDOW + 3) / 4)
// Bytes behind a block that its windows reach into.
#define FILTER_REACH (LODE_WINDOW > LODE_STRIDE ? LODE_WINDOW - LODE_STRIDE : 0)

DEVICE u32 filter_multiplier(u32 word) {
  return word == 0 ? 0x9E3779B1u : word == 1 ? 0x85EBCA77u : word == 2 ? 0xC2B2AE3Du : 0x27D4EB2Fu;
}

// The last word's multiplier is shifted so that bytes behind the window drop out.
DEVICE u32 filter_add(u32 sum, u32 bytes, u32 word) {
  const u32 spare = word + 1 == FILTER_WORDS ? FILTER_WORDS * 4 - LODE_WINDOW : 0;
  return sum + bytes * (filter_multiplier(word) << (8 * spare));
}

DEVICE u32 filter_finish(u32 sum) { return (sum ^ (sum >> 15)) * 0x2C1B3C6Du; }

// Its lowest bit says whether both bits are set in the word that the top of the hash has chosen.
DEVICE u32 filter_test(u32 word, u32 hash) { return (word >> (hash & 31)) & (word >> ((hash >> 5) & 31)); }

DEVICE u32 filter_second_hash(u32 hash) { return (hash ^ (hash >> 16)) * 0x7FEB352Du; }

struct filter_tables {
  GLOBAL const u32 *second;
  GLOBAL const u32 *bucket_starts;
  GLOBAL const struct lode_entry *entries;
};

// Verifies the place of a window.
DEVICE void filter_check(struct search *s, const struct filter_tables *tables, u32 place) {
  u32 sum = 0;
  for (u32 word = 0; word < FILTER_WORDS; ++word) {
    u32 bytes = text_u32(s, place + 4 * word);
    if (LODE_FOLD) bytes |= 0x20202020u;
    sum = filter_add(sum, bytes, word);
  }
  const u32 hash = filter_finish(sum);
  const u32 second = filter_second_hash(hash);
  if (LODE_SECOND_LOG2 != 0) {
    const u32 word = tables->second[second >> (32 - LODE_SECOND_LOG2)];
    if ((filter_test(word, second) & 1) == 0) return;
  }
  const u32 bucket = second >> (32 - LODE_BUCKET_LOG2);
  const u32 end = tables->bucket_starts[bucket + 1];
  for (u32 at = tables->bucket_starts[bucket]; at < end; ++at) {
    if (tables->entries[at].hash != hash) continue;
    verify(s, place - tables->entries[at].offset, tables->entries[at].distinct);
  }
}

// The words of the item's blocks of a tile, the team's blocks side by side.
DEVICE void filter_load(u32 words[FILTER_MAX_BLOCKS][4], GLOBAL const words4 *text, u32 index, u32 last_block) {
  UNROLL
  for (u32 block = 0; block < LODE_BLOCKS; ++block) {
    const u32 at = index + block * LODE_TEAM;
    const words4 loaded = text[at < last_block ? at : last_block];
    words[block][0] = loaded.x;
    words[block][1] = loaded.y;
    words[block][2] = loaded.z;
    words[block][3] = loaded.w;
  }
}

KERNEL void lode_filter(SEARCH_ARGUMENTS, GLOBAL const u32 *RESTRICT first, GLOBAL const u32 *RESTRICT second,
                        GLOBAL const u32 *RESTRICT bucket_starts, GLOBAL const struct lode_entry *RESTRICT entries,
                        u32 max_offset LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const u32 team = item_index() / LODE_TEAM;
  const u32 lane = item_index() % LODE_TEAM;
  const u32 teams = group_items() / LODE_TEAM;
  // Local memory: each team's count of the places in its queue, the queues, the first filter.
  const u32 capacity = LODE_TEAM * (LODE_ROUND + 1);
  LOCAL u32 *queued = memory + team;
  LOCAL u32 *queue = memory + teams + team * capacity;
  LOCAL u32 *filter = memory + teams + teams * capacity;
  if (LODE_FIRST_LOCAL)
    for (u32 word = item_index(); word < LODE_FIRST_WORDS; word += group_items()) filter[word] = first[word];
  if (lane == 0) *queued = 0;
  group_sync();

  struct filter_tables tables;
  tables.second = second;
  tables.bucket_starts = bucket_starts;
  tables.entries = entries;

  // Windows lie at places below `limit`, in blocks from first_block on.
  const u32 last_place = piece.size < LODE_WINDOW ? 0 : piece.size - LODE_WINDOW + 1;
  const u32 limit = piece.end + (u64)max_offset < last_place ? piece.end + max_offset : last_place;
  const u32 first_block = piece.begin / 16;
  const u32 blocks = limit <= piece.begin ? 0 : (limit + 15) / 16 - first_block;
  const u32 last_block = piece.size == 0 ? 0 : (piece.size - 1) / 16;
  const u32 tile_blocks = LODE_TEAM * LODE_BLOCKS;
  const u32 run_blocks = tile_blocks * LODE_RUN;
  GLOBAL const words4 *text = (GLOBAL const words4 *)s.text;

  for (u32 run = (group_index() * teams + team) * run_blocks; run < blocks; run += group_count() * teams * run_blocks) {
    const u32 run_end = blocks - run < run_blocks ? blocks : run + run_blocks;
    u32 words[FILTER_MAX_BLOCKS][4];
    filter_load(words, text, first_block + run + lane, last_block);
    for (u32 tile = run; tile < run_end; tile += tile_blocks) {
      // Under way while this tile is searched; its first block also follows this tile's last.
      u32 next[FILTER_MAX_BLOCKS][4];
      filter_load(next, text, first_block + tile + tile_blocks + lane, last_block);

      u32 hits = 0;
      UNROLL
      for (u32 block = 0; block < LODE_BLOCKS; ++block) {
        u32 bytes[8];
        UNROLL
        for (u32 word = 0; word < 4; ++word) bytes[word] = words[block][word];
        if (LODE_TEAM_EXCHANGES) {
          UNROLL
          for (u32 word = 0; word < 4; ++word) {
            const u32 behind = block + 1 < LODE_BLOCKS ? words[block + 1][word] : next[0][word];
            bytes[4 + word] = 0;
            if (4 * word < FILTER_REACH) bytes[4 + word] = team_rotate(lane == 0 ? behind : words[block][word]);
          }
        } else {
          const u32 index = first_block + tile + block * LODE_TEAM + lane + 1;
          const words4 loaded = text[index < last_block ? index : last_block];
          bytes[4] = loaded.x;
          bytes[5] = loaded.y;
          bytes[6] = loaded.z;
          bytes[7] = loaded.w;
        }
        if (LODE_FOLD) {
          UNROLL
          for (u32 word = 0; word < 8; ++word) bytes[word] |= 0x20202020u;
        }
        UNROLL
        for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window) {
          const u32 place = window * LODE_STRIDE;
          u32 sum = 0;
          UNROLL
          for (u32 word = 0; word < FILTER_WORDS; ++word) {
            const u32 at = place / 4 + word;
            const u32 value = place % 4 == 0 ? bytes[at] : funnel(bytes[at], bytes[at < 7 ? at + 1 : 7], place % 4 * 8);
            sum = filter_add(sum, value, word);
          }
          const u32 hash = filter_finish(sum);
          const u32 index = multiply_high(hash, LODE_FIRST_WORDS);
          const u32 test = filter_test(LODE_FIRST_LOCAL ? filter[index] : first[index], hash);
          hits |= (test & 1) << (block * FILTER_BLOCK_WINDOWS + window);
        }
      }
      UNROLL
      for (u32 block = 0; block < LODE_BLOCKS; ++block) {
        UNROLL
        for (u32 word = 0; word < 4; ++word) words[block][word] = next[block][word];
      }
      if (!team_any(hits != 0)) continue;

      do {
        for (u32 at = 0; at < LODE_ROUND && hits != 0; ++at) {
          const u32 window = lowest_bit(hits);
          hits &= hits - 1;
          const u32 block = first_block + tile + window / FILTER_BLOCK_WINDOWS * LODE_TEAM + lane;
          const u32 place = block * 16 + window % FILTER_BLOCK_WINDOWS * LODE_STRIDE;
          if (place < limit) queue[add_local(queued, 1)] = place;
        }
        team_sync();
        u32 waiting = *queued;
        team_sync();
        while (waiting >= LODE_TEAM) {
          waiting -= LODE_TEAM;
          filter_check(&s, &tables, queue[waiting + lane]);
        }
        if (lane == 0) *queued = waiting;
        team_sync();
      } while (LODE_ROUND < FILTER_WINDOWS && team_any(hits != 0));
    }
  }
  const u32 waiting = *queued;
  for (u32 at = lane; at < waiting; at += LODE_TEAM) filter_check(&s, &tables, queue[at]);
  finish_search(&s, memory, totals);
}
