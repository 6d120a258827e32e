#include "io/open_path.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace lode::io {

int open_path(const std::string& path, int flags) {
  // A long path is opened in parts, each from the directory that the part before leads to.
  int folder = AT_FDCWD;
  std::size_t begin = 0;
  while (path.size() - begin >= PATH_MAX) {
    const std::size_t slash = path.rfind('/', begin + PATH_MAX - 2);
    if (slash == std::string::npos || slash < begin) break;  // no directory holds so long a name; the system says so
    const std::string part = path.substr(begin, slash + 1 - begin);
    const int next = ::openat(folder, part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int error = errno;
    if (folder != AT_FDCWD) ::close(folder);
    errno = error;
    if (next < 0) return next;
    folder = next;
    begin = slash + 1;
    while (begin < path.size() && path[begin] == '/') ++begin;
  }
  const int descriptor = ::openat(folder, path.c_str() + begin, flags);
  const int error = errno;
  if (folder != AT_FDCWD) ::close(folder);
  errno = error;
  return descriptor;
}

}  // namespace lode::io
