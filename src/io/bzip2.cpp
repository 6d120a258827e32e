// bzip2 data, through libbz2.
#include <bzlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/compressor.hpp"
#include "io/decompressor.hpp"

namespace lode::io {
namespace {

// The memory that libbz2 takes for the largest blocks. By its manual that is 100 000 bytes, and four for each byte of a
// block, which has at most 900 000.
constexpr std::uint64_t most_memory_bytes = 3'700'000;

// The functions in use, with the types of the header that this was compiled against.
struct Bzip2Library {
  base::DynamicLibrary object;
  decltype(::BZ2_bzDecompressInit)* begin = nullptr;
  decltype(::BZ2_bzDecompress)* decompress = nullptr;
  decltype(::BZ2_bzDecompressEnd)* end = nullptr;
  decltype(::BZ2_bzCompressInit)* begin_packing = nullptr;
  decltype(::BZ2_bzCompress)* compress = nullptr;
  decltype(::BZ2_bzCompressEnd)* end_packing = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

Bzip2Library load_bzip2_library() {
  Bzip2Library loaded;
  loaded.object = base::DynamicLibrary::open({"libbz2.so.1.0", "libbz2.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "bzip2 data need libbz2, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("BZ2_bzDecompressInit", loaded.begin) || !from.bind("BZ2_bzDecompress", loaded.decompress) ||
             !from.bind("BZ2_bzDecompressEnd", loaded.end) || !from.bind("BZ2_bzCompressInit", loaded.begin_packing) ||
             !from.bind("BZ2_bzCompress", loaded.compress) || !from.bind("BZ2_bzCompressEnd", loaded.end_packing)) {
    loaded.reason = "bzip2 data need another version of libbz2";
  }
  return loaded;
}

const Bzip2Library& bzip2_library() {
  static const Bzip2Library loaded = load_bzip2_library();
  return loaded;
}

class Bzip2 final : public Decompressor {
 public:
  explicit Bzip2(CompressedData data) : Decompressor(std::move(data)) {
    if (!bzip2_library().reason.empty()) fail(bzip2_library().reason);
    if (memory_limit_bytes() > 0 && memory_limit_bytes() < most_memory_bytes) fail_beyond_limit(most_memory_bytes);
  }
  ~Bzip2() override { bzip2_library().end(&stream_); }

 private:
  std::size_t unpack(std::span<char> into) override {
    stream_.next_out = into.data();
    stream_.avail_out = static_cast<unsigned>(std::min<std::size_t>(into.size(), UINT32_MAX));
    const unsigned room = stream_.avail_out;
    while (stream_.avail_out == room && !has_ended_) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0) {
        if (in_stream_) fail("the bzip2 data end in the middle");
        break;
      }
      if (!in_stream_) begin_stream();
      const int result = bzip2_library().decompress(&stream_);
      if (result == BZ_MEM_ERROR) throw std::bad_alloc();
      if (result == BZ_STREAM_END) {
        in_stream_ = false;
        ++streams_;
      } else if (result == BZ_DATA_ERROR_MAGIC && streams_ > 0) {
        has_ended_ = true;  // bzip2 ignores bytes that begin no stream
      } else if (result != BZ_OK) {
        return fail_behind(room - stream_.avail_out, "damaged bzip2 data");
      }
    }
    return room - stream_.avail_out;
  }

  void begin_stream() {
    bzip2_library().end(&stream_);
    if (bzip2_library().begin(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    in_stream_ = true;
  }

  void refill() {
    const std::span<char> more = next_compressed();
    stream_.next_in = more.data();
    stream_.avail_in = static_cast<unsigned>(more.size());
  }

  bz_stream stream_{};
  std::uint64_t streams_ = 0;  // number of streams that were unpacked
  bool in_stream_ = false;
  bool has_ended_ = false;
};

// By its manual libbz2 takes 400 000 bytes for packing, and eight for each byte of a block.
constexpr std::uint64_t packing_memory_bytes = 400'000;
constexpr std::uint64_t packing_memory_bytes_per_level = 800'000;

class Bzip2Maker final : public Compressor {
 public:
  explicit Bzip2Maker(CompressorOptions options) : Compressor(std::move(options)) {
    if (!bzip2_library().reason.empty()) fail(bzip2_library().reason);
    int level = 9;
    while (memory_limit_bytes() > 0 &&
           packing_memory_bytes + static_cast<unsigned>(level) * packing_memory_bytes_per_level >
               memory_limit_bytes()) {
      if (--level == 0) fail_beyond_limit();
    }
    if (bzip2_library().begin_packing(&stream_, level, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Bzip2Maker() override { bzip2_library().end_packing(&stream_); }

  void write(std::string_view plain) override {
    while (!plain.empty()) {
      const std::string_view some = plain.substr(0, UINT32_MAX);
      plain.remove_prefix(some.size());
      stream_.next_in = const_cast<char*>(some.data());  // libbz2 only reads it
      stream_.avail_in = static_cast<unsigned>(some.size());
      while (stream_.avail_in > 0) step(BZ_RUN);
    }
  }
  void finish() override {
    while (step(BZ_FINISH) != BZ_STREAM_END) {
    }
  }

 private:
  int step(int action) {
    stream_.next_out = room().data();
    stream_.avail_out = static_cast<unsigned>(room().size());
    const int result = bzip2_library().compress(&stream_, action);
    if (result != BZ_RUN_OK && result != BZ_FINISH_OK && result != BZ_STREAM_END) fail("libbz2 cannot pack the data");
    pass_on(room().size() - stream_.avail_out);
    return result;
  }

  bz_stream stream_{};
};

}  // namespace

std::unique_ptr<Compressor> make_bzip2(CompressorOptions options) {
  return std::make_unique<Bzip2Maker>(std::move(options));
}

std::unique_ptr<Decompressor> open_bzip2(CompressedData data) { return std::make_unique<Bzip2>(std::move(data)); }

}  // namespace lode::io
