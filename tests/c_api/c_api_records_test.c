/* Tests records in the C API: hits, matrices and bits of records with offsets of 32 and 64 bits, some of them null, and
 * every error. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lode/lode.h"

static const char* const pets[] = {"kitty", "puppy", "ki"};

/* Records 1 and 3 are null, and record 2 is empty. */
static const char* const bytes = "kitty and puppykittypuppy, kittykitty";
static const uint32_t offsets32[] = {0, 15, 20, 20, 25, 37};
static const uint64_t offsets64[] = {0, 15, 20, 20, 25, 37};
static const uint8_t validity[] = {0xa8, 0x02}; /* the bits from bit 3 on are 1, 0, 1, 0, 1 and more */
enum { first_bit = 3, count = 5 };

static const int64_t expected[] = {0, 10, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, -1, 2};

static lode_records* create_records(void) {
  lode_records* records = NULL;
  CHECK(lode_records_create64(bytes, 37, offsets64, count, validity, first_bit, &records, NULL) == LODE_OK);
  return records;
}

struct collected {
  lode_record_hit hits[16];
  size_t count;
  int answer; /* the answer that the sink gives */
};

static int collect(const lode_record_hit* hits, size_t hit_count, void* context) {
  struct collected* into = context;
  for (size_t i = 0; i < hit_count && into->count < 16; ++i) into->hits[into->count++] = hits[i];
  return into->answer;
}

static int is_hit(const lode_record_hit* hit, uint64_t record, uint64_t offset, uint32_t id) {
  return hit->record == record && hit->offset == offset && hit->pattern_id == id;
}

static void count_progress(uint64_t done, uint64_t total, void* context) {
  CHECK(done <= total && total == 37);
  ++*(int*)context;
}

static void check_results(const lode_record_searcher* searcher, const lode_records* records) {
  CHECK(lode_records_size(records) == count);
  int progress_count = 0;
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_record_stats record_stats = LODE_RECORD_STATS_INIT;
  lode_record_run_options run = LODE_RECORD_RUN_OPTIONS_INIT;
  run.progress = count_progress;
  run.progress_context = &progress_count;
  run.stats = &stats;
  run.record_stats = &record_stats;
  struct collected found = {.count = 0, .answer = 1};
  CHECK(lode_record_searcher_first(searcher, records, &run, collect, &found, NULL) == LODE_OK);
  CHECK(found.count == 5 && is_hit(&found.hits[0], 0, 0, 0) && is_hit(&found.hits[1], 0, 10, 1));
  CHECK(is_hit(&found.hits[2], 0, 0, 2) && is_hit(&found.hits[3], 4, 2, 0) && is_hit(&found.hits[4], 4, 2, 2));
  CHECK(progress_count > 0);
  CHECK(stats.matches == 5 && stats.bytes == 37 && record_stats.records == count);
  CHECK(strcmp(stats.algorithm, lode_record_searcher_algorithm(searcher)) == 0);

  int32_t narrow[16];
  int64_t wide[16];
  memset(narrow, 77, sizeof narrow);
  memset(wide, 77, sizeof wide);
  CHECK(lode_record_searcher_first_dense32(searcher, records, NULL, narrow, 16, NULL) == LODE_OK);
  CHECK(lode_record_searcher_first_dense64(searcher, records, &run, wide, 15, NULL) == LODE_OK);
  for (size_t i = 0; i < 15; ++i) CHECK(narrow[i] == expected[i] && wide[i] == expected[i]);
  CHECK(narrow[15] == 0x4d4d4d4d && wide[15] == 0x4d4d4d4d4d4d4d4d); /* the cell behind the matrix stays as it was */
  CHECK(stats.matches == 5);

  uint8_t bits[2] = {77, 77};
  CHECK(lode_record_searcher_contains_any(searcher, records, &run, bits, 2, NULL) == LODE_OK);
  CHECK(bits[0] == 0x11 && bits[1] == 77 && stats.matches == 2);
}

static lode_record_searcher* create_searcher(const lode_searcher_options* options) {
  lode_plan* plan = build_plan(pets, 3);
  lode_record_searcher* searcher = NULL;
  CHECK(lode_record_searcher_create(plan, options, &searcher, NULL) == LODE_OK);
  lode_plan_destroy(plan); /* the searcher keeps what it needs */
  CHECK(strlen(lode_record_searcher_algorithm(searcher)) > 0);
  CHECK(strlen(lode_record_searcher_instruction_set(searcher)) > 0);
  return searcher;
}

static void test_results(void) {
  lode_record_searcher* searcher = create_searcher(NULL);
  lode_records* records = create_records();
  check_results(searcher, records);
  lode_records_destroy(records);
  CHECK(lode_records_create32(bytes, 37, offsets32, count, validity, first_bit, &records, NULL) == LODE_OK);
  check_results(searcher, records);

  struct collected found = {.count = 0, .answer = 0};
  lode_search_stats stats = LODE_SEARCH_STATS_INIT;
  lode_record_run_options run = LODE_RECORD_RUN_OPTIONS_INIT;
  run.stats = &stats;
  CHECK(lode_record_searcher_first(searcher, records, &run, collect, &found, NULL) == LODE_OK);
  CHECK(found.count >= 1 && stats.matches == found.count);
  lode_records_destroy(records);

  /* Without validity bits no record is null. */
  CHECK(lode_records_create32(bytes, 37, offsets32, count, NULL, 0, &records, NULL) == LODE_OK);
  uint8_t bits = 0;
  CHECK(lode_record_searcher_contains_any(searcher, records, NULL, &bits, 1, NULL) == LODE_OK && bits == 0x1b);
  lode_records_destroy(records);

  CHECK(lode_records_create64(NULL, 0, NULL, 0, NULL, 0, &records, NULL) == LODE_OK);
  CHECK(lode_records_size(records) == 0);
  CHECK(lode_record_searcher_first_dense32(searcher, records, NULL, NULL, 0, NULL) == LODE_OK);
  CHECK(lode_record_searcher_contains_any(searcher, records, NULL, NULL, 0, NULL) == LODE_OK);
  lode_records_destroy(records);
  lode_record_searcher_destroy(searcher);
}

static void test_rabin_karp(void) {
  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.algorithm = "rabin-karp";
  lode_record_searcher* searcher = create_searcher(&options);
  CHECK(strcmp(lode_record_searcher_algorithm(searcher), "rabin-karp") == 0);
  lode_records* records = create_records();
  check_results(searcher, records);
  lode_record_stats stats = LODE_RECORD_STATS_INIT;
  lode_record_run_options run = LODE_RECORD_RUN_OPTIONS_INIT;
  run.record_stats = &stats;
  uint8_t bits = 0;
  CHECK(lode_record_searcher_contains_any(searcher, records, &run, &bits, 1, NULL) == LODE_OK);
  CHECK(stats.flagged_records >= 2 && stats.flagged_records - stats.false_positives == 2);
  /* A smaller struct, as an older program has it, is not written behind its end. */
  stats.size = offsetof(lode_record_stats, flagged_records);
  stats.flagged_records = 77;
  stats.records = 0;
  CHECK(lode_record_searcher_contains_any(searcher, records, &run, &bits, 1, NULL) == LODE_OK);
  CHECK(stats.records == count && stats.flagged_records == 77);
  lode_records_destroy(records);
  lode_record_searcher_destroy(searcher);
}

static void test_errors(void) {
  static const uint64_t decreasing[] = {0, 4, 3};
  static const uint32_t beyond[] = {0, 38};
  lode_records* none = NULL;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create64(bytes, 37, decreasing, 2, NULL, 0, &none, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create32(bytes, 37, beyond, 1, NULL, 0, &none, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create32(bytes, 37, NULL, 1, NULL, 0, &none, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create32(NULL, 37, offsets32, 5, NULL, 0, &none, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create64(bytes, 37, offsets64, UINT64_MAX, NULL, 0, &none, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_records_create64(bytes, 37, offsets64, 5, NULL, 0, NULL, &error));
  CHECK(none == NULL && lode_records_size(NULL) == 0);

  lode_plan* plan = build_plan(pets, 3);
  lode_record_searcher* nothing = NULL;
  lode_searcher_options options = LODE_SEARCHER_OPTIONS_INIT;
  options.match_kind = LODE_LEFTMOST_FIRST;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_create(plan, &options, &nothing, &error));
  options.match_kind = 77;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_create(plan, &options, &nothing, &error));
  options.match_kind = LODE_OVERLAPPING;
  options.one_per_line = 1;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_create(plan, &options, &nothing, &error));
  options.one_per_line = 0;
  options.device = "cuda:999999";
  CHECK_FAILS(LODE_DEVICE, lode_record_searcher_create(plan, &options, &nothing, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_create(NULL, NULL, &nothing, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_create(plan, NULL, NULL, &error));
  CHECK(nothing == NULL && strcmp(lode_record_searcher_algorithm(NULL), "") == 0);
  CHECK(strcmp(lode_record_searcher_instruction_set(NULL), "") == 0);
  lode_plan_destroy(plan);

  lode_record_searcher* searcher = create_searcher(NULL);
  lode_records* records = create_records();
  int32_t narrow[14];
  int64_t wide[14];
  uint8_t bits[1];
  struct collected found = {.count = 0, .answer = 1};
  CHECK_FAILS(LODE_LIMIT, lode_record_searcher_first_dense32(searcher, records, NULL, narrow, 14, &error));
  CHECK_FAILS(LODE_LIMIT, lode_record_searcher_first_dense64(searcher, records, NULL, wide, 14, &error));
  CHECK_FAILS(LODE_LIMIT, lode_record_searcher_contains_any(searcher, records, NULL, bits, 0, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first_dense32(searcher, records, NULL, NULL, 15, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_contains_any(searcher, records, NULL, NULL, 1, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(searcher, records, NULL, NULL, NULL, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(NULL, records, NULL, collect, &found, &error));
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(searcher, NULL, NULL, collect, &found, &error));

  lode_record_run_options run = LODE_RECORD_RUN_OPTIONS_INIT;
  lode_record_stats unset = {0};
  run.record_stats = &unset;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(searcher, records, &run, collect, &found, &error));
  lode_search_stats no_size = {0};
  run.record_stats = NULL;
  run.stats = &no_size;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(searcher, records, &run, collect, &found, &error));
  lode_stop* stop = NULL;
  CHECK(lode_stop_create(&stop, NULL) == LODE_OK);
  lode_stop_request(stop);
  run.stats = NULL;
  run.stop = stop;
  CHECK_FAILS(LODE_CANCELLED, lode_record_searcher_first(searcher, records, &run, collect, &found, &error));
  run.size = 0;
  CHECK_FAILS(LODE_INVALID_ARGUMENT, lode_record_searcher_first(searcher, records, &run, collect, &found, &error));
  CHECK(found.count == 0);
  lode_stop_destroy(stop);
  lode_records_destroy(records);
  lode_record_searcher_destroy(searcher);
  lode_records_destroy(NULL);
  lode_record_searcher_destroy(NULL);
}

int main(void) {
  test_results();
  test_rabin_karp();
  test_errors();
  printf("%d checks, %d failed\n", check_count, failure_count);
  return failure_count == 0 && check_count > 100 ? 0 : 1;
}
