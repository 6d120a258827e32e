// Texts that do not lie in memory: streams pushed piece by piece, and files.
//
// A Stream reports every match exactly once, whatever the pieces, with the same conditions and kinds as the searcher.
// It keeps at most a buffer of a few MiB and the longest pattern. A FileText reads with pread, so that many threads
// share one open file; a file that shrinks while it is read throws Error(input_output), one that grows is read up to where
// it ended. A file whose size is not what it holds (of /proc, of /sys) is read whole when it is opened.
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
  /// Borrows the searcher. `run.begin`, `run.end` and `run.not_before` are not used. `run.progress` is told the bytes that
  /// are searched and those pushed, each time the buffer was searched; `run.stats` holds the sums of what was done until
  /// then, and must live as long as the stream. Neither the sink nor `run.progress` may push, flush or finish the stream:
  /// Error(invalid_argument).
  Stream(const Searcher& searcher, MatchSink sink, RunOptions run = {});
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// Takes any number of bytes; many at a time are searched where they lie. Returns false once the sink has ended the
  /// search.
  bool push(std::string_view piece);
  /// Reports now what is certain already: every match that starts more than the longest pattern before the end of what
  /// was pushed. For texts that arrive slowly; push() does it by itself each time the buffer is full.
  void flush();
  /// Reports what is left. Must be called once at the end; nothing may be pushed after it.
  void finish();
  /// Bytes pushed so far.
  std::uint64_t size() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class LODE_API FileText final : public RandomAccessText {
 public:
  /// Throws Error(input_output) where the path is no readable regular file.
  explicit FileText(const std::filesystem::path& path);
  /// Adopts an open descriptor of a regular file; closes it at the end.
  FileText(int descriptor, std::filesystem::path path);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText() override;

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> into) const override;

 private:
  // Returns how many bytes there were, which are fewer than wanted at the end of the file alone.
  std::size_t read_some(std::uint64_t offset, std::span<char> into) const;

  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // at opening
  std::filesystem::path path_;
  std::string content_;  // of a file whose size is not what it holds
};

}  // namespace lode
