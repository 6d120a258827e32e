// Window: the part of a text that is in memory. It slides from the text's front to its end.
//
// advance() drops the bytes before a given offset and reads more, so a text of any length goes through a buffer of a
// few MiB. The buffer grows only if the caller keeps more, for one long line. Several threads read a file at once, one
// reads a stream. A slow stream delivers what it has after a few milliseconds, so that `tail -f` shows its lines at
// once. With several threads, one more unpacks the next bytes of a compressed file while the caller uses those at hand.
//
//   Window window(input, {});
//   while (window.advance(keep_from)) use(window.bytes(), window.begin());
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string_view>

#include "io/input.hpp"

namespace lode::io {

struct WindowOptions {
  std::size_t piece_bytes = std::size_t{1} << 20;  // bytes to read at a time
  unsigned threads = 1;                            // threads that read a file; with one, nothing is read ahead
  std::uint64_t limit_bytes = UINT64_MAX;          // most bytes that the window may hold; at least 3 pieces
};

class Window {
 public:
  Window(Input& input, const WindowOptions& options);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Keeps the bytes from `keep_from` on and reads at least one more. Returns false if nothing was left to read.
  /// Precondition: begin() <= keep_from <= end(), and keep_from >= least_kept().
  bool advance(std::uint64_t keep_from);

  /// The least offset from which on bytes may be kept: with more of them the window would cross its limit.
  std::uint64_t least_kept() const noexcept;

  std::string_view bytes() const noexcept { return {buffer_.get() + start_, size_}; }
  std::uint64_t begin() const noexcept { return begin_; }        // offset in the text of bytes()[0]
  std::uint64_t end() const noexcept { return begin_ + size_; }  // offset in the text behind the last byte
  /// Whether end() is known to be the end of the text.
  bool at_end() const noexcept { return at_end_; }

 private:
  std::size_t ahead_bytes() const noexcept { return ahead_buffer_ ? options_.piece_bytes : 0; }
  void make_room(std::size_t needed);
  void read_file(std::size_t wanted);
  void read_stream(std::size_t wanted);
  void take_ahead(std::size_t wanted);
  std::size_t fill_ahead();

  Input* input_;
  WindowOptions options_;
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<char, Free> buffer_;  // capacity_ bytes
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;  // index in the buffer where the window begins; start_ + size_ <= capacity_
  std::size_t size_ = 0;
  std::uint64_t begin_ = 0;
  bool at_end_ = false;
  std::unique_ptr<char[]> ahead_buffer_;  // piece_bytes long; null if nothing is read ahead
  // The number of bytes in ahead_buffer_; fewer than piece_bytes only at the end of the text.
  std::future<std::size_t> bytes_ahead_;
};

}  // namespace lode::io
