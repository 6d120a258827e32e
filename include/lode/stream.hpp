// Texts that do not lie in memory: streams that are pushed piece by piece, and files.
//
// A Stream reports every match exactly once, however the text is cut into pieces, by the searcher's condition and match
// kind. It keeps at most a few MiB of text and the length of the longest pattern. A FileText reads with pread, so many
// threads can share one open file. If the file shrinks while it is read, Error(input_output) is thrown; if it grows, it
// is read up to the size it had when it was opened. A file whose size does not tell what it holds, as in /proc and
// /sys, is read whole when it is opened.
//
//   lode::Stream stream(searcher, sink);
//   while (read some) stream.push(piece);
//   stream.finish();
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "lode/export.hpp"
#include "lode/searcher.hpp"

namespace lode {

class LODE_API Stream {
 public:
  /// Borrows the searcher. `run.begin`, `run.end` and `run.not_before` are not used. Each time text was searched,
  /// `run.progress` is called with the bytes that are searched and those that were pushed, and `run.stats` then holds
  /// the sums so far; it must live as long as the stream. If the sink or `run.progress` pushes to the stream, flushes
  /// or finishes it, Error(invalid_argument) is thrown.
  Stream(const Searcher& searcher, MatchSink sink, RunOptions run = {});
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// Takes any number of bytes. A large piece is searched where it lies, without a copy. Returns false once the sink
  /// has ended the search.
  bool push(std::string_view piece);
  /// Reports now what is certain already: every match that starts more than the longest pattern (for whole_line_crlf
  /// one byte more) before the end of what was pushed. It is for texts that arrive slowly; push() does the same by
  /// itself each time the buffer is full.
  void flush();
  /// Reports what is left. Must be called once at the end; nothing may be pushed after it.
  void finish();
  /// Bytes pushed so far.
  std::uint64_t size() const noexcept;
  /// All matches that start before this offset have been reported.
  std::uint64_t searched() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class LODE_API FileText final : public RandomAccessText {
 public:
  /// Throws Error(input_output) if the path is not a readable regular file.
  explicit FileText(const std::filesystem::path& path);
  /// Adopts an open descriptor of a regular file, and closes it in the destructor.
  FileText(int descriptor, std::filesystem::path path);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText() override;

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> into) const override;

 private:
  // Returns how many bytes were read: fewer than asked for only at the end of the file.
  std::size_t read_some(std::uint64_t offset, std::span<char> into) const;

  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // the size when the file was opened
  std::filesystem::path path_;
  std::string content_;  // the bytes of a file whose size does not tell what it holds; else empty
};

}  // namespace lode
