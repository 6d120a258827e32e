// open_path() opens a file or directory whose path may be longer than the system takes at once.
#pragma once

#include <string>

namespace lode::io {

/// Returns what open(2) does: a descriptor, or a negative number with errno. `flags` must not create the file.
int open_path(const std::string& path, int flags);

}  // namespace lode::io
