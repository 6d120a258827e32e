#include "io/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "io/file_size.hpp"
#include "io/open_path.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

// A smaller file is read once, from front to back. That saves a system call, and gives what the file really holds.
constexpr std::uint64_t least_file_bytes = std::uint64_t{1} << 20;

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::input_output, name + ": " + reason);
}

}  // namespace

struct Input::Descriptor {
  int number = -1;
  bool owned = true;  // false: a FileText closes the descriptor
  std::string head;   // bytes that were read to detect compression and not handed out yet

  std::size_t read(std::span<char> into, const std::string& name) {
    if (!head.empty()) {
      const std::size_t taken = std::min(head.size(), into.size());
      std::memcpy(into.data(), head.data(), taken);
      head.erase(0, taken);
      return taken;
    }
    for (;;) {
      const ssize_t got = ::read(number, into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail(name, std::generic_category().message(errno));
    }
  }
};

void Input::DescriptorCloser::operator()(Descriptor* descriptor) const noexcept {
  if (descriptor->owned && descriptor->number > STDIN_FILENO) ::close(descriptor->number);
  delete descriptor;
}

Input::Input(int descriptor, std::string name, const InputOptions& options)
    : descriptor_(new Descriptor{descriptor, true, {}}), name_(std::move(name)) {
  if (::fstat(descriptor, &status_) != 0) fail(name_, std::generic_category().message(errno));
  if (S_ISDIR(status_.st_mode)) fail(name_, "Is a directory");
  auto size = static_cast<std::uint64_t>(status_.st_size);
  if (descriptor == STDIN_FILENO && is_regular()) {
    start_ = static_cast<std::uint64_t>(std::max<off_t>(::lseek(descriptor, 0, SEEK_CUR), 0));
  }
  const bool whole_file = options.encoding.empty() && is_regular() && size >= least_file_bytes && start_ == 0 &&
                          holds_its_size(descriptor, size);
  if (options.compression == Compression::detected) {
    char head[compression_head_bytes];
    std::size_t size = 0;
    while (size < sizeof head) {
      const ssize_t got = whole_file ? ::pread(descriptor, head + size, sizeof head - size, static_cast<off_t>(size))
                                     : ::read(descriptor, head + size, sizeof head - size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(name_, std::generic_category().message(errno));
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    if (!whole_file) descriptor_->head.assign(head, size);
    format_ = detect_compression({head, size});
    if (format_) {
      Descriptor* source = descriptor_.get();
      CompressedData data;
      data.read = [source, shown = name_](std::span<char> into) { return source->read(into, shown); };
      data.name = name_;
      data.memory_limit_bytes = options.memory_limit_bytes;
      decompressor_ = Decompressor::open(*format_, std::move(data));
    }
  }
  if (!options.encoding.empty())
    transcoder_ = std::make_unique<Transcoder>(
        options.encoding,
        [source = descriptor_.get(), unpacked = decompressor_.get(), shown = name_](std::span<char> into) {
          return unpacked ? unpacked->read(into) : source->read(into, shown);
        });
  if (is_derived()) return;
  if (whole_file) {
    int own = descriptor;
    if (descriptor == STDIN_FILENO) {
      own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
      if (own < 0) fail(name_, std::generic_category().message(errno));
    }
    descriptor_->owned = false;
    file_ = std::make_unique<FileText>(own, name_);
  }
#ifdef F_SETPIPE_SZ
  // A larger pipe means fewer switches between writer and reader. If the system refuses, the small one will do.
  if (S_ISFIFO(status_.st_mode)) ::fcntl(descriptor, F_SETPIPE_SZ, 1 << 20);
#endif
}

Input Input::open(const std::string& path, const InputOptions& options) {
  int descriptor = open_path(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) fail(path, std::generic_category().message(errno));
  if (descriptor <= STDERR_FILENO) {
    // If a standard descriptor was closed, the file may have got its number. It must not keep it, because other code
    // would take it for the standard one.
    const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    ::close(descriptor);
    if (moved < 0) fail(path, std::generic_category().message(errno));
    descriptor = moved;
  }
  return Input(descriptor, path, options);
}

Input Input::standard_input(const InputOptions& options) {
  return Input(STDIN_FILENO, options.standard_input_name, options);
}

bool Input::is_standard_input() const noexcept { return descriptor_->number == STDIN_FILENO; }

void Input::leave_at(std::uint64_t offset) {
  if (!is_standard_input() || !is_regular() || is_derived()) return;
  ::lseek(STDIN_FILENO, static_cast<off_t>(start_ + offset), SEEK_SET);
}

void Input::leave_behind(std::uint64_t offset, char terminator) {
  if (!is_standard_input() || !is_regular() || is_derived()) return;
  char block[4096];
  for (std::uint64_t at = offset;;) {
    const ssize_t got = ::pread(STDIN_FILENO, block, sizeof block, static_cast<off_t>(start_ + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return leave_at(at);
    const void* const found = std::memchr(block, terminator, static_cast<std::size_t>(got));
    if (found != nullptr) return leave_at(at + static_cast<std::uint64_t>(static_cast<const char*>(found) - block) + 1);
    at += static_cast<std::uint64_t>(got);
  }
}

void Input::leave_at_end() {
  if (is_standard_input() && is_regular() && !is_derived()) ::lseek(STDIN_FILENO, 0, SEEK_END);
}

bool Input::is_same_file(const struct stat& other) const noexcept {
  return status_.st_dev == other.st_dev && status_.st_ino == other.st_ino;
}

std::size_t Input::read(std::span<char> into) {
  if (failure_) return 0;
  try {
    if (transcoder_) return transcoder_->read(into);
    if (decompressor_) return decompressor_->read(into);
    const std::size_t got = descriptor_->read(into, name_);
    bytes_read_ += got;
    return got;
  } catch (const Error&) {
    failure_ = std::current_exception();
    return 0;
  }
}

bool Input::is_ready_within(int milliseconds) const {
  if (transcoder_ && transcoder_->has_bytes()) return true;
  if (decompressor_ || is_regular() || !descriptor_->head.empty()) return true;
  pollfd query{descriptor_->number, POLLIN, 0};
  return ::poll(&query, 1, milliseconds) != 0;
}

std::string Input::read_all() {
  std::string content;
  if (file_) {
    content.resize(file_->size());
    file_->read(0, content);
    check();
    leave_at_end();
    return content;
  }
  for (std::size_t filled = 0;;) {
    if (content.size() - filled < 4096) content.resize(std::max<std::size_t>(content.size() * 2, 65536));
    const std::size_t got = read(std::span(content).subspan(filled));
    filled += got;
    if (got == 0) {
      content.resize(filled);
      used_to_end_ = true;
      check();
      return content;
    }
  }
}

int Input::descriptor() const noexcept { return descriptor_->number; }

void Input::check() const {
  if (used_to_end_ && failure_) std::rethrow_exception(failure_);
  const std::uint64_t size_before = size_on_disk();
  // If a file gave as many bytes as it had, nothing can be missing.
  if (!file_ && (!is_regular() || is_derived() || !used_to_end_ || start_ + bytes_read_ >= size_before)) return;
  struct stat now {};
  if (::fstat(descriptor_->number, &now) != 0) fail(name_, std::generic_category().message(errno));
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (size >= size_before) return;
  fail(name_, "file shrank while it was read (from " + std::to_string(size_before) + " to " + std::to_string(size) +
                  " bytes)");
}

}  // namespace lode::io
