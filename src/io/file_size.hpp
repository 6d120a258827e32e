// holds_its_size() tells whether a regular file ends where its status says.
//
// A file of /proc claims to be empty and has something to read. A file of /sys claims to be a page long and holds less.
// Other file systems (FUSE) may claim anything. The text is what reading gives.
#pragma once

#include <cstdint>

namespace lode::io {

/// `size_bytes` is the size in the status of the open file. If the file grows or is cut meanwhile, it becomes a later
/// size.
bool holds_its_size(int descriptor, std::uint64_t& size_bytes);

}  // namespace lode::io
