// Decompressor: gzip, zstd, xz, bzip2 and lz4 data as a stream of plain bytes.
//
// gzip goes through zlib and lz4 through liblz4, which check what libarchive's filters do not, the others through
// libarchive. Each is opened at the first input that needs it, never before: libarchive drags in a dozen libraries,
// and a search of plain files must not pay for them. Memory is bounded by the format's own window, whatever the
// data expand to. Several streams one behind the other, as `cat a.gz b.gz` makes them, are read as one. Skippable
// frames, which pzstd writes in front of its own, contain nothing; they may stand before, between and behind zstd or
// lz4 data, or alone. lz4's legacy format is read, too. Damaged or truncated data, and anything else behind the last
// stream, throw Error(input_output); the bytes before have been delivered by then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lode::io {

/// skippable_frame: zstd or lz4, which is told by what follows the frame.
enum class CompressedFormat { gzip, zstd, xz, bzip2, lz4, skippable_frame };

/// What data with these first bytes are compressed as; nothing for plain data. `head` holds the first bytes of the
/// data, up to compression_head_bytes of them.
std::optional<CompressedFormat> detect_compression(std::string_view head) noexcept;
inline constexpr std::size_t compression_head_bytes = 10;

class Decompressor {
 public:
  /// Fills the span with compressed bytes and returns how many; 0 at the end. May throw.
  using Source = std::function<std::size_t(std::span<char>)>;

  /// `name` stands in messages.
  static std::unique_ptr<Decompressor> open(CompressedFormat format, Source source, std::string name);

  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  /// Plain bytes; 0 at the end.
  virtual std::size_t read(std::span<char> into) = 0;

 protected:
  Decompressor(Source source, std::string name);

  /// Bytes of the source, until the next call; none at the end.
  std::span<char> next_compressed();
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  Source source_;
  std::string name_;
  std::unique_ptr<char[]> compressed_;
};

/// One for each format.
std::unique_ptr<Decompressor> open_gzip(Decompressor::Source source, std::string name);
std::unique_ptr<Decompressor> open_zstd(Decompressor::Source source, std::string name);
std::unique_ptr<Decompressor> open_xz(Decompressor::Source source, std::string name);
std::unique_ptr<Decompressor> open_bzip2(Decompressor::Source source, std::string name);
std::unique_ptr<Decompressor> open_lz4(Decompressor::Source source, std::string name);

}  // namespace lode::io
