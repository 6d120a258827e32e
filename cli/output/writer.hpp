// Writer: standard output, buffered, in whole lines.
//
// Bytes are appended, and end_line() says that a line is complete. Only complete lines leave the buffer, so an
// interrupt or an error never leaves half a line that looks whole. The one exception is a line longer than the buffer,
// which goes out piece by piece.
//
// If writing fails, OutputError is thrown. So a full disk is never silent, and never taken for trouble with the file
// that is searched. If the output is a file, the piece of a line that did fit is taken back. If the bytes to write lie
// in a mapped file that has shrunk, that is trouble with the searched file, and DamagedText is thrown.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lode/error.hpp"

namespace lode::command {

class OutputError : public Error {
 public:
  explicit OutputError(const std::string& message) : Error(ErrorKind::input_output, message) {}
};

class Writer {
 public:
  Writer(int descriptor, std::string name);
  /// A writer without a descriptor: it keeps what is appended, for bytes() and truncate(). More than `most_bytes` throw
  /// Error(limit).
  explicit Writer(std::size_t most_bytes);

  void append(std::string_view bytes) {
    if (bytes.size() > capacity_ - size_) return append_long(bytes);
    std::copy_n(bytes.data(), bytes.size(),
                buffer_.get() + size_);  // memcpy may not be given an empty view's null pointer
    size_ += bytes.size();
  }
  void append(char byte) { append(std::string_view(&byte, 1)); }
  void append_number(std::uint64_t number) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  /// Says that what was appended so far ends with a whole line.
  void end_line() {
    complete_ = size_;
    if (size_ == 0) unfinished_ = 0;
    if (line_buffered_) flush();
  }
  /// From now on each line is written as soon as it ends.
  void set_line_buffered() noexcept { line_buffered_ = true; }

  /// Forgets what was appended behind the last complete line. If a part of that has left the buffer already, it is
  /// taken back from a file. Elsewhere it stays, and `terminator` ends it before the next line that is written.
  void drop_line(char terminator) noexcept;

  /// Writes all complete lines.
  void flush();
  /// From now on nothing is written, only counted.
  void discard() noexcept { discarding_ = true; }
  /// The bytes that a writer without a descriptor keeps.
  std::string_view bytes() const noexcept { return {buffer_.get(), size_}; }
  void truncate(std::size_t size) noexcept { size_ = complete_ = size; }
  /// Bytes appended so far.
  std::uint64_t total_bytes() const noexcept { return written_ + size_; }

 private:
  void grow(std::size_t needed);
  void append_long(std::string_view bytes);
  enum class Content { whole_lines, part_of_line };
  void write_out(std::string_view bytes, Content content);
  bool take_back(std::uint64_t bytes) const noexcept;

  int descriptor_ = -1;  // -1: none, all is kept
  std::string name_;
  std::size_t most_bytes_ = 0;  // most bytes that are kept without a descriptor
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  bool line_buffered_ = false;
  std::size_t size_ = 0;      // bytes in the buffer
  std::size_t complete_ = 0;  // bytes of complete lines among them; <= size_
  std::uint64_t written_ = 0;
  std::uint64_t unfinished_ = 0;  // bytes that were written of a line whose rest is still to come, or was dropped
  bool discarding_ = false;
};

}  // namespace lode::command
