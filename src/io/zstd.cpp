// zstd data, through libzstd.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/compressor.hpp"
#include "io/decompressor.hpp"

namespace lode::io {
namespace {

// The functions in use, with the types of the header that this was compiled against.
struct ZstdLibrary {
  base::DynamicLibrary object;
  decltype(::ZSTD_createDCtx)* create = nullptr;
  decltype(::ZSTD_freeDCtx)* destroy = nullptr;
  decltype(::ZSTD_DCtx_setParameter)* set_parameter = nullptr;
  decltype(::ZSTD_decompressStream)* decompress = nullptr;
  decltype(::ZSTD_createCCtx)* create_packing = nullptr;
  decltype(::ZSTD_freeCCtx)* destroy_packing = nullptr;
  decltype(::ZSTD_CCtx_setParameter)* set_packing_parameter = nullptr;
  decltype(::ZSTD_compressStream2)* compress = nullptr;
  decltype(::ZSTD_isError)* is_error = nullptr;
  decltype(::ZSTD_getErrorCode)* error_code = nullptr;
  decltype(::ZSTD_getErrorName)* error_name = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

ZstdLibrary load_zstd_library() {
  ZstdLibrary loaded;
  loaded.object = base::DynamicLibrary::open({"libzstd.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "zstd data need libzstd, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("ZSTD_createDCtx", loaded.create) || !from.bind("ZSTD_freeDCtx", loaded.destroy) ||
             !from.bind("ZSTD_DCtx_setParameter", loaded.set_parameter) ||
             !from.bind("ZSTD_decompressStream", loaded.decompress) ||
             !from.bind("ZSTD_createCCtx", loaded.create_packing) ||
             !from.bind("ZSTD_freeCCtx", loaded.destroy_packing) ||
             !from.bind("ZSTD_CCtx_setParameter", loaded.set_packing_parameter) ||
             !from.bind("ZSTD_compressStream2", loaded.compress) || !from.bind("ZSTD_isError", loaded.is_error) ||
             !from.bind("ZSTD_getErrorCode", loaded.error_code) || !from.bind("ZSTD_getErrorName", loaded.error_name)) {
    loaded.reason = "zstd data need libzstd of version 1.4 or later";
  }
  return loaded;
}

const ZstdLibrary& zstd_library() {
  static const ZstdLibrary loaded = load_zstd_library();
  return loaded;
}

class Zstd final : public Decompressor {
 public:
  explicit Zstd(CompressedData data) : Decompressor(std::move(data)) {
    if (!zstd_library().reason.empty()) fail(zstd_library().reason);
    context_.reset(zstd_library().create());
    if (!context_) throw std::bad_alloc();
    if (memory_limit_bytes() == 0) return;  // the library's default is that of the program: 128 MiB
    const int window_bits = std::bit_width(memory_limit_bytes()) - 1;
    zstd_library().set_parameter(context_.get(), ZSTD_d_windowLogMax, std::clamp(window_bits, 10, 31));
  }

 private:
  struct Destroy {
    void operator()(ZSTD_DCtx* context) const { zstd_library().destroy(context); }
  };

  // If a call fails, the library does not say what it wrote. So it never gets more than one block, but with it the
  // header of the next one, which it wants. Nor does it ever get a whole frame at once, which it would unpack in one
  // go.
  static constexpr std::size_t block_header_bytes = 3;
  static constexpr std::size_t part_of_frame_bytes = 5;

  std::size_t unpack(std::span<char> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0) {
      if (rest_.empty()) rest_ = next_compressed();
      const bool is_last = rest_.empty();
      if (is_last && !in_frame_) break;
      ZSTD_inBuffer in{rest_.data(), std::min(rest_.size(), part_bytes_), 0};
      const std::size_t wanted = zstd_library().decompress(context_.get(), &out, &in);
      if (zstd_library().is_error(wanted) != 0) fail_with(wanted);
      rest_ = rest_.subspan(in.pos);
      in_frame_ = wanted != 0;
      part_bytes_ = !in_frame_                    ? part_of_frame_bytes
                    : wanted > block_header_bytes ? wanted - block_header_bytes
                                                  : wanted;
      if (is_last && out.pos == 0) fail("the zstd data end in the middle");
    }
    return out.pos;
  }

  [[noreturn]] void fail_with(std::size_t error) const {
    if (zstd_library().error_code(error) == ZSTD_error_frameParameter_windowTooLarge) {
      throw Error(ErrorKind::limit,
                  data().name + ": unpacking needs more memory than the limit leaves for it; raise --memory-limit");
    }
    fail(std::string("damaged zstd data, or something else behind them: ") + zstd_library().error_name(error));
  }

  std::unique_ptr<ZSTD_DCtx, Destroy> context_;
  std::span<char> rest_;                          // compressed bytes that are still to be taken
  std::size_t part_bytes_ = part_of_frame_bytes;  // the most bytes that the library may get now
  bool in_frame_ = false;
};

class ZstdMaker final : public Compressor {
 public:
  explicit ZstdMaker(CompressorOptions options) : Compressor(std::move(options)) {
    if (!zstd_library().reason.empty()) fail(zstd_library().reason);
    context_.reset(zstd_library().create_packing());
    if (!context_) throw std::bad_alloc();
    zstd_library().set_packing_parameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view plain) override {
    ZSTD_inBuffer in{plain.data(), plain.size(), 0};
    while (in.pos < in.size) step(in, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer none{nullptr, 0, 0};
    while (step(none, ZSTD_e_end) != 0) {
    }
  }

 private:
  struct Destroy {
    void operator()(ZSTD_CCtx* context) const { zstd_library().destroy_packing(context); }
  };

  // Returns how many bytes are left to be passed on, at least.
  std::size_t step(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer out{room().data(), room().size(), 0};
    const std::size_t left = zstd_library().compress(context_.get(), &out, &in, directive);
    if (zstd_library().is_error(left) != 0)
      fail(std::string("libzstd cannot pack the data: ") + zstd_library().error_name(left));
    pass_on(out.pos);
    return left;
  }

  std::unique_ptr<ZSTD_CCtx, Destroy> context_;
};

}  // namespace

std::unique_ptr<Compressor> make_zstd(CompressorOptions options) {
  return std::make_unique<ZstdMaker>(std::move(options));
}

std::unique_ptr<Decompressor> open_zstd(CompressedData data) { return std::make_unique<Zstd>(std::move(data)); }

}  // namespace lode::io
