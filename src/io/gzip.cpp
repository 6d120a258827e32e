// gzip data, through zlib.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/compressor.hpp"
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
  decltype(::deflateInit2_)* begin_packing = nullptr;
  decltype(::deflate)* deflate = nullptr;
  decltype(::deflateEnd)* end_packing = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

GzipLibrary load_gzip_library() {
  GzipLibrary loaded;
  loaded.object = base::DynamicLibrary::open({"libz.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "gzip data need zlib, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("inflateInit2_", loaded.begin) || !from.bind("inflate", loaded.inflate) ||
             !from.bind("inflateReset", loaded.reset) || !from.bind("inflateEnd", loaded.end) ||
             !from.bind("deflateInit2_", loaded.begin_packing) || !from.bind("deflate", loaded.deflate) ||
             !from.bind("deflateEnd", loaded.end_packing)) {
    loaded.reason = "gzip data need another version of zlib";
  }
  return loaded;
}

const GzipLibrary& gzip_library() {
  static const GzipLibrary loaded = load_gzip_library();
  return loaded;
}

constexpr int window_bits_of_gzip = 15 + 16;

class Gzip final : public Decompressor {
 public:
  explicit Gzip(CompressedData data) : Decompressor(std::move(data)) {
    if (!gzip_library().reason.empty()) fail(gzip_library().reason);
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

class GzipMaker final : public Compressor {
 public:
  explicit GzipMaker(CompressorOptions options) : Compressor(std::move(options)) {
    if (!gzip_library().reason.empty()) fail(gzip_library().reason);
    constexpr int usual_memory_level = 8;
    if (gzip_library().begin_packing(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits_of_gzip,
                                     usual_memory_level, Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof stream_) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipMaker() override { gzip_library().end_packing(&stream_); }

  void write(std::string_view plain) override {
    while (!plain.empty()) {
      const std::string_view some = plain.substr(0, UINT32_MAX);
      plain.remove_prefix(some.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));  // zlib only reads it
      stream_.avail_in = static_cast<uInt>(some.size());
      while (stream_.avail_in > 0) step(Z_NO_FLUSH);
    }
  }
  void finish() override {
    while (step(Z_FINISH) != Z_STREAM_END) {
    }
  }

 private:
  int step(int flush) {
    stream_.next_out = reinterpret_cast<Bytef*>(room().data());
    stream_.avail_out = static_cast<uInt>(room().size());
    const int result = gzip_library().deflate(&stream_, flush);
    if (result != Z_OK && result != Z_STREAM_END) fail("zlib cannot pack the data");
    pass_on(room().size() - stream_.avail_out);
    return result;
  }

  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Compressor> make_gzip(CompressorOptions options) {
  return std::make_unique<GzipMaker>(std::move(options));
}

std::unique_ptr<Decompressor> open_gzip(CompressedData data) { return std::make_unique<Gzip>(std::move(data)); }

}  // namespace lode::io
