// filter: hashes a window at every sampled place, tests bits of a table, queues what passes, verifies it in full teams.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers exactly one sampled
// place with one of its windows. A pass serves one length class. An item loads blocks of 16 bytes and takes the bytes
// behind them from its neighbour; each window of them is hashed, and a Bloom filter (bits of one word) is asked, in local
// memory if it fits there; a large set has a second, larger one in global memory for what passes the first. Few windows
// pass both; their places go to a queue of the team. As soon as it can feed the whole team, every item takes one place
// and looks for entries with the window's hash in the hash's bucket. Those go to a second queue, with their places, and
// when that can feed the team, every item compares one entry's pattern with the text. So neither a long bucket nor a
// window that many patterns share makes a team wait for one item. Without exchanges between items there is one queue.
// Example: pattern `puppy`, stride 2, window 4: entries `pupp` (offset 0) and `uppy` (offset 1).
// Worst case: every place passes and its bucket is long. Loses to `vector` on one pattern.
#include "common.h"

// Constants: LODE_STRIDE 1, 2, 4, 8 or 16; LODE_WINDOW 1 … 16; LODE_FOLD; LODE_FIRST_LOCAL: the first filter lies in
// local memory; LODE_FIRST_WORDS of it; LODE_FIRST_BITS of a word for each window, 1 … 3; LODE_SECOND_LOG2: words of the
// second, with two bits each, 0: there is none; LODE_BUCKET_LOG2 buckets; LODE_BLOCKS: blocks of a tile for each item.

#define FILTER_MAX_BLOCKS 4
#define FILTER_BLOCK_WINDOWS (16 / LODE_STRIDE)
#define FILTER_WINDOWS (LODE_BLOCKS * FILTER_BLOCK_WINDOWS)  // of an item in a tile, at most 32
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

// Its lowest bit says whether the bits that the bottom of the hash names are all set in the word that its top has chosen.
DEVICE u32 filter_test(u32 word, u32 hash, u32 bits) {
  u32 test = shift_down(word, hash);
  if (bits > 1) test &= shift_down(word, hash >> 5);
  if (bits > 2) test &= shift_down(word, hash >> 10);
  return test;
}

DEVICE u32 filter_second_hash(u32 hash) { return (hash ^ (hash >> 16)) * 0x7FEB352Du; }

// A window's hash, and an entry that may have it or LODE_NO_ENTRY.
struct filter_search {
  u32 hash;
  u32 entry;
};

// For the window at `place`; there is nothing for a place that is not below the limit.
DEVICE struct filter_search filter_hash_again(const struct search* s, u32 place, u32 limit) {
  struct filter_search found;
  found.hash = 0;
  found.entry = LODE_NO_ENTRY;
  if (place >= limit) return found;
  u32 sum = 0;
  // All of these words hold bytes of the window, which lies in the piece; but for the last one at a place within a word.
  GLOBAL const u32* words = (GLOBAL const u32*)s->text + place / 4;
  u32 low = words[0];
  UNROLL
  for (u32 word = 0; word < FILTER_WORDS; ++word) {
    u32 bytes = low;
    if (LODE_STRIDE % 4 != 0) {
      low = word + 1 < FILTER_WORDS ? words[word + 1] : text_word(s, place / 4 + FILTER_WORDS);
      bytes = funnel(bytes, low, place % 4 * 8);
    } else if (word + 1 < FILTER_WORDS) {
      low = words[word + 1];
    }
    if (LODE_FOLD) bytes |= 0x20202020u;
    sum = filter_add(sum, bytes, word);
  }
  found.hash = filter_finish(sum);
  found.entry = filter_second_hash(found.hash) >> (32 - LODE_BUCKET_LOG2);
  return found;
}

// Takes the next entry of equal hash, or LODE_NO_ENTRY; `entry` becomes the one behind it.
DEVICE u32 filter_next_entry(GLOBAL const struct lode_entry* entries, struct filter_search* found) {
  while (found->entry != LODE_NO_ENTRY) {
    const u32 at = found->entry;
    GLOBAL const struct lode_entry* entry = entries + at;
    const words4 begin = *(GLOBAL const words4*)entry;  // hash, next, distinct, place
    found->entry = begin.y;
    if (begin.x == found->hash && begin.w != 0) return at;
  }
  return LODE_NO_ENTRY;
}

// Whether the entry's head stands at `start`. Exact where case counts, but for patterns of more than 16 bytes.
DEVICE int filter_head_matches(const struct search* s, words4 head, u32 start, u32 length) {
  const u32 heads[4] = {head.x, head.y, head.z, head.w};
  u32 low = text_word(s, start / 4);
  u32 differences = 0;
  UNROLL
  for (u32 word = 0; word < 4; ++word) {
    const u32 high = text_word(s, start / 4 + word + 1);
    u32 bytes = funnel(low, high, start % 4 * 8);
    low = high;
    if (LODE_FOLD) bytes |= 0x20202020u;
    const u32 begin = 4 * word;
    const u32 rest = length > begin ? length - begin : 0;
    const u32 mask = rest >= 4 ? 0xffffffffu : (1u << (8 * rest)) - 1;
    differences |= (bytes ^ heads[word]) & mask;
  }
  return differences == 0;
}

// Compares the pattern of an entry whose window stands at `place`, and reports.
DEVICE void filter_compare(struct search* s, GLOBAL const struct lode_entry* entry, u32 place) {
  GLOBAL const words4* parts = (GLOBAL const words4*)entry;
  const words4 begin = parts[0];  // hash, next, distinct, place
  const u32 start = place - (begin.w & ((1u << LODE_LENGTH_SHIFT) - 1));
  const u32 length = begin.w >> LODE_LENGTH_SHIFT;
  if (start < s->piece.begin || start >= s->piece.end || length > s->piece.size - start) return;
  ++s->candidates;
  if (!filter_head_matches(s, parts[1], start, length)) return;
  if (LODE_FOLD || length > 16) {
    if (!equals_text(s, start, s->patterns[begin.z], LODE_FOLD ? 0 : 16)) return;
  }
  report(s, start, begin.z, length);
}

// Verifies the window at `place` alone.
DEVICE void filter_check(struct search* s, GLOBAL const struct lode_entry* entries, u32 place, u32 limit) {
  struct filter_search found = filter_hash_again(s, place, limit);
  for (u32 at = filter_next_entry(entries, &found); at != LODE_NO_ENTRY; at = filter_next_entry(entries, &found))
    filter_compare(s, entries + at, place);
}

// Entries to compare, of a team that exchanges.
struct filter_pairs {
  LOCAL u32* places;
  LOCAL u32* entries;
  u32 waiting;
};

DEVICE void filter_compare_pairs(struct search* s, GLOBAL const struct lode_entry* entries,
                                 const struct filter_pairs* pairs, u32 first, u32 count) {
  const u32 lane = item_index() % LODE_TEAM;
  team_sync();
  if (lane < count) filter_compare(s, entries + pairs->entries[first + lane], pairs->places[first + lane]);
  team_sync();
}

// Queues the entries for each item's window, and compares as many as feed the team.
DEVICE void filter_look_up(struct search* s, GLOBAL const struct lode_entry* entries, struct filter_pairs* pairs,
                           u32 place, u32 limit) {
  const u32 before = (1u << item_index() % LODE_TEAM) - 1;
  struct filter_search found = filter_hash_again(s, place, limit);
  for (;;) {
    const u32 entry = filter_next_entry(entries, &found);
    const u32 having = team_ballot(entry != LODE_NO_ENTRY);
    if (having == 0) return;
    if (entry != LODE_NO_ENTRY) {
      const u32 slot = pairs->waiting + count_bits(having & before);
      pairs->places[slot] = place;
      pairs->entries[slot] = entry;
    }
    pairs->waiting += count_bits(having);
    if (pairs->waiting < LODE_TEAM) continue;
    pairs->waiting -= LODE_TEAM;
    filter_compare_pairs(s, entries, pairs, pairs->waiting, LODE_TEAM);
  }
}

// The words of the item's blocks of a tile, the team's blocks side by side.
DEVICE void filter_load(u32 (*words)[4], GLOBAL const words4* text, u32 index, u32 blocks, u32 last_block) {
  UNROLL
  for (u32 block = 0; block < blocks; ++block) {
    const u32 at = index + block * LODE_TEAM;
    const words4 loaded = text[at < last_block ? at : last_block];
    words[block][0] = loaded.x;
    words[block][1] = loaded.y;
    words[block][2] = loaded.z;
    words[block][3] = loaded.w;
  }
}

// The place of an item's window in a tile, from the index of its first block.
DEVICE u32 filter_place(u32 block, u32 window) {
  return (block + window / FILTER_BLOCK_WINDOWS * LODE_TEAM) * 16 + window % FILTER_BLOCK_WINDOWS * LODE_STRIDE;
}

KERNEL void lode_filter(SEARCH_ARGUMENTS, GLOBAL const u32* RESTRICT first, GLOBAL const u32* RESTRICT second,
                        GLOBAL const struct lode_entry* RESTRICT entries, u32 max_offset LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const u32 team = item_index() / LODE_TEAM;
  const u32 lane = item_index() % LODE_TEAM;
  const u32 teams = group_items() / LODE_TEAM;
  // Local memory: each team's count of the places in its queue, the queues, the first filter.
  const u32 capacity = LODE_TEAM * (LODE_TEAM_EXCHANGES ? 2 : FILTER_WINDOWS + 1);
  const u32 queue_words = LODE_TEAM_EXCHANGES ? 3 * capacity : capacity;
  LOCAL u32* queued = memory + team;
  LOCAL u32* queue = memory + teams + team * queue_words;
  LOCAL u32* filter = memory + teams + teams * queue_words;
  struct filter_pairs pairs;
  pairs.places = queue + capacity;
  pairs.entries = queue + 2 * capacity;
  pairs.waiting = 0;
  if (LODE_FIRST_LOCAL)
    for (u32 word = item_index(); word < LODE_FIRST_WORDS; word += group_items()) filter[word] = first[word];
  if (lane == 0) *queued = 0;
  group_sync();

  // Windows lie at places below `limit`, in blocks from first_block on.
  const u32 last_place = piece.size < LODE_WINDOW ? 0 : piece.size - LODE_WINDOW + 1;
  const u32 limit = piece.end + (u64)max_offset < last_place ? piece.end + max_offset : last_place;
  const u32 first_block = piece.begin / 16;
  const u32 blocks = limit <= piece.begin ? 0 : (limit + 15) / 16 - first_block;
  const u32 last_block = piece.size == 0 ? 0 : (piece.size - 1) / 16;
  const u32 tile_blocks = LODE_TEAM * LODE_BLOCKS;
  GLOBAL const words4* text = (GLOBAL const words4*)s.text;
  u32 waiting = 0;  // places in the queue, where teams exchange

  for (u32 tile = (group_index() * teams + team) * tile_blocks; tile < blocks;
       tile += group_count() * teams * tile_blocks) {
    u32 words[FILTER_MAX_BLOCKS + 1][4];
    filter_load(words, text, first_block + tile + lane, LODE_BLOCKS, last_block);
    if (LODE_TEAM_EXCHANGES != 0 && FILTER_REACH > 0)
      filter_load(words + LODE_BLOCKS, text, first_block + tile + tile_blocks, 1, last_block);

    u32 passed = 0;  // at its top, the last window highest
    UNROLL
    for (u32 block = 0; block < LODE_BLOCKS; ++block) {
      u32 bytes[8];
      UNROLL
      for (u32 word = 0; word < 4; ++word) bytes[word] = words[block][word];
      if (LODE_TEAM_EXCHANGES) {
        UNROLL
        for (u32 word = 0; word < 4; ++word) {
          bytes[4 + word] = 0;
          if (4 * word < FILTER_REACH)
            bytes[4 + word] = team_rotate(lane == 0 ? words[block + 1][word] : words[block][word]);
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
      u32 hashes[FILTER_BLOCK_WINDOWS];
      u32 tests[FILTER_BLOCK_WINDOWS];
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
        hashes[window] = filter_finish(sum);
        const u32 index = multiply_high(hashes[window], LODE_FIRST_WORDS);
        tests[window] = filter_test(LODE_FIRST_LOCAL ? filter[index] : first[index], hashes[window], LODE_FIRST_BITS);
      }
      if (LODE_SECOND_LOG2 != 0) {
        // All words are asked for before the first is used.
        u32 seconds[FILTER_BLOCK_WINDOWS];
        UNROLL
        for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window) {
          hashes[window] = filter_second_hash(hashes[window]);
          seconds[window] = (tests[window] & 1) != 0 ? second[hashes[window] >> (32 - LODE_SECOND_LOG2)] : 0;
        }
        UNROLL
        for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window)
          tests[window] = filter_test(seconds[window], hashes[window], 2);
      }
      UNROLL
      for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window) passed = funnel(passed, tests[window], 1);
    }
    u32 hits = passed >> (32 - FILTER_WINDOWS);
    if (!team_any(hits != 0)) continue;

    if (LODE_TEAM_EXCHANGES) {
      for (u32 hitting = team_ballot(hits != 0); hitting != 0; hitting = team_ballot(hits != 0)) {
        if (hits != 0) {
          queue[waiting + count_bits(hitting & ((1u << lane) - 1))] =
              filter_place(first_block + tile + lane, lowest_bit(hits));
          hits &= hits - 1;
        }
        waiting += count_bits(hitting);
        if (waiting < LODE_TEAM) continue;
        team_sync();
        waiting -= LODE_TEAM;
        const u32 place = queue[waiting + lane];
        team_sync();
        filter_look_up(&s, entries, &pairs, place, limit);
      }
      continue;
    }
    if (hits != 0) {
      u32 slot = add_local(queued, count_bits(hits));
      for (; hits != 0; hits &= hits - 1) queue[slot++] = filter_place(first_block + tile + lane, lowest_bit(hits));
    }
    team_sync();
    waiting = *queued;
    team_sync();
    while (waiting >= LODE_TEAM) {
      waiting -= LODE_TEAM;
      filter_check(&s, entries, queue[waiting + lane], limit);
    }
    if (lane == 0) *queued = waiting;
    team_sync();
  }
  team_sync();
  if (LODE_TEAM_EXCHANGES) {
    // The limit is no place.
    filter_look_up(&s, entries, &pairs, lane < waiting ? queue[lane] : limit, limit);
    filter_compare_pairs(&s, entries, &pairs, 0, pairs.waiting);
  } else {
    for (u32 at = lane; at < waiting; at += LODE_TEAM) filter_check(&s, entries, queue[at], limit);
  }
  finish_search(&s, memory, totals);
}
