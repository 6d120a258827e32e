// The source of the kernels, embedded in the library.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lode::gpu {

struct KernelFile {
  std::string_view name;  // "naive.cl", "common.h"
  std::string_view text;  // without its includes
};

/// The files of src/kernels; cmake/EmbedKernels.cmake writes this function.
std::span<const KernelFile> kernel_files();

/// The whole translation unit of src/kernels/`file`.cl: the headers, then the file itself.
std::string kernel_source(std::string_view file);

}  // namespace lode::gpu
