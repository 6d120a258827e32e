/* Finds some patterns in a text, with the C API: find_in_c TEXT PATTERN… */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lode/lode.h"

static int print_matches(const lode_match* matches, size_t count, void* context) {
  char** patterns = context;
  for (size_t i = 0; i < count; ++i) {
    printf("%" PRIu64 "\t%s\n", matches[i].offset, patterns[matches[i].pattern_id]);
  }
  return 1; /* go on */
}

int main(int argument_count, char** arguments) {
  if (argument_count < 3) {
    fputs("usage: find_in_c TEXT PATTERN…\n", stderr);
    return 2;
  }
  lode_error* error = NULL;
  lode_pattern_set* patterns = NULL;
  lode_plan* plan = NULL;
  lode_searcher* searcher = NULL;
  uint64_t count = 0;
  const lode_text text = lode_text_of_bytes(arguments[1], strlen(arguments[1]));

  lode_status status = lode_pattern_set_create(&patterns, &error);
  for (int i = 2; i < argument_count && status == LODE_OK; ++i) {
    status = lode_pattern_set_add(patterns, arguments[i], strlen(arguments[i]), 0, NULL, NULL, &error);
  }
  if (status == LODE_OK) status = lode_plan_build(patterns, NULL, &plan, &error);
  if (status == LODE_OK) status = lode_searcher_create(plan, NULL, &searcher, &error);
  if (status == LODE_OK) {
    status = lode_searcher_find(searcher, text, NULL, print_matches, arguments + 2, &error);
  }
  if (status == LODE_OK) status = lode_searcher_count(searcher, text, NULL, &count, &error);

  if (status == LODE_OK) {
    printf("%" PRIu64 " matches\n", count);
  } else {
    fprintf(stderr, "find_in_c: %s\n", lode_error_message(error));
  }
  lode_error_destroy(error);
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
  lode_pattern_set_destroy(patterns);
  return status == LODE_OK ? 0 : 2;
}
