// Mapping: a whole file as bytes in memory, without a copy.
//
// A mapped file that shrinks raises SIGBUS where it is read behind its new end. While a Mapping exists, a handler puts
// zero bytes there instead, so that the reader comes to its end, and check() throws DamagedText from then on: whoever
// takes bytes from the mapping calls it before they count as the file's. Signals outside of the mappings go where they
// went before. Any number of threads may read; creating and destroying is for one thread at a time.
//
// A signal handler belongs to the program, so this is a part of the command and not of the library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lode/error.hpp"

namespace lode::command {

/// What was read of a mapped file is not what it held. Whoever made the mapping says which file.
class DamagedText : public Error {
 public:
  DamagedText() : Error(ErrorKind::input_output, "a part of the file could not be read") {}
};

class Mapping {
 public:
  /// Maps `size_bytes` of an open file, which stays open. Where the system refuses, bytes() is empty. `threads` give it
  /// back at the end: of a large file that takes one of them long. Precondition: size_bytes > 0.
  Mapping(int descriptor, std::size_t size_bytes, unsigned threads = 1);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::string_view bytes() const noexcept { return {data_, size_bytes_}; }
  /// Throws DamagedText where some bytes could not be read and were replaced by zero bytes, or the file has shrunk.
  void check() const;
  /// Throws DamagedText where that may have changed what was read of `part`, which lies in bytes(). Costs next to
  /// nothing, unless the part ends in a NUL.
  void check(std::string_view part) const;

 private:
  bool damaged() const noexcept;

  char* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  int descriptor_;
  std::size_t slot_ = 0;  // in the handler's list
  unsigned threads_ = 1;
};

}  // namespace lode::command
