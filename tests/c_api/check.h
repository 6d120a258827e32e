/* Checks for the programs that test the C API. A failed CHECK prints its line. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "lode/lode.h"

static int failure_count = 0;
static int check_count = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    ++check_count;                                                            \
    if (!(condition)) {                                                       \
      ++failure_count;                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

/* Expects a failure with this status, and an error object that has the same status and a message. */
#define CHECK_FAILS(expected, call)                  \
  do {                                               \
    lode_error* error = NULL;                        \
    CHECK((call) == (expected));                     \
    CHECK(error != NULL);                            \
    if (error != NULL) {                             \
      CHECK(lode_error_status(error) == (expected)); \
      CHECK(strlen(lode_error_message(error)) > 8);  \
      lode_error_destroy(error);                     \
    }                                                \
  } while (0)

static lode_plan* build_plan(const char* const* patterns, size_t count) {
  lode_pattern_set* set = NULL;
  lode_plan* plan = NULL;
  CHECK(lode_pattern_set_create(&set, NULL) == LODE_OK);
  for (size_t i = 0; i < count; ++i) {
    CHECK(lode_pattern_set_add(set, patterns[i], strlen(patterns[i]), 0, NULL, NULL, NULL) == LODE_OK);
  }
  CHECK(lode_plan_build(set, NULL, &plan, NULL) == LODE_OK);
  lode_pattern_set_destroy(set);
  return plan;
}
