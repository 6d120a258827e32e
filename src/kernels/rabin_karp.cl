// rabin-karp: one rolling hash for each pattern length, looked up in a small table of bits, then in buckets.
//
// Idea: the group copies its tile of the text to local memory. Each item hashes the first bytes of its own run of
// places and rolls that hash over the run: one multiplication for the byte that enters, one for the byte that leaves.
// Two bits of one word of a table tell whether any pattern may have that hash. The table lies in local memory if
// patterns are few and there is room, else in global memory. What passes is looked up in its bucket, and patterns of
// equal hash are verified. Each pattern length and case rule has a launch of its own. Long patterns share one: only
// their first `hashed` bytes (lode_rolling) are hashed.
// Example: patterns `kitty` and `puppy`, text `kitty and`: the hash of `kitty` is found, then it rolls on:
//   hash(kitty) * base + ' ' - 'k' * base^5  =  hash(itty_)
// On records the first stage is another kernel: each item takes one record after the other, rolls over it, and sets the
// record's flag if a hash is that of a pattern. The host searches the flagged records.
// Worst case: text x patterns that begin with the same hashed bytes. Loses to `filter`, which looks at fewer places.
// Source: the Rabin-Karp kernel of a C++ AMP sample. It gives each work-item a record, and compares each hash with
// those of all patterns instead of looking it up.
#include "common.h"

// Constants: LODE_FOLDS is 1 if the text is folded, LODE_LOCAL_BITS if the table of bits is copied to local memory.

#define RABIN_KARP_BASE 0x9E3779B1u
#define RABIN_KARP_MIX 0x85EBCA6Bu
#define RABIN_KARP_BITS 0xC2B2AE35u

struct rabin_karp_tables {
  LOCAL const u32* local_bits;
  GLOBAL const u32* bits;
  GLOBAL const u32* bucket_starts;
  GLOBAL const u32* entries;  // pairs: hash, distinct pattern
};

// The top of the mixed hash names words and buckets. The last byte hardly changes the top of the rolling hash itself.
DEVICE u32 rabin_karp_mix(u32 hash) { return (hash ^ (hash >> 15)) * RABIN_KARP_MIX; }

// Gives 1 if a pattern may have the hash. The top of the mixed hash names a word; a second mix names two bits of it.
DEVICE u32 rabin_karp_passes(const struct lode_rolling* table, const struct rabin_karp_tables* tables, u32 mixed) {
  const u32 bits = mixed * RABIN_KARP_BITS;
  const u32 index = mixed >> (32 - table->bits_log2_words);
  const u32 word = LODE_LOCAL_BITS ? tables->local_bits[index] : tables->bits[index];
  return (word >> (bits >> 27)) & (word >> (bits >> 22 & 31)) & 1;
}

// Verifies all patterns that have this hash.
DEVICE void rabin_karp_check(struct search* s, const struct lode_rolling* table, const struct rabin_karp_tables* tables,
                             u32 hash, u32 mixed, u32 place) {
  const u32 bucket = (u32)((u64)mixed >> (32 - table->bucket_log2));
  const u32 stop = tables->bucket_starts[bucket + 1];
  for (u32 at = tables->bucket_starts[bucket]; at < stop; ++at)
    if (tables->entries[2 * at] == hash) verify(s, place, tables->entries[2 * at + 1]);
}

DEVICE u32 rabin_karp_byte(GLOBAL const u8* text, u32 place) {
  const u32 byte = text[place];
  return LODE_FOLDS && byte >= 'A' && byte <= 'Z' ? byte | 0x20u : byte;
}

KERNEL void lode_rabin_karp(SEARCH_ARGUMENTS, GLOBAL const u32* RESTRICT bits, GLOBAL const u32* RESTRICT bucket_starts,
                            GLOBAL const u32* RESTRICT entries, struct lode_rolling table LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const u32 items = group_items();
  const u32 item = item_index();
  const u32 bits_words = LODE_LOCAL_BITS ? 1u << table.bits_log2_words : 0;
  const u32 tile_words = items * table.run_words;
  // The hashed bytes of a tile's last places lie behind the tile, and a funnel takes one more word.
  const u32 staged_words = tile_words + (table.hashed + 3) / 4 + 1;
  LOCAL u32* tile_text = memory + bits_words;
  struct rabin_karp_tables tables;
  tables.local_bits = memory;
  tables.bits = bits;
  tables.bucket_starts = bucket_starts;
  tables.entries = entries;
  for (u32 word = item; word < bits_words; word += items) memory[word] = bits[word];

  const u32 first_word = piece.begin / 16 * 4;  // the first word of the block that `begin` lies in
  const u32 words = piece.begin == piece.end ? 0 : (piece.end + 3) / 4 - first_word;  // words that have places
  const u32 shift = table.hashed % 4 * 8;
  for (u32 tile = group_index() * tile_words; tile < words; tile += group_count() * tile_words) {
    group_sync();
    for (u32 word = item; word < staged_words; word += items) {
      const u32 bytes = text_word(&s, first_word + tile + word);
      tile_text[word] = LODE_FOLDS ? fold_word(bytes) : bytes;
    }
    group_sync();
    const u32 run = item * table.run_words;
    if (tile + run < words) {
      u32 hash = 0;
      for (u32 word = 0; word < table.hashed / 4; ++word) {
        const u32 bytes = tile_text[run + word];
        hash = hash * RABIN_KARP_BASE + (bytes & 0xff);
        hash = hash * RABIN_KARP_BASE + (bytes >> 8 & 0xff);
        hash = hash * RABIN_KARP_BASE + (bytes >> 16 & 0xff);
        hash = hash * RABIN_KARP_BASE + (bytes >> 24);
      }
      u32 enters = tile_text[run + table.hashed / 4];
      for (u32 byte = 0; byte < table.hashed % 4; ++byte) hash = hash * RABIN_KARP_BASE + (enters >> (8 * byte) & 0xff);

      for (u32 word = 0; word < table.run_words; ++word) {
        const u32 leaving = tile_text[run + word];
        const u32 enters_next = tile_text[run + word + table.hashed / 4 + 1];
        const u32 entering = funnel(enters, enters_next, shift);
        enters = enters_next;
        UNROLL
        for (u32 byte = 0; byte < 4; ++byte) {
          const u32 mixed = rabin_karp_mix(hash);
          if (rabin_karp_passes(&table, &tables, mixed))
            rabin_karp_check(&s, &table, &tables, hash, mixed, (first_word + tile + run + word) * 4 + byte);
          hash =
              hash * RABIN_KARP_BASE + (entering >> (8 * byte) & 0xff) - (leaving >> (8 * byte) & 0xff) * table.leaving;
        }
      }
    }
  }
  finish_search(&s, memory);
}

// The first stage on records: `spans` has each one's begin and end; flags[record] becomes 1 if a pattern may occur.
KERNEL void lode_rabin_karp_flags(GLOBAL const u8* RESTRICT text, GLOBAL const u32* RESTRICT spans, u32 count,
                                  GLOBAL u8* flags, GLOBAL const u32* RESTRICT bits,
                                  GLOBAL const u32* RESTRICT bucket_starts, GLOBAL const u32* RESTRICT entries,
                                  struct lode_rolling table LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  const u32 items = group_items();
  const u32 bits_words = LODE_LOCAL_BITS ? 1u << table.bits_log2_words : 0;
  struct rabin_karp_tables tables;
  tables.local_bits = memory;
  tables.bits = bits;
  tables.bucket_starts = bucket_starts;
  tables.entries = entries;
  for (u32 word = item_index(); word < bits_words; word += items) memory[word] = bits[word];
  group_sync();
  for (u32 record = group_index() * items + item_index(); record < count; record += group_count() * items) {
    const u32 begin = spans[2 * record];
    const u32 end = spans[2 * record + 1];
    if (end - begin < table.hashed || flags[record] != 0) continue;
    u32 hash = 0;
    for (u32 place = begin; place < begin + table.hashed; ++place)
      hash = hash * RABIN_KARP_BASE + rabin_karp_byte(text, place);
    u32 flag = 0;
    for (u32 place = begin;; ++place) {
      const u32 mixed = rabin_karp_mix(hash);
      if (rabin_karp_passes(&table, &tables, mixed)) {
        const u32 bucket = (u32)((u64)mixed >> (32 - table.bucket_log2));
        const u32 stop = tables.bucket_starts[bucket + 1];
        for (u32 at = tables.bucket_starts[bucket]; at < stop; ++at) flag |= tables.entries[2 * at] == hash;
      }
      if (flag != 0 || place + table.hashed == end) break;
      hash = hash * RABIN_KARP_BASE + rabin_karp_byte(text, place + table.hashed) -
             rabin_karp_byte(text, place) * table.leaving;
    }
    flags[record] = (u8)flag;
  }
}
