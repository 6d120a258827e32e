// What all kernels share: the text, its unaligned words, the exact comparison, and reporting.
//
// A kernel that searches takes SEARCH_ARGUMENTS first, begins with START_SEARCH and ends with finish_search, which
// every item reaches.
#ifndef LODE_KERNELS_COMMON_H
#define LODE_KERNELS_COMMON_H

#include "portable.h"

#include "abi.h"

#define SEARCH_ARGUMENTS                                                                                               \
  GLOBAL const u8 *RESTRICT text_buffer, struct lode_piece piece, GLOBAL const struct lode_pattern *RESTRICT patterns, \
      GLOBAL const u32 *RESTRICT pattern_words, GLOBAL u32 *header, GLOBAL struct lode_match *list,                    \
      GLOBAL u32 *per_distinct, struct lode_records records, GLOBAL const u64 *RESTRICT record_starts,                 \
      GLOBAL const u32 *RESTRICT record_blocks, GLOBAL const u32 *RESTRICT record_ids, GLOBAL u32 *cells

// The state of a work-item's search.
struct search {
  GLOBAL const u8* text;  // begins at place 0 of the piece
  GLOBAL const struct lode_pattern* patterns;
  GLOBAL const u32* pattern_words;
  GLOBAL u32* header;  // struct lode_header, and the totals of all groups behind it
  GLOBAL struct lode_match* list;
  GLOBAL u32* per_distinct;
  struct lode_piece piece;
  struct lode_records records;
  GLOBAL const u64* record_starts;
  GLOBAL const u32* record_blocks;
  GLOBAL const u32* record_ids;
  GLOBAL u32* cells;
  u64 record_begin;  // where `record` begins in the buffer
  u32 record;        // the record of the last occurrence that condition_holds was asked for
  u64 matches;       // counted by this item
  u64 candidates;    // counted by this item
};

#define START_SEARCH(s)                     \
  struct search s;                          \
  s.text = text_buffer + piece.text_offset; \
  s.patterns = patterns;                    \
  s.pattern_words = pattern_words;          \
  s.header = header;                        \
  s.list = list;                            \
  s.per_distinct = per_distinct;            \
  s.piece = piece;                          \
  s.records = records;                      \
  s.record_starts = record_starts;          \
  s.record_blocks = record_blocks;          \
  s.record_ids = record_ids;                \
  s.cells = cells;                          \
  s.record_begin = 0;                       \
  s.record = 0;                             \
  s.matches = 0;                            \
  s.candidates = 0

// Bytes of local memory that finish_search needs for each item of the group: finish_bytes_per_item of the host.
#define LODE_FINISH_BYTES 16u

// Adds up what the items of the group have counted, in pairs, then pairs of pairs, and reports the group's totals.
DEVICE void finish_search(const struct search* s, LOCAL u32* memory) {
  LOCAL struct lode_totals* sums = (LOCAL struct lode_totals*)memory;
  const u32 item = item_index();
  group_sync();
  sums[item].matches = s->matches;
  sums[item].candidates = s->candidates;
  for (u32 step = 1; step < group_items(); step *= 2) {
    group_sync();
    if (item % (2 * step) == 0 && item + step < group_items()) {
      sums[item].matches += sums[item + step].matches;
      sums[item].candidates += sums[item + step].candidates;
    }
  }
  if (item == 0) {
    GLOBAL struct lode_totals* totals = (GLOBAL struct lode_totals*)(s->header + LODE_HEADER_WORDS) + group_index();
    totals->matches = sums[0].matches + (s->piece.adds ? totals->matches : 0);
    totals->candidates = sums[0].candidates + (s->piece.adds ? totals->candidates : 0);
  }
}

// Sets 0x80 in each byte that is a capital letter. Adding 0x3f takes bytes from 'A' on to 0x80 or more, adding 0x25
// those behind 'Z'. Bytes that have 0x80 themselves are no letters:
//   byte     '@' 40  'A' 41  'Z' 5a  '[' 5b
//   + 3f         7f      80      99      9a
//   + 25         65      66      7f      80
//   result       00      80      80      00
DEVICE u32 capital_bits(u32 word) {
  const u32 low = word & 0x7f7f7f7fu;
  return (low + 0x3f3f3f3fu) & ~(low + 0x25252525u) & ~word & 0x80808080u;
}

// Makes capital letters small: 'A' is 0x41, 'a' is 0x61, and 0x80 >> 2 is 0x20.
DEVICE u32 fold_word(u32 word) { return word | (capital_bits(word) >> 2); }

// Gives the aligned word at `index`, or the last one that holds a byte of the piece.
DEVICE u32 text_word(const struct search* s, u32 index) {
  const u32 last = (s->piece.size - 1) / 4;
  return ((GLOBAL const u32*)s->text)[index < last ? index : last];
}

// Gives the four bytes from `place` on. Bytes that do not belong to the piece may have any value.
DEVICE u32 text_u32(const struct search* s, u32 place) {
  return funnel(text_word(s, place / 4), text_word(s, place / 4 + 1), place % 4 * 8);
}

// Precondition: code < 0x110000.
DEVICE int is_word_character(const struct search* s, u32 code) {
  GLOBAL const u32* table = s->pattern_words;
  const u32 block = table[code / 1024] >> (code / 256 % 4 * 8) & 0xffu;
  const u32 word = table[LODE_CHARACTER_NUMBER_WORDS + block * LODE_CHARACTER_BLOCK_WORDS + code % 256 / 32];
  return (int)(word >> (code % 32) & 1u);
}

DEVICE u32 utf_16_unit(const struct search* s, u32 place, u32 big) {
  const u32 first = s->text[place];
  const u32 second = s->text[place + 1];
  return big != 0 ? first << 8 | second : second << 8 | first;
}

// Whether the byte at a place belongs to a word character of UTF-8. The text begins at `low` and ends at `high`, or
// goes on there by at least three bytes more.
//
//   text   … d0 9f 20 …   П is d0 9f   place of 9f: the character begins one byte before and is word character 41f
DEVICE int is_in_word(const struct search* s, u32 place, u32 low, u32 high) {
  const u32 byte = s->text[place];
  if (byte < 0x80u) {
    const u32 letter = byte | 0x20u;
    return (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
  }
  const u32 least = place - low < 3 ? low : place - 3;
  u32 at = place;
  while (at > least && (s->text[at] & 0xc0u) == 0x80u) --at;
  const u32 first = s->text[at];
  if (first < 0xc2u || first >= 0xf5u) return 0;
  const u32 length = first < 0xe0u ? 2 : first < 0xf0u ? 3 : 4;
  if (place - at >= length || high - at < length) return 0;
  u32 code = first & (0x7fu >> length);
  for (u32 next = 1; next < length; ++next) {
    const u32 bits = s->text[at + next] ^ 0x80u;
    if (bits > 0x3fu) return 0;
    code = code << 6 | bits;
  }
  // Longer than need be: less than 0x800 or 0x10000.
  if (length > 2 && code >> (5 * length - 4) == 0) return 0;
  if (code >= 0x110000u) return 0;
  return is_word_character(s, code);
}

// Whether the condition holds around an occurrence in UTF-16, of which `before` bytes and `left` bytes are known. As
// text/condition.cpp decides it.
DEVICE int condition_holds_in_utf_16(const struct search* s, u32 big, u32 start, u32 stop, u32 before, u32 left) {
  const u8 terminator = (u8)s->piece.line_terminator;
  const u32 unit_before = before < 2 ? 0 : utf_16_unit(s, start - 2, big);
  const u32 unit_behind = left < 2 ? 0 : utf_16_unit(s, stop, big);
  if (s->piece.condition == LODE_CONDITION_WHOLE_WORD) {
    u32 code = unit_before;
    if (before >= 4 && code >> 10 == 0x37u && utf_16_unit(s, start - 4, big) >> 10 == 0x36u)
      code = 0x10000u + ((utf_16_unit(s, start - 4, big) & 0x3ffu) << 10 | (code & 0x3ffu));
    if (before >= 2 && is_word_character(s, code)) return 0;
    code = unit_behind;
    if (left >= 4 && code >> 10 == 0x36u && utf_16_unit(s, stop + 2, big) >> 10 == 0x37u)
      code = 0x10000u + ((code & 0x3ffu) << 10 | (utf_16_unit(s, stop + 2, big) & 0x3ffu));
    return left < 2 || !is_word_character(s, code);
  }
  if (before >= 2 && unit_before != terminator && !(before < 4 && unit_before == 0xfeffu)) return 0;
  if (left < 2 || unit_behind == terminator) return 1;
  return s->piece.condition == LODE_CONDITION_WHOLE_LINE_CRLF && left >= 4 && unit_behind == '\r' &&
         utf_16_unit(s, stop + 2, big) == terminator;
}

// The most bytes before or behind an occurrence that are asked for.
#define LODE_BYTES_AROUND 4u

// Finds the record in which `start` lies. Returns whether the record is not null and has room for the whole occurrence.
// Then `before` and `left` say how many bytes of the record stand before the occurrence and behind it, at most
// LODE_BYTES_AROUND.
DEVICE int lies_in_record(struct search* s, u32 start, u32 length, u32* before, u32* left) {
  const u64 place = s->piece.text_offset + start;
  GLOBAL const u32* block = s->record_blocks + (u32)(place >> s->records.block_log2);
  u32 record = block[0];
  u32 last = block[1];
  while (record < last) {
    const u32 middle = last - (last - record) / 2;
    if ((s->record_starts[middle] & ~LODE_NULL_RECORD) <= place)
      record = middle;
    else
      last = middle - 1;
  }
  const u64 begin = s->record_starts[record];
  const u64 end = (s->record_starts[record + 1] & ~LODE_NULL_RECORD) - s->records.gap;
  s->record = record;
  s->record_begin = begin;
  *before = place - begin < LODE_BYTES_AROUND ? (u32)(place - begin) : LODE_BYTES_AROUND;
  *left = end - place - length < LODE_BYTES_AROUND ? (u32)(end - place - length) : LODE_BYTES_AROUND;
  return (begin & LODE_NULL_RECORD) == 0 && place + length <= end;
}

DEVICE int has_condition(const struct search* s) { return LODE_RECORDS || s->piece.condition != LODE_CONDITION_NONE; }

// Whether the occurrence lies in a record, if the text has records, and fulfils the condition.
DEVICE int condition_holds(struct search* s, u32 start, u32 distinct, u32 length) {
  const struct lode_piece* piece = &s->piece;
  const u32 stop = start + length;
  u32 before = start - piece->first;
  u32 left = piece->size - stop;
  if (LODE_RECORDS) {
    if (!lies_in_record(s, start, length, &before, &left)) return 0;
    if (piece->condition == LODE_CONDITION_NONE) return 1;
  }
  if (piece->has_utf_16 != 0) {
    const u32 bits = s->patterns[distinct].length;
    const u32 big = bits & LODE_PATTERN_UTF_16BE;
    if (big != 0 || (bits & LODE_PATTERN_UTF_16LE) != 0)
      return condition_holds_in_utf_16(s, big, start, stop, before, left);
  }
  if (piece->condition == LODE_CONDITION_WHOLE_WORD)
    return (before == 0 || !is_in_word(s, start - 1, start - before, stop + left)) &&
           (left == 0 || !is_in_word(s, stop, start - before, stop + left));
  if (before != 0 && s->text[start - 1] != piece->line_terminator) return 0;
  if (left == 0 || s->text[stop] == piece->line_terminator) return 1;
  return piece->condition == LODE_CONDITION_WHOLE_LINE_CRLF && left > 1 && s->text[stop] == '\r' &&
         s->text[stop + 1] == piece->line_terminator;
}

// Whether the pattern's bytes from `compared` (a multiple of 4) on stand in the text. All its places lie in the piece.
DEVICE int equals_text(const struct search* s, u32 start, struct lode_pattern pattern, u32 compared) {
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  const u32 folds = pattern.length & LODE_PATTERN_FOLDS;
  u32 place = start + compared;
  u32 low = text_word(s, place / 4);
  for (; compared < length; compared += 4, place += 4) {
    const u32 high = text_word(s, place / 4 + 1);
    u32 bytes = funnel(low, high, place % 4 * 8);
    low = high;
    if (folds != 0) bytes = fold_word(bytes);
    const u32 rest = length - compared;
    const u32 mask = rest >= 4 ? 0xffffffffu : (1u << (8 * rest)) - 1;
    if (((bytes ^ s->pattern_words[pattern.first_word + compared / 4]) & mask) != 0) return 0;
  }
  return 1;
}

// Sets the bit. Returns 1 if it was not set before.
DEVICE u32 set_bit(GLOBAL u32* words, u64 bit) {
  GLOBAL u32* word = words + bit / 32;
  const u32 mask = 1u << (u32)(bit % 32);
  // Reading first is cheaper than an atomic operation that changes nothing.
  return (read_global(word) & mask) == 0 && (or_global(word, mask) & mask) == 0;
}

// Takes an occurrence down in the cells of its record, which condition_holds has left in `s`.
DEVICE void record_cells(struct search* s, u32 start, u32 distinct) {
  const u64 row = s->record - s->records.first_row;
  const u32 offset = (u32)(s->piece.text_offset + start - s->record_begin);
  const u32 has_ids = s->records.has_ids;
  const u32 begin = has_ids != 0 ? s->record_ids[distinct] : distinct;
  const u32 end = has_ids != 0 ? s->record_ids[distinct + 1] : distinct + 1;
  if (LODE_MODE == LODE_MODE_ANY) {
    s->matches += set_bit(s->cells, row);
    return;
  }
  if (LODE_MODE == LODE_MODE_PER_RECORD) {
    const u32 before = add_global(s->cells + 2 * row, end - begin);
    if (before + (end - begin) < before) add_global(s->cells + 2 * row + 1, 1);
    s->matches += end - begin;
    return;
  }
  for (u32 at = begin; at < end; ++at) {
    const u32 id = has_ids != 0 ? s->record_ids[at] : at;
    if (LODE_MODE == LODE_MODE_CONTAINS) {
      s->matches += set_bit(s->cells, row * s->records.columns * 32 + id);
    } else {
      GLOBAL u32* cell = s->cells + row * s->records.columns + id;
      if (read_global(cell) > offset) s->matches += min_global(cell, offset) == LODE_NO_OFFSET;
    }
  }
}

// Counts or lists an occurrence. The condition was asked for just before, and holds.
DEVICE void record(struct search* s, u32 start, u32 distinct) {
  if (LODE_MODE == LODE_MODE_COUNT) {
    ++s->matches;
  } else if (LODE_MODE > LODE_MODE_LIST) {
    record_cells(s, start, distinct);
  } else if (LODE_MODE == LODE_MODE_PER_DISTINCT) {
    ++s->matches;
    add_global(s->per_distinct + distinct, 1);
  } else {
    GLOBAL struct lode_header* counters = (GLOBAL struct lode_header*)s->header;
    const u32 slot = add_global(&counters->listed, 1);
    if (slot < s->piece.capacity) {
      s->list[slot].start = start;
      s->list[slot].distinct = distinct;
    } else {
      or_global(&counters->overflowed, 1);  // holds even if `listed` wraps round
    }
  }
}

// Counts or lists an occurrence if the condition holds.
DEVICE void report(struct search* s, u32 start, u32 distinct, u32 length) {
  if (has_condition(s) && !condition_holds(s, start, distinct, length)) return;
  record(s, start, distinct);
}

// Whether the pattern stands at `start`, compared exactly, and the condition holds. `start` may be any number; it is
// checked against the piece.
DEVICE int occurs(struct search* s, u32 start, u32 distinct) {
  if (start < s->piece.begin || start >= s->piece.end) return 0;
  const struct lode_pattern pattern = s->patterns[distinct];
  const u32 length = pattern.length & LODE_PATTERN_LENGTH;
  if (length > s->piece.size - start) return 0;
  ++s->candidates;
  if (!equals_text(s, start, pattern, 0)) return 0;
  return !has_condition(s) || condition_holds(s, start, distinct, length);
}

// Compares exactly and reports.
DEVICE void verify(struct search* s, u32 start, u32 distinct) {
  if (occurs(s, start, distinct)) record(s, start, distinct);
}

#endif
