// filter: hashes a window at every sampled place, tests bits of a table, queues what passes, verifies it in full teams.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables, and why exactly one of them lies at a sampled place
// in each occurrence. A pass serves one length class. An item loads blocks of 16 bytes and takes the bytes behind them
// from its neighbour. It hashes each window and asks a Bloom filter whose bits for a window lie in one word. The filter
// lies in local memory if it fits there. A large set has a second, larger filter in global memory for what passes the
// first. Few windows pass; their places go to a queue of the team. As soon as that can feed the whole team, every item
// takes one place and looks for entries with the window's hash in the hash's bucket. These entries go to a second
// queue, with the starts that they imply. When that can feed the team, every item compares one entry's pattern with the
// text. So neither a long bucket nor a window that many patterns share makes a team wait for one item. If items cannot
// exchange, there is one queue.
// Example: pattern `puppy`, stride 2, window 4: entries `pupp` (offset 0) and `uppy` (offset 1).
// Worst case: text x patterns, if every place passes and its bucket is long. Loses to `vector` on one pattern.
#include "common.h"

// Constants:
//   LODE_STRIDE       1, 2, 4, 8 or 16
//   LODE_WINDOW       bytes of a window, 1 … 16
//   LODE_FOLD         1: bit 0x20 of the text is set before hashing and before heads are compared
//   LODE_FIRST_LOCAL  1: the first filter lies in local memory; 0: in global memory, where a cache may hold it
//   LODE_FIRST_WORDS  words of the first filter
//   LODE_FIRST_BITS   bits of a window in the first filter, 1 … 3
//   LODE_SECOND_LOG2  the second filter has 2^LODE_SECOND_LOG2 words, and two bits for a window; 0: there is none
//   LODE_BUCKET_LOG2  there are 2^LODE_BUCKET_LOG2 buckets
//   LODE_BLOCKS       blocks of an item in a tile

#define FILTER_MAX_BLOCKS 8
#define FILTER_BLOCK_WINDOWS (16 / LODE_STRIDE)
#define FILTER_WINDOWS (LODE_BLOCKS * FILTER_BLOCK_WINDOWS)  // windows of an item in a tile, at most 32
#define FILTER_WORDS ((LODE_WINDOW + 3) / 4)
// So many bytes behind a block belong to its windows, too.
#define FILTER_REACH (LODE_WINDOW > LODE_STRIDE ? LODE_WINDOW - LODE_STRIDE : 0)

DEVICE u32 filter_multiplier(u32 word) {
  return word == 0 ? 0x9E3779B1u : word == 1 ? 0x85EBCA77u : word == 2 ? 0xC2B2AE3Du : 0x27D4EB2Fu;
}

// Adds a word of the window to the sum that is its hash. The last word's multiplier is shifted, so that bytes behind
// the window drop out at the top. Window `pup` in the text `puppy`:
//   p u p p * (multiplier << 8)  =  _ p u p * multiplier     (lowest byte first)
DEVICE u32 filter_add(u32 sum, u32 bytes, u32 word) {
  const u32 spare = word + 1 == FILTER_WORDS ? FILTER_WORDS * 4 - LODE_WINDOW : 0;
  return sum + bytes * (filter_multiplier(word) << (8 * spare));
}

// A filter is a table of bits; the first bit of a word is its top one. `bit` is a window's first bit; the others lie in
// the same word, where the bottom of the hash says. Each test shifts its bit to the top, so the top bit of the result
// says whether all are set:
//   word               . . 1 . . 1 . .
//   shifted up by 2    1 . . 1 . . . .
//   shifted up by 5    1 . . . . . . .    both are set at the top
DEVICE u32 filter_test(u32 word, u32 bit, u32 hash, u32 bits) {
  u32 test = shift_up(word, bit);
  if (bits > 1) test &= shift_up(word, hash);
  if (bits > 2) test &= shift_up(word, hash >> 5);
  return test;
}

DEVICE u32 filter_second_hash(u32 hash) { return hash * 0x7FEB352Du; }

DEVICE u32 filter_bucket(u32 hash) { return ((hash ^ (hash >> 16)) * 0x2C1B3C6Du) >> (32 - LODE_BUCKET_LOG2); }

// Fetches `count` words of the text from `place` on. Two whole blocks are read, because an access costs as much for 16
// bytes as for 4. Then the words are moved to the front by the bits of `place`: 8 moves them by two words, 4 by one
// word, and the lowest two bits by bytes. Place 14 of blocks 0 and 1:
//   words      0 1 2 3 | 4 5 6 7
//   by 8       2 3 4 5 6 7
//   by 4       3 4 5 6 7
//   by 2 bytes the first word has the bytes 14 to 17
// Bytes that do not belong to the piece may have any value.
DEVICE void filter_fetch(const struct search* s, u32 place, u32 count, u32* fetched) {
  GLOBAL const words4* text = (GLOBAL const words4*)s->text;
  const u32 last_block = (s->piece.size - 1) / 16;
  const u32 block = place / 16;
  const words4 low = text[block < last_block ? block : last_block];
  const words4 high = text[block + 1 < last_block ? block + 1 : last_block];
  u32 words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  UNROLL
  for (u32 word = 0; word < 6; ++word) words[word] = (place & 8) != 0 ? words[word + 2] : words[word];
  UNROLL
  for (u32 word = 0; word < 5; ++word) words[word] = (place & 4) != 0 ? words[word + 1] : words[word];
  UNROLL
  for (u32 word = 0; word < 4; ++word) {
    if (word < count) fetched[word] = funnel(words[word], words[word + 1], place % 4 * 8);
    if (word < count && LODE_FOLD) fetched[word] |= 0x20202020u;
  }
}

// A way through a bucket, in search of a window's hash.
struct filter_search {
  u32 hash;
  u32 entry;  // the next entry to look at, or LODE_NO_ENTRY
};

// Hashes the window at `place` and begins with its bucket. Nothing is found for a place that is not below the limit.
DEVICE struct filter_search filter_hash_again(const struct search* s, u32 place, u32 limit) {
  struct filter_search found;
  found.hash = 0;
  found.entry = LODE_NO_ENTRY;
  if (place >= limit) return found;
  u32 bytes[4];
  filter_fetch(s, place, FILTER_WORDS, bytes);
  u32 sum = 0;
  UNROLL
  for (u32 word = 0; word < FILTER_WORDS; ++word) sum = filter_add(sum, bytes[word], word);
  found.hash = sum;
  found.entry = filter_bucket(sum);
  return found;
}

// An entry whose pattern is to be compared at a start.
struct filter_pair {
  u32 entry;  // LODE_NO_ENTRY: there is none
  u32 start;  // any number; filter_compare checks it
  u32 length;
};

// Takes the next entry of equal hash from the bucket; `found->entry` becomes the one behind it.
DEVICE struct filter_pair filter_next_entry(GLOBAL const struct lode_entry* entries, struct filter_search* found,
                                            u32 place) {
  struct filter_pair pair;
  pair.entry = LODE_NO_ENTRY;
  while (found->entry != LODE_NO_ENTRY) {
    const u32 at = found->entry;
    const words4 begin = *(GLOBAL const words4*)(entries + at);  // hash, next, distinct, place
    found->entry = begin.y;
    if (begin.x != found->hash || begin.w == 0) continue;
    pair.entry = at;
    pair.start = place - (begin.w & ((1u << LODE_LENGTH_SHIFT) - 1));
    pair.length = begin.w >> LODE_LENGTH_SHIFT;
    break;
  }
  return pair;
}

// Compares the entry's pattern with the text at its start, and reports.
DEVICE void filter_compare(struct search* s, GLOBAL const struct lode_entry* entries, struct filter_pair pair) {
  const u32 start = pair.start;
  const u32 length = pair.length;
  if (start < s->piece.begin || start >= s->piece.end || length > s->piece.size - start) return;
  ++s->candidates;
  GLOBAL const struct lode_entry* entry = entries + pair.entry;
  const words4 head = ((GLOBAL const words4*)entry)[1];
  const u32 heads[4] = {head.x, head.y, head.z, head.w};
  u32 bytes[4];
  filter_fetch(s, start, 4, bytes);
  u32 differences = 0;
  UNROLL
  for (u32 word = 0; word < 4; ++word) {
    const u32 rest = length > 4 * word ? length - 4 * word : 0;
    const u32 mask = rest >= 4 ? 0xffffffffu : (1u << (8 * rest)) - 1;
    differences |= (bytes[word] ^ heads[word]) & mask;
  }
  if (differences != 0) return;
  const u32 distinct = entry->distinct;
  // The head is enough if case counts and the head is the whole pattern.
  if (LODE_FOLD || length > 16) {
    if (!equals_text(s, start, s->patterns[distinct], LODE_FOLD ? 0 : 16)) return;
  }
  report(s, start, distinct, length);
}

// Compares all entries of the window at `place`. The item does so alone, because items cannot exchange.
DEVICE void filter_check(struct search* s, GLOBAL const struct lode_entry* entries, u32 place, u32 limit) {
  struct filter_search found = filter_hash_again(s, place, limit);
  for (;;) {
    const struct filter_pair pair = filter_next_entry(entries, &found, place);
    if (pair.entry == LODE_NO_ENTRY) return;
    filter_compare(s, entries, pair);
  }
}

// A team's second queue, if items exchange: the members of each filter_pair that waits.
struct filter_pairs {
  LOCAL u32* entries;
  LOCAL u32* starts;
  LOCAL u32* lengths;
  u32 waiting;
};

// Compares `count` pairs of the queue, from `first` on. All of the team call it.
DEVICE void filter_compare_pairs(struct search* s, GLOBAL const struct lode_entry* entries,
                                 const struct filter_pairs* pairs, u32 first, u32 count) {
  const u32 lane = item_index() % LODE_TEAM;
  team_sync();
  if (lane < count) {
    struct filter_pair pair;
    pair.entry = pairs->entries[first + lane];
    pair.start = pairs->starts[first + lane];
    pair.length = pairs->lengths[first + lane];
    filter_compare(s, entries, pair);
  }
  team_sync();
}

// Queues the entries for each item's window, and compares whenever enough wait to feed the team. All of the team call
// it.
DEVICE void filter_look_up(struct search* s, GLOBAL const struct lode_entry* entries, struct filter_pairs* pairs,
                           u32 place, u32 limit) {
  const u32 before = (1u << item_index() % LODE_TEAM) - 1;
  struct filter_search found = filter_hash_again(s, place, limit);
  for (;;) {
    const struct filter_pair pair = filter_next_entry(entries, &found, place);
    const u32 having = team_ballot(pair.entry != LODE_NO_ENTRY);
    if (having == 0) return;
    if (pair.entry != LODE_NO_ENTRY) {
      const u32 slot = pairs->waiting + count_bits(having & before);
      pairs->entries[slot] = pair.entry;
      pairs->starts[slot] = pair.start;
      pairs->lengths[slot] = pair.length;
    }
    pairs->waiting += count_bits(having);
    if (pairs->waiting < LODE_TEAM) continue;
    pairs->waiting -= LODE_TEAM;
    filter_compare_pairs(s, entries, pairs, pairs->waiting, LODE_TEAM);
  }
}

// Loads the item's blocks of a tile. Neighbouring items load neighbouring blocks; an item's own lie LODE_TEAM apart.
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

// Gives the place of an item's window in a tile. `block` is the index of the item's first block.
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
  // Local memory has each team's count of places in its queue, then the teams' queues, then the first filter.
  const u32 capacity = LODE_TEAM * (LODE_TEAM_EXCHANGES ? 4 : FILTER_WINDOWS + 1);
  const u32 pairs_capacity = 2 * LODE_TEAM;
  const u32 queue_words = LODE_TEAM_EXCHANGES ? capacity + 3 * pairs_capacity : capacity;
  LOCAL u32* queued = memory + team;
  LOCAL u32* queue = memory + teams + team * queue_words;
  LOCAL u32* filter = memory + teams + teams * queue_words;
  struct filter_pairs pairs;
  pairs.entries = queue + capacity;
  pairs.starts = pairs.entries + pairs_capacity;
  pairs.lengths = pairs.starts + pairs_capacity;
  pairs.waiting = 0;
  if (LODE_FIRST_LOCAL)
    for (u32 word = item_index(); word < LODE_FIRST_WORDS; word += group_items()) filter[word] = first[word];
  if (lane == 0) *queued = 0;
  group_sync();

  // Windows of wanted occurrences lie at places below `limit`, in blocks from first_block on.
  const u32 last_place = piece.size < LODE_WINDOW ? 0 : piece.size - LODE_WINDOW + 1;
  const u32 limit = piece.end + (u64)max_offset < last_place ? piece.end + max_offset : last_place;
  const u32 first_block = piece.begin / 16;
  const u32 blocks = limit <= piece.begin ? 0 : (limit + 15) / 16 - first_block;
  const u32 last_block = piece.size == 0 ? 0 : (piece.size - 1) / 16;
  const u32 tile_blocks = LODE_TEAM * LODE_BLOCKS;
  GLOBAL const words4* text = (GLOBAL const words4*)s.text;
  u32 waiting = 0;  // places in the queue

  for (u32 tile = (group_index() * teams + team) * tile_blocks; tile < blocks;
       tile += group_count() * teams * tile_blocks) {
    u32 words[FILTER_MAX_BLOCKS + 1][4];
    filter_load(words, text, first_block + tile + lane, LODE_BLOCKS, last_block);
    if (LODE_TEAM_EXCHANGES != 0 && FILTER_REACH > 0)
      filter_load(words + LODE_BLOCKS, text, first_block + tile + tile_blocks, 1, last_block);

    u32 hits = 0;  // a bit for each window; that of the last window is the lowest
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
      u32 bits[FILTER_BLOCK_WINDOWS];
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
        hashes[window] = sum;
        const u32 bit = multiply_high(sum, 32u * LODE_FIRST_WORDS);
        bits[window] = bit;
        tests[window] = filter_test(LODE_FIRST_LOCAL ? filter[bit / 32] : first[bit / 32], bit, sum, LODE_FIRST_BITS);
      }
      if (LODE_SECOND_LOG2 != 0) {
        // All words are asked for before the first is used, so that the loads overlap.
        u32 seconds[FILTER_BLOCK_WINDOWS];
        UNROLL
        for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window) {
          hashes[window] = filter_second_hash(hashes[window]);
          seconds[window] = (int)tests[window] < 0 ? second[hashes[window] >> (32 - LODE_SECOND_LOG2)] : 0;
        }
        UNROLL
        for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window)
          tests[window] = filter_test(seconds[window], bits[window], hashes[window], 2);
      }
      UNROLL
      for (u32 window = 0; window < FILTER_BLOCK_WINDOWS; ++window) hits = funnel(tests[window], hits, 31);
    }
    if (!team_any(hits != 0)) continue;

    if (LODE_TEAM_EXCHANGES) {
      const u32 before = (1u << lane) - 1;
      do {
        // Each item puts up to three places into the queue. Ballots over the two bits of these numbers tell each item
        // how many places come before its own:
        //   lane    0 1 2 3
        //   taken   2 3 0 1
        //   ones    0 1 0 1
        //   twos    1 1 0 0     before lane 3: a one and two twos, 1 + 2 * 2 = 5 places
        const u32 many = count_bits(hits);
        const u32 taken = many < 3 ? many : 3;
        const u32 ones = team_ballot(taken & 1);
        const u32 twos = team_ballot(taken & 2);
        u32 slot = waiting + count_bits(ones & before) + 2 * count_bits(twos & before);
        for (const u32 end = slot + taken; slot < end; ++slot) {
          const u32 skipped = leading_zeros(hits);
          queue[slot] = filter_place(first_block + tile + lane, skipped - (32 - FILTER_WINDOWS));
          hits ^= 0x80000000u >> skipped;
        }
        waiting += count_bits(ones) + 2 * count_bits(twos);
        while (waiting >= LODE_TEAM) {
          team_sync();
          waiting -= LODE_TEAM;
          const u32 place = queue[waiting + lane];
          team_sync();
          filter_look_up(&s, entries, &pairs, place, limit);
        }
      } while (team_any(hits != 0));
      continue;
    }
    if (hits != 0) {
      u32 slot = add_local(queued, count_bits(hits));
      for (; hits != 0; hits &= hits - 1)
        queue[slot++] = filter_place(first_block + tile + lane, FILTER_WINDOWS - 1 - lowest_bit(hits));
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
    // Items without a place take `limit`, for which nothing is found.
    filter_look_up(&s, entries, &pairs, lane < waiting ? queue[lane] : limit, limit);
    filter_compare_pairs(&s, entries, &pairs, 0, pairs.waiting);
  } else {
    for (u32 at = lane; at < waiting; at += LODE_TEAM) filter_check(&s, entries, queue[at], limit);
  }
  finish_search(&s, memory);
}
