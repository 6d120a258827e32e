// Decompressor: gzip, zstd, xz, bzip2 and lz4 data as a stream of plain bytes, through libarchive.
//
// libarchive is opened at the first compressed input, never before: it drags in a dozen libraries, and a search of
// plain files must not pay for them. Memory is bounded by the format's own window, whatever the data expand to.
// Damaged or truncated data throw Error(input_output); the bytes before the damage have been delivered by then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lode::io {

/// The compressed format that data with these first bytes are in (libarchive's code), or 0 for plain data.
/// `head` holds the first bytes of the data, up to compression_head_bytes of them.
int detect_compression(std::string_view head) noexcept;
inline constexpr std::size_t compression_head_bytes = 6;

class Decompressor {
 public:
  /// Fills the span with compressed bytes and returns how many; 0 at the end. May throw.
  using Source = std::function<std::size_t(std::span<char>)>;

  /// `name` stands in messages. Precondition: compression is a result of detect_compression other than 0.
  Decompressor(int compression, Source source, std::string name);
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor();

  /// Plain bytes; 0 at the end.
  std::size_t read(std::span<char> into);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lode::io
