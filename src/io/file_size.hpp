// holds_its_size: whether a regular file ends where its status says that it does.
//
// Files of /proc are said to be empty and have something to read; files of /sys are said to be a page long and hold less;
// other file systems (FUSE) tell what they like. What reading gives is the text.
#pragma once

#include <cstdint>

namespace lode::io {

/// `size_bytes` is the size in the status of the open file, and becomes a later one where the file grows or is cut meanwhile.
bool holds_its_size(int descriptor, std::uint64_t& size_bytes);

}  // namespace lode::io
