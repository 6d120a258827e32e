/* Tests the C API from C11: every function at least once, its errors, and its promises about handles, NULL and struct
 * sizes. A failed CHECK prints its line, and the program then exits with 1. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "lode/lode.h"

#define MAX_MATCHES 64

struct collected {
  lode_match matches[MAX_MATCHES];
  size_t count;
  size_t limit; /* the sink ends the search after so many matches; 0 means never */
};

static int collect(const lode_match* matches, size_t count, void* context) {
  struct collected* into = context;
  for (size_t i = 0; i < count && into->count < MAX_MATCHES; ++i) into->matches[into->count++] = matches[i];
  return into->limit == 0 || into->count < into->limit;
}

static int is_match(const lode_match* match, uint64_t offset, uint32_t id, uint32_t length) {
  return match->offset == offset && match->pattern_id == id && match->length == length;
}

static lode_searcher* create_searcher(const lode_plan* plan, const lode_searcher_options* options) {
  lode_searcher* searcher = NULL;
  CHECK(lode_searcher_create(plan, options, &searcher, NULL) == LODE_OK);
  return searcher;
}

static const char* const ushers[] = {"he", "she", "hers"};

static void test_versions_and_names(void) {
  CHECK(strchr(lode_version(), '.') != NULL);
  CHECK(strcmp(lode_status_name(LODE_OK), "ok") == 0);
  CHECK(strcmp(lode_status_name(LODE_INVALID_PATTERN), "invalid_pattern") == 0);
  CHECK(strcmp(lode_status_name(LODE_INTERNAL), "internal") == 0);
  CHECK(lode_status_name((lode_status)1000) != NULL);
}

static void test_pattern_sets(void) {
  lode_pattern_set* set = NULL;
  uint32_t id = 99;
  CHECK(lode_pattern_set_create(&set, NULL) == LODE_OK);
  CHECK(lode_pattern_set_size(set) == 0);
  CHECK(lode_pattern_set_add(set, "a\0b", 3, 0, "with NUL", &id, NULL) == LODE_OK);
  CHECK(id == 0);
  CHECK(lode_pattern_set_add(set, "Kitty", 5, 1, NULL, &id, NULL) == LODE_OK);
  CHECK(id == 1 && lode_pattern_set_size(set) == 2);
  CHECK_FAILS(LODE_INVALID_PATTERN, lode_pattern_set_add(set, "", 0, 0, NULL, &id, &error));
  CHECK_FAILS(LODE_INVALID_PATTERN, lode_pattern_set_add(set, NULL, 0, 0, NULL, &id, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_add(NULL, "a", 1, 0, NULL, &id, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_create(NULL, &error));
  CHECK(id == 1 && lode_pattern_set_size(set) == 2);

  char* long_pattern = calloc((1 << 20) + 1, 1);
  CHECK_FAILS(LODE_LIMIT, lode_pattern_set_add(set, long_pattern, (1 << 20) + 1, 0, NULL, NULL, &error));
  free(long_pattern);

  lode_plan* plan = NULL;
  CHECK(lode_plan_build(set, NULL, &plan, NULL) == LODE_OK);
  lode_pattern_set_destroy(set); /* the plan has its own copy */
  const void* bytes = NULL;
  const char* label = NULL;
  size_t size_bytes = 0;
  CHECK(lode_plan_pattern_count(plan) == 2 && lode_plan_distinct_count(plan) == 2);
  CHECK(lode_plan_memory_bytes(plan) > 8);
  CHECK(lode_plan_pattern(plan, 0, &bytes, &size_bytes, NULL) == LODE_OK);
  CHECK(size_bytes == 3 && memcmp(bytes, "a\0b", 3) == 0);
  CHECK(lode_plan_label(plan, 0, &label, &size_bytes, NULL) == LODE_OK);
  CHECK(size_bytes == 8 && memcmp(label, "with NUL", 8) == 0);
  CHECK(lode_plan_label(plan, 1, &label, &size_bytes, NULL) == LODE_OK && size_bytes == 0);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_plan_pattern(plan, 2, &bytes, &size_bytes, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_plan_label(plan, 2, &label, &size_bytes, &error));
  lode_plan_destroy(plan);
}

static void test_forms(void) {
  lode_pattern_set* set = NULL;
  uint32_t id = 0;
  CHECK(lode_pattern_set_create(&set, NULL) == LODE_OK);
  CHECK(lode_pattern_set_add(set, "GAATTTC", 7, 0, NULL, &id, NULL) == LODE_OK);
  CHECK(lode_pattern_set_set_forms(set, id, "reverse-complement", NULL) == LODE_OK);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_set_forms(set, id, "utf-8", &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_set_forms(set, 1, "json", &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_set_forms(set, id, NULL, &error));
  lode_pattern_file_options options = LODE_PATTERN_FILE_OPTIONS_INIT;
  options.forms = "base64";
  CHECK(lode_pattern_set_add_text(set, "abc\n", 4, "list", &options, NULL) == LODE_OK);
  lode_plan* plan = NULL;
  CHECK(lode_plan_build(set, NULL, &plan, NULL) == LODE_OK);
  CHECK(lode_plan_pattern_count(plan) == 2 && lode_plan_distinct_count(plan) == 4);
  lode_searcher* searcher = create_searcher(plan, NULL);
  lode_match matches[2];
  uint64_t found = 0;
  CHECK(lode_searcher_find_array(searcher, lode_text_of_bytes("GAAATTC YWJj", 12), NULL, matches, 2, &found, NULL) ==
        LODE_OK);
  CHECK(found == 2 && is_match(&matches[0], 0, 0, 7) && is_match(&matches[1], 8, 1, 4));
  CHECK(matches[0].form == LODE_REVERSE_COMPLEMENT && matches[1].form == LODE_BASE64);
  CHECK(strcmp(lode_form_name(matches[0].form), "reverse-complement") == 0);
  CHECK(strcmp(lode_form_name(LODE_AS_GIVEN), "as-given") == 0 && strcmp(lode_form_name(99), "as-given") == 0);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
  CHECK(lode_pattern_set_set_forms(set, 1, "iupac", NULL) == LODE_OK);
  CHECK(lode_plan_build(set, NULL, &plan, NULL) == LODE_OK);
  lode_plan_destroy(plan);
  CHECK(lode_pattern_set_add(set, "kitty", 5, 0, NULL, &id, NULL) == LODE_OK);
  CHECK(lode_pattern_set_set_forms(set, id, "iupac", NULL) == LODE_OK);
  CHECK_FAILS(LODE_INVALID_PATTERN, lode_plan_build(set, NULL, &plan, &error));
  lode_pattern_set_destroy(set);
}

static void count_warnings(const char* message, void* context) {
  CHECK(strlen(message) > 0);
  ++*(int*)context;
}

static void test_files_and_plans(const char* folder) {
  char path[500];
  snprintf(path, sizeof path, "%s/patterns", folder);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fputs("6b697474 79\n\nxyz\n", file) >= 0 && fclose(file) == 0);

  lode_pattern_set* set = NULL;
  int warning_count = 0;
  lode_pattern_file_options options = LODE_PATTERN_FILE_OPTIONS_INIT;
  options.warning = count_warnings;
  options.warning_context = &warning_count;
  CHECK(lode_pattern_set_create(&set, NULL) == LODE_OK);
  CHECK(lode_pattern_set_add_file(set, path, &options, NULL) == LODE_OK);
  CHECK(lode_pattern_set_size(set) == 2 && warning_count > 0);
  options.format = LODE_PATTERN_HEX;
  lode_error* error = NULL;
  CHECK(lode_pattern_set_add_file(set, path, &options, &error) == LODE_INVALID_PATTERN);
  CHECK(strstr(lode_error_message(error), ":3:") != NULL);
  lode_error_destroy(error);
  options.format = 77;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_add_file(set, path, &options, &error));
  CHECK_FAILS(LODE_INPUT_OUTPUT, lode_pattern_set_add_file(set, "/absent/file", NULL, &error));

  lode_pattern_set* of_text = NULL;
  options.format = LODE_PATTERN_HEX;
  CHECK(lode_pattern_set_create(&of_text, NULL) == LODE_OK);
  CHECK(lode_pattern_set_add_text(of_text, "6b 69\n6b\n", 9, "list", &options, NULL) == LODE_OK);
  CHECK(lode_pattern_set_size(of_text) == 2);
  CHECK(lode_pattern_set_add_text(of_text, "zz", 2, "list", &options, &error) == LODE_INVALID_PATTERN);
  CHECK(strstr(lode_error_message(error), "list:1:") != NULL);
  lode_error_destroy(error);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_pattern_set_add_text(of_text, "zz", 2, NULL, &options, &error));
  lode_pattern_set_destroy(of_text);

  lode_plan* plan = NULL;
  lode_plan* loaded = NULL;
  CHECK(lode_plan_build(set, NULL, &plan, NULL) == LODE_OK);
  snprintf(path, sizeof path, "%s/plan", folder);
  CHECK(lode_plan_save(plan, path, NULL) == LODE_OK);
  CHECK(lode_plan_load(path, &loaded, NULL) == LODE_OK);
  CHECK(lode_plan_pattern_count(loaded) == lode_plan_pattern_count(plan));
  lode_plan_destroy(loaded);
  loaded = NULL;
  void* blob = NULL;
  size_t size_bytes = 0;
  CHECK(lode_plan_serialize(plan, &blob, &size_bytes, NULL) == LODE_OK && size_bytes > 0);
  CHECK(lode_plan_deserialize(blob, size_bytes, &loaded, NULL) == LODE_OK);
  lode_plan_destroy(loaded);
  loaded = NULL;
  CHECK_FAILS(LODE_DAMAGED_PLAN, lode_plan_deserialize(blob, size_bytes - 1, &loaded, &error));
  CHECK(loaded == NULL);
  lode_blob_destroy(blob);
  CHECK_FAILS(LODE_INPUT_OUTPUT, lode_plan_load("/absent/plan", &loaded, &error));
  CHECK_FAILS(LODE_INPUT_OUTPUT, lode_plan_save(plan, "/absent/plan", &error));
  snprintf(path, sizeof path, "%s/patterns", folder);
  CHECK_FAILS(LODE_DAMAGED_PLAN, lode_plan_load(path, &loaded, &error));
  lode_plan_destroy(plan);
  lode_pattern_set_destroy(set);

  lode_pattern_set* empty = NULL;
  CHECK(lode_pattern_set_create(&empty, NULL) == LODE_OK);
  CHECK_FAILS(LODE_INVALID_PATTERN, lode_plan_build(empty, NULL, &plan, &error));
  lode_pattern_set_destroy(empty);
}

static void test_searches(void) {
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* searcher = create_searcher(plan, NULL);
  lode_plan_destroy(plan); /* the searcher keeps what it needs */
  CHECK(strlen(lode_searcher_algorithm(searcher)) > 0 && strlen(lode_searcher_instruction_set(searcher)) > 0);
  const lode_text text = lode_text_of_bytes("ushers", 6);

  struct collected found = {.count = 0};
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.stats = &stats;
  CHECK(lode_searcher_find(searcher, text, &run, collect, &found, NULL) == LODE_OK);
  CHECK(found.count == 3);
  CHECK(is_match(&found.matches[0], 1, 1, 3) && is_match(&found.matches[1], 2, 0, 2) &&
        is_match(&found.matches[2], 2, 2, 4));
  CHECK(stats.matches == 3 && stats.bytes == 6 && stats.threads >= 1);
  CHECK(strcmp(stats.algorithm, lode_searcher_algorithm(searcher)) == 0 && strcmp(stats.device, "cpu") == 0);

  lode_match two[2];
  uint64_t total = 0;
  CHECK(lode_searcher_find_array(searcher, text, NULL, two, 2, &total, NULL) == LODE_OK);
  CHECK(total == 3 && is_match(&two[1], 2, 0, 2));
  CHECK(lode_searcher_find_array(searcher, text, NULL, NULL, 0, &total, NULL) == LODE_OK && total == 3);
  uint64_t count = 0;
  CHECK(lode_searcher_count(searcher, text, NULL, &count, NULL) == LODE_OK && count == 3);
  CHECK(lode_searcher_count_lines(searcher, "ushers\nnone\nhe", 14, NULL, &count, NULL) == LODE_OK && count == 2);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_count_lines(searcher, "he", 2, NULL, NULL, &error));
  uint64_t counts[3] = {9, 9, 9};
  CHECK(lode_searcher_count_per_pattern(searcher, text, NULL, counts, 3, NULL) == LODE_OK);
  CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_count_per_pattern(searcher, text, NULL, counts, 2, &error));
  int is_found = 0;
  lode_match first = {77, 77, 77, 77, 0};
  CHECK(lode_searcher_contains(searcher, text, NULL, &is_found, NULL) == LODE_OK && is_found == 1);
  CHECK(lode_searcher_first(searcher, text, NULL, &first, &is_found, NULL) == LODE_OK);
  CHECK(is_found == 1 && is_match(&first, 1, 1, 3));

  const lode_text nothing = lode_text_of_bytes(NULL, 0);
  first.offset = 77;
  CHECK(lode_searcher_first(searcher, nothing, NULL, &first, &is_found, NULL) == LODE_OK);
  CHECK(is_found == 0 && first.offset == 77);
  CHECK(lode_searcher_contains(searcher, nothing, NULL, &is_found, NULL) == LODE_OK && is_found == 0);

  run.stats = NULL;
  run.begin = 2;
  CHECK(lode_searcher_count(searcher, text, &run, &count, NULL) == LODE_OK && count == 2);
  run.end = 2;
  CHECK(lode_searcher_count(searcher, text, &run, &count, NULL) == LODE_OK && count == 0);

  struct collected one = {.count = 0, .limit = 1};
  CHECK(lode_searcher_find(searcher, lode_text_of_bytes("he", 2), NULL, collect, &one, NULL) == LODE_OK);
  CHECK(one.count == 1);

  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_find(searcher, text, NULL, NULL, NULL, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_find(NULL, text, NULL, collect, &found, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_count(searcher, text, NULL, NULL, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_count(searcher, lode_text_of_bytes(NULL, 5), NULL, &count, &error));
  lode_searcher_destroy(searcher);
}

static void test_searcher_options(void) {
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* searcher = NULL;
  uint64_t count = 0;
  lode_list* algorithms = NULL;
  CHECK(lode_list_algorithms(&algorithms, NULL) == LODE_OK && lode_list_size(algorithms) >= 5);
  for (size_t i = 0; i < lode_list_size(algorithms); ++i) {
    lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
    options.algorithm = lode_list_name(algorithms, i);
    CHECK(strlen(lode_list_description(algorithms, i)) > 0 && strlen(lode_list_note(algorithms, i)) > 0);
    searcher = create_searcher(plan, &options);
    CHECK(strcmp(lode_searcher_algorithm(searcher), options.algorithm) == 0);
    CHECK(lode_searcher_count(searcher, lode_text_of_bytes("ushers she", 10), NULL, &count, NULL) == LODE_OK);
    CHECK(count == 5);
    lode_searcher_destroy(searcher);
  }
  CHECK(strcmp(lode_list_name(algorithms, 1000), "") == 0 && lode_list_available(algorithms, 1000) == 0);
  lode_list_destroy(algorithms);

  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.match_kind = LODE_LEFTMOST_LONGEST;
  options.threads = 2;
  options.chunk_bytes = 3;
  searcher = create_searcher(plan, &options);
  lode_match match = {0, 0, 0, 0, 0};
  uint64_t not_before = 0;
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.not_before = &not_before;
  CHECK(lode_searcher_find_array(searcher, lode_text_of_bytes("hers", 4), &run, &match, 1, &count, NULL) == LODE_OK);
  CHECK(count == 1 && is_match(&match, 0, 2, 4) && not_before == 4);
  lode_searcher_destroy(searcher);

  options = (lode_searcher_options)LODE_SEARCHER_OPTIONS_INIT;
  options.condition = LODE_WHOLE_LINE;
  options.line_terminator = 0;
  searcher = create_searcher(plan, &options);
  CHECK(lode_searcher_count(searcher, lode_text_of_bytes("he\0she\nhe\0hers", 14), NULL, &count, NULL) == LODE_OK);
  CHECK(count == 2);
  lode_searcher_destroy(searcher);

  /* The struct of an older program is smaller. Options that it lacks keep their defaults. */
  options = (lode_searcher_options)LODE_SEARCHER_OPTIONS_INIT;
  options.size = offsetof(lode_searcher_options, match_kind);
  options.match_kind = 77;
  searcher = create_searcher(plan, &options);
  lode_searcher_destroy(searcher);

  searcher = NULL;
  options = (lode_searcher_options)LODE_SEARCHER_OPTIONS_INIT;
  options.algorithm = "knuth";
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_create(plan, &options, &searcher, &error));
  options.algorithm = NULL;
  options.match_kind = 77;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_create(plan, &options, &searcher, &error));
  options.match_kind = 0;
  options.device = "cuda:999999";
  CHECK_FAILS(LODE_DEVICE, lode_searcher_create(plan, &options, &searcher, &error));
  options.device = "abacus";
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_create(plan, &options, &searcher, &error));
  lode_device* cpu = NULL;
  CHECK(lode_device_open("cpu", &cpu, NULL) == LODE_OK);
  options.device = "cpu";
  options.opened_device = cpu;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_searcher_create(plan, &options, &searcher, &error));
  CHECK(searcher == NULL);
  options.device = NULL;
  searcher = create_searcher(plan, &options);
  lode_device_destroy(cpu); /* the searcher keeps what it needs */
  CHECK(lode_searcher_count(searcher, lode_text_of_bytes("ushers", 6), NULL, &count, NULL) == LODE_OK && count == 3);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
}

static void test_text_files(const char* folder) {
  char path[500];
  snprintf(path, sizeof path, "%s/text", folder);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fputs("ushers", file) >= 0 && fclose(file) == 0);
  lode_file* text = NULL;
  CHECK(lode_file_open(path, &text, NULL) == LODE_OK && lode_file_size(text) == 6);
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* searcher = create_searcher(plan, NULL);
  uint64_t count = 0;
  CHECK(lode_searcher_count(searcher, lode_text_of_file(text), NULL, &count, NULL) == LODE_OK && count == 3);
  CHECK(truncate(path, 3) == 0);
  CHECK_FAILS(LODE_INPUT_OUTPUT, lode_searcher_count(searcher, lode_text_of_file(text), NULL, &count, &error));
  lode_file_destroy(text);
  text = NULL;
  CHECK_FAILS(LODE_INPUT_OUTPUT, lode_file_open(folder, &text, &error));
  CHECK(text == NULL);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
}

static void request_stop(uint64_t done, uint64_t total, void* context) {
  CHECK(done <= total);
  lode_stop_request(context);
}

static void test_stopping(void) {
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* searcher = create_searcher(plan, NULL);
  lode_stop* stop = NULL;
  uint64_t count = 0;
  CHECK(lode_stop_create(&stop, NULL) == LODE_OK);
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.stop = stop;
  const size_t size_bytes = (size_t)64 << 20;
  char* text = calloc(size_bytes, 1);
  run.progress = request_stop;
  run.progress_context = stop;
  CHECK_FAILS(LODE_CANCELLED,
              lode_searcher_count(searcher, lode_text_of_bytes(text, size_bytes), &run, &count, &error));
  free(text);
  run.progress = NULL;
  CHECK_FAILS(LODE_CANCELLED, lode_searcher_count(searcher, lode_text_of_bytes("ushers", 6), &run, &count, &error));

  lode_pattern_set* set = NULL;
  lode_plan* cancelled = NULL;
  lode_plan_options options = LODE_PLAN_OPTIONS_INIT;
  options.stop = stop;
  CHECK(lode_pattern_set_create(&set, NULL) == LODE_OK);
  CHECK(lode_pattern_set_add(set, "a", 1, 0, NULL, NULL, NULL) == LODE_OK);
  CHECK_FAILS(LODE_CANCELLED, lode_plan_build(set, &options, &cancelled, &error));
  CHECK(cancelled == NULL);
  lode_pattern_set_destroy(set);
  lode_stop_destroy(stop);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
}

static void test_streams(void) {
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* searcher = create_searcher(plan, NULL);
  struct collected found = {.count = 0};
  lode_stream* stream = NULL;
  int more = 0;
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.stats = &stats;
  CHECK(lode_stream_create(searcher, &run, collect, &found, &stream, NULL) == LODE_OK);
  const char* const pieces[] = {"us", "", "h", "ers"};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(lode_stream_push(stream, pieces[i], strlen(pieces[i]), &more, NULL) == LODE_OK && more == 1);
  }
  CHECK(lode_stream_size(stream) == 6 && found.count == 0);
  CHECK(lode_stream_flush(stream, NULL) == LODE_OK);
  CHECK(found.count == 1 && is_match(&found.matches[0], 1, 1, 3)); /* the rest starts too near the end */
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_stream_flush(NULL, &error));
  CHECK(lode_stream_finish(stream, NULL) == LODE_OK);
  CHECK(found.count == 3 && is_match(&found.matches[2], 2, 2, 4));
  CHECK(stats.matches == 3 && stats.bytes == 6 && strcmp(stats.device, "cpu") == 0);
  CHECK(strcmp(stats.algorithm, "filter") == 0 && stats.strategy[0] != '\0');
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_stream_push(stream, "x", 1, NULL, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_stream_finish(stream, &error));
  lode_stream_destroy(stream);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
}

struct written {
  char bytes[64];
  size_t size;
};

static int write_bytes(const void* bytes, size_t size_bytes, void* context) {
  struct written* written = context;
  memcpy(written->bytes + written->size, bytes, size_bytes);
  written->size += size_bytes;
  return 1;
}

static int is_written(struct written* written, const char* wanted) {
  const int is_equal = written->size == strlen(wanted) && memcmp(written->bytes, wanted, written->size) == 0;
  written->size = 0;
  return is_equal;
}

static void test_rewriting(void) {
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher* overlapping = create_searcher(plan, NULL);
  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.match_kind = LODE_LEFTMOST_LONGEST;
  lode_searcher* searcher = create_searcher(plan, &options);
  const lode_text text = lode_text_of_bytes("ushers, he", 10);
  struct written written = {.size = 0};
  uint64_t replaced = 0;
  lode_replacements* replacements = NULL;
  CHECK(lode_replacements_of_all("<{id}:{match}>", 14, &replacements, NULL) == LODE_OK);
  CHECK(lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, &replaced, NULL) == LODE_OK);
  CHECK(replaced == 2 && is_written(&written, "u<1:she>rs, <0:he>"));
  CHECK_FAILS(LODE_UNSUPPORTED,
              lode_searcher_rewrite(overlapping, text, replacements, NULL, write_bytes, &written, NULL, &error));
  lode_rewrite_stream* stream = NULL;
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.stats = &stats;
  CHECK(lode_rewrite_stream_create(searcher, replacements, &run, write_bytes, &written, &stream, NULL) == LODE_OK);
  lode_replacements_destroy(replacements);
  int more = 0;
  CHECK(lode_rewrite_stream_push(stream, "ush", 3, &more, NULL) == LODE_OK && more == 1);
  CHECK(lode_rewrite_stream_push(stream, "ers", 3, NULL, NULL) == LODE_OK);
  CHECK(lode_rewrite_stream_flush(stream, NULL) == LODE_OK);
  CHECK(is_written(&written, "u<1:she>"));
  CHECK(lode_rewrite_stream_finish(stream, NULL) == LODE_OK);
  CHECK(is_written(&written, "rs") && stats.matches == 1);
  lode_rewrite_stream_destroy(stream);
  const void* const by_id[] = {"", "her", "{label}"};
  const size_t sizes[] = {0, 3, 7};
  CHECK(lode_replacements_by_id(by_id, sizes, 3, &replacements, NULL) == LODE_OK);
  CHECK(lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, NULL, NULL) == LODE_OK);
  CHECK(is_written(&written, "uherrs, "));
  lode_replacements_destroy(replacements);
  CHECK(lode_replacements_by_id(by_id, sizes, 2, &replacements, NULL) == LODE_OK);
  CHECK_FAILS(LODE_INVALID_ARGUMENT,
              lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, NULL, &error));
  lode_replacements_destroy(replacements);
  CHECK(lode_replacements_mask("*", &replacements, NULL) == LODE_OK);
  CHECK(lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, NULL, NULL) == LODE_OK);
  CHECK(is_written(&written, "u***rs, **"));
  lode_replacements_destroy(replacements);
  CHECK(lode_replacements_of_patterns("{form}", 6, &replacements, NULL) == LODE_OK);
  CHECK(lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, NULL, NULL) == LODE_OK);
  CHECK(is_written(&written, "uas-givenrs, as-given"));
  lode_replacements_destroy(replacements);
  CHECK(lode_replacements_of_patterns(NULL, 0, &replacements, NULL) == LODE_OK);
  CHECK_FAILS(LODE_INVALID_ARGUMENT,
              lode_searcher_rewrite(searcher, text, replacements, NULL, write_bytes, &written, NULL, &error));
  lode_replacements_destroy(replacements);
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_replacements_mask("ab", &replacements, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_replacements_of_all("{word}", 6, &replacements, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_replacements_of_all("x", 1, NULL, &error));
  lode_searcher_destroy(searcher);
  lode_searcher_destroy(overlapping);
  lode_plan_destroy(plan);
}

/* Finds the name of a device that is present and not the CPU; else the name is "". */
static void find_gpu(char* name, size_t size_bytes) {
  name[0] = '\0';
#ifdef LODE_THREAD_SANITIZED
  (void)size_bytes; /* drivers are not instrumented, so every access in them would look like a race */
#else
  lode_list* devices = NULL;
  CHECK(lode_list_devices(&devices, NULL) == LODE_OK);
  for (size_t i = 0; i < lode_list_size(devices) && name[0] == '\0'; ++i) {
    const char* found = lode_list_name(devices, i);
    if (lode_list_available(devices, i) && strcmp(found, "cpu") != 0) snprintf(name, size_bytes, "%s", found);
  }
  lode_list_destroy(devices);
#endif
}

static void test_devices(void) {
  lode_device* device = NULL;
  lode_resident_text* resident = NULL;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_device_open("abacus", &device, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_device_open(NULL, &device, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_device_open("cpu", NULL, &error));
  CHECK_FAILS(LODE_DEVICE, lode_device_open("cuda:999999", &device, &error));
  CHECK_FAILS(LODE_DEVICE, lode_device_open("opencl:999999", &device, &error));
  CHECK(device == NULL);

  CHECK(lode_device_open("cpu", &device, NULL) == LODE_OK);
  CHECK(strcmp(lode_device_name(device), "cpu") == 0 && strcmp(lode_device_name(NULL), "") == 0);
  const lode_text text = lode_text_of_bytes("ushers", 6);
  CHECK_FAILS(LODE_UNSUPPORTED, lode_resident_text_create(device, text, 0, &resident, &error));
  CHECK_FAILS(LODE_UNSUPPORTED, lode_resident_text_adopt(device, 4096, 6, &resident, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_resident_text_adopt(device, 0, 6, &resident, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_resident_text_create(NULL, text, 0, &resident, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_resident_text_create(device, text, 0, NULL, &error));
  CHECK(resident == NULL && lode_resident_text_size(NULL) == 0);
  lode_device_destroy(device);

  /* `auto` leaves small searches to the CPU, and says so. */
  CHECK(lode_device_open("auto", &device, NULL) == LODE_OK && strcmp(lode_device_name(device), "auto") == 0);
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.opened_device = device;
  lode_searcher* searcher = create_searcher(plan, &options);
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_run_options run = LODE_RUN_OPTIONS_INIT;
  run.stats = &stats;
  uint64_t count = 0;
  CHECK(lode_searcher_count(searcher, text, &run, &count, NULL) == LODE_OK && count == 3);
  CHECK(strcmp(stats.device, "cpu") == 0 && strstr(stats.choice, "cpu") != NULL && strcmp(stats.warning, "") == 0);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
  lode_device_destroy(device);
}

/* A GPU gives the same answers from the host's memory and from its own. */
static void test_gpu(const char* name) {
  lode_device* device = NULL;
  lode_device* other = NULL;
  lode_resident_text* resident = NULL;
  lode_error* error = NULL;
  if (lode_device_open(name, &device, &error) != LODE_OK) fprintf(stderr, "%s\n", lode_error_message(error));
  CHECK(device != NULL && strcmp(lode_device_name(device), name) == 0);
  if (device == NULL) return;
  lode_plan* plan = build_plan(ushers, 3);
  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.opened_device = device;
  options.gpu_group_items = 64;
  options.gpu_groups_per_unit = 1;
  lode_searcher* searcher = create_searcher(plan, &options);
  const lode_text text = lode_text_of_bytes("ushers", 6);
  CHECK(lode_resident_text_create(device, text, 1, &resident, NULL) == LODE_OK);
  CHECK(lode_resident_text_size(resident) == 6);
  const lode_text texts[] = {text, lode_text_of_resident(resident)};
  for (size_t i = 0; i < 2; ++i) {
    uint64_t count = 0;
    uint64_t counts[3] = {9, 9, 9};
    lode_match matches[4];
    lode_search_stats stats = LODE_SEARCH_STATS_INIT;
    lode_run_options run = LODE_RUN_OPTIONS_INIT;
    run.stats = &stats;
    CHECK(lode_searcher_count(searcher, texts[i], &run, &count, NULL) == LODE_OK && count == 3);
    CHECK(strcmp(stats.device, name) == 0 && stats.bytes == 6);
    CHECK(lode_searcher_count_per_pattern(searcher, texts[i], NULL, counts, 3, NULL) == LODE_OK);
    CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
    CHECK(lode_searcher_find_array(searcher, texts[i], NULL, matches, 4, &count, NULL) == LODE_OK && count == 3);
    CHECK(is_match(&matches[0], 1, 1, 3) && is_match(&matches[1], 2, 0, 2) && is_match(&matches[2], 2, 2, 4));
    int is_found = 0;
    CHECK(lode_searcher_first(searcher, texts[i], NULL, &matches[3], &is_found, NULL) == LODE_OK);
    CHECK(is_found == 1 && is_match(&matches[3], 1, 1, 3));
  }

  /* A resident text serves only the device that it was made with. */
  uint64_t count = 0;
  lode_searcher* of_cpu = create_searcher(plan, NULL);
  CHECK_FAILS(LODE_UNSUPPORTED, lode_searcher_count(of_cpu, texts[1], NULL, &count, &error));
  lode_searcher_destroy(of_cpu);
  CHECK(lode_device_open(name, &other, NULL) == LODE_OK);
  CHECK_FAILS(LODE_UNSUPPORTED, lode_resident_text_create(other, texts[1], 0, &resident, &error));
  options.opened_device = other;
  lode_searcher* of_other = create_searcher(plan, &options);
  CHECK_FAILS(LODE_UNSUPPORTED, lode_searcher_count(of_other, texts[1], NULL, &count, &error));
  lode_searcher_destroy(of_other);
  lode_device_destroy(other);

  lode_device_destroy(device); /* searcher and text keep what they need */
  CHECK(lode_searcher_count(searcher, texts[1], NULL, &count, NULL) == LODE_OK && count == 3);
  lode_resident_text_destroy(resident);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
}

static void test_lists(void) {
  lode_list* list = NULL;
  CHECK(lode_list_devices(&list, NULL) == LODE_OK && lode_list_size(list) >= 1);
  int has_cpu = 0;
  for (size_t i = 0; i < lode_list_size(list); ++i) {
    if (strcmp(lode_list_name(list, i), "cpu") == 0) has_cpu = lode_list_available(list, i);
    if (!lode_list_available(list, i)) CHECK(strlen(lode_list_note(list, i)) > 0);
  }
  CHECK(has_cpu);
  lode_list_destroy(list);
  CHECK(lode_list_instruction_sets(&list, NULL) == LODE_OK && lode_list_size(list) >= 1);
  const char* const least = lode_list_name(list, lode_list_size(list) - 1);
  CHECK(strcmp(least, "baseline") == 0 || strcmp(least, "neon") == 0);
  lode_list_destroy(list);
}

/* Every destroy function accepts NULL. */
static void test_destroying_nothing(void) {
  lode_error_destroy(NULL);
  lode_stop_destroy(NULL);
  lode_pattern_set_destroy(NULL);
  lode_plan_destroy(NULL);
  lode_blob_destroy(NULL);
  lode_file_destroy(NULL);
  lode_device_destroy(NULL);
  lode_resident_text_destroy(NULL);
  lode_searcher_destroy(NULL);
  lode_stream_destroy(NULL);
  lode_list_destroy(NULL);
  ++check_count;
}

int main(void) {
  char folder[] = "/tmp/lode-c-api-XXXXXX";
  if (mkdtemp(folder) == NULL) return 1;
  test_versions_and_names();
  test_pattern_sets();
  test_forms();
  test_files_and_plans(folder);
  test_searches();
  test_searcher_options();
  test_text_files(folder);
  test_stopping();
  test_streams();
  test_rewriting();
  test_devices();
  char gpu[64];
  find_gpu(gpu, sizeof gpu);
  if (gpu[0] != '\0') test_gpu(gpu);
  test_lists();
  test_destroying_nothing();
  const char* const names[] = {"patterns", "plan", "text"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  CHECK(rmdir(folder) == 0); /* no other file was left */
  printf("%d checks, %d failed; on a GPU: %s\n", check_count, failure_count, gpu[0] != '\0' ? gpu : "there is none");
  return failure_count == 0 && check_count > 100 ? 0 : 1;
}
