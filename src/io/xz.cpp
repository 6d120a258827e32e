// xz data, through liblzma, which keeps to the memory limit by itself.
#include <lzma.h>

#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/compressor.hpp"
#include "io/decompressor.hpp"

namespace lode::io {
namespace {

// The functions in use, with the types of the header that this was compiled against.
struct XzLibrary {
  base::DynamicLibrary object;
  decltype(::lzma_stream_decoder)* begin = nullptr;
  decltype(::lzma_easy_encoder)* begin_packing = nullptr;
  decltype(::lzma_easy_encoder_memusage)* packing_memory = nullptr;
  decltype(::lzma_code)* code = nullptr;
  decltype(::lzma_memusage)* memory_usage = nullptr;
  decltype(::lzma_end)* end = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

XzLibrary load_xz_library() {
  XzLibrary loaded;
  loaded.object = base::DynamicLibrary::open({"liblzma.so.5"});
  if (!loaded.object.loaded()) {
    loaded.reason = "xz data need liblzma, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("lzma_stream_decoder", loaded.begin) || !from.bind("lzma_code", loaded.code) ||
             !from.bind("lzma_easy_encoder", loaded.begin_packing) ||
             !from.bind("lzma_easy_encoder_memusage", loaded.packing_memory) ||
             !from.bind("lzma_memusage", loaded.memory_usage) || !from.bind("lzma_end", loaded.end)) {
    loaded.reason = "xz data need another version of liblzma";
  }
  return loaded;
}

const XzLibrary& xz_library() {
  static const XzLibrary loaded = load_xz_library();
  return loaded;
}

const char* describe(lzma_ret result) {
  switch (result) {
    case LZMA_BUF_ERROR: return "the xz data end in the middle";
    case LZMA_FORMAT_ERROR: return "something else follows the xz data";
    case LZMA_OPTIONS_ERROR: return "the xz data have options that liblzma does not know";
    default: return "damaged xz data, or something else behind them";
  }
}

class Xz final : public Decompressor {
 public:
  explicit Xz(CompressedData data) : Decompressor(std::move(data)) {
    if (!xz_library().reason.empty()) fail(xz_library().reason);
    const std::uint64_t limit = memory_limit_bytes() > 0 ? memory_limit_bytes() : UINT64_MAX;
    if (xz_library().begin(&stream_, limit, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~Xz() override { xz_library().end(&stream_); }

 private:
  std::size_t unpack(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(into.data());
    stream_.avail_out = into.size();
    while (stream_.avail_out == into.size() && !has_ended_) {
      if (stream_.avail_in == 0 && !is_last_) {
        const std::span<char> more = next_compressed();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(more.data());
        stream_.avail_in = more.size();
        is_last_ = more.empty();
      }
      const lzma_ret result = xz_library().code(&stream_, is_last_ ? LZMA_FINISH : LZMA_RUN);
      has_ended_ = result == LZMA_STREAM_END;
      if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (result == LZMA_MEMLIMIT_ERROR) fail_beyond_limit(xz_library().memory_usage(&stream_));
      if (result != LZMA_OK && !has_ended_) return fail_behind(into.size() - stream_.avail_out, describe(result));
    }
    return into.size() - stream_.avail_out;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_last_ = false;  // whether the data have ended
  bool has_ended_ = false;
};

class XzMaker final : public Compressor {
 public:
  explicit XzMaker(CompressorOptions options) : Compressor(std::move(options)) {
    if (!xz_library().reason.empty()) fail(xz_library().reason);
    std::uint32_t preset = LZMA_PRESET_DEFAULT;
    while (memory_limit_bytes() > 0 && xz_library().packing_memory(preset) > memory_limit_bytes()) {
      if (preset == 0) fail_beyond_limit();
      --preset;
    }
    if (xz_library().begin_packing(&stream_, preset, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzMaker() override { xz_library().end(&stream_); }

  void write(std::string_view plain) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(plain.data());
    stream_.avail_in = plain.size();
    while (stream_.avail_in > 0) step(LZMA_RUN);
  }
  void finish() override {
    while (step(LZMA_FINISH) != LZMA_STREAM_END) {
    }
  }

 private:
  lzma_ret step(lzma_action action) {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room().data());
    stream_.avail_out = room().size();
    const lzma_ret result = xz_library().code(&stream_, action);
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (result != LZMA_OK && result != LZMA_STREAM_END) fail("liblzma cannot pack the data");
    pass_on(room().size() - stream_.avail_out);
    return result;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<Compressor> make_xz(CompressorOptions options) { return std::make_unique<XzMaker>(std::move(options)); }

std::unique_ptr<Decompressor> open_xz(CompressedData data) { return std::make_unique<Xz>(std::move(data)); }

}  // namespace lode::io
