// Mapping: a whole file as bytes in memory, without a copy.
//
// If a mapped file shrinks, reading behind its new end raises SIGBUS. While a Mapping exists, a handler puts zero bytes
// there, so that the reader can go on, and check() throws DamagedText from then on. Whoever takes bytes from the
// mapping calls check() before they count as the file's. Signals from outside the mappings go where they went before.
// Any number of threads may read; one thread at a time may create and destroy mappings.
//
// A signal handler belongs to the program, so this is a part of the command and not of the library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lode/error.hpp"

namespace lode::command {

/// Thrown if bytes read from a mapped file are not those that it held. Whoever made the mapping adds the file's name.
class DamagedText : public Error {
 public:
  DamagedText() : Error(ErrorKind::input_output, "a part of the file could not be read") {}
};

class Mapping {
 public:
  /// Maps `size_bytes` of an open file, which must stay open. If the system refuses, bytes() is empty. So many threads
  /// release the pages in the end, because one alone takes long for a large file. Precondition: size_bytes > 0.
  Mapping(int descriptor, std::size_t size_bytes, unsigned threads = 1);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::string_view bytes() const noexcept { return {data_, size_bytes_}; }
  /// Throws DamagedText if some bytes could not be read and were replaced by zero bytes, or if the file has shrunk.
  void check() const;
  /// Throws DamagedText if that may have changed what was read of `part`, which lies in bytes(). It costs next to
  /// nothing, unless the part ends in a NUL.
  void check(std::string_view part) const;

 private:
  bool damaged() const noexcept;

  char* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  int descriptor_;
  std::size_t slot_ = 0;  // index in the handler's list of mappings
  unsigned threads_ = 1;
};

}  // namespace lode::command
