// Compressor: plain bytes as gzip, zstd, xz, bzip2 or lz4 data, the other way of Decompressor.
//
// Each format goes through its own library, which is opened when the first compressor needs it, at the level that the
// format's own program takes by itself, with a sum over the content. Nothing in the data tells time or place: the same
// bytes give the same data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/decompressor.hpp"

namespace lode::io {

/// The format that the ending of a name stands for: .gz .zst .xz .bz2 .lz4; nothing for any other.
std::optional<CompressedFormat> format_of_name(std::string_view name) noexcept;

/// "gzip", "zstd", "xz", "bzip2", "lz4", or "zstd or lz4" for a skippable frame.
std::string_view format_name(CompressedFormat format) noexcept;

struct CompressorOptions {
  /// Takes compressed bytes. May throw.
  std::function<void(std::string_view)> write;
  std::string name;  // the name in messages
  /// Limit on the memory for packing; 0: none. xz and bzip2 take a lower level if theirs needs more.
  std::uint64_t memory_limit_bytes = 0;
};

class Compressor {
 public:
  /// Throws Error(input_output) if the format's library is missing, and Error(limit) if no level is within the limit.
  /// Precondition: the format is no skippable frame.
  static std::unique_ptr<Compressor> open(CompressedFormat format, CompressorOptions options);

  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  virtual ~Compressor() = default;

  virtual void write(std::string_view plain) = 0;
  /// Ends the data. Nothing may be written afterwards.
  virtual void finish() = 0;

 protected:
  explicit Compressor(CompressorOptions options);

  /// Where compressed bytes may be put for pass_on().
  std::span<char> room() noexcept { return room_; }
  void make_room(std::size_t bytes) { room_.resize(bytes); }
  /// Passes on the first bytes of the room.
  void pass_on(std::size_t bytes) { options_.write({room_.data(), bytes}); }
  std::uint64_t memory_limit_bytes() const noexcept { return options_.memory_limit_bytes; }
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_beyond_limit() const;

 private:
  CompressorOptions options_;
  std::vector<char> room_;
};

/// Each makes data of one format.
std::unique_ptr<Compressor> make_gzip(CompressorOptions options);
std::unique_ptr<Compressor> make_zstd(CompressorOptions options);
std::unique_ptr<Compressor> make_xz(CompressorOptions options);
std::unique_ptr<Compressor> make_bzip2(CompressorOptions options);
std::unique_ptr<Compressor> make_lz4(CompressorOptions options);

}  // namespace lode::io
