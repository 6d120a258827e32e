/* Uses the installed C interface. The argument is the version that must be linked. */
#include <lode/lode.h>
#include <stdio.h>
#include <string.h>

int main(int argument_count, char** arguments) {
  lode_pattern_set* patterns = NULL;
  lode_plan* plan = NULL;
  lode_searcher* searcher = NULL;
  lode_error* error = NULL;
  uint64_t count = 0;
  if (argument_count != 2 || strcmp(arguments[1], lode_version()) != 0) {
    fprintf(stderr, "version %s is linked\n", lode_version());
    return 1;
  }
  if (lode_pattern_set_create(&patterns, &error) != LODE_OK ||
      lode_pattern_set_add(patterns, "she", 3, 0, NULL, NULL, &error) != LODE_OK ||
      lode_plan_build(patterns, NULL, &plan, &error) != LODE_OK ||
      lode_searcher_create(plan, NULL, &searcher, &error) != LODE_OK ||
      lode_searcher_count(searcher, lode_text_of_bytes("ushers", 6), NULL, &count, &error) != LODE_OK) {
    fprintf(stderr, "%s\n", lode_error_message(error));
    lode_error_destroy(error);
    return 1;
  }
  lode_searcher_destroy(searcher);
  lode_plan_destroy(plan);
  lode_pattern_set_destroy(patterns);
  return count == 1 ? 0 : 1;
}
