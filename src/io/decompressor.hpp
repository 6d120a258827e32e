// Decompressor: gzip, zstd, xz, bzip2 and lz4 data as a stream of plain bytes.
//
// Each format goes through its own library: libarchive's filters keep back what they unpacked before damage, and some
// check no sums. A library is opened at the first input that needs it, so that a search of plain files does not pay for
// it. Memory is bounded by the format's own window, whatever the data expand to; where that is more than may be taken,
// reading throws Error(limit). Several streams one behind the other, as `cat a.gz b.gz` makes them, are read as one.
// Skippable frames, which pzstd writes in front of its own, contain nothing; they may stand before, between and behind
// zstd or lz4 data, or alone. lz4's legacy format is read, too. Damaged or truncated data throw Error(input_output)
// once all has been delivered that can be unpacked, whatever the sizes of the spans. What else follows the last stream
// is judged as the format's own program judges it: zero bytes behind gzip are padding, so are multiples of four behind
// xz, and bzip2 leaves anything alone that begins no stream; all else is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lode/error.hpp"

namespace lode::io {

/// skippable_frame: zstd or lz4, which is told by what follows the frame.
enum class CompressedFormat { gzip, zstd, xz, bzip2, lz4, skippable_frame };

/// What data with these first bytes are compressed as; nothing for plain data. `head` holds the first bytes of the
/// data, up to compression_head_bytes of them.
std::optional<CompressedFormat> detect_compression(std::string_view head) noexcept;
inline constexpr std::size_t compression_head_bytes = 10;

struct CompressedData {
  /// Fills the span with compressed bytes and returns how many; 0 at the end. May throw.
  std::function<std::size_t(std::span<char>)> read;
  std::string name;                      // in messages
  std::uint64_t memory_limit_bytes = 0;  // for what unpacking needs; 0: what the format's own program takes
};

class Decompressor {
 public:
  /// Reads nothing yet. Throws where the format's library is missing.
  static std::unique_ptr<Decompressor> open(CompressedFormat format, CompressedData data);

  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  /// Plain bytes; 0 at the end. Throws Error, at each further call again.
  std::size_t read(std::span<char> into);

 protected:
  explicit Decompressor(CompressedData data);

  /// Plain bytes, at least one but at the end; or calls a fail function after the last of them.
  virtual std::size_t unpack(std::span<char> into) = 0;

  /// Bytes of the data, until the next call; none at the end.
  std::span<char> next_compressed();
  const CompressedData& data() const noexcept { return data_; }
  std::uint64_t memory_limit_bytes() const noexcept { return data_.memory_limit_bytes; }
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_beyond_limit(std::uint64_t needed_bytes) const;
  /// What unpack() returns where it wrote `written` bytes before it met what `reason` says: the next read() fails.
  std::size_t fail_behind(std::size_t written, const std::string& reason);

 private:
  CompressedData data_;
  std::unique_ptr<char[]> compressed_;
  std::optional<Error> failure_;
};

/// One for each format.
std::unique_ptr<Decompressor> open_gzip(CompressedData data);
std::unique_ptr<Decompressor> open_zstd(CompressedData data);
std::unique_ptr<Decompressor> open_xz(CompressedData data);
std::unique_ptr<Decompressor> open_bzip2(CompressedData data);
std::unique_ptr<Decompressor> open_lz4(CompressedData data);

}  // namespace lode::io
