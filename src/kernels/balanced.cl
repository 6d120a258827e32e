// balanced: three phases. What passes a phase is packed into a queue in local memory, so that no item idles beside
// another that still compares.
//
// Idea: (1) every item tests the rarest two neighbouring bytes of the pattern at 16 places, and pushes those that pass
// to the first queue. (2) As soon as that queue can feed every item, the items take from it and compare the pattern's
// first 16 bytes; starts where these are equal go to the second queue. (3) As soon as that one can feed every item, the
// rest is compared and the occurrences are reported. The group's last tile empties both queues. Each pattern has a
// launch of its own.
// Example: pattern `hers`, bytes `he`, text `ushers`: place 2 is queued, equals `hers`, is queued again and reported.
// Worst case: text x pattern bytes, evenly shared among items. Loses to `vector` if few places pass the first test,
// because it still needs its barriers.
// Source: the load-balanced kernel of AMD's StringSearch sample, which loses a queue that is not full at the end.
#include "common.h"

// Constants: LODE_PROBES is 2, or 1 for a pattern of one byte; LODE_FOLDS is 1 if bit 0x20 of the text is set before
// the first test.

#define BALANCED_PLACES 16u        // places of an item in a tile
#define BALANCED_SECOND_BYTES 16u  // bytes compared in the second phase

// Sets 0x80 in the byte of each of the word's places that passes (see vector_hits).
DEVICE u32 balanced_hits(u32 low, u32 high, u32 first, u32 second) {
  u32 differences = low ^ first;
  if (LODE_PROBES > 1) differences |= funnel(low, high, 8) ^ second;
  return ~(((differences & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differences) & 0x80808080u;
}

KERNEL void lode_balanced(SEARCH_ARGUMENTS, u32 probe, u32 offset LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const struct lode_pattern pattern = patterns[piece.pattern];
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  const u32 folds = pattern.length & LODE_PATTERN_FOLDS;
  const u32 items = group_items();
  const u32 item = item_index();
  // Before a tile adds to it, a queue holds fewer places than there are items.
  LOCAL u32* queued = memory;  // the number of places in each queue
  LOCAL u32* first_queue = memory + 4;
  LOCAL u32* second_queue = first_queue + items * (BALANCED_PLACES + 1);

  const u32 first_byte = (probe & 0xff) * 0x01010101u;
  const u32 second_byte = (probe >> 8 & 0xff) * 0x01010101u;
  u32 head[4];
  u32 head_mask[4];
  UNROLL
  for (u32 word = 0; word < 4; ++word) {
    const u32 left = length > 4 * word ? length - 4 * word : 0;
    head[word] = left == 0 ? 0 : pattern_words[pattern.first_word + word];
    head_mask[word] = left >= 4 ? 0xffffffffu : (1u << (8 * left)) - 1;
  }

  // Wanted starts lie in [begin, end). Their two bytes begin `offset` later, below `limit`.
  const u32 fits = piece.size < length ? 0 : piece.size - length + 1;
  const u32 end = piece.end < fits ? piece.end : fits;
  const u32 limit = end <= piece.begin ? 0 : end + offset;
  const u32 first_block = (piece.begin + offset) / 16;
  const u32 blocks = limit == 0 ? 0 : (limit + 15) / 16 - first_block;
  const u32 last_block = piece.size == 0 ? 0 : (piece.size - 1) / 16;
  GLOBAL const words4* text = (GLOBAL const words4*)s.text;
  if (item < 2) queued[item] = 0;
  group_sync();

  for (u32 tile = group_index() * items; tile < blocks; tile += group_count() * items) {
    const u32 block = first_block + tile + item;
    const words4 loaded = text[block < last_block ? block : last_block];
    u32 words[5];
    words[0] = loaded.x;
    words[1] = loaded.y;
    words[2] = loaded.z;
    words[3] = loaded.w;
    words[4] = LODE_PROBES > 1 ? text_word(&s, 4 * block + 4) : 0;
    UNROLL
    for (u32 word = 0; word < 4; ++word) {
      const u32 low = LODE_FOLDS ? words[word] | 0x20202020u : words[word];
      const u32 high = LODE_FOLDS ? words[word + 1] | 0x20202020u : words[word + 1];
      for (u32 hits = balanced_hits(low, high, first_byte, second_byte); hits != 0; hits &= hits - 1) {
        const u32 start = block * 16 + word * 4 + lowest_bit(hits) / 8 - offset;
        if (start >= piece.begin && start < end) first_queue[add_local(queued, 1)] = start;
      }
    }
    group_sync();

    // The group's last tile empties the queues.
    const u32 is_last = blocks - tile <= group_count() * items;
    const u32 waiting = queued[0];
    const u32 taken = waiting >= items || is_last ? waiting : 0;
    for (u32 at = item; at < taken; at += items) {
      const u32 start = first_queue[at];
      u32 low = text_word(&s, start / 4);
      u32 differences = 0;
      UNROLL
      for (u32 word = 0; word < 4; ++word) {
        const u32 high = text_word(&s, start / 4 + word + 1);
        u32 bytes = funnel(low, high, start % 4 * 8);
        low = high;
        if (folds != 0) bytes = fold_word(bytes);
        differences |= (bytes ^ head[word]) & head_mask[word];
      }
      ++s.candidates;
      if (differences == 0) second_queue[add_local(queued + 1, 1)] = start;
    }
    group_sync();

    const u32 second_waiting = queued[1];
    const u32 second_taken = second_waiting >= items || is_last ? second_waiting : 0;
    for (u32 at = item; at < second_taken; at += items) {
      const u32 start = second_queue[at];
      if (length <= BALANCED_SECOND_BYTES || equals_text(&s, start, pattern, BALANCED_SECOND_BYTES))
        report(&s, start, piece.pattern, length);
    }
    group_sync();
    if (item == 0 && taken != 0) queued[0] = 0;
    if (item == 0 && second_taken != 0) queued[1] = 0;
    group_sync();
  }
  finish_search(&s, memory);
}
