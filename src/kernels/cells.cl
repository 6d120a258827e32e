// cells: looks for one pattern in one record, up to its first occurrence, and writes the cell.
//
// Idea: if patterns occur often, the first bytes of a record decide most of its cells, and no later occurrence need be
// looked at. Neighbouring items take the patterns of one record: they read the same words and write cells that lie side
// by side.
// Example: record `banana`, pattern `an`: in the first word, `bana`, the bytes at 1 and 3 are `a`. At 1 stands `an`, so
// the cell becomes 1, and the `an` at 3 is not looked at.
// Worst case: text x bytes of all patterns. Loses to a scan of the text if patterns are many or rare.
#include "common.h"

// Sets 0x80 in each byte that is 0: adding 0x7f to the lower seven bits carries into the top one unless all are 0.
DEVICE u32 zero_bits(u32 word) { return ~(((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word | 0x7f7f7f7fu); }

// Gives the least offset of the pattern in the record, or LODE_NO_OFFSET. The record is the piece (LODE_RECORDS is 0).
DEVICE u32 find_first(struct search* s, u32 distinct) {
  const struct lode_pattern pattern = s->patterns[distinct];
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  const u32 folds = pattern.length & LODE_PATTERN_FOLDS;
  const u32 first = s->piece.first;
  if (length > s->piece.size - first) return LODE_NO_OFFSET;
  const u32 last = s->piece.size - length;
  const u32 head = s->pattern_words[pattern.first_word];
  const u32 mask = length >= 4 ? 0xffffffffu : (1u << (8 * length)) - 1;
  const u32 bytes = (head & 0xffu) * 0x01010101u;
  u32 place = first - first % 4;
  u32 low = text_word(s, place / 4);
  if (folds != 0) low = fold_word(low);
  u32 wanted = 0xffffffffu << (first % 4 * 8);  // leaves out what lies before the record
  for (; place <= last; place += 4) {
    u32 high = text_word(s, place / 4 + 1);
    if (folds != 0) high = fold_word(high);
    u32 candidates = zero_bits(low ^ bytes) & wanted;
    while (candidates != 0) {
      const u32 bit = lowest_bit(candidates) - 7;
      const u32 start = place + bit / 8;
      candidates &= candidates - 1;
      if (start <= last && ((funnel(low, high, bit) ^ head) & mask) == 0 &&
          (length <= 4 || equals_text(s, start, pattern, 4)) &&
          (!has_condition(s) || condition_holds(s, start, distinct, length)))
        return start - first;
    }
    low = high;
    wanted = 0xffffffffu;
  }
  return LODE_NO_OFFSET;
}

// Fills the rows of `rows` records from `first_record` on, for `distincts` distinct patterns. The cells begin with the
// row of record records.first_row. Of `piece` only what conditions need is used.
KERNEL void lode_cells(SEARCH_ARGUMENTS, u64 first_record, u64 rows, u32 distincts LOCAL_ARGUMENT) {
  LOCAL_MEMORY(memory);
  START_SEARCH(s);
  const u64 count = rows * distincts;
  const u64 step = (u64)group_count() * group_items();
  const u64 step_rows = step / distincts;
  const u32 step_distincts = (u32)(step % distincts);
  u64 cell = (u64)group_index() * group_items() + item_index();
  u64 record = first_record + cell / distincts;
  u32 distinct = (u32)(cell % distincts);
  for (; cell < count; cell += step) {
    const u64 begin = record_starts[record];
    u32 offset = LODE_NO_OFFSET;
    if ((begin & LODE_NULL_RECORD) == 0) {
      const u64 end = (record_starts[record + 1] & ~LODE_NULL_RECORD) - records.gap;
      s.text = text_buffer + (begin - begin % 16);
      s.piece.first = (u32)(begin % 16);
      s.piece.size = s.piece.first + (u32)(end - begin);
      offset = find_first(&s, distinct);
    }
    const u64 row = (record - records.first_row) * records.columns;
    if (records.has_ids == 0) {
      cells[row + distinct] = offset;
      s.matches += offset != LODE_NO_OFFSET;
    } else {
      for (u32 at = record_ids[distinct]; at < record_ids[distinct + 1]; ++at) {
        cells[row + record_ids[at]] = offset;
        s.matches += offset != LODE_NO_OFFSET;
      }
    }
    ++s.candidates;
    record += step_rows;
    distinct += step_distincts;
    if (distinct >= distincts) {
      distinct -= distincts;
      ++record;
    }
  }
  finish_search(&s, memory);
}
