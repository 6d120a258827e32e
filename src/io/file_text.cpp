#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "lode/error.hpp"
#include "lode/stream.hpp"

namespace lode {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorKind::input_output, path.native() + ": " + reason);
}

int open_for_reading(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) fail(path, std::generic_category().message(errno));
  return descriptor;
}

}  // namespace

FileText::FileText(const std::filesystem::path& path) : FileText(open_for_reading(path), path) {}

FileText::FileText(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {
  struct stat status {};
  const int result = ::fstat(descriptor_, &status);
  if (result != 0 || !S_ISREG(status.st_mode)) {
    const int error = errno;
    ::close(descriptor_);
    fail(path_, result != 0               ? std::generic_category().message(error)
                : S_ISDIR(status.st_mode) ? "Is a directory"
                                          : "not a regular file; read it as a stream");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileText::~FileText() { ::close(descriptor_); }

void FileText::read(std::uint64_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      fail(path_, std::generic_category().message(errno));
    }
    if (got == 0) fail(path_, "file shrank while it was read");
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace lode
