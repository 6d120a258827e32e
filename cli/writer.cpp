#include "writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "interrupt.hpp"

namespace lode::command {

Writer::Writer(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), buffer_(new char[capacity_bytes]) {}

void Writer::flush() {
  if (complete_ == 0) return;
  write_out({buffer_.get(), complete_});
  std::memmove(buffer_.get(), buffer_.get() + complete_, size_ - complete_);
  size_ -= complete_;
  complete_ = 0;
}

void Writer::append_long(std::string_view bytes) {
  flush();
  if (bytes.size() <= capacity_bytes - size_) return append(bytes);
  write_out({buffer_.get(), size_});
  size_ = 0;
  if (bytes.size() <= capacity_bytes) return append(bytes);
  write_out(bytes);
}

void Writer::write_out(std::string_view bytes) {
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
    } else if (errno != EINTR) {
      const int error = errno;
      size_ = complete_ = 0;  // what could not be written now must not be tried again on the way out
      throw OutputError(name_ + ": " + std::generic_category().message(error));
    }
  }
}

}  // namespace lode::command
