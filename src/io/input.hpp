// Input: one opened text of the command: a regular file, a pipe or device, standard input, or what is unpacked or decoded.
//
// A regular file that is neither of these nor small has a file(): its size is known, and any part of it can be read
// at any time, from several threads. Everything else is a stream that is read once, from front to back. If opening or
// reading fails, Error(input_output) is thrown, with the name in front of the message. Moving is cheap.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/decompressor.hpp"
#include "io/transcoder.hpp"
#include "lode/stream.hpp"

namespace lode::io {

enum class Compression { ignored, detected };

struct InputOptions {
  Compression compression = Compression::ignored;
  std::uint64_t memory_limit_bytes = 0;  // limit on the memory for unpacking; 0: that of the format's own program
  std::string standard_input_name = "(standard input)";
  View encoding;  // a view that decodes the text to UTF-8; empty: as it is
};

class Input {
 public:
  static Input open(const std::string& path, const InputOptions& options = {});
  static Input standard_input(const InputOptions& options = {});
  Input(Input&&) noexcept = default;
  Input& operator=(Input&&) noexcept = default;

  /// The name in output and messages.
  const std::string& name() const noexcept { return name_; }
  /// Null for a stream.
  const FileText* file() const noexcept { return file_.get(); }
  /// The descriptor of the open file or stream, for reading it in another way. Valid while this object lives.
  int descriptor() const noexcept;
  /// Whether the two are the same file on disk.
  bool is_same_file(const struct stat& other) const noexcept;
  bool is_regular() const noexcept { return S_ISREG(status_.st_mode); }
  bool is_standard_input() const noexcept;
  /// The size of a regular file, as the system tells it.
  std::uint64_t size_on_disk() const noexcept { return static_cast<std::uint64_t>(status_.st_size); }

  /// Waits for at least one byte and returns how many were read. Returns 0 at the end, or if no more can be read; then
  /// check() says why. Only for streams.
  std::size_t read(std::span<char> into);
  /// Whether the text is made of what lies there, by unpacking or decoding.
  bool is_derived() const noexcept { return decompressor_ != nullptr || transcoder_ != nullptr; }
  /// The format of what is unpacked; nothing for other inputs.
  std::optional<CompressedFormat> compressed_format() const noexcept { return format_; }
  /// Whether read() takes work rather than waiting for a writer, so that it can be done ahead.
  bool reads_by_itself() const noexcept { return is_derived() && is_regular(); }
  /// Waits until read() has something to give. Returns false if that takes longer than so many milliseconds.
  bool is_ready_within(int milliseconds) const;
  /// Reads the rest of a stream, or the whole file.
  std::string read_all();

  /// These set where the next program that reads standard input goes on, if that is a file and not derived: at this
  /// offset in the text, behind the first terminator from this offset on, or at the end.
  void leave_at(std::uint64_t offset);
  void leave_behind(std::uint64_t offset, char terminator);
  void leave_at_end();

  /// Says that the text was used up to its end. Otherwise errors behind the last byte that was needed do not count,
  /// because it depends on threads how far it is read ahead.
  void set_used_to_end() noexcept { used_to_end_ = true; }
  /// Throws the error that ended a stream which was used to its end. Throws Error(input_output) if a file is smaller
  /// than when it was opened. A file that grew was searched up to the size it had then.
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
  std::optional<CompressedFormat> format_;
  std::unique_ptr<Transcoder> transcoder_;
  std::uint64_t start_ = 0;     // place in the file where the text begins that standard input gives
  std::exception_ptr failure_;  // the error that ended the stream
  bool used_to_end_ = false;
  std::uint64_t bytes_read_ = 0;  // bytes read of a stream that is not derived
  std::string name_;
  struct stat status_ {};
};

}  // namespace lode::io
