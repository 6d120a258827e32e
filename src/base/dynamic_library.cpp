#include "base/dynamic_library.hpp"

#include <dlfcn.h>

namespace lode::base {

DynamicLibrary DynamicLibrary::open(std::initializer_list<const char*> names) {
  DynamicLibrary library;
  for (const char* name : names) {
    library.handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) {
      library.reason_.clear();
      return library;
    }
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one for each thread
    if (library.reason_.empty() && reason != nullptr) library.reason_ = reason;
  }
  return library;
}

void* DynamicLibrary::find_symbol(const char* name) const noexcept { return dlsym(handle_, name); }

}  // namespace lode::base
