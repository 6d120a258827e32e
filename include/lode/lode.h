/* The C API: the C++ API in plain C11, with a stable binary interface. Of records it has what the section on them says.
 *
 * Objects are opaque handles, made by *_create, *_build, *_load and *_open, and ended by their *_destroy,
 * which takes NULL, too. A function that can fail returns a lode_status and takes `error` last: NULL, or the
 * address of a lode_error* that is set to NULL on success, and on failure to an object with the status and a
 * message, which the caller destroys. There is no global state: handles may be used from any thread; at the
 * same time by several threads only where that is said. On failure all other results are left as they were,
 * but for arrays being filled. No exception leaves the library, and none may leave a callback.
 *
 * Structs that may grow start with their size: initialise them with their *_INIT macro, so that a program
 * built with an older header goes on working. A required pointer that is NULL gives LODE_INVALID_ARGUMENT. */
#ifndef LODE_LODE_H
#define LODE_LODE_H

#include <stddef.h>
#include <stdint.h>

#include "lode/export.hpp"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

/* One of the values below. */
typedef int32_t lode_status;

enum {
  LODE_OK = 0,
  LODE_INVALID_ARGUMENT = 1, /* an option or a combination of options that makes no sense */
  LODE_INVALID_PATTERN = 2,  /* an empty pattern, an empty set, a malformed pattern file */
  LODE_UNSUPPORTED = 3,      /* the algorithm or device does not serve these patterns; the message says why */
  LODE_LIMIT = 4,            /* more patterns, longer patterns or more memory than the limits allow */
  LODE_DAMAGED_PLAN = 5,     /* a saved plan that is foreign, truncated, altered or of another version */
  LODE_INPUT_OUTPUT = 6,     /* a file cannot be read or written, or changed while it was read */
  LODE_DEVICE = 7,           /* a device is absent, lost or out of memory */
  LODE_CANCELLED = 8,        /* lode_stop_request was called */
  LODE_OUT_OF_MEMORY = 9,    /* the system has no memory left */
  LODE_INTERNAL = 10         /* an error of the library itself */
};

typedef struct lode_error lode_error;

LODE_API lode_status lode_error_status(const lode_error* error);
/* What was wrong and, where something can be done about it, what to do. Valid until the error is destroyed.
 */
LODE_API const char* lode_error_message(const lode_error* error);
LODE_API void lode_error_destroy(lode_error* error);

/* The status' name: "invalid_pattern". */
LODE_API const char* lode_status_name(lode_status status);

/* The version of the library in use: "0.1.0". */
LODE_API const char* lode_version(void);

/* ---- Stopping and progress ---- */

/* A request to stop, for any number of calls. Safe to use from any number of threads at once. */
typedef struct lode_stop lode_stop;

LODE_API lode_status lode_stop_create(lode_stop** stop, lode_error** error);
/* Every call that was given `stop` ends soon with LODE_CANCELLED. */
LODE_API void lode_stop_request(lode_stop* stop);
LODE_API void lode_stop_destroy(lode_stop* stop);

/* Called now and then, from any thread, one at a time, with work done and work in all (any unit). */
typedef void (*lode_progress)(uint64_t done, uint64_t total, void* context);

/* ---- Pattern sets ---- */

/* The patterns of a search, in order; a pattern's id is its index. Patterns are bytes, NUL and newline
 * included; equal patterns keep their ids. 1 byte to 1 MiB a pattern, 16 777 216 patterns, 4 GiB of pattern
 * bytes. */
typedef struct lode_pattern_set lode_pattern_set;

LODE_API lode_status lode_pattern_set_create(lode_pattern_set** patterns, lode_error** error);
LODE_API void lode_pattern_set_destroy(lode_pattern_set* patterns);

/* Appends a pattern. `ignore_case`: 0 exact, 1 ASCII letters of either case. `label` is what programs show
 * for it, ended by NUL, or NULL. `id` receives its id, or is NULL. LODE_INVALID_PATTERN where it is empty,
 * LODE_LIMIT. */
LODE_API lode_status lode_pattern_set_add(lode_pattern_set* patterns, const void* bytes, size_t size_bytes,
                                          int ignore_case, const char* label, uint32_t* id, lode_error** error);

typedef enum lode_pattern_format {
  LODE_PATTERN_LINES = 0,  /* bytes up to LF; an empty line is skipped and takes no id */
  LODE_PATTERN_HEX = 1,    /* one pattern a line in hexadecimal digits, blanks allowed between bytes */
  LODE_PATTERN_JSONL = 2,  /* one object a line with "text", "hex" or "base64", optional "label" and "ignore_case" */
  LODE_PATTERN_BY_NAME = 3 /* LODE_PATTERN_JSONL where the file's name ends in .jsonl, else LODE_PATTERN_LINES */
} lode_pattern_format;

typedef struct lode_pattern_file_options {
  size_t size;                                         /* sizeof(lode_pattern_file_options) */
  uint32_t format;                                     /* lode_pattern_format */
  uint32_t ignore_case;                                /* 1: for patterns that do not say */
  uint32_t strip_carriage_return;                      /* 1: lines: drop one CR before each LF */
  uint32_t reserved;                                   /* 0 */
  void (*warning)(const char* message, void* context); /* one call a warning; or NULL */
  void* warning_context;
} lode_pattern_file_options;

#define LODE_PATTERN_FILE_OPTIONS_INIT \
  { sizeof(lode_pattern_file_options), 0, 0, 0, 0, NULL, NULL }

/* Appends the patterns of a file. `options`: NULL for the defaults. LODE_INPUT_OUTPUT; LODE_INVALID_PATTERN
 * with file and line; the set may then hold the patterns before that line. */
LODE_API lode_status lode_pattern_set_add_file(lode_pattern_set* patterns, const char* path,
                                               const lode_pattern_file_options* options, lode_error** error);
/* The same for the content of such a file that lies in memory; `name` stands in messages. */
LODE_API lode_status lode_pattern_set_add_text(lode_pattern_set* patterns, const void* content, size_t size_bytes,
                                               const char* name, const lode_pattern_file_options* options,
                                               lode_error** error);

LODE_API uint32_t lode_pattern_set_size(const lode_pattern_set* patterns);

/* ---- Plans ---- */

/* What is compiled from a pattern set alone. Immutable; safe to use from any number of threads at once. */
typedef struct lode_plan lode_plan;

typedef struct lode_plan_options {
  size_t size;             /* sizeof(lode_plan_options) */
  const void* text_sample; /* a piece of the text to come, or NULL; tunes the plan, never changes results */
  size_t text_sample_bytes;
  uint32_t threads;       /* 0: all cores */
  uint32_t reserved;      /* 0 */
  const lode_stop* stop;  /* or NULL */
  lode_progress progress; /* or NULL */
  void* progress_context;
} lode_plan_options;

#define LODE_PLAN_OPTIONS_INIT \
  { sizeof(lode_plan_options), NULL, 0, 0, 0, NULL, NULL, NULL }

/* Copies what it needs of `patterns`. `options`: NULL for the defaults. LODE_INVALID_PATTERN for an empty
 * set, LODE_CANCELLED. */
LODE_API lode_status lode_plan_build(const lode_pattern_set* patterns, const lode_plan_options* options,
                                     lode_plan** plan, lode_error** error);
LODE_API void lode_plan_destroy(lode_plan* plan);

/* Writes the plan under a temporary name beside `path` and renames it. LODE_INPUT_OUTPUT. */
LODE_API lode_status lode_plan_save(const lode_plan* plan, const char* path, lode_error** error);
/* LODE_INPUT_OUTPUT or, for anything but an intact plan of this version, LODE_DAMAGED_PLAN. */
LODE_API lode_status lode_plan_load(const char* path, lode_plan** plan, lode_error** error);

/* The same as one blob in memory, which the caller ends with lode_blob_destroy. */
LODE_API lode_status lode_plan_serialize(const lode_plan* plan, void** blob, size_t* size_bytes, lode_error** error);
LODE_API lode_status lode_plan_deserialize(const void* blob, size_t size_bytes, lode_plan** plan, lode_error** error);
LODE_API void lode_blob_destroy(void* blob);

LODE_API uint32_t lode_plan_pattern_count(const lode_plan* plan);
/* Number of patterns after equal ones are put together. */
LODE_API uint32_t lode_plan_distinct_count(const lode_plan* plan);
/* Memory of the tables and the patterns together. */
LODE_API uint64_t lode_plan_memory_bytes(const lode_plan* plan);
/* The bytes of a pattern, valid as long as the plan; LODE_INVALID_ARGUMENT for an id that is none. */
LODE_API lode_status lode_plan_pattern(const lode_plan* plan, uint32_t id, const void** bytes, size_t* size_bytes,
                                       lode_error** error);
/* The label of a pattern, not ended by NUL, possibly of 0 bytes; valid as long as the plan. */
LODE_API lode_status lode_plan_label(const lode_plan* plan, uint32_t id, const char** label, size_t* size_bytes,
                                     lode_error** error);

/* ---- Texts ---- */

/* A regular file, read with pread by many threads at once. Safe to use from any number of threads at once. */
typedef struct lode_file lode_file;

/* LODE_INPUT_OUTPUT where the path is no readable regular file. */
LODE_API lode_status lode_file_open(const char* path, lode_file** file, lode_error** error);
LODE_API uint64_t lode_file_size(const lode_file* file);
LODE_API void lode_file_destroy(lode_file* file);

/* A text in the memory of a GPU; see below. */
typedef struct lode_resident_text lode_resident_text;

/* What is searched: bytes in memory, a file, or a text that is resident on a GPU. Borrows; the caller keeps it alive.
 * Made by the functions below. */
typedef struct lode_text {
  const void* bytes;                  /* where file and resident are NULL; may be NULL where size_bytes is 0 */
  uint64_t size_bytes;                /* of bytes */
  const lode_file* file;              /* or NULL */
  const lode_resident_text* resident; /* or NULL */
} lode_text;

LODE_API lode_text lode_text_of_bytes(const void* bytes, uint64_t size_bytes);
LODE_API lode_text lode_text_of_file(const lode_file* file);
LODE_API lode_text lode_text_of_resident(const lode_resident_text* resident);

/* ---- Devices ---- */

/* Where a search runs. Safe to use from any number of threads at once. */
typedef struct lode_device lode_device;

/* `name`: "cpu", "auto", "cuda", "cuda:N", "cuda:all", "opencl" or "opencl:N". LODE_INVALID_ARGUMENT for a name that is
 * none, LODE_DEVICE with the reason where the device is not there. */
LODE_API lode_status lode_device_open(const char* name, lode_device** device, lode_error** error);
/* "cuda:0" for "cuda". Valid as long as the device. */
LODE_API const char* lode_device_name(const lode_device* device);
/* What was made with the device may outlive it. */
LODE_API void lode_device_destroy(lode_device* device);

/* Copies a text to a GPU, to be searched many times by searchers that were made with this device (their
 * lode_searcher_options.opened_device) or with one opened as "auto". With "cuda:all" it is divided among the devices;
 * with "auto" it goes to the first GPU. `threads`: that copy; 0: all cores. Any number of threads may search it at once.
 * LODE_UNSUPPORTED for the CPU and for a text that is resident already, LODE_DEVICE where there is no GPU or its memory
 * does not suffice. */
LODE_API lode_status lode_resident_text_create(const lode_device* device, lode_text text, uint32_t threads,
                                               lode_resident_text** resident, lode_error** error);
/* Takes `size_bytes` at `device_pointer` as the text without a copy: memory of the device (CUDA only, one device) that
 * the caller keeps, unchanged, until the text is destroyed. LODE_UNSUPPORTED elsewhere. */
LODE_API lode_status lode_resident_text_adopt(const lode_device* device, uintptr_t device_pointer, uint64_t size_bytes,
                                              lode_resident_text** resident, lode_error** error);
LODE_API uint64_t lode_resident_text_size(const lode_resident_text* resident);
LODE_API void lode_resident_text_destroy(lode_resident_text* resident);

/* ---- Searchers ---- */

/* A plan bound to a device. Immutable; safe to use from any number of threads at once. */
typedef struct lode_searcher lode_searcher;

typedef enum lode_match_kind {
  LODE_OVERLAPPING = 0,      /* every occurrence */
  LODE_LEFTMOST_LONGEST = 1, /* no overlaps: the match that starts first, of those the longest, then the lowest id */
  LODE_LEFTMOST_FIRST = 2    /* no overlaps: the match that starts first, of those the lowest id */
} lode_match_kind;

typedef enum lode_condition {
  LODE_NO_CONDITION = 0,
  LODE_WHOLE_WORD = 1,     /* no word byte ([A-Za-z0-9_] and every byte >= 0x80) directly before or after */
  LODE_WHOLE_LINE = 2,     /* between line terminators or the ends of the text */
  LODE_WHOLE_LINE_CRLF = 3 /* the same, or before a CR that stands before a line terminator */
} lode_condition;

typedef enum lode_schedule { LODE_DYNAMIC_CHUNKS = 0, LODE_STATIC_CHUNKS = 1 } lode_schedule;

typedef struct lode_searcher_options {
  size_t size;                      /* sizeof(lode_searcher_options) */
  const char* algorithm;            /* a name of lode_list_algorithms; NULL or "auto": chosen */
  const char* device;               /* a name as lode_device_open takes it, opened for this searcher; NULL: the CPU */
  const char* instruction_set;      /* a name of lode_list_instruction_sets; NULL: LODE_TARGET, or the best */
  uint64_t chunk_bytes;             /* of text that a thread takes at a time; 0: chosen */
  uint64_t memory_limit_bytes;      /* for buffers of matches and text beyond the plan; 0: 64 MiB, on GPUs chosen */
  uint32_t threads;                 /* 0: all cores */
  uint32_t match_kind;              /* lode_match_kind */
  uint32_t condition;               /* lode_condition */
  uint32_t schedule;                /* lode_schedule */
  uint32_t line_terminator;         /* what ends a line, for conditions of lines and one_per_line */
  uint32_t one_per_line;            /* 1: of each line at least one match, enough to tell which lines match */
  const lode_device* opened_device; /* takes the place of `device`, which is then NULL; or NULL */
  /* How kernels are laid out on a GPU. None of these changes results; 0: chosen. */
  uint32_t gpu_cascade;         /* boyer-moore: blocks of 24 bytes that a work-item takes as one, 1 … 64 */
  uint32_t gpu_group_items;     /* work-items of a work-group; rounded and bounded as the device needs */
  uint32_t gpu_groups_per_unit; /* work-groups started for each compute unit */
  uint32_t reserved;            /* 0 */
} lode_searcher_options;

#define LODE_SEARCHER_OPTIONS_INIT \
  { sizeof(lode_searcher_options), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, '\n', 0, NULL, 0, 0, 0, 0 }

/* Keeps what it needs of `plan`, which may be destroyed before the searcher. LODE_UNSUPPORTED with the reason
 * where the algorithm does not serve these patterns or the device has no such algorithm, LODE_INVALID_ARGUMENT for names
 * and values that are none, LODE_DEVICE where the device is not there or fails. */
LODE_API lode_status lode_searcher_create(const lode_plan* plan, const lode_searcher_options* options,
                                          lode_searcher** searcher, lode_error** error);
LODE_API void lode_searcher_destroy(lode_searcher* searcher);

/* What `auto` chose, or what was asked for. Valid as long as the searcher. */
LODE_API const char* lode_searcher_algorithm(const lode_searcher* searcher);
LODE_API const char* lode_searcher_instruction_set(const lode_searcher* searcher);

typedef struct lode_match {
  uint64_t offset;     /* of the first byte, in the original text */
  uint32_t pattern_id; /* index in the pattern set */
  uint32_t length;     /* bytes of the pattern */
} lode_match;

/* Receives matches sorted by offset, then id, in batches, from the thread that called the search. Returns 1
 * to go on, 0 to end the search early (that is no error). */
typedef int (*lode_match_sink)(const lode_match* matches, size_t count, void* context);

typedef struct lode_search_stats {
  size_t size;        /* sizeof(lode_search_stats) */
  char algorithm[32]; /* that ran; ended by NUL and cut to fit, as all strings here */
  char device[32];    /* that it ran on */
  char instruction_set[32];
  uint32_t threads;
  uint32_t reserved;
  uint64_t bytes;      /* of text searched */
  uint64_t candidates; /* places that passed a filter */
  uint64_t matches;    /* reported or counted */
  double seconds;
  char choice[128];   /* device "auto": what was estimated for which device; else empty */
  char warning[256];  /* device "auto": a GPU failed, and why; the results are complete all the same. Else empty */
  char strategy[256]; /* CPU: how the algorithm looks for which patterns; empty where its name says all of it */
} lode_search_stats;

#define LODE_SEARCH_STATS_INIT \
  { sizeof(lode_search_stats), "", "", "", 0, 0, 0, 0, 0, 0, "", "", "" }

typedef struct lode_run_options {
  size_t size;            /* sizeof(lode_run_options) */
  uint64_t begin;         /* only matches that start in [begin, end) are reported; */
  uint64_t end;           /* the text outside is still there for matches to reach into */
  uint64_t* not_before;   /* leftmost kinds, for a text searched in several ranges: where the next match may start; it
                             is moved behind the last match that is reported. NULL: the start of the text */
  const lode_stop* stop;  /* or NULL */
  lode_progress progress; /* or NULL; bytes done, bytes in all */
  void* progress_context;
  lode_search_stats* stats; /* filled on success; or NULL */
} lode_run_options;

#define LODE_RUN_OPTIONS_INIT \
  { sizeof(lode_run_options), 0, UINT64_MAX, NULL, NULL, NULL, NULL, NULL }

/* `run`: NULL for the defaults, here and below. All of them may give LODE_CANCELLED and, for files,
 * LODE_INPUT_OUTPUT; on GPUs LODE_DEVICE; for a text that is resident elsewhere, LODE_UNSUPPORTED. */

/* Calls the sink with all matches. Memory stays within the limit however many there are. */
LODE_API lode_status lode_searcher_find(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                        lode_match_sink sink, void* context, lode_error** error);
/* Writes the first `capacity` matches to `matches` and the number of all to `found`: where that is more than
 * the capacity, nothing else was lost, call again with more room. */
LODE_API lode_status lode_searcher_find_array(const lode_searcher* searcher, lode_text text,
                                              const lode_run_options* run, lode_match* matches, uint64_t capacity,
                                              uint64_t* found, lode_error** error);
LODE_API lode_status lode_searcher_count(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                         uint64_t* count, lode_error** error);
/* `counts` has one element per pattern; `capacity` must be their number. */
LODE_API lode_status lode_searcher_count_per_pattern(const lode_searcher* searcher, lode_text text,
                                                     const lode_run_options* run, uint64_t* counts, uint64_t capacity,
                                                     lode_error** error);
/* `lines`: the number of lines that start in the run's range and in which a match starts. LODE_UNSUPPORTED where a
 * pattern contains the options' line terminator. */
LODE_API lode_status lode_searcher_count_lines(const lode_searcher* searcher, const void* bytes, size_t size_bytes,
                                               const lode_run_options* run, uint64_t* lines, lode_error** error);
/* `found`: 1 where the text holds a match, else 0. */
LODE_API lode_status lode_searcher_contains(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                            int* found, lode_error** error);
/* The first match, where `found` is 1; else `match` is left as it was. */
LODE_API lode_status lode_searcher_first(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                         lode_match* match, int* found, lode_error** error);

/* ---- Streams ---- */

/* A text pushed piece by piece; every match is reported exactly once, whatever the pieces. One thread at a
 * time. */
typedef struct lode_stream lode_stream;

/* Borrows the searcher. Of `run`, begin, end and not_before are not used; stats are filled by lode_stream_finish, until
 * when they must live; progress is told the bytes searched and those pushed. Neither the sink nor progress may push, flush
 * or finish the stream: that is LODE_INVALID_ARGUMENT; nor may they destroy it. */
LODE_API lode_status lode_stream_create(const lode_searcher* searcher, const lode_run_options* run,
                                        lode_match_sink sink, void* context, lode_stream** stream, lode_error** error);
/* `more`: 0 once the sink has ended the search; may be NULL. */
LODE_API lode_status lode_stream_push(lode_stream* stream, const void* bytes, size_t size_bytes, int* more,
                                      lode_error** error);
/* Reports now what is certain already; push does it by itself each time the stream's buffer is full. */
LODE_API lode_status lode_stream_flush(lode_stream* stream, lode_error** error);
/* Reports what is left. To be called once, at the end. */
LODE_API lode_status lode_stream_finish(lode_stream* stream, lode_error** error);
/* Bytes pushed so far. */
LODE_API uint64_t lode_stream_size(const lode_stream* stream);
LODE_API void lode_stream_destroy(lode_stream* stream);

/* ---- Records ---- */

/* Many short texts that lie one behind the other, to be searched all at once. A match lies within one record; conditions
 * take the record's ends for the text's. Borrows bytes, offsets and bits, which the caller keeps alive and unchanged.
 * Immutable; safe to use from any number of threads at once. */
typedef struct lode_records lode_records;

/* Record i is bytes[offsets[i], offsets[i + 1]), as in Arrow's string and binary columns (32) and their large kinds (64):
 * `offsets` has one element more than there are records; it may be NULL where there are none. `validity`: NULL, or bits,
 * of which bit `first_bit` + i, counted from the lowest of each byte, is 0 where record i is null, which has no matches.
 * LODE_INVALID_ARGUMENT where offsets decrease or point behind the bytes. */
LODE_API lode_status lode_records_create32(const void* bytes, uint64_t size_bytes, const uint32_t* offsets,
                                           uint64_t count, const uint8_t* validity, uint64_t first_bit,
                                           lode_records** records, lode_error** error);
LODE_API lode_status lode_records_create64(const void* bytes, uint64_t size_bytes, const uint64_t* offsets,
                                           uint64_t count, const uint8_t* validity, uint64_t first_bit,
                                           lode_records** records, lode_error** error);
/* How many. */
LODE_API uint64_t lode_records_size(const lode_records* records);
LODE_API void lode_records_destroy(lode_records* records);

/* A plan bound to a device, for records. Immutable; safe to use from any number of threads at once. */
typedef struct lode_record_searcher lode_record_searcher;

/* As lode_searcher_create; LODE_INVALID_ARGUMENT also for match kinds other than LODE_OVERLAPPING and for one_per_line. */
LODE_API lode_status lode_record_searcher_create(const lode_plan* plan, const lode_searcher_options* options,
                                                 lode_record_searcher** searcher, lode_error** error);
LODE_API void lode_record_searcher_destroy(lode_record_searcher* searcher);

/* What `auto` chose, or what was asked for. Valid as long as the searcher. */
LODE_API const char* lode_record_searcher_algorithm(const lode_record_searcher* searcher);
LODE_API const char* lode_record_searcher_instruction_set(const lode_record_searcher* searcher);

/* The first occurrence of a pattern in a record. */
typedef struct lode_record_hit {
  uint64_t record;
  uint64_t offset; /* from the record's first byte */
  uint32_t pattern_id;
} lode_record_hit;

/* Receives hits sorted by record, then id, in batches that end with a record, from the thread that called the search.
 * Returns 1 to go on, 0 to end the search early (that is no error). */
typedef int (*lode_record_hit_sink)(const lode_record_hit* hits, size_t count, void* context);

/* rabin-karp works in two stages: it flags records in which some pattern may occur, and these are searched exactly. */
typedef struct lode_record_stats {
  size_t size; /* sizeof(lode_record_stats) */
  uint64_t records;
  uint64_t flagged_records;
  uint64_t false_positives; /* flagged records without a match */
  double flag_seconds;
  double verify_seconds;
} lode_record_stats;

#define LODE_RECORD_STATS_INIT \
  { sizeof(lode_record_stats), 0, 0, 0, 0, 0 }

typedef struct lode_record_run_options {
  size_t size;            /* sizeof(lode_record_run_options) */
  const lode_stop* stop;  /* or NULL */
  lode_progress progress; /* or NULL; bytes done, bytes in all */
  void* progress_context;
  lode_search_stats* stats;        /* filled on success; or NULL. `matches`: hits, cells or records of the result */
  lode_record_stats* record_stats; /* the same */
} lode_record_run_options;

#define LODE_RECORD_RUN_OPTIONS_INIT \
  { sizeof(lode_record_run_options), NULL, NULL, NULL, NULL, NULL }

/* `run`: NULL for the defaults, here and below. All of them may give LODE_CANCELLED; on GPUs LODE_DEVICE. */

/* Calls the sink with the first occurrence of each pattern in each record that holds it. */
LODE_API lode_status lode_record_searcher_first(const lode_record_searcher* searcher, const lode_records* records,
                                                const lode_record_run_options* run, lode_record_hit_sink sink,
                                                void* context, lode_error** error);
/* Cell record * patterns + id: the offset of the first occurrence, or -1. LODE_LIMIT with the number of cells needed
 * where `capacity` is less, and for cells of 32 bits where a record is longer than 2^31 - 1 bytes. */
LODE_API lode_status lode_record_searcher_first_dense32(const lode_record_searcher* searcher,
                                                        const lode_records* records, const lode_record_run_options* run,
                                                        int32_t* cells, uint64_t capacity, lode_error** error);
LODE_API lode_status lode_record_searcher_first_dense64(const lode_record_searcher* searcher,
                                                        const lode_records* records, const lode_record_run_options* run,
                                                        int64_t* cells, uint64_t capacity, lode_error** error);
/* One bit a record, from the lowest of each byte on: whether any pattern occurs in it; the last byte's other bits are 0.
 * LODE_LIMIT where there are fewer than (records + 7) / 8 bytes. */
LODE_API lode_status lode_record_searcher_contains_any(const lode_record_searcher* searcher,
                                                       const lode_records* records, const lode_record_run_options* run,
                                                       uint8_t* bits, uint64_t capacity_bytes, lode_error** error);

/* ---- What there is ---- */

/* A list of named things; indexes from 0 to lode_list_size - 1. Its strings live as long as the list; an
 * index that is none gives "" and 0. */
typedef struct lode_list lode_list;

/* name; description: the idea and how it runs; note: which patterns it serves, and what it costs. */
LODE_API lode_status lode_list_algorithms(lode_list** list, lode_error** error);
/* name; description: model, cores, instruction sets; available; note: why it is not available. */
LODE_API lode_status lode_list_devices(lode_list** list, lode_error** error);
/* name; best first. */
LODE_API lode_status lode_list_instruction_sets(lode_list** list, lode_error** error);

LODE_API size_t lode_list_size(const lode_list* list);
LODE_API const char* lode_list_name(const lode_list* list, size_t index);
LODE_API const char* lode_list_description(const lode_list* list, size_t index);
LODE_API const char* lode_list_note(const lode_list* list, size_t index);
LODE_API int lode_list_available(const lode_list* list, size_t index);
LODE_API void lode_list_destroy(lode_list* list);

#ifdef __cplusplus
}
#endif

#endif /* LODE_LODE_H */
