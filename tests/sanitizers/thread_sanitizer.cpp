// What the thread sanitizer must overlook: memory functions called from inside oneTBB, which comes uninstrumented from
// the system. When several threads search at once, arenas pass from one to another through TBB's own atomics, which the
// sanitizer does not see, and clearing one looks like a race. Nothing of Lode is listed: calls out of TBB into
// instrumented code are checked as ever.

#if defined(__SANITIZE_THREAD__)
#define LODE_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LODE_THREAD_SANITIZER
#endif
#endif

#ifdef LODE_THREAD_SANITIZER
extern "C" const char* __tsan_default_suppressions();
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so.12\n";
}
#endif
