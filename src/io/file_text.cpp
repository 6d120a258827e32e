#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "io/file_size.hpp"
#include "io/open_path.hpp"
#include "lode/error.hpp"
#include "lode/stream.hpp"

namespace lode {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorKind::input_output, path.native() + ": " + reason);
}

int open_for_reading(const std::filesystem::path& path) {
  const int descriptor = io::open_path(path.native(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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
  if (io::holds_its_size(descriptor_, size_)) return;
  size_ = 0;
  try {
    do {
      content_.resize(std::max<std::size_t>(2 * content_.size(), 65536));
      size_ += read_some(size_, std::span(content_).subspan(size_));
    } while (size_ == content_.size());
    content_.resize(size_);
  } catch (...) {
    ::close(descriptor_);  // no destructor ends what was not constructed
    throw;
  }
}

FileText::~FileText() { ::close(descriptor_); }

std::size_t FileText::read_some(std::uint64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, std::generic_category().message(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void FileText::read(std::uint64_t offset, std::span<char> into) const {
  if (!content_.empty()) {
    content_.copy(into.data(), into.size(), offset);
  } else if (read_some(offset, into) < into.size()) {
    fail(path_, "file shrank while it was read");
  }
}

}  // namespace lode
