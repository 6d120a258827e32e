// Input: one opened text of the command: a regular file, a pipe or device, standard input, or compressed data.
//
// A regular file that is not compressed, nor small, is a `file()`: its size is known and any part of it can be read at any
// time, from several threads. Everything else is a stream that is read once from front to back. Opening or reading throws
// Error(input_output) with the name in front. Moving is cheap.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "io/decompressor.hpp"
#include "lode/stream.hpp"

namespace lode::io {

enum class Compression { ignored, detected };

struct InputOptions {
  Compression compression = Compression::ignored;
  std::uint64_t memory_limit_bytes = 0;  // for unpacking; 0: none of ours
  std::string standard_input_name = "(standard input)";
};

class Input {
 public:
  static Input open(const std::string& path, const InputOptions& options = {});
  static Input standard_input(const InputOptions& options = {});
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
  bool is_standard_input() const noexcept;
  /// As the system tells it, of a regular file.
  std::uint64_t size_on_disk() const noexcept { return static_cast<std::uint64_t>(status_.st_size); }

  /// Waits for at least one byte and returns how many were read; 0 at the end, or where no more can be read: check()
  /// then says why. Only for streams.
  std::size_t read(std::span<char> into);
  bool is_compressed() const noexcept { return decompressor_ != nullptr; }
  /// Whether read() is work rather than waiting for a writer, so that it can be done ahead: a compressed file.
  bool reads_by_itself() const noexcept { return decompressor_ != nullptr && is_regular(); }
  /// False where read() would have to wait longer than this.
  bool is_ready_within(int milliseconds) const;
  /// All that is left of a stream, or the whole file.
  std::string read_all();

  /// Where whoever reads standard input next goes on, if it is a file that is not compressed: at this offset in the text,
  /// behind the next terminator from there on, or at the end.
  void leave_at(std::uint64_t offset);
  void leave_behind(std::uint64_t offset, char terminator);
  void leave_at_end();

  /// The text was used up to its end, as far as it can be read. What is wrong behind the last byte that was needed does
  /// not count, since how far it is read ahead depends on threads.
  void set_used_to_end() noexcept { used_to_end_ = true; }
  /// Throws what ended a stream that was used to its end, and where a file is smaller than it was when it was opened. One
  /// that grew was searched up to where it ended.
  void check() const;

 private:
  Input(int descriptor, std::string name, const InputOptions& options);

  struct Descriptor;
  struct DescriptorCloser {
    void operator()(Descriptor* descriptor) const noexcept;
  };
  std::unique_ptr<Descriptor, DescriptorCloser> descriptor_;
  std::unique_ptr<FileText> file_;
  std::unique_ptr<Decompressor> decompressor_;
  std::uint64_t start_ = 0;     // in the file, of the text that standard input gives
  std::exception_ptr failure_;  // what ended the stream
  bool used_to_end_ = false;
  std::uint64_t bytes_read_ = 0;  // of a stream that is not compressed
  std::string name_;
  struct stat status_ {};
};

}  // namespace lode::io
