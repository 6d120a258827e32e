#include "cli/output/writer.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "cli/input/mapping.hpp"
#include "cli/interrupt.hpp"

namespace lode::command {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

}  // namespace

Writer::Writer(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), buffer_(new char[buffer_bytes]), capacity_(buffer_bytes) {}

Writer::Writer(std::size_t most_bytes) : most_bytes_(most_bytes) {}

void Writer::flush() {
  if (complete_ == 0 || descriptor_ < 0) return;
  write_out({buffer_.get(), complete_}, Content::whole_lines);
  std::memmove(buffer_.get(), buffer_.get() + complete_, size_ - complete_);
  size_ -= complete_;
  complete_ = 0;
}

void Writer::drop_line(char terminator) noexcept {
  size_ = complete_;
  if (unfinished_ == 0 || complete_ > 0) return;  // what went out is continued by a complete line
  const InterruptsHeld held;
  if (take_back(unfinished_)) {
    written_ -= unfinished_;
    unfinished_ = 0;
  } else {
    buffer_[size_++] = terminator;
  }
}

void Writer::grow(std::size_t needed) {
  if (needed > most_bytes_) throw Error(ErrorKind::limit, "more output than is kept");
  const std::size_t capacity = std::min(most_bytes_, std::max({needed, 2 * capacity_, buffer_bytes}));
  std::unique_ptr<char[]> larger(new char[capacity]);
  if (size_ > 0) std::memcpy(larger.get(), buffer_.get(), size_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

void Writer::append_long(std::string_view bytes) {
  if (descriptor_ < 0) {
    grow(size_ + bytes.size());
    return append(bytes);
  }
  flush();
  if (bytes.size() <= capacity_ - size_) return append(bytes);
  write_out({buffer_.get(), size_}, Content::part_of_line);
  size_ = 0;
  if (bytes.size() <= capacity_) return append(bytes);
  write_out(bytes, Content::part_of_line);
}

void Writer::write_out(std::string_view bytes, Content content) {
  const std::string_view all = bytes;
  written_ += bytes.size();
  if (discarding_) return;
  const InterruptsHeld held;
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN) {
      pollfd query{descriptor_, POLLOUT, 0};
      ::poll(&query, 1, -1);
    } else if (errno == EFAULT) {
      unfinished_ += all.size() - bytes.size();
      written_ -= bytes.size();
      throw DamagedText();
    } else if (errno != EINTR) {
      const int error = errno;
      size_ = complete_ = 0;  // the last flush must not try again what could not be written now
      const std::string_view done = all.substr(0, all.size() - bytes.size());
      const std::size_t last_end = content == Content::whole_lines ? done.rfind(all.back()) : std::string_view::npos;
      take_back(last_end == std::string_view::npos ? unfinished_ + done.size() : done.size() - last_end - 1);
      throw OutputError(name_ + ": " + std::generic_category().message(error));
    }
  }
  unfinished_ = content == Content::whole_lines ? 0 : unfinished_ + all.size();
}

// Takes bytes back only from a file that ends with them, because another program may write there, too.
bool Writer::take_back(std::uint64_t bytes) const noexcept {
  struct stat status {};
  const off_t at = ::lseek(descriptor_, 0, SEEK_CUR);
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || at != status.st_size) return false;
  const off_t end = at - static_cast<off_t>(bytes);
  if (bytes == 0 || end < 0 || ::ftruncate(descriptor_, end) != 0) return false;
  ::lseek(descriptor_, end, SEEK_SET);
  return true;
}

}  // namespace lode::command
