// naive: every pattern byte by byte at every place.
//
// Idea: the group copies the pattern to local memory. Its items stride over the group's places by the group's size, and
// each compares until the first difference. Each pattern has a launch of its own.
// Example: pattern `he`, text `ushers`: item 2 compares `h` and `e` and reports 2; the others leave at the first byte.
// Worst case: text x pattern bytes, if both repeat one byte. Loses to `vector` everywhere: a load brings one byte, and
// the items of a team leave at different bytes.
// Source: the naive kernel of AMD's StringSearch sample, and the note on exact search with the pattern in local memory.
#include "common.h"

// So many bytes of a pattern are kept in local memory; the rest is read from global memory.
#define NAIVE_LOCAL_BYTES 4096u
// Places that a group takes at a time.
#define NAIVE_TILE 16384u

KERNEL void lode_naive(SEARCH_ARGUMENTS LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const struct lode_pattern pattern = patterns[piece.pattern];
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  const u32 folds = pattern.length & LODE_PATTERN_FOLDS;
  const u32 kept = length < NAIVE_LOCAL_BYTES ? length : NAIVE_LOCAL_BYTES;
  for (u32 word = item_index(); word < (kept + 3) / 4; word += group_items())
    memory[word] = pattern_words[pattern.first_word + word];
  group_sync();
  LOCAL const u8* bytes = (LOCAL const u8*)memory;

  const u32 last = piece.size < length ? 0 : piece.size - length + 1;  // starts that fit lie below
  const u32 end = piece.end < last ? piece.end : last;
  for (u64 tile = piece.begin + (u64)group_index() * NAIVE_TILE; tile < end; tile += (u64)group_count() * NAIVE_TILE) {
    const u32 tile_end = end - tile < NAIVE_TILE ? end : (u32)tile + NAIVE_TILE;
    for (u32 start = (u32)tile + item_index(); start < tile_end; start += group_items()) {
      u32 at = 0;
      for (; at < kept; ++at) {
        u32 byte = s.text[start + at];
        if (folds != 0 && byte >= 'A' && byte <= 'Z') byte |= 0x20u;
        if (byte != bytes[at]) break;
      }
      if (at == kept && equals_text(&s, start, pattern, kept == length ? (length + 3) / 4 * 4 : kept))
        report(&s, start, piece.pattern, length);
    }
  }
  finish_search(&s, memory);
}
