/* The C API: the C++ API in plain C11, with a stable binary interface. For records it has a part of that API only; see
 * the section on records.
 *
 * Objects are opaque handles. Functions that create, build, load, open, list, adopt or deserialize make them, and their
 * *_destroy, which accepts NULL, ends them. A function that can fail returns a lode_status and takes `error` as its
 * last argument: NULL, or the address of a lode_error*. That is set to NULL on success, and on failure to an object
 * with the status and a message, which the caller destroys; it stays NULL if there is no memory for the object, which
 * lode_error_status and lode_error_message understand. There is no global state. A handle may be used from any thread,
 * but by several threads at once only if its comment says so. On failure all other results are left as they were,
 * except arrays that were being filled. No exception leaves the library, and none may leave a callback.
 *
 * Structs that may grow start with their size. Initialise them with their *_INIT macro, so that a program that was
 * built with an older header goes on working. A required pointer that is NULL gives LODE_INVALID_ARGUMENT.
 *
 * In the comments below a status stands for the failure: "LODE_LIMIT if ..." means that the function returns it
 * then. */
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
/* What was wrong and, if something can be done about it, what to do. Valid until the error is destroyed. */
LODE_API const char* lode_error_message(const lode_error* error);
LODE_API void lode_error_destroy(lode_error* error);

/* The name of a status, such as "invalid_pattern". */
LODE_API const char* lode_status_name(lode_status status);

/* The version of the library in use: "0.2.0". */
LODE_API const char* lode_version(void);

/* ---- Stopping and progress ---- */

/* A request to stop, which any number of calls may share. Safe to use from any number of threads at once. */
typedef struct lode_stop lode_stop;

LODE_API lode_status lode_stop_create(lode_stop** stop, lode_error** error);
/* Makes every call that was given `stop` end soon with LODE_CANCELLED. */
LODE_API void lode_stop_request(lode_stop* stop);
LODE_API void lode_stop_destroy(lode_stop* stop);

/* Called now and then with the work done and the work in all, in any unit. Any thread may call it, one at a time. */
typedef void (*lode_progress)(uint64_t done, uint64_t total, void* context);

/* ---- Pattern sets ---- */

/* The patterns of a search, in order; a pattern's id is its index. Patterns are bytes, which may include NUL and
 * newline. Equal patterns keep their own ids. A pattern has 1 byte to 1 MiB; a set has at most 16 777 216 patterns and
 * 4 GiB of pattern bytes. */
typedef struct lode_pattern_set lode_pattern_set;

LODE_API lode_status lode_pattern_set_create(lode_pattern_set** patterns, lode_error** error);
LODE_API void lode_pattern_set_destroy(lode_pattern_set* patterns);

/* Appends a pattern. `ignore_case`: 0 for exact, 1 for letters of either case (simple folding). `label` is what programs
 * show for the pattern, ended by NUL; it may be NULL. `id` receives the pattern's id; it may be NULL.
 * LODE_INVALID_PATTERN if the pattern is empty, LODE_LIMIT if the pattern or the set would be too large. */
LODE_API lode_status lode_pattern_set_add(lode_pattern_set* patterns, const void* bytes, size_t size_bytes,
                                          int ignore_case, const char* label, uint32_t* id, lode_error** error);

/* What stands at a match: the pattern as it was given, or another writing of it, which is searched beside it under the
 * same id. */
typedef enum lode_form {
  LODE_AS_GIVEN = 0,
  LODE_UTF_16LE = 1,           /* "utf-16le": the pattern, which must be UTF-8, in UTF-16 */
  LODE_UTF_16BE = 2,           /* "utf-16be" */
  LODE_IUPAC = 3,              /* "iupac": RYSWKMBDHVN of DNA as each of the bases that they stand for */
  LODE_REVERSE_COMPLEMENT = 4, /* "reverse-complement": the other strand of DNA or RNA */
  LODE_BASE64 = 5,             /* "base64": what base64 makes of the pattern, wherever it stands in what is encoded */
  LODE_JSON = 6                /* "json": as a JSON string has it that escapes all but ASCII */
} lode_form;

/* The name of a form, as it stands above; "as-given" for LODE_AS_GIVEN and for a number that is not a form. */
LODE_API const char* lode_form_name(uint32_t form);

/* Replaces the forms of a pattern. `forms`: names, separated by commas; "" for none. Whether the pattern has such a form
 * is seen when a plan is built. LODE_INVALID_ARGUMENT for an unknown name, and if no pattern has that id. */
LODE_API lode_status lode_pattern_set_set_forms(lode_pattern_set* patterns, uint32_t id, const char* forms,
                                                lode_error** error);
/* Sets what stands in the place of the pattern's matches, for lode_replacements_of_patterns. LODE_INVALID_ARGUMENT for
 * braces that hold what no replacement has, and if no pattern has that id. */
LODE_API lode_status lode_pattern_set_set_replacement(lode_pattern_set* patterns, uint32_t id, const void* replacement,
                                                      size_t size_bytes, lode_error** error);

typedef enum lode_pattern_format {
  LODE_PATTERN_LINES = 0, /* one pattern a line, all bytes up to LF; an empty line is skipped and takes no id */
  LODE_PATTERN_HEX = 1,   /* one pattern a line in hexadecimal digits, blanks allowed between bytes */
  LODE_PATTERN_JSONL = 2, /* one object a line with "text", "hex" or "base64", optional "label", "ignore_case", "forms",
          "replacement" */
  LODE_PATTERN_BY_NAME = 3 /* by what the file's name ends in: .jsonl, .hex, or else lines */
} lode_pattern_format;

typedef struct lode_pattern_file_options {
  size_t size;                                         /* sizeof(lode_pattern_file_options) */
  uint32_t format;                                     /* lode_pattern_format */
  uint32_t ignore_case;                                /* 1: patterns without a rule of their own ignore case */
  uint32_t strip_carriage_return;                      /* lines: 1 drops one CR before each LF */
  uint32_t reserved;                                   /* 0 */
  void (*warning)(const char* message, void* context); /* called once for each warning; or NULL */
  void* warning_context;
  const char* forms; /* of patterns without forms of their own: names, separated by commas; or NULL */
} lode_pattern_file_options;

#define LODE_PATTERN_FILE_OPTIONS_INIT \
  { sizeof(lode_pattern_file_options), 0, 0, 0, 0, NULL, NULL, NULL }

/* Appends the patterns of a file; "-" is standard input. `options`: NULL for the defaults. LODE_INPUT_OUTPUT if the
 * file cannot be read; LODE_INVALID_PATTERN, with file and line, if it is malformed. The set may then hold the patterns
 * before that line. */
LODE_API lode_status lode_pattern_set_add_file(lode_pattern_set* patterns, const char* path,
                                               const lode_pattern_file_options* options, lode_error** error);
/* Appends the patterns of a pattern file that lies in memory. Messages call it `name`. */
LODE_API lode_status lode_pattern_set_add_text(lode_pattern_set* patterns, const void* content, size_t size_bytes,
                                               const char* name, const lode_pattern_file_options* options,
                                               lode_error** error);

LODE_API uint32_t lode_pattern_set_size(const lode_pattern_set* patterns);

/* ---- Plans ---- */

/* The tables compiled from a pattern set, for every device. Immutable; safe to use from any number of threads at
 * once. */
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

/* Builds a plan, which copies what it needs of `patterns`. `options`: NULL for the defaults. LODE_INVALID_PATTERN for
 * an empty set and for a pattern that has no such form, LODE_LIMIT if a form has more than 4096 spellings, LODE_CANCELLED
 * if a stop was requested. */
LODE_API lode_status lode_plan_build(const lode_pattern_set* patterns, const lode_plan_options* options,
                                     lode_plan** plan, lode_error** error);
LODE_API void lode_plan_destroy(lode_plan* plan);

/* Writes the plan under a temporary name beside `path` and renames it, so that no half-written file is left. A device
 * or a pipe is written to directly. LODE_INPUT_OUTPUT if that fails. */
LODE_API lode_status lode_plan_save(const lode_plan* plan, const char* path, lode_error** error);
/* LODE_INPUT_OUTPUT if the file cannot be read, LODE_DAMAGED_PLAN for anything but an intact plan of this version. */
LODE_API lode_status lode_plan_load(const char* path, lode_plan** plan, lode_error** error);

/* As save and load, but with one blob in memory. The caller ends a blob that serialize made with lode_blob_destroy. */
LODE_API lode_status lode_plan_serialize(const lode_plan* plan, void** blob, size_t* size_bytes, lode_error** error);
LODE_API lode_status lode_plan_deserialize(const void* blob, size_t size_bytes, lode_plan** plan, lode_error** error);
LODE_API void lode_blob_destroy(void* blob);

LODE_API uint32_t lode_plan_pattern_count(const lode_plan* plan);
/* The number of distinct patterns, with all spellings of their forms: equal ones count once. */
LODE_API uint32_t lode_plan_distinct_count(const lode_plan* plan);
/* Bytes of memory that tables and patterns take together. */
LODE_API uint64_t lode_plan_memory_bytes(const lode_plan* plan);
/* The bytes of a pattern, valid as long as the plan. LODE_INVALID_ARGUMENT if no pattern has that id. */
LODE_API lode_status lode_plan_pattern(const lode_plan* plan, uint32_t id, const void** bytes, size_t* size_bytes,
                                       lode_error** error);
/* The label of a pattern, valid as long as the plan. It is not ended by NUL and may have 0 bytes. LODE_INVALID_ARGUMENT
 * if no pattern has that id. */
LODE_API lode_status lode_plan_label(const lode_plan* plan, uint32_t id, const char** label, size_t* size_bytes,
                                     lode_error** error);

/* ---- Texts ---- */

/* A regular file, read with pread by many threads at once. Safe to use from any number of threads at once. */
typedef struct lode_file lode_file;

/* LODE_INPUT_OUTPUT if the path is not a readable regular file. */
LODE_API lode_status lode_file_open(const char* path, lode_file** file, lode_error** error);
LODE_API uint64_t lode_file_size(const lode_file* file);
LODE_API void lode_file_destroy(lode_file* file);

/* A text in the memory of a GPU; see below. */
typedef struct lode_resident_text lode_resident_text;

/* A text to search: bytes in memory, a file, or a text that is resident on a GPU. A lode_text borrows it; the caller
 * keeps it alive. The functions below make one. */
typedef struct lode_text {
  const void* bytes;                  /* used if file and resident are NULL; may be NULL if size_bytes is 0 */
  uint64_t size_bytes;                /* size of `bytes` */
  const lode_file* file;              /* or NULL */
  const lode_resident_text* resident; /* or NULL */
} lode_text;

LODE_API lode_text lode_text_of_bytes(const void* bytes, uint64_t size_bytes);
LODE_API lode_text lode_text_of_file(const lode_file* file);
LODE_API lode_text lode_text_of_resident(const lode_resident_text* resident);

/* ---- Devices ---- */

/* Where a search runs. Safe to use from any number of threads at once. */
typedef struct lode_device lode_device;

/* `name`: "cpu", "auto", "cuda", "cuda:N", "cuda:all", "opencl" or "opencl:N". LODE_INVALID_ARGUMENT for any other
 * name, LODE_DEVICE with the reason if the device cannot be used. */
LODE_API lode_status lode_device_open(const char* name, lode_device** device, lode_error** error);
/* The full name, such as "cuda:0" for "cuda". Valid as long as the device. */
LODE_API const char* lode_device_name(const lode_device* device);
/* Objects that were made with the device may outlive it. */
LODE_API void lode_device_destroy(lode_device* device);

/* Copies a text to a GPU. Searchers that were made with this device (as their lode_searcher_options.opened_device) or
 * with one opened as "auto" can then search it many times. "cuda:all" divides the text among the devices; "auto" puts
 * it on the first GPU. `threads`: the number of threads that copy; 0: all cores. Any number of threads may search it at
 * once. LODE_UNSUPPORTED for the CPU and for a text that is resident already, LODE_DEVICE if there is no GPU or its
 * memory does not suffice. */
LODE_API lode_status lode_resident_text_create(const lode_device* device, lode_text text, uint32_t threads,
                                               lode_resident_text** resident, lode_error** error);
/* Takes `size_bytes` at `device_pointer` as the text, without a copy. They lie in the device's memory, and the caller
 * keeps them, unchanged, until the text is destroyed. LODE_UNSUPPORTED unless the device is one CUDA device. */
LODE_API lode_status lode_resident_text_adopt(const lode_device* device, uintptr_t device_pointer, uint64_t size_bytes,
                                              lode_resident_text** resident, lode_error** error);
LODE_API uint64_t lode_resident_text_size(const lode_resident_text* resident);
LODE_API void lode_resident_text_destroy(lode_resident_text* resident);

/* ---- Searchers ---- */

/* A plan bound to a device. Immutable; safe to use from any number of threads at once. */
typedef struct lode_searcher lode_searcher;

typedef enum lode_match_kind {
  LODE_OVERLAPPING = 0,      /* every occurrence */
  LODE_LEFTMOST_LONGEST = 1, /* no overlaps: the match that starts first; of several the longest, then the lowest id */
  LODE_LEFTMOST_FIRST = 2    /* no overlaps: the match that starts first; of several the one with the lowest id */
} lode_match_kind;

typedef enum lode_condition {
  LODE_NO_CONDITION = 0,
  LODE_WHOLE_WORD =
      1, /* no letter, mark, digit, underscore or other \w of Unicode stands directly before or after it */
  LODE_WHOLE_LINE = 2,     /* it stands between line terminators or ends of the text */
  LODE_WHOLE_LINE_CRLF = 3 /* as LODE_WHOLE_LINE, but it may also end before a CR before a line terminator */
} lode_condition;

typedef enum lode_schedule { LODE_DYNAMIC_CHUNKS = 0, LODE_STATIC_CHUNKS = 1 } lode_schedule;

typedef struct lode_searcher_options {
  size_t size;                      /* sizeof(lode_searcher_options) */
  const char* algorithm;            /* a name of lode_list_algorithms; NULL or "auto": chosen */
  const char* device;               /* a name as lode_device_open takes it, opened for this searcher; NULL: the CPU */
  const char* instruction_set;      /* a name of lode_list_instruction_sets; NULL: LODE_TARGET, or the best */
  uint64_t chunk_bytes;             /* bytes of text that a thread takes at a time; 0: chosen */
  uint64_t memory_limit_bytes;      /* for matches and text in memory, beside the plan; 0: 64 MiB, on GPUs chosen */
  uint32_t threads;                 /* 0: all cores */
  uint32_t match_kind;              /* lode_match_kind */
  uint32_t condition;               /* lode_condition */
  uint32_t schedule;                /* lode_schedule */
  uint32_t line_terminator;         /* what ends a line: for one_per_line, counts of lines, conditions of whole lines */
  uint32_t one_per_line;            /* 1: may leave out all but one of a line's matches; tells which lines match */
  const lode_device* opened_device; /* used instead of `device`, which must then be NULL; or NULL */
  /* The next three say how kernels are laid out on a GPU. None of them changes results; 0: chosen. */
  uint32_t gpu_cascade;         /* boyer-moore: blocks of 24 bytes that a work-item takes as one, 1 … 64 */
  uint32_t gpu_group_items;     /* work-items of a work-group; rounded and bounded as the device needs */
  uint32_t gpu_groups_per_unit; /* work-groups started for each compute unit */
  uint32_t reserved;            /* 0 */
} lode_searcher_options;

#define LODE_SEARCHER_OPTIONS_INIT \
  { sizeof(lode_searcher_options), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, '\n', 0, NULL, 0, 0, 0, 0 }

/* Makes a searcher, which keeps what it needs of `plan`; the plan may be destroyed before it. `options`: NULL for the
 * defaults. LODE_UNSUPPORTED with the reason if the algorithm does not serve these patterns or does not run on the
 * device, LODE_INVALID_ARGUMENT for names that do not exist and values that make no sense, LODE_DEVICE if the device
 * cannot be used or fails. */
LODE_API lode_status lode_searcher_create(const lode_plan* plan, const lode_searcher_options* options,
                                          lode_searcher** searcher, lode_error** error);
LODE_API void lode_searcher_destroy(lode_searcher* searcher);

/* The algorithm that `auto` chose, or that was asked for, and the instruction set in use. Valid as long as the
 * searcher. */
LODE_API const char* lode_searcher_algorithm(const lode_searcher* searcher);
LODE_API const char* lode_searcher_instruction_set(const lode_searcher* searcher);

typedef struct lode_match {
  uint64_t offset;     /* place of the first byte in the original text */
  uint32_t pattern_id; /* index in the pattern set */
  uint32_t length;     /* length of what stands there, in bytes */
  uint32_t form;       /* lode_form */
  uint32_t reserved;   /* 0 */
} lode_match;

/* Receives matches sorted by offset, then id, then form, in batches, on the thread that called the search. Returns 1 to go on, or
 * 0 to end the search early, which is not an error. */
typedef int (*lode_match_sink)(const lode_match* matches, size_t count, void* context);

typedef struct lode_search_stats {
  size_t size;        /* sizeof(lode_search_stats) */
  char algorithm[32]; /* the one that ran; all strings here are cut to fit and end with NUL */
  char device[32];    /* the one that the search ran on */
  char instruction_set[32];
  uint32_t threads;
  uint32_t reserved;
  uint64_t bytes;      /* bytes of text that were searched */
  uint64_t candidates; /* places that passed a look or filter */
  uint64_t matches;    /* matches that were reported or counted */
  double seconds;
  char choice[128];   /* device "auto": what was estimated for which device; else empty */
  char warning[256];  /* device "auto": why a GPU failed; the results are complete all the same. Else empty */
  char strategy[256]; /* CPU: how the algorithm looks for which patterns; empty if its name says all of it */
} lode_search_stats;

#define LODE_SEARCH_STATS_INIT \
  { sizeof(lode_search_stats), "", "", "", 0, 0, 0, 0, 0, 0, "", "", "" }

typedef struct lode_run_options {
  size_t size;            /* sizeof(lode_run_options) */
  uint64_t begin;         /* only matches that start in [begin, end) are reported, */
  uint64_t end;           /* but they may reach beyond, and conditions see the text around them */
  uint64_t* not_before;   /* leftmost kinds, for a text that is searched in several ranges: where the next match may
                             start. The call moves it behind the last match reported. NULL: the start of the text */
  const lode_stop* stop;  /* or NULL */
  lode_progress progress; /* called with bytes done and bytes in all; or NULL */
  void* progress_context;
  lode_search_stats* stats; /* filled on success; or NULL */
} lode_run_options;

#define LODE_RUN_OPTIONS_INIT \
  { sizeof(lode_run_options), 0, UINT64_MAX, NULL, NULL, NULL, NULL, NULL }

/* In the functions below `run` may be NULL for the defaults. Each of them may return LODE_CANCELLED; for files
 * LODE_INPUT_OUTPUT; on GPUs LODE_DEVICE; and LODE_UNSUPPORTED for a text that is resident on another device. */

/* Calls the sink with all matches. Memory stays within the limit, however many matches there are. */
LODE_API lode_status lode_searcher_find(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                        lode_match_sink sink, void* context, lode_error** error);
/* Writes the first `capacity` matches to `matches` and the number of all matches to `found`. If that is more than the
 * capacity, call again with more room. */
LODE_API lode_status lode_searcher_find_array(const lode_searcher* searcher, lode_text text,
                                              const lode_run_options* run, lode_match* matches, uint64_t capacity,
                                              uint64_t* found, lode_error** error);
LODE_API lode_status lode_searcher_count(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                         uint64_t* count, lode_error** error);
/* `counts` has one element per pattern; `capacity` must be their number. */
LODE_API lode_status lode_searcher_count_per_pattern(const lode_searcher* searcher, lode_text text,
                                                     const lode_run_options* run, uint64_t* counts, uint64_t capacity,
                                                     lode_error** error);
/* `lines` receives the number of lines that start in the run's range and in which a match starts. LODE_UNSUPPORTED if a
 * pattern contains the options' line terminator. */
LODE_API lode_status lode_searcher_count_lines(const lode_searcher* searcher, const void* bytes, size_t size_bytes,
                                               const lode_run_options* run, uint64_t* lines, lode_error** error);
/* `found` is set to 1 if the text holds a match, else to 0. */
LODE_API lode_status lode_searcher_contains(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                            int* found, lode_error** error);
/* Writes the first match to `match` and sets `found` to 1; if there is none, sets `found` to 0 and leaves `match`. */
LODE_API lode_status lode_searcher_first(const lode_searcher* searcher, lode_text text, const lode_run_options* run,
                                         lode_match* match, int* found, lode_error** error);

/* ---- Streams ---- */

/* A text that is pushed piece by piece. Every match is reported exactly once, however the text is cut into pieces. One
 * thread at a time may use a stream. */
typedef struct lode_stream lode_stream;

/* Makes a stream, which borrows the searcher. `begin`, `end` and `not_before` of `run` are not used. lode_stream_finish
 * fills `stats`, which must live until then. `progress` is called with the bytes searched and those pushed. If the sink
 * or `progress` pushes to the stream, flushes or finishes it, that call returns LODE_INVALID_ARGUMENT; they must not
 * destroy it. */
LODE_API lode_status lode_stream_create(const lode_searcher* searcher, const lode_run_options* run,
                                        lode_match_sink sink, void* context, lode_stream** stream, lode_error** error);
/* `more` is set to 0 once the sink has ended the search, else to 1; it may be NULL. */
LODE_API lode_status lode_stream_push(lode_stream* stream, const void* bytes, size_t size_bytes, int* more,
                                      lode_error** error);
/* Reports now the matches that are certain already. Push does it by itself each time the stream's buffer is full. */
LODE_API lode_status lode_stream_flush(lode_stream* stream, lode_error** error);
/* Reports the remaining matches. Call it once, at the end. */
LODE_API lode_status lode_stream_finish(lode_stream* stream, lode_error** error);
/* Bytes pushed so far. */
LODE_API uint64_t lode_stream_size(const lode_stream* stream);
LODE_API void lode_stream_destroy(lode_stream* stream);

/* ---- Rewriting ---- */

/* What stands in the place of matches. In a replacement `{id}` is the pattern's id, `{label}` its label or, if it has
 * none, its bytes, `{match}` what matched, and `{form}` the name of the form in which it was found; `{{` and `}}` are
 * braces. LODE_INVALID_ARGUMENT for anything else in braces. */
typedef struct lode_replacements lode_replacements;

/* One replacement for all patterns. */
LODE_API lode_status lode_replacements_of_all(const void* bytes, size_t size_bytes, lode_replacements** replacements,
                                              lode_error** error);
/* A replacement for each of `count` patterns, in the order of their ids. */
LODE_API lode_status lode_replacements_by_id(const void* const* bytes, const size_t* sizes_bytes, size_t count,
                                             lode_replacements** replacements, lode_error** error);
/* Each pattern's own replacement, as a list in JSON Lines or lode_pattern_set_set_replacement gives it; `others` for
 * patterns that have none, or NULL if all have one. */
LODE_API lode_status lode_replacements_of_patterns(const void* others, size_t size_bytes,
                                                   lode_replacements** replacements, lode_error** error);
/* A character of ASCII for each byte of a match, so that offsets stay; a longer character of UTF-8, which ends with NUL,
 * for each character. LODE_INVALID_ARGUMENT for anything but one character. */
LODE_API lode_status lode_replacements_mask(const char* character, lode_replacements** replacements,
                                            lode_error** error);
LODE_API void lode_replacements_destroy(lode_replacements* replacements);

/* Receives the rewritten text piece by piece, on the thread that called. Returns 1 to go on, or 0 to end early, which is
 * not an error. */
typedef int (*lode_byte_sink)(const void* bytes, size_t size_bytes, void* context);

/* Gives the sink the text of the run's range with replacements for the matches that start there. `replaced` receives
 * their number; it may be NULL. LODE_UNSUPPORTED unless the searcher has a leftmost match kind; LODE_INVALID_ARGUMENT if
 * there is not a replacement for each pattern, or if the text's encoding lacks a character of one. */
LODE_API lode_status lode_searcher_rewrite(const lode_searcher* searcher, lode_text text,
                                           const lode_replacements* replacements, const lode_run_options* run,
                                           lode_byte_sink sink, void* context, uint64_t* replaced, lode_error** error);

/* A text that is rewritten as it is pushed, piece by piece. The functions are used as those of lode_stream; replacements
 * may be destroyed before it. */
typedef struct lode_rewrite_stream lode_rewrite_stream;

LODE_API lode_status lode_rewrite_stream_create(const lode_searcher* searcher, const lode_replacements* replacements,
                                                const lode_run_options* run, lode_byte_sink sink, void* context,
                                                lode_rewrite_stream** stream, lode_error** error);
LODE_API lode_status lode_rewrite_stream_push(lode_rewrite_stream* stream, const void* bytes, size_t size_bytes,
                                              int* more, lode_error** error);
LODE_API lode_status lode_rewrite_stream_flush(lode_rewrite_stream* stream, lode_error** error);
LODE_API lode_status lode_rewrite_stream_finish(lode_rewrite_stream* stream, lode_error** error);
LODE_API void lode_rewrite_stream_destroy(lode_rewrite_stream* stream);

/* ---- Records ---- */

/* Many short texts that lie one behind the other and are searched all at once. A match lies within one record, and for
 * conditions the record is the whole text. Records borrow bytes, offsets and bits, which the caller keeps alive and
 * unchanged. Immutable; safe to use from any number of threads at once. */
typedef struct lode_records lode_records;

/* Record i is bytes[offsets[i], offsets[i + 1]), as in Arrow's string and binary columns (32) and their large kinds
 * (64). `offsets` has one element more than there are records; it may be NULL if there are none. `validity` is NULL, or
 * bits in Arrow's format: bit `first_bit` + i, counted from the lowest bit of each byte, is 0 if record i is null. A
 * null record has no matches. LODE_INVALID_ARGUMENT if offsets decrease or point behind the bytes. */
LODE_API lode_status lode_records_create32(const void* bytes, uint64_t size_bytes, const uint32_t* offsets,
                                           uint64_t count, const uint8_t* validity, uint64_t first_bit,
                                           lode_records** records, lode_error** error);
LODE_API lode_status lode_records_create64(const void* bytes, uint64_t size_bytes, const uint64_t* offsets,
                                           uint64_t count, const uint8_t* validity, uint64_t first_bit,
                                           lode_records** records, lode_error** error);
/* The number of records. */
LODE_API uint64_t lode_records_size(const lode_records* records);
LODE_API void lode_records_destroy(lode_records* records);

/* A plan bound to a device, for records. Immutable; safe to use from any number of threads at once. */
typedef struct lode_record_searcher lode_record_searcher;

/* As lode_searcher_create. LODE_INVALID_ARGUMENT also for one_per_line and for match kinds other than
 * LODE_OVERLAPPING. */
LODE_API lode_status lode_record_searcher_create(const lode_plan* plan, const lode_searcher_options* options,
                                                 lode_record_searcher** searcher, lode_error** error);
LODE_API void lode_record_searcher_destroy(lode_record_searcher* searcher);

/* The algorithm that `auto` chose, or that was asked for, and the instruction set in use. Valid as long as the
 * searcher. */
LODE_API const char* lode_record_searcher_algorithm(const lode_record_searcher* searcher);
LODE_API const char* lode_record_searcher_instruction_set(const lode_record_searcher* searcher);

/* The first occurrence of a pattern in a record. */
typedef struct lode_record_hit {
  uint64_t record;
  uint64_t offset; /* from the record's first byte */
  uint32_t pattern_id;
} lode_record_hit;

/* Receives hits sorted by record, then id, in batches, on the thread that called the search. A record's hits all come
 * in one batch. Returns 1 to go on, or 0 to end the search early, which is not an error. */
typedef int (*lode_record_hit_sink)(const lode_record_hit* hits, size_t count, void* context);

/* rabin-karp works in two stages: it flags the records in which some pattern may occur, then searches these exactly. */
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
  lode_progress progress; /* called with bytes done and bytes in all; or NULL */
  void* progress_context;
  lode_search_stats* stats;        /* filled on success; or NULL. `matches` counts hits, cells or records */
  lode_record_stats* record_stats; /* filled on success; or NULL */
} lode_record_run_options;

#define LODE_RECORD_RUN_OPTIONS_INIT \
  { sizeof(lode_record_run_options), NULL, NULL, NULL, NULL, NULL }

/* In the functions below `run` may be NULL for the defaults. Each may return LODE_CANCELLED, and on GPUs
 * LODE_DEVICE. */

/* Calls the sink with the first occurrence of each pattern in each record that contains it. */
LODE_API lode_status lode_record_searcher_first(const lode_record_searcher* searcher, const lode_records* records,
                                                const lode_record_run_options* run, lode_record_hit_sink sink,
                                                void* context, lode_error** error);
/* Fills a matrix: cell record * patterns + id is the offset of the pattern's first occurrence in the record, or -1.
 * LODE_LIMIT with the number of cells needed if `capacity` is less, and for 32-bit cells also if a record is longer
 * than 2^31 - 1 bytes. */
LODE_API lode_status lode_record_searcher_first_dense32(const lode_record_searcher* searcher,
                                                        const lode_records* records, const lode_record_run_options* run,
                                                        int32_t* cells, uint64_t capacity, lode_error** error);
LODE_API lode_status lode_record_searcher_first_dense64(const lode_record_searcher* searcher,
                                                        const lode_records* records, const lode_record_run_options* run,
                                                        int64_t* cells, uint64_t capacity, lode_error** error);
/* Writes one bit a record, from the lowest bit of each byte on: 1 if any pattern occurs in the record. The unused bits
 * of the last byte are 0. LODE_LIMIT if there are fewer than (records + 7) / 8 bytes. */
LODE_API lode_status lode_record_searcher_contains_any(const lode_record_searcher* searcher,
                                                       const lode_records* records, const lode_record_run_options* run,
                                                       uint8_t* bits, uint64_t capacity_bytes, lode_error** error);

/* ---- What there is ---- */

/* A list of named things, with indexes from 0 to lode_list_size - 1. Its strings live as long as the list. An index out
 * of that range gives "" and 0. */
typedef struct lode_list lode_list;

/* Each entry has a name, a description (the idea and how it runs) and a note (which patterns it serves, what it
 * costs). */
LODE_API lode_status lode_list_algorithms(lode_list** list, lode_error** error);
/* Each entry has a name, a description (model, cores, instruction sets), whether it is available, and a note that says
 * why if it is not. */
LODE_API lode_status lode_list_devices(lode_list** list, lode_error** error);
/* Each entry has a name; the best comes first. */
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
