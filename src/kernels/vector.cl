// vector: up to four neighbouring bytes of each pattern, tested at four to sixteen places at once.
//
// Idea: an item loads several blocks of 16 bytes before it uses the first, and takes the word behind each block from
// its neighbour. The probe of a pattern is its rarest run of up to four bytes. It is compared at every place of the
// blocks. Four bytes are compared as a word, which a funnel shift makes of two words. Fewer are compared by differences
// of bytes, four places in a word; a subtraction shows whether a byte is zero. One test tells whether any place of an
// item passed. What passed is compared exactly by the item; or, if items exchange, by the whole team as soon as its
// queue of words can feed it, so that the text is fetched again for all items at once. If the probe is the whole
// pattern, the bits of the places are counted instead.
// Example: pattern `puppy`, probe `uppy` at 1, text `a puppy`: the word at place 3 equals it, so place 2 is verified.
// Worst case: text x pattern bytes, if the probe stands at every place. Loses to `filter` from two to five patterns on,
// the sooner the longer they are.
// Source: an OpenCL tutorial's vector comparison of four words, done at every place; the zero byte test is folklore.
#include "common.h"

// Constants:
//   LODE_PATTERNS  patterns of a pass, 1 … 8
//   LODE_PROBES    bytes of a probe, 1 … 4
//   LODE_FOLDS     1: bit 0x20 of the text is set before comparing
//   LODE_EXACT     1: each probe is its whole pattern, and compares as exactly as the pattern

#define VECTOR_BLOCKS 4u  // blocks of an item in a tile
#define VECTOR_MAX_PATTERNS 8

// The four bytes of a probe, each of them in all bytes of a word: `he` is `hhhh` and `eeee`.
struct vector_bytes {
  u32 at[4];
};

DEVICE struct vector_bytes vector_spread(u32 probe) {
  struct vector_bytes bytes;
  UNROLL
  for (u32 byte = 0; byte < 4; ++byte) bytes.at[byte] = (probe >> (8 * byte) & 0xff) * 0x01010101u;
  return bytes;
}

// Compares a probe at the four places of a word. A byte of the result is zero if the text equals the probe there. Probe
// `he`, text `ushers`:
//   place             0 1 2 3
//   low               u s h e   xor hhhh is zero at 2
//   funnel by 8       s h e r   xor eeee is zero at 2, so the OR of both is zero at 2 alone
DEVICE u32 vector_differences(u32 low, u32 high, const struct vector_bytes* bytes) {
  u32 differences = low ^ bytes->at[0];
  if (LODE_PROBES > 1) differences |= funnel(low, high, 8) ^ bytes->at[1];
  if (LODE_PROBES > 2) differences |= funnel(low, high, 16) ^ bytes->at[2];
  if (LODE_PROBES > 3) differences |= funnel(low, high, 24) ^ bytes->at[3];
  return differences;
}

// Sets 0x80 in the byte of each place that passes, whose difference is zero: adding 0x7f to the lower seven bits
// carries into the top one unless all are 0.
DEVICE u32 vector_hits(u32 low, u32 high, const struct vector_bytes* bytes) {
  const u32 differences = vector_differences(low, high, bytes);
  return ~(((differences & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differences) & 0x80808080u;
}

// Gives the hits of a block: bit 8 * byte + word is set if place 4 * word + byte passes. So bits 4 to 7 of each byte
// stay free for a second block.
DEVICE u32 vector_block_hits(const u32* words, const struct vector_bytes* bytes) {
  u32 hits = 0;
  UNROLL
  for (u32 word = 0; word < 4; ++word) hits |= vector_hits(words[word], words[word + 1], bytes) >> (7 - word);
  return hits;
}

// Gives the place of a bit among the hits of a pair of blocks, counted from the item's first block on.
DEVICE u32 vector_place(u32 pair, u32 bit) {
  const u32 block = 2 * pair + (bit >> 2 & 1);
  return block * LODE_TEAM * 16 + (bit & 3) * 4 + (bit >> 3);
}

// Gives a bit for each word of the block, from `bit` on, set if a place of the word passes for some pattern.
DEVICE u32 vector_suspects(const u32* words, u32 bit, const u32* probe, const struct vector_bytes* bytes) {
  u32 suspects = 0;
  UNROLL
  for (u32 word = 0; word < 4; ++word) {
    const u32 low = words[word];
    const u32 high = words[word + 1];
    u32 hits = 0;
    UNROLL
    for (u32 at = 0; at < LODE_PATTERNS; ++at) {
      if (LODE_PROBES == 4) {
        // The operator is | because || might become a branch.
        hits |= (u32)(low == probe[at]) | (u32)(funnel(low, high, 8) == probe[at]) |
                (u32)(funnel(low, high, 16) == probe[at]) | (u32)(funnel(low, high, 24) == probe[at]);
      } else {
        const u32 differences = vector_differences(low, high, &bytes[at]);
        // The term is 0 exactly if no byte is zero. Above a zero byte a borrow may set 0x80, too, which does no harm.
        hits |= (differences - 0x01010101u) & ~differences & 0x80808080u;
      }
    }
    suspects |= hits != 0 ? 1u << (bit + word) : 0;
  }
  return suspects;
}

// Reserves slots of the list for `wanted` matches of each item, and gives the item's first slot. If items exchange, all
// of the team call it, and the team adds to the list's counter once: items that want 2 and 1 slots get those from 0 and
// from 2 on, behind the slots that were taken before.
DEVICE u32 vector_reserve(struct search* s, LOCAL u32* counter, u32 wanted) {
  GLOBAL struct lode_header* counters = (GLOBAL struct lode_header*)s->header;
  if (!LODE_TEAM_EXCHANGES) return wanted == 0 ? 0 : add_global(&counters->listed, wanted);
  const u32 leads = item_index() % LODE_TEAM == 0;
  if (leads) counter[0] = 0;
  team_sync();
  const u32 before = wanted == 0 ? 0 : add_local(counter, wanted);
  team_sync();
  if (leads && counter[0] != 0) counter[1] = add_global(&counters->listed, counter[0]);
  team_sync();
  const u32 first = counter[1];
  team_sync();
  return first + before;
}

DEVICE void vector_list(const struct search* s, u32 slot, u32 start, u32 distinct) {
  s->list[slot].start = start;
  s->list[slot].distinct = distinct;
}

// Compares each pattern whose probe begins in word `word` of the text, and reports. An item that has no word
// (`is_there` is 0) calls it all the same if items exchange, because all of the team must.
DEVICE void vector_compare(struct search* s, GLOBAL const struct lode_probe* probes, LOCAL u32* counter, u32 word,
                           u32 is_there) {
  u32 low = is_there ? text_word(s, word) : 0;
  u32 high = is_there ? text_word(s, word + 1) : 0;
  if (LODE_FOLDS) {
    low |= 0x20202020u;
    high |= 0x20202020u;
  }
  // The loop is not unrolled, because it runs seldom. Probes that fill up the pass come last.
  for (u32 at = 0; at < LODE_PATTERNS && probes[at].distinct != LODE_NO_PATTERN; ++at) {
    const struct lode_probe probe = probes[at];
    const struct vector_bytes bytes = vector_spread(probe.bytes);
    const u32 base = word * 4 - probe.offset;
    u32 equal = 0;  // bit 8 * byte + 7 is set if the pattern stands there
    for (u32 hits = is_there ? vector_hits(low, high, &bytes) : 0; hits != 0; hits &= hits - 1) {
      const u32 start = base + lowest_bit(hits) / 8;
      if (!occurs(s, start, probe.distinct)) continue;
      if (LODE_MODE != LODE_MODE_LIST)
        record(s, start, probe.distinct);
      else
        equal |= hits & (0u - hits);
    }
    if (LODE_MODE != LODE_MODE_LIST || !team_any(equal != 0)) continue;
    const u32 wanted = count_bits(equal);
    u32 slot = vector_reserve(s, counter, wanted);
    if (wanted == 0) continue;
    if (slot > s->piece.capacity || wanted > s->piece.capacity - slot) {
      or_global(&((GLOBAL struct lode_header*)s->header)->overflowed, 1);
      continue;
    }
    for (; equal != 0; equal &= equal - 1) vector_list(s, slot++, base + lowest_bit(equal) / 8, probe.distinct);
  }
}

// A team's queue, if items exchange: indices of words of the text in which a probe may begin.
struct vector_queue {
  LOCAL u32* words;
  u32 waiting;
};
#define VECTOR_QUEUE (2 * LODE_TEAM)

// Compares `count` words of the queue, from `first` on. All of the team call it.
DEVICE void vector_compare_queued(struct search* s, GLOBAL const struct lode_probe* probes,
                                  const struct vector_queue* queue, LOCAL u32* counter, u32 first, u32 count) {
  const u32 lane = item_index() % LODE_TEAM;
  team_sync();
  const u32 word = lane < count ? queue->words[first + lane] : 0;
  team_sync();
  vector_compare(s, probes, counter, word, lane < count);
}

KERNEL void lode_vector(SEARCH_ARGUMENTS, GLOBAL const struct lode_probe* RESTRICT probes, u32 first_probe,
                        u32 least_offset, u32 most_offset LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const u32 team = item_index() / LODE_TEAM;
  const u32 lane = item_index() % LODE_TEAM;
  const u32 teams = group_items() / LODE_TEAM;
  // Local memory has two counters for each team, then, if items exchange, the queue of each team.
  LOCAL u32* counter = memory + 2 * team;
  struct vector_queue queue;
  queue.words = memory + 2 * teams + team * VECTOR_QUEUE;
  queue.waiting = 0;
  const u32 earlier_lanes = (1u << lane % 32) - 1;
  probes += first_probe;

  u32 probe[VECTOR_MAX_PATTERNS];
  struct vector_bytes bytes[VECTOR_MAX_PATTERNS];
  u32 counts[VECTOR_MAX_PATTERNS];
  UNROLL
  for (u32 at = 0; at < LODE_PATTERNS; ++at) {
    probe[at] = probes[at].bytes;
    bytes[at] = vector_spread(probe[at]);
    counts[at] = 0;
  }

  // Probes of wanted occurrences begin at places from `first_place` to below `limit`.
  const u32 first_place = piece.begin + least_offset < piece.begin ? 0xffffffffu : piece.begin + least_offset;
  const u32 limit = piece.end + (u64)most_offset < piece.size ? piece.end + most_offset : piece.size;
  const u32 first_block = first_place / 16;
  const u32 blocks = limit <= first_place || piece.begin == piece.end ? 0 : (limit + 15) / 16 - first_block;
  const u32 last_block = piece.size == 0 ? 0 : (piece.size - 1) / 16;
  // If probes are whole patterns, all places from `begin` to below `whole_limit` are starts that fit.
  const u32 whole_limit = piece.size < LODE_PROBES                   ? 0
                          : piece.end < piece.size - LODE_PROBES + 1 ? piece.end
                                                                     : piece.size - LODE_PROBES + 1;
  const u32 is_exact = LODE_EXACT && !has_condition(&s);
  const u32 tile_blocks = LODE_TEAM * VECTOR_BLOCKS;
  GLOBAL const words4* text = (GLOBAL const words4*)s.text;

  for (u32 tile = (group_index() * teams + team) * tile_blocks; tile < blocks;
       tile += group_count() * teams * tile_blocks) {
    const u32 tile_block = first_block + tile;
    u32 words[VECTOR_BLOCKS][5];
    words4 loaded[VECTOR_BLOCKS];
    if (tile_block + tile_blocks <= last_block) {
      UNROLL
      for (u32 block = 0; block < VECTOR_BLOCKS; ++block) loaded[block] = text[tile_block + lane + block * LODE_TEAM];
    } else {
      UNROLL
      for (u32 block = 0; block < VECTOR_BLOCKS; ++block) {
        const u32 index = tile_block + lane + block * LODE_TEAM;
        loaded[block] = text[index < last_block ? index : last_block];
      }
    }
    const u32 behind = LODE_TEAM_EXCHANGES && LODE_PROBES > 1 ? text_word(&s, (tile_block + tile_blocks) * 4) : 0;
    UNROLL
    for (u32 block = 0; block < VECTOR_BLOCKS; ++block) {
      words[block][0] = loaded[block].x;
      words[block][1] = loaded[block].y;
      words[block][2] = loaded[block].z;
      words[block][3] = loaded[block].w;
      words[block][4] = 0;
      if (LODE_PROBES > 1) {
        if (LODE_TEAM_EXCHANGES) {
          const u32 follows = block + 1 < VECTOR_BLOCKS ? loaded[(block + 1) % VECTOR_BLOCKS].x : behind;
          words[block][4] = team_rotate(lane == 0 ? follows : loaded[block].x);
        } else {
          words[block][4] = text_word(&s, (tile_block + lane + block * LODE_TEAM + 1) * 4);
        }
      }
      if (LODE_FOLDS) {
        UNROLL
        for (u32 word = 0; word < 5; ++word) words[block][word] |= 0x20202020u;
      }
    }

    const u32 is_inside = is_exact && tile_block * 16 >= piece.begin && whole_limit >= 16 * tile_blocks &&
                          tile_block * 16 <= whole_limit - 16 * tile_blocks;
    // Most tiles have suspects if probes have fewer than four bytes. Then they are not looked for, because counting
    // takes no longer than that.
    const u32 counts_at_once = LODE_EXACT && LODE_MODE != LODE_MODE_LIST && is_inside;
    u32 suspects = 0;
    if (!counts_at_once || LODE_PROBES == 4) {
      UNROLL
      for (u32 block = 0; block < VECTOR_BLOCKS; ++block)
        suspects |= vector_suspects(words[block], 4 * block, probe, bytes);
      if (LODE_TEAM_EXCHANGES || LODE_MODE == LODE_MODE_LIST) {
        if (!team_any(suspects != 0)) continue;
      } else {
        if (suspects == 0) continue;
      }
    }
    if (counts_at_once) {
      UNROLL
      for (u32 at = 0; at < LODE_PATTERNS; ++at) {
        UNROLL
        for (u32 block = 0; block < VECTOR_BLOCKS; block += 2)
          counts[at] += count_bits(vector_block_hits(words[block], &bytes[at]) |
                                   vector_block_hits(words[block + 1], &bytes[at]) << 4);
      }
      continue;
    }

    if (!is_inside) {
      const u32 first_word = (tile_block + lane) * 4;
      if (LODE_TEAM_EXCHANGES) {
        for (u32 waits = team_ballot(suspects != 0); waits != 0; waits = team_ballot(suspects != 0)) {
          if (suspects != 0) {
            const u32 bit = lowest_bit(suspects);
            const u32 slot = queue.waiting + count_bits(waits & earlier_lanes);
            queue.words[slot] = first_word + bit / 4 * LODE_TEAM * 4 + bit % 4;
            suspects &= suspects - 1;
          }
          queue.waiting += count_bits(waits);
          if (queue.waiting < LODE_TEAM) continue;
          queue.waiting -= LODE_TEAM;
          vector_compare_queued(&s, probes, &queue, counter, queue.waiting, LODE_TEAM);
        }
      } else {
        for (; suspects != 0; suspects &= suspects - 1) {
          const u32 bit = lowest_bit(suspects);
          vector_compare(&s, probes, counter, first_word + bit / 4 * LODE_TEAM * 4 + bit % 4, 1);
        }
      }
      continue;
    }

    // In the rest of the loop, probes alone decide what is listed.
    for (u32 at = 0; at < LODE_PATTERNS && probes[at].distinct != LODE_NO_PATTERN; ++at) {
      const struct lode_probe rare = probes[at];
      const struct vector_bytes rare_bytes = vector_spread(rare.bytes);
      // A pair of blocks has the first one's hits, and four bits higher the second one's.
      u32 pairs[2] = {0, 0};
      UNROLL
      for (u32 block = 0; block < VECTOR_BLOCKS; ++block) {
        if (team_any((suspects >> 4 * block & 15) != 0))
          pairs[block / 2] |= vector_block_hits(words[block], &rare_bytes) << (block % 2 * 4);
      }
      const u32 wanted = count_bits(pairs[0]) + count_bits(pairs[1]);
      if (!team_any(wanted != 0)) continue;
      u32 slot = vector_reserve(&s, counter, wanted);
      if (wanted == 0) continue;
      if (slot > piece.capacity || wanted > piece.capacity - slot) {
        or_global(&((GLOBAL struct lode_header*)s.header)->overflowed, 1);
        continue;
      }
      const u32 base = (tile_block + lane) * 16 - rare.offset;
      UNROLL
      for (u32 pair = 0; pair < 2; ++pair)
        for (u32 hits = pairs[pair]; hits != 0; hits &= hits - 1)
          vector_list(&s, slot++, base + vector_place(pair, lowest_bit(hits)), rare.distinct);
    }
  }

  if (LODE_TEAM_EXCHANGES) vector_compare_queued(&s, probes, &queue, counter, 0, queue.waiting);

  UNROLL
  for (u32 at = 0; at < LODE_PATTERNS; ++at) {
    if (counts[at] == 0 || probes[at].distinct == LODE_NO_PATTERN) continue;
    s.matches += counts[at];
    if (LODE_MODE == LODE_MODE_PER_DISTINCT) add_global(s.per_distinct + probes[at].distinct, counts[at]);
  }
  finish_search(&s, memory);
}
