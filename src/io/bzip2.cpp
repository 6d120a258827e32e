// bzip2 data, through libbz2.
#include <bzlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
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
  std::string reason;  // why it cannot be used; empty if it can
};

Bzip2Library load_bzip2_library() {
  Bzip2Library loaded;
  loaded.object = base::DynamicLibrary::open({"libbz2.so.1.0", "libbz2.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "bzip2 data need libbz2, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object; !from.bind("BZ2_bzDecompressInit", loaded.begin) ||
                                               !from.bind("BZ2_bzDecompress", loaded.decompress) ||
                                               !from.bind("BZ2_bzDecompressEnd", loaded.end)) {
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

}  // namespace

std::unique_ptr<Decompressor> open_bzip2(CompressedData data) { return std::make_unique<Bzip2>(std::move(data)); }

}  // namespace lode::io
