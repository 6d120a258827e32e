#include "gpu/kernel_sources.hpp"

#include "lode/error.hpp"

namespace lode::gpu {
namespace {

std::string_view source_of(std::string_view name) {
  for (const KernelFile& file : kernel_files())
    if (file.name == name) return file.text;
  throw Error(ErrorKind::device, "this build has no kernel file " + std::string(name));
}

}  // namespace

std::string kernel_source(std::string_view file) {
  std::string source;
  for (const std::string_view header : {"portable.h", "abi.h", "common.h"}) source += source_of(header);
  return source.append(source_of(std::string(file) + ".cl"));
}

}  // namespace lode::gpu
