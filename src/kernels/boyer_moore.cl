// boyer-moore: each item searches its own run of places with both shift rules; the group's tile lies in local memory.
//
// Idea: the pattern is compared from its last byte backward. At the first difference it moves by the larger of two
// shifts. The bad character shift puts the pattern's last byte of that value under the text's byte. The good suffix
// shift puts another occurrence of the bytes that matched under them, or a prefix of the pattern that equals their end.
// After an occurrence the pattern moves by its period, and bytes that the two occurrences share are not compared again.
// A run is about as many blocks of 24 bytes as the cascading degree says. Longer runs share a smaller part of their
// bytes with their neighbours, but there are fewer of them for the items.
// Example: pattern GCAGAGAG, whose tables stand in src/plan/boyer_moore.hpp. `AGAG` matches, then G meets C:
//   text        Z Z G C A G A G A G
//   at place 0  G C A G A G A G        shift 2
//   at place 2      G C A G A G A G    found
// Worst case: the text's bytes; or runs x pattern bytes, if the pattern is longer than runs. Loses to `vector` on any
// GPU: items of a team shift differently, so that every byte of a tile is loaded all the same.
// Source: the paper on parallel Boyer-Moore search with algorithmic cascading; R. S. Boyer, J. S. Moore (1977).
#include "common.h"

// Constants: LODE_STAGED is 1 if tiles, the pattern and its tables are copied to local memory; LODE_FOLDS is 1 if the
// text is folded.

// Text, pattern and tables, in local memory if LODE_STAGED is 1, else in global memory.
struct boyer_moore {
  LOCAL const u32* local_bad;
  LOCAL const u32* local_good;
  LOCAL const u8* local_pattern;
  LOCAL const u8* tile;
  GLOBAL const u32* bad;
  GLOBAL const u32* good;
  GLOBAL const u8* pattern;
  GLOBAL const u8* text;
  u32 tile_place;
};

DEVICE u32 boyer_moore_text(const struct boyer_moore* view, u32 place) {
  if (LODE_STAGED) return view->tile[place - view->tile_place];
  const u32 byte = view->text[place];
  return LODE_FOLDS && byte >= 'A' && byte <= 'Z' ? byte | 0x20u : byte;
}

DEVICE u32 boyer_moore_pattern(const struct boyer_moore* view, u32 at) {
  return LODE_STAGED ? view->local_pattern[at] : view->pattern[at];
}

// Reports the occurrences that start in [start, end). From each such start on, the whole pattern fits into the piece.
DEVICE void boyer_moore_run(struct search* s, const struct boyer_moore* view, u32 start, u32 end, u32 length,
                            u32 period) {
  u32 known = 0;  // so many bytes at the pattern's begin are known to equal the text
  while (start < end) {
    u32 at = length;  // the pattern's bytes from here on equal the text
    u32 byte = 0;
    while (at > known) {
      byte = boyer_moore_text(view, start + at - 1);
      if (byte != boyer_moore_pattern(view, at - 1)) break;
      --at;
    }
    ++s->candidates;
    u32 shift = period;
    if (at == known) {
      report(s, start, s->piece.pattern, length);
      known = length - period;
    } else {
      const u32 bad = LODE_STAGED ? view->local_bad[byte] : view->bad[byte];
      const u32 good = LODE_STAGED ? view->local_good[at - 1] : view->good[at - 1];
      const u32 matched = length - at;
      shift = bad > matched && bad - matched > good ? bad - matched : good;
      known = 0;
    }
    if (shift >= end - start) return;
    start += shift;
  }
}

KERNEL void lode_boyer_moore(SEARCH_ARGUMENTS, GLOBAL const u32* RESTRICT tables,
                             struct lode_skips skips LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const struct lode_pattern pattern = patterns[piece.pattern];
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  const u32 items = group_items();
  const u32 item = item_index();
  const u32 pattern_length_words = (length + 3) / 4;

  // Local memory has the bad character shifts, the good suffix shifts, the pattern and the tile, in this order.
  LOCAL u32* bad = memory;
  LOCAL u32* good = bad + 256;
  LOCAL u32* pattern_bytes = good + length;
  LOCAL u32* tile_words = pattern_bytes + pattern_length_words;
  struct boyer_moore view;
  view.local_bad = bad;
  view.local_good = good;
  view.local_pattern = (LOCAL const u8*)pattern_bytes;
  view.tile = (LOCAL const u8*)tile_words;
  view.bad = tables + skips.first_bad;
  view.good = view.bad + 256;
  view.pattern = (GLOBAL const u8*)(pattern_words + pattern.first_word);
  view.text = s.text;
  view.tile_place = 0;
  if (LODE_STAGED) {
    for (u32 byte = item; byte < 256; byte += items) bad[byte] = view.bad[byte];
    for (u32 at = item; at < length; at += items) good[at] = view.good[at];
    for (u32 word = item; word < pattern_length_words; word += items)
      pattern_bytes[word] = pattern_words[pattern.first_word + word];
  }

  // Wanted starts lie below `end`. The first tile begins at a multiple of 16, so that tiles are copied as whole words.
  const u32 fits = piece.size < length ? 0 : piece.size - length + 1;
  const u32 end = piece.end < fits ? piece.end : fits;
  const u64 tile_places = (u64)items * skips.run;
  for (u64 tile = piece.begin / 16 * 16 + group_index() * tile_places; piece.begin < end && tile < end;
       tile += group_count() * tile_places) {
    const u32 tile_place = (u32)tile;
    if (LODE_STAGED) {
      const u32 staged_words = ((u32)tile_places + length + 2) / 4;
      group_sync();
      for (u32 word = item; word < staged_words; word += items) {
        const u32 bytes = text_word(&s, tile_place / 4 + word);
        tile_words[word] = LODE_FOLDS ? fold_word(bytes) : bytes;
      }
      group_sync();
      view.tile_place = tile_place;
    }
    const u64 run_start = tile + (u64)item * skips.run;
    const u64 run_end = run_start + skips.run;
    if (run_start < end && run_end > piece.begin)
      boyer_moore_run(&s, &view, run_start < piece.begin ? piece.begin : (u32)run_start,
                      run_end < end ? (u32)run_end : end, length, skips.period);
  }
  finish_search(&s, memory);
}
