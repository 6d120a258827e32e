// LibraryCall: one function of a library that is loaded at run time, with the name that messages give it.
#pragma once

#include <string>

#include "base/dynamic_library.hpp"

namespace lode::gpu::cuda {

/// A function that returns 0, or the number of its error.
template <class... Parameters>
struct LibraryCall {
  /// Looks the symbol up. If the library lacks it, the name is added to `missing`.
  LibraryCall(const base::DynamicLibrary& library, std::string& missing, const char* symbol) : name(symbol) {
    if (!library.loaded() || library.bind(symbol, function)) return;
    if (!missing.empty()) missing += ", ";
    missing += symbol;
  }

  const char* name;
  int (*function)(Parameters...) = nullptr;
};

}  // namespace lode::gpu::cuda
