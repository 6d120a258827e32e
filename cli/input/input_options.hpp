// How the command opens its inputs.
#pragma once

#include "cli/arguments/settings.hpp"
#include "cli/input/ranges.hpp"
#include "io/input.hpp"

namespace lode::command {

inline io::InputOptions input_options(const Settings& settings) {
  io::InputOptions options;
  if (settings.decompress) options.compression = io::Compression::detected;
  options.memory_limit_bytes = settings.memory_limit_bytes / unpacking_share;
  options.standard_input_name = settings.label;
  options.encoding = settings.encoding;
  return options;
}

}  // namespace lode::command
