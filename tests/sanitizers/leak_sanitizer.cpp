// Turns off the search for leaks in a process that has loaded OpenCL. PoCL, an OpenCL device of tests, and the LLVM in
// it keep memory until the process ends. The leak sanitizer's tracer also crashes if it meets PoCL's threads while they
// end. Tests of other devices load no OpenCL, so they are searched for leaks.

#ifdef LODE_ADDRESS_SANITIZED
#include <link.h>

#include <cstring>

namespace {

int is_opencl(dl_phdr_info* object, std::size_t, void*) {
  return std::strstr(object->dlpi_name, "libOpenCL") != nullptr;
}

}  // namespace

extern "C" int __lsan_is_turned_off();
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return dl_iterate_phdr(is_opencl, nullptr);
}
#endif
