// Input: one opened text of the command: a regular file, a pipe or device, standard input, or compressed data.
//
// A regular file that is not compressed is a `file()`: its size is known and any part of it can be read at any time,
// from several threads. Everything else is a stream that is read once from front to back. Opening or reading throws
// Error(input_output) with the name in front. Moving is cheap.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/decompressor.hpp"
#include "lode/stream.hpp"

namespace lode::io {

enum class Compression { ignored, detected };

class Input {
 public:
  static Input open(const std::string& path, Compression compression = Compression::ignored);
  static Input standard_input(Compression compression = Compression::ignored);
  Input(Input&&) noexcept = default;
  Input& operator=(Input&&) noexcept = default;

  /// As it stands in output and messages.
  const std::string& name() const noexcept { return name_; }
  /// Null for a stream.
  const FileText* file() const noexcept { return file_.get(); }
  /// Of the open file or stream, for what reads it in another way. Valid while this lives.
  int descriptor() const noexcept;
  /// Whether the two are the same file on disk.
  bool is_same_file(const struct stat& other) const noexcept;
  bool is_regular() const noexcept { return S_ISREG(status_.st_mode); }

  /// Waits for at least one byte and returns how many were read; 0 at the end. Only for streams.
  std::size_t read(std::span<char> into);
  /// Whether read() is work rather than waiting for a writer, so that it can be done ahead: a compressed file.
  bool reads_by_itself() const noexcept { return decompressor_ != nullptr && is_regular(); }
  /// False where read() would have to wait longer than this.
  bool is_ready_within(int milliseconds) const;
  /// All that is left of a stream, or the whole file.
  std::string read_all();

  /// Throws where a file is smaller than it was when it was opened. One that grew was searched up to where it ended.
  void check_unchanged() const;

 private:
  Input(int descriptor, std::string name, Compression compression);

  struct Descriptor;
  struct DescriptorCloser {
    void operator()(Descriptor* descriptor) const noexcept;
  };
  std::unique_ptr<Descriptor, DescriptorCloser> descriptor_;
  std::unique_ptr<FileText> file_;
  std::unique_ptr<Decompressor> decompressor_;
  std::string name_;
  struct stat status_ {};
};

}  // namespace lode::io
