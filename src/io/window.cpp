#include "io/window.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

#include "base/threads.hpp"

namespace lode::io {
namespace {

constexpr std::size_t read_block_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_step_bytes = std::size_t{32} << 20;
constexpr std::size_t slack_bytes = std::size_t{1} << 16;  // spare room, so that a few more kept bytes move nothing
constexpr int patience_milliseconds = 5;

}  // namespace

Window::Window(Input& input, const WindowOptions& options) : input_(&input), options_(options) {
  if (options_.threads > 1 && input.reads_by_itself()) ahead_buffer_.reset(new char[options_.piece_bytes]);
}

bool Window::advance(std::uint64_t keep_from) {
  if (at_end_) return false;
  const auto dropped = static_cast<std::size_t>(keep_from - begin_);
  start_ += dropped;
  size_ -= dropped;
  begin_ = keep_from;
  // A long line is read in growing steps: large ones, so that it is not looked at too often, but not so large that much
  // is read beyond its end.
  const std::uint64_t room = options_.limit_bytes - ahead_bytes() - size_;
  const std::uint64_t step = std::min<std::uint64_t>({size_ / 4, longest_step_bytes, room});
  auto wanted = static_cast<std::size_t>(std::max<std::uint64_t>(options_.piece_bytes, step));
  if (const FileText* file = input_->file()) {
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, file->size() - end()));
  }
  make_room(size_ + wanted);
  const std::size_t before = size_;
  if (input_->file() != nullptr) {
    read_file(wanted);
  } else if (ahead_buffer_) {
    take_ahead(wanted);
  } else {
    read_stream(wanted);
  }
  return size_ > before;
}

std::uint64_t Window::least_kept() const noexcept {
  const std::uint64_t most = options_.limit_bytes - ahead_bytes() - options_.piece_bytes;
  return size_ <= most ? begin_ : end() - most;
}

void Window::make_room(std::size_t needed) {
  if (start_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + start_, size_);
    start_ = 0;
  }
  if (needed <= capacity_) return;
  // realloc moves a large buffer by its page table. So there is no second copy in memory, and no page is touched before
  // bytes are read into it.
  const std::size_t capacity = needed + std::min(needed / 8, slack_bytes);
  void* const larger = std::realloc(buffer_.get(), capacity);
  if (larger == nullptr) throw std::bad_alloc();
  static_cast<void>(buffer_.release());
  buffer_.reset(static_cast<char*>(larger));
  capacity_ = capacity;
}

void Window::read_file(std::size_t wanted) {
  const FileText& file = *input_->file();
  char* const into = buffer_.get() + size_;
  const std::uint64_t from = end();
  if (options_.threads == 1 || wanted < 2 * read_block_bytes) {
    file.read(from, {into, wanted});
  } else {
    run_ranges(options_.threads, wanted, read_block_bytes, [&](std::uint64_t begin, std::uint64_t end) {
      file.read(from + begin, {into + begin, static_cast<std::size_t>(end - begin)});
    });
  }
  size_ += wanted;
  at_end_ = end() == file.size();
}

void Window::read_stream(std::size_t wanted) {
  std::size_t filled = 0;
  while (filled < wanted) {
    if (filled > 0 && !input_->is_ready_within(patience_milliseconds)) break;
    const std::size_t got = input_->read({buffer_.get() + size_ + filled, wanted - filled});
    if (got == 0) {
      at_end_ = true;
      break;
    }
    filled += got;
  }
  size_ += filled;
}

void Window::take_ahead(std::size_t wanted) {
  for (std::size_t left = wanted; !at_end_ && left >= options_.piece_bytes; left -= options_.piece_bytes) {
    const std::size_t got = bytes_ahead_.valid() ? bytes_ahead_.get() : fill_ahead();
    std::memcpy(buffer_.get() + size_, ahead_buffer_.get(), got);
    size_ += got;
    at_end_ = got < options_.piece_bytes;
    if (at_end_) break;
    try {
      // This needs a thread of its own: one of oneTBB's would be missing when the caller searches.
      bytes_ahead_ = std::async(std::launch::async, [this] { return fill_ahead(); });
    } catch (const std::system_error&) {
      // If no thread can be started, the next piece is read when it is wanted.
    }
  }
}

std::size_t Window::fill_ahead() {
  std::size_t filled = 0;
  while (filled < options_.piece_bytes) {
    const std::size_t got = input_->read({ahead_buffer_.get() + filled, options_.piece_bytes - filled});
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

}  // namespace lode::io
