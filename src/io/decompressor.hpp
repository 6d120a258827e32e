// Decompressor: gzip, zstd, xz, bzip2 and lz4 data as a stream of plain bytes.
//
// Each format goes through its own library, because libarchive's filters withhold what they unpacked before damage, and
// some check no sums. A library is opened for the first input that needs it, so a search of plain files does not pay
// for it. Memory is bounded by the format's own window, whatever the data expand to; if that is more than the limit,
// reading throws Error(limit).
//
// Several streams one behind the other, as `cat a.gz b.gz` makes them, are read as one. Skippable frames, which pzstd
// writes before its own frames, contain nothing; they may stand before, between and behind zstd or lz4 data, or alone.
// lz4's legacy format is read, too.
//
// Damaged or truncated data throw Error(input_output) after all bytes have been delivered that can be unpacked,
// whatever the sizes of the spans. Other bytes behind the last stream are judged as the format's own program judges
// them: gzip takes zero bytes as padding, xz takes multiples of four zero bytes, and bzip2 ignores anything that begins
// no stream. All else is an error.
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

/// skippable_frame: zstd or lz4; what follows the frame tells which.
enum class CompressedFormat { gzip, zstd, xz, bzip2, lz4, skippable_frame };

/// Returns the format of data that begin with `head`; nothing for plain data. `head` holds the first
/// compression_head_bytes, or all bytes if there are fewer.
std::optional<CompressedFormat> detect_compression(std::string_view head) noexcept;
inline constexpr std::size_t compression_head_bytes = 10;

struct CompressedData {
  /// Reads compressed bytes into the span and returns how many; 0 at the end. May throw.
  std::function<std::size_t(std::span<char>)> read;
  std::string name;                      // the name in messages
  std::uint64_t memory_limit_bytes = 0;  // limit on the memory for unpacking; 0: that of the format's own program
};

class Decompressor {
 public:
  /// Makes a decompressor, which reads nothing yet. Throws if the format's library is missing.
  static std::unique_ptr<Decompressor> open(CompressedFormat format, CompressedData data);

  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  /// Reads plain bytes into the span and returns how many; 0 at the end. Once it has thrown an Error, each further call
  /// throws it again.
  std::size_t read(std::span<char> into);

 protected:
  explicit Decompressor(CompressedData data);

  /// Reads plain bytes into the span and returns how many: at least one, and 0 at the end. After the last byte that can
  /// be unpacked it calls one of the fail functions.
  virtual std::size_t unpack(std::span<char> into) = 0;

  /// The next compressed bytes, which stay until the next call; none at the end.
  std::span<char> next_compressed();
  const CompressedData& data() const noexcept { return data_; }
  std::uint64_t memory_limit_bytes() const noexcept { return data_.memory_limit_bytes; }
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_beyond_limit(std::uint64_t needed_bytes) const;
  /// To be returned by an unpack() that wrote `written` bytes before it met a failure: the next read() fails with
  /// `reason`.
  std::size_t fail_behind(std::size_t written, const std::string& reason);

 private:
  CompressedData data_;
  std::unique_ptr<char[]> compressed_;
  std::optional<Error> failure_;
};

/// Each opens data of one format.
std::unique_ptr<Decompressor> open_gzip(CompressedData data);
std::unique_ptr<Decompressor> open_zstd(CompressedData data);
std::unique_ptr<Decompressor> open_xz(CompressedData data);
std::unique_ptr<Decompressor> open_bzip2(CompressedData data);
std::unique_ptr<Decompressor> open_lz4(CompressedData data);

}  // namespace lode::io
