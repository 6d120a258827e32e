#include "io/file_size.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace lode::io {
namespace {

constexpr int most_changes = 16;  // a file whose size changes more often is written all the time; its size is believed

}  // namespace

bool holds_its_size(int descriptor, std::uint64_t& size_bytes) {
  for (int change = 0; change < most_changes; ++change) {
    // Only the last byte can be read, if the size is right, and none behind it.
    char bytes[2];
    const std::uint64_t last = size_bytes == 0 ? 0 : size_bytes - 1;
    const ssize_t got = ::pread(descriptor, bytes, sizeof bytes, static_cast<off_t>(last));
    if (got < 0 || got == static_cast<ssize_t>(size_bytes - last)) return true;  // reading will tell what is wrong
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || static_cast<std::uint64_t>(status.st_size) == size_bytes) return false;
    size_bytes = static_cast<std::uint64_t>(status.st_size);
  }
  return true;
}

}  // namespace lode::io
