#include "io/decompressor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lode/error.hpp"

namespace lode::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t compressed_bytes = std::size_t{1} << 18;

bool starts_gzip(std::string_view head) {
  constexpr std::string_view deflate = "\x1f\x8b\x08"sv;
  constexpr int reserved_flags = 0xe0;
  return head.starts_with(deflate) && head.size() > deflate.size() && (head[deflate.size()] & reserved_flags) == 0;
}

// `BZh9` alone begins many a text.
bool starts_bzip2(std::string_view head) {
  constexpr std::array blocks = {"\x31\x41\x59\x26\x53\x59"sv,
                                 "\x17\x72\x45\x38\x50\x90"sv};  // the second: there is none
  return head.starts_with("BZh"sv) && head.size() > 4 && head[3] >= '1' && head[3] <= '9' &&
         std::any_of(blocks.begin(), blocks.end(), [&](std::string_view block) { return head.substr(4) == block; });
}

}  // namespace

std::optional<CompressedFormat> detect_compression(std::string_view head) noexcept {
  head = head.substr(0, compression_head_bytes);
  if (starts_gzip(head)) return CompressedFormat::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return CompressedFormat::zstd;
  if (head.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) return CompressedFormat::xz;
  if (starts_bzip2(head)) return CompressedFormat::bzip2;
  if (head.starts_with("\x04\x22\x4d\x18"sv)) return CompressedFormat::lz4;
  return std::nullopt;
}

std::unique_ptr<Decompressor> Decompressor::open(CompressedFormat format, Source source, std::string name) {
  switch (format) {
    case CompressedFormat::gzip: return open_gzip(std::move(source), std::move(name));
    case CompressedFormat::zstd: return open_zstd(std::move(source), std::move(name));
    case CompressedFormat::xz: return open_xz(std::move(source), std::move(name));
    case CompressedFormat::bzip2: return open_bzip2(std::move(source), std::move(name));
    case CompressedFormat::lz4: break;
  }
  return open_lz4(std::move(source), std::move(name));
}

Decompressor::Decompressor(Source source, std::string name)
    : source_(std::move(source)),
      name_(std::move(name)),
      compressed_(std::make_unique_for_overwrite<char[]>(compressed_bytes)) {}

std::span<char> Decompressor::next_compressed() {
  const std::span<char> room(compressed_.get(), compressed_bytes);
  return room.first(source_(room));
}

void Decompressor::fail(const std::string& reason) const {
  throw Error(ErrorKind::input_output, name_ + ": " + reason);
}

}  // namespace lode::io
