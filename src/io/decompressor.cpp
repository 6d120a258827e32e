#include "io/decompressor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
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

// The head of a block is checked as well, because a text may well begin with `BZh9`.
bool starts_bzip2(std::string_view head) {
  constexpr std::array blocks = {"\x31\x41\x59\x26\x53\x59"sv,
                                 "\x17\x72\x45\x38\x50\x90"sv};  // the second stands there if there is no block
  return head.starts_with("BZh"sv) && head.size() > 4 && head[3] >= '1' && head[3] <= '9' &&
         std::any_of(blocks.begin(), blocks.end(), [&](std::string_view block) { return head.substr(4) == block; });
}

// A skippable frame begins with a magic number and the size of what follows.
constexpr std::size_t skippable_header_bytes = 8;

// Sixteen magic numbers begin a skippable frame: 50 to 5f, then 2a 4d 18.
bool starts_skippable_frame(std::string_view head) {
  return head.size() >= skippable_header_bytes && (head[0] & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18"sv;
}

std::uint32_t size_in_header(std::string_view header) {
  return load_u32(reinterpret_cast<const std::uint8_t*>(header.data() + sizeof(std::uint32_t)));
}

// A text may begin like a skippable frame. In the place of the size's highest byte it has no control byte below a tab,
// so the size reads as large. If the data then end within told_text_bytes, they are too short for the frame and are a
// text.
constexpr std::uint32_t smallest_size_in_text = 0x09000000;
constexpr std::size_t told_text_bytes = std::size_t{16} << 20;

using Source = decltype(CompressedData::read);

// Takes `size` bytes from the source; fewer only at its end.
std::string take(const Source& source, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = source(std::span(bytes).subspan(filled));
    if (got == 0) break;
    filled += got;
  }
  bytes.resize(filled);
  return bytes;
}

Source chain(std::string begin, Source rest) {
  return [begin = std::move(begin), at = std::size_t{0}, rest = std::move(rest)](std::span<char> into) mutable {
    const std::size_t taken = begin.copy(into.data(), into.size(), at);
    at += taken;
    return taken > 0 ? taken : rest(into);
  };
}

// Data that begin with skippable frames. What follows the frames tells whether it is zstd or lz4, or plain text after
// all.
class BehindSkippableFrames final : public Decompressor {
 public:
  explicit BehindSkippableFrames(CompressedData data) : Decompressor(std::move(data)) {}

 private:
  std::size_t unpack(std::span<char> into) override {
    if (!begun_) begin();
    if (rest_) return rest_->read(into);
    const std::size_t taken = text_.copy(into.data(), into.size(), at_);
    at_ += taken;
    return taken;
  }

  void begin() {
    begun_ = true;
    Source source = data().read;
    std::string begin = take(source, skippable_header_bytes);
    if (starts_skippable_frame(begin) && size_in_header(begin) >= smallest_size_in_text) {
      begin += take(source, told_text_bytes);
      if (begin.size() < told_text_bytes) {
        text_ = std::move(begin);
        return;
      }
    }
    source = chain(std::move(begin), std::move(source));
    std::string header = take(source, skippable_header_bytes);
    for (; starts_skippable_frame(header); header = take(source, skippable_header_bytes)) {
      std::size_t left = size_in_header(header);
      while (left > 0) {
        const std::size_t skipped = take(source, std::min(left, compressed_bytes)).size();
        if (skipped == 0) fail("the data end in a skippable frame");
        left -= skipped;
      }
    }
    if (header.empty()) return;
    const auto format = detect_compression(header);
    if (format != CompressedFormat::zstd && format != CompressedFormat::lz4) {
      fail("what follows the skippable frames is neither zstd nor lz4 data");
    }
    CompressedData behind = data();
    behind.read = chain(std::move(header), std::move(source));
    rest_ = open(*format, std::move(behind));
  }

  bool begun_ = false;
  std::unique_ptr<Decompressor> rest_;
  std::string text_;  // the whole text, if the data are not compressed after all
  std::size_t at_ = 0;
};

}  // namespace

std::optional<CompressedFormat> detect_compression(std::string_view head) noexcept {
  head = head.substr(0, compression_head_bytes);
  if (starts_gzip(head)) return CompressedFormat::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return CompressedFormat::zstd;
  if (head.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) return CompressedFormat::xz;
  if (starts_bzip2(head)) return CompressedFormat::bzip2;
  if (head.starts_with("\x04\x22\x4d\x18"sv) || head.starts_with("\x02\x21\x4c\x18"sv)) return CompressedFormat::lz4;
  if (starts_skippable_frame(head)) return CompressedFormat::skippable_frame;
  return std::nullopt;
}

std::unique_ptr<Decompressor> Decompressor::open(CompressedFormat format, CompressedData data) {
  switch (format) {
    case CompressedFormat::gzip: return open_gzip(std::move(data));
    case CompressedFormat::zstd: return open_zstd(std::move(data));
    case CompressedFormat::xz: return open_xz(std::move(data));
    case CompressedFormat::bzip2: return open_bzip2(std::move(data));
    case CompressedFormat::lz4: return open_lz4(std::move(data));
    case CompressedFormat::skippable_frame: break;
  }
  return std::make_unique<BehindSkippableFrames>(std::move(data));
}

Decompressor::Decompressor(CompressedData data)
    : data_(std::move(data)), compressed_(std::make_unique_for_overwrite<char[]>(compressed_bytes)) {}

std::size_t Decompressor::read(std::span<char> into) {
  if (failure_) throw Error(*failure_);
  if (into.empty()) return 0;
  try {
    return unpack(into);
  } catch (const Error& error) {
    failure_ = error;
    throw;
  }
}

std::span<char> Decompressor::next_compressed() {
  const std::span<char> room(compressed_.get(), compressed_bytes);
  return room.first(data_.read(room));
}

void Decompressor::fail(const std::string& reason) const {
  throw Error(ErrorKind::input_output, data_.name + ": " + reason);
}

void Decompressor::fail_beyond_limit(std::uint64_t needed_bytes) const {
  throw Error(ErrorKind::limit, data_.name + ": unpacking needs " + std::to_string(needed_bytes) +
                                    " bytes, more than the memory limit leaves for it (" +
                                    std::to_string(data_.memory_limit_bytes) + "); raise --memory-limit");
}

std::size_t Decompressor::fail_behind(std::size_t written, const std::string& reason) {
  if (written == 0) fail(reason);
  failure_ = Error(ErrorKind::input_output, data_.name + ": " + reason);
  return written;
}

}  // namespace lode::io
