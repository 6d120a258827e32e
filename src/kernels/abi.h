// What kernels and host agree on: structs that cross the seam, and the values of constants.
//
// Valid in OpenCL C, CUDA C++ and C++. The includer has defined u8, u32 and u64. Layouts are the same everywhere:
// members are sorted by size, and each struct says how large it is; the host asserts it.
#ifndef LODE_KERNELS_ABI_H
#define LODE_KERNELS_ABI_H

// LODE_MODE says what becomes of the occurrences.
#define LODE_MODE_COUNT 0         // they are counted
#define LODE_MODE_PER_DISTINCT 1  // they are counted for each distinct pattern
#define LODE_MODE_LIST 2          // they are listed, in any order
// The other modes are for records only. They take occurrences down in cells, a row of cells for each record.
#define LODE_MODE_FIRST 3       // a cell for each record and pattern id: the least offset, or LODE_NO_OFFSET
#define LODE_MODE_CONTAINS 4    // a bit for each record and pattern id
#define LODE_MODE_ANY 5         // a bit for each record
#define LODE_MODE_PER_RECORD 6  // a count for each record: 64 bits, the lower half first
#define LODE_NO_OFFSET 0xffffffffu

// LODE_RECORDS is 1 if the text consists of records, which no occurrence may cross. The modes for records need it.

// Values of lode_piece.condition.
#define LODE_CONDITION_NONE 0
#define LODE_CONDITION_WHOLE_WORD 1
#define LODE_CONDITION_WHOLE_LINE 2
#define LODE_CONDITION_WHOLE_LINE_CRLF 3

// The part of a text that one launch searches. Places are bytes from the piece's begin, whose address is a multiple of
// 16. Kernels read no 16-byte block of which no byte lies in [first, size).
struct lode_piece {     // 48 bytes
  u64 text_offset;      // where the piece begins in the text's buffer; a multiple of 16
  u32 first;            // bytes before this place are not the text's; < 16 unless the piece is empty
  u32 size;             // bytes from this place on are not the text's, or not to be read; <= 2^32 - 2^17
  u32 begin;            // occurrences that start in [begin, end) are wanted
  u32 end;              // first <= begin <= end <= size
  u32 capacity;         // matches that the list holds
  u32 condition;        // for it the text begins at `first` and ends at `size`; with records, the record's ends count
  u32 line_terminator;  // a byte
  u32 pattern;          // the distinct pattern of this pass, if the algorithm searches one at a time
  u32 adds;             // not 0: groups add to their totals, which are cleared before the first pass; 0: they set them
  u32 has_utf_16;       // not 0: some patterns are in UTF-16, and conditions read what is around them so, too
};

// The words of all patterns begin with a table that says of each code point whether it is a word character. It begins
// with the number of each block of 256 code points, a byte each, the lowest of a word first. Then come the blocks, a bit
// for each code point.
#define LODE_CHARACTER_BLOCK_WORDS 8u
#define LODE_CHARACTER_NUMBER_WORDS 1088u

// A distinct pattern. Its bytes begin at a word's lowest byte, and zeros fill up the last word. The bytes are folded if
// case is ignored. Example: `puppy` has the words 70707570 and 00000079.
struct lode_pattern {  // 8 bytes
  u32 first_word;      // index in the words of all patterns
  u32 length;          // bytes, and the bits below
};
#define LODE_PATTERN_LENGTH 0x1fffffffu
#define LODE_PATTERN_FOLDS 0x80000000u  // case is ignored
#define LODE_PATTERN_UTF_16LE 0x40000000u
#define LODE_PATTERN_UTF_16BE 0x20000000u

// The bytes of a pattern that `vector` compares first.
struct lode_probe {  // 16 bytes
  u32 bytes;         // lowest byte first; bit 0x20 of each is set if LODE_FOLDS is 1
  u32 offset;        // where the probe lies in the pattern
  u32 distinct;      // LODE_NO_PATTERN: the probe only fills up a pass
  u32 spare;
};
#define LODE_NO_PATTERN 0xffffffffu

// A window of a pattern, in the table of `filter`, with enough of the pattern to decide most candidates. The table
// begins with the first entry of each bucket; the other entries of all buckets follow.
struct lode_entry {  // 32 bytes
  u32 hash;          // the window's hash
  u32 next;          // index of the bucket's next entry, or LODE_NO_ENTRY
  u32 distinct;
  u32 place;    // offset of the window in the pattern, and the pattern's length << LODE_LENGTH_SHIFT; 0: no entry
  u32 head[4];  // the pattern's first 16 bytes, zeros behind its end; with LODE_FOLD, bit 0x20 of each byte is set
};
#define LODE_NO_ENTRY 0xffffffffu
#define LODE_LENGTH_SHIFT 8

struct lode_match {  // 8 bytes
  u32 start;         // place in the piece
  u32 distinct;
};

// What one pass of `rabin-karp` knows of its hash and its tables.
struct lode_rolling {   // 20 bytes
  u32 hashed;           // bytes that are hashed
  u32 leaving;          // the weight of a byte that leaves: RABIN_KARP_BASE to the power of `hashed`
  u32 bits_log2_words;  // the table of bits has 2^bits_log2_words words; at least 1
  u32 bucket_log2;      // there are 2^bucket_log2 buckets
  u32 run_words;        // an item searches 4 * run_words places; odd, so that the items of a team read different banks
};

// What one pass of `boyer-moore` knows of its tables.
struct lode_skips {  // 16 bytes
  u64 first_bad;     // index of the 256 bad character shifts in the words of all tables; the good suffix shifts follow
  u32 period;        // shift after an occurrence
  u32 run;           // places that an item searches; a multiple of 4
};

// Records of a text. Three tables say where they lie, and which ids distinct patterns have:
//
// record_starts says where each record begins in the text's buffer, with LODE_NULL_RECORD set if the record is null. A
// record ends `gap` bytes before the next one begins; behind the last one stands where a next one would begin.
//
// record_blocks says for each block of 2^block_log2 bytes of the buffer which record is the last to begin at or before
// the block's first byte (0 if none does). It has an entry for one block behind the last.
//
// record_ids is used if distinct patterns have several ids. It says for each distinct pattern at which of its own
// indices the pattern's ids begin, then where the last ids end; then come all ids.
//
// Example: records `abc`, `` and `defgh`, gap 1, blocks of 8 bytes; three distinct patterns with the ids 0 3, 1 and 2:
//   text           a b c . . d e f | g h        "." is a byte of a gap
//   record_starts  0 4 5 11
//   record_blocks  0 2 2
//   record_ids     4 6 7 8 | 0 3 1 2
struct lode_records {  // 32 bytes
  u64 columns;         // words in the row of a record: cells, or with LODE_MODE_CONTAINS 32 bits each
  u64 gap;
  u32 count;
  u32 first_row;   // the record whose row is the first of the cells
  u32 block_log2;  // logarithm of the bytes of a block
  u32 has_ids;     // 0: each distinct pattern is its only id
};
#define LODE_NULL_RECORD 0x8000000000000000ul

// Counters of a piece, cleared before its first pass if matches are listed. The totals of all groups follow.
struct lode_header {  // 16 bytes
  u32 listed;         // matches that were found for the list
  u32 overflowed;     // not 0: there were more than the list holds, and the list is to be thrown away
  u32 spare[2];
};
#define LODE_HEADER_WORDS 4

// Totals that a work-group has counted.
struct lode_totals {  // 16 bytes
  u64 matches;
  u64 candidates;
};

#endif
