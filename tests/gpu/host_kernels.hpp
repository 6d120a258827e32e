// The kernels of src/kernels, compiled for the host (host_dialect.h). CMakeLists.txt makes a source file of each .cl
// file, and the list of all kernels, so that a new kernel needs no line of C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/abi.hpp"

namespace lode::gpu::host {

/// An argument of a kernel: a pointer or a value.
struct KernelArgument {
  bool is_pointer = false;
  std::uint32_t value_bytes = 0;
  alignas(8) std::array<std::byte, 64> value{};
};

/// A preprocessor constant of the kernels, which is a variable here.
struct KernelConstant {
  std::string_view name;
  int* value;
};

struct HostKernel {
  std::string_view file;  // for example "naive"
  std::string_view entry;
  std::span<const KernelConstant> constants;  // all constants that the file reads
  /// Whether the function can take the arguments: they must be as many as its own, pointers in the same places, and of
  /// equal sizes.
  bool (*takes)(std::span<const KernelArgument>);
  void (*call)(std::span<const KernelArgument>);
};

/// All kernels of all files.
const std::vector<HostKernel>& host_kernels();

template <auto function>
struct KernelCaller;

template <class... Parameters, void (*function)(Parameters...)>
struct KernelCaller<function> {
  static bool takes(std::span<const KernelArgument> arguments) {
    if (arguments.size() != sizeof...(Parameters)) return false;
    std::size_t at = 0;
    return (fits<Parameters>(arguments[at++]) && ...);
  }
  static void call(std::span<const KernelArgument> arguments) {
    call_with(arguments, std::index_sequence_for<Parameters...>());
  }

 private:
  template <class Parameter>
  static bool fits(const KernelArgument& argument) {
    return argument.is_pointer == std::is_pointer_v<Parameter> && argument.value_bytes == sizeof(Parameter);
  }
  template <class Parameter>
  static Parameter read(const KernelArgument& argument) {
    Parameter value;
    std::memcpy(&value, argument.value.data(), sizeof value);
    return value;
  }
  template <std::size_t... index>
  static void call_with(std::span<const KernelArgument> arguments, std::index_sequence<index...>) {
    function(read<Parameters>(arguments[index])...);
  }
};

}  // namespace lode::gpu::host
