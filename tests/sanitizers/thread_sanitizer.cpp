// Makes the thread sanitizer ignore memory functions that are called from inside oneTBB, which comes uninstrumented
// from the system. When several threads search at once, arenas pass from one to another through TBB's own atomics. The
// sanitizer does not see these, so clearing an arena looks like a race. Nothing of Lode is listed: calls from TBB into
// instrumented code are checked as usual.

#ifdef LODE_THREAD_SANITIZED
extern "C" const char* __tsan_default_suppressions();
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so.12\n";
}
#endif
