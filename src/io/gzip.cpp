// gzip data, through zlib.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/decompressor.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

// The functions in use, with the types of the header that this was compiled against.
struct GzipLibrary {
  base::DynamicLibrary object;
  decltype(::inflateInit2_)* begin = nullptr;
  decltype(::inflate)* inflate = nullptr;
  decltype(::inflateReset)* reset = nullptr;
  decltype(::inflateEnd)* end = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

GzipLibrary load_gzip_library() {
  GzipLibrary loaded;
  loaded.object = base::DynamicLibrary::open({"libz.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "gzip data need zlib, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("inflateInit2_", loaded.begin) || !from.bind("inflate", loaded.inflate) ||
             !from.bind("inflateReset", loaded.reset) || !from.bind("inflateEnd", loaded.end)) {
    loaded.reason = "gzip data need another version of zlib";
  }
  return loaded;
}

const GzipLibrary& gzip_library() {
  static const GzipLibrary loaded = load_gzip_library();
  return loaded;
}

class Gzip final : public Decompressor {
 public:
  explicit Gzip(CompressedData data) : Decompressor(std::move(data)) {
    if (!gzip_library().reason.empty()) fail(gzip_library().reason);
    constexpr int window_bits_of_gzip = 15 + 16;
    if (gzip_library().begin(&stream_, window_bits_of_gzip, ZLIB_VERSION, sizeof stream_) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() override { gzip_library().end(&stream_); }

 private:
  std::size_t unpack(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), UINT32_MAX));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room && (in_member_ || begin_member())) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0) fail("the gzip data end in the middle");
      const int result = gzip_library().inflate(&stream_, Z_NO_FLUSH);
      in_member_ = result != Z_STREAM_END;
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END) {
        return fail_behind(room - stream_.avail_out, std::string("damaged gzip data: ") +
                                                         (stream_.msg != nullptr ? stream_.msg : "no such code"));
      }
    }
    return room - stream_.avail_out;
  }

  // Begins the next member. Returns false if nothing follows but zero bytes, which tapes leave as padding.
  bool begin_member() {
    while (true) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0) return false;
      if (*stream_.next_in != 0) break;
      --stream_.avail_in;
      ++stream_.next_in;
      is_padded_ = true;
    }
    constexpr Bytef first_of_member = 0x1f;
    if (is_padded_ || *stream_.next_in != first_of_member) fail("something else follows the gzip data");
    gzip_library().reset(&stream_);
    return in_member_ = true;
  }

  void refill() {
    const std::span<char> more = next_compressed();
    stream_.next_in = reinterpret_cast<Bytef*>(more.data());
    stream_.avail_in = static_cast<uInt>(more.size());
  }

  z_stream stream_{};
  bool in_member_ = true;
  bool is_padded_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> open_gzip(CompressedData data) { return std::make_unique<Gzip>(std::move(data)); }

}  // namespace lode::io
