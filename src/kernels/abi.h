// What kernels and host agree on: structs that cross the seam, and the values of constants.
//
// Valid in OpenCL C, CUDA C++ and C++. The includer has defined u8, u32 and u64. Layouts are the same everywhere: members
// are sorted by size, and each struct says how large it is; the host asserts it.
#ifndef LODE_KERNELS_ABI_H
#define LODE_KERNELS_ABI_H

// LODE_MODE: what becomes of the occurrences.
#define LODE_MODE_COUNT 0         // they are counted
#define LODE_MODE_PER_DISTINCT 1  // they are counted for each distinct pattern
#define LODE_MODE_LIST 2          // they are listed, in any order
// In records only; see struct lode_records for what the cells are.
#define LODE_MODE_FIRST 3       // a cell for each record and pattern: the least offset, or LODE_NO_OFFSET
#define LODE_MODE_CONTAINS 4    // a bit for each record and pattern
#define LODE_MODE_ANY 5         // a bit for each record
#define LODE_MODE_PER_RECORD 6  // 64 bits for each record, the lower half first: how many
#define LODE_NO_OFFSET 0xffffffffu

// LODE_RECORDS: 1 where the text consists of records, which no occurrence may cross; always with the modes that need them.

// lode_piece.condition
#define LODE_CONDITION_NONE 0
#define LODE_CONDITION_WHOLE_WORD 1
#define LODE_CONDITION_WHOLE_LINE 2
#define LODE_CONDITION_WHOLE_LINE_CRLF 3

// The part of a text that one launch searches. Places are bytes from the piece's begin, whose address is a multiple of
// 16. Kernels read no 16-byte block of which no byte lies in [first, size).
struct lode_piece {     // 48 bytes
  u64 text_offset;      // of the piece in the text's buffer; a multiple of 16
  u32 first;            // bytes before this place are not the text's; < 16 unless the piece is empty
  u32 size;             // bytes from this place on are not the text's, or not to be read; <= 2^32 - 2^17
  u32 begin;            // occurrences that start in [begin, end) are wanted; first <= begin <= end <= size
  u32 end;              //
  u32 capacity;         // matches that the list holds
  u32 condition;        // a place at `first` or `size` counts as the text's begin or end, one at a record's as that
  u32 line_terminator;  //
  u32 pattern;          // the distinct pattern of this pass, where the algorithm searches one at a time
  u32 adds;             // not 0: groups add to their totals, which are cleared before the first pass; 0: they set them
  u32 spare;
};

// A distinct pattern. Its bytes begin at a word's lowest byte; the last word is filled up with zeros. They are folded
// where case is ignored.
struct lode_pattern {  // 8 bytes
  u32 first_word;      // in the words of all patterns
  u32 length;          // bytes, with LODE_PATTERN_FOLDS set where case is ignored
};
#define LODE_PATTERN_FOLDS 0x80000000u

// The bytes of a pattern that `vector` compares first.
struct lode_probe {  // 16 bytes
  u32 bytes;         // lowest byte first; folded where LODE_FOLDS has its bit
  u32 offset;        // of the probe in the pattern
  u32 distinct;      // or LODE_NO_PATTERN: fills up a pass
  u32 spare;
};
#define LODE_NO_PATTERN 0xffffffffu

// A window of a pattern, in the table of `filter`, with enough of the pattern to decide most candidates. The first entries
// of all buckets come first, then the others of each.
struct lode_entry {  // 32 bytes
  u32 hash;          // of the window
  u32 next;          // of the bucket, or LODE_NO_ENTRY
  u32 distinct;
  u32 place;    // offset of the window in the pattern, and the pattern's length << LODE_LENGTH_SHIFT; 0: no entry
  u32 head[4];  // the pattern's first 16 bytes, folded loosely where windows are; zeros behind its end
};
#define LODE_NO_ENTRY 0xffffffffu
#define LODE_LENGTH_SHIFT 8

struct lode_match {  // 8 bytes
  u32 start;         // place in the piece
  u32 distinct;
};

// The tables of one pass of `rabin-karp`.
struct lode_rolling {   // 20 bytes
  u32 hashed;           // bytes that are hashed
  u32 leaving;          // what a byte weighs when it leaves
  u32 bits_log2_words;  // words of the table of bits; at least 1
  u32 bucket_log2;      // number of buckets
  u32 run_words;        // places of an item, in words; odd, so that the items of a team read different banks
};

// The tables of one pass of `boyer-moore`.
struct lode_skips {  // 16 bytes
  u64 first_bad;     // place of the 256 bad character shifts in the words of all tables; the good suffix shifts follow
  u32 period;        // shift after an occurrence
  u32 run;           // places of an item; a multiple of 4
};

// Records of a text: record r begins at the place in the text's buffer that word r of `record_starts` says, below its
// LODE_NULL_RECORD, and ends `gap` bytes before the next one begins; of the last one, too, there is a next. Block b of
// 2^block_log2 bytes of the buffer: `record_blocks` says the last record that begins at or before its first byte (0 where
// there is none), also of one block behind the last. `record_ids`, where distinct patterns have several ids: where the ids
// of each begin in `record_ids`, one more at the end, then all ids.
struct lode_records {  // 32 bytes
  u64 columns;         // cells (LODE_MODE_CONTAINS: words of 32 bits) of a row
  u64 gap;
  u32 count;
  u32 first_row;   // the record whose cells come first
  u32 block_log2;  //
  u32 has_ids;     // 0: each distinct pattern is its only id
};
#define LODE_NULL_RECORD 0x8000000000000000ul

// Counters of a piece, cleared before its first pass where matches are listed. The totals of all groups follow.
struct lode_header {  // 16 bytes
  u32 listed;         // matches in the list, if not more than its capacity
  u32 overflowed;     // not 0: the list was too small, and is to be thrown away
  u32 spare[2];
};
#define LODE_HEADER_WORDS 4

// What a work-group has counted.
struct lode_totals {  // 16 bytes
  u64 matches;
  u64 candidates;
};

#endif
