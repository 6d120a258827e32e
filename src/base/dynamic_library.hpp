// A shared library that is opened only when something needs it.
//
// open() tries the names in order and keeps the first that loads. If none does, it returns an object without a handle
// and with the loader's reason, so that callers can say what is missing and go on. The library stays loaded until the
// process ends, because unloading would leave threads and exit handlers behind.
#pragma once

#include <initializer_list>
#include <string>

namespace lode::base {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;

  static DynamicLibrary open(std::initializer_list<const char*> names);

  bool loaded() const noexcept { return handle_ != nullptr; }
  /// Why the library could not be loaded; empty where it was.
  const std::string& reason() const noexcept { return reason_; }

  /// The address of a symbol, or null where the library has none of that name. Precondition: loaded().
  void* find_symbol(const char* name) const noexcept;

  /// Sets `function` to the symbol; returns false where there is none.
  template <typename Function>
  bool bind(const char* name, Function*& function) const noexcept {
    function = reinterpret_cast<Function*>(find_symbol(name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string reason_;
};

}  // namespace lode::base
