// lz4 data, through its own library: libarchive's filter takes four bytes behind the last frame without a word, and the
// first empty frame for the end.
#include <lz4frame.h>

#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/decompressor.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

// The functions in use, with the types of the header that this was compiled against.
struct Library {
  base::DynamicLibrary object;
  decltype(::LZ4F_createDecompressionContext)* create = nullptr;
  decltype(::LZ4F_freeDecompressionContext)* destroy = nullptr;
  decltype(::LZ4F_decompress)* decompress = nullptr;
  decltype(::LZ4F_isError)* is_error = nullptr;
  decltype(::LZ4F_getErrorName)* error_name = nullptr;
  std::string reason;  // why it cannot be used; empty where it can
};

Library load_library() {
  Library loaded;
  loaded.object = base::DynamicLibrary::open({"liblz4.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "lz4 data need liblz4, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object; !from.bind("LZ4F_createDecompressionContext", loaded.create) ||
                                               !from.bind("LZ4F_freeDecompressionContext", loaded.destroy) ||
                                               !from.bind("LZ4F_decompress", loaded.decompress) ||
                                               !from.bind("LZ4F_isError", loaded.is_error) ||
                                               !from.bind("LZ4F_getErrorName", loaded.error_name)) {
    loaded.reason = "lz4 data need another version of liblz4";
  }
  return loaded;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

class Lz4 final : public Decompressor {
 public:
  Lz4(Source source, std::string name) : Decompressor(std::move(source), std::move(name)) {
    if (!library().reason.empty()) fail(library().reason);
    if (library().is_error(library().create(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4() override { library().destroy(context_); }

  std::size_t read(std::span<char> into) override {
    std::size_t written = 0;
    while (written == 0 && !into.empty()) {
      // What the library holds of a block comes out without more input.
      if (rest_.empty()) rest_ = next_compressed();
      if (rest_.empty() && !in_frame_) break;
      const bool has_ended = rest_.empty();
      std::size_t taken = rest_.size();
      written = into.size();
      const std::size_t wanted = library().decompress(context_, into.data(), &written, rest_.data(), &taken, nullptr);
      if (library().is_error(wanted) != 0)
        fail(std::string("damaged lz4 data, or something else behind them: ") + library().error_name(wanted));
      if (has_ended && written == 0) fail("the lz4 data end in the middle");
      in_frame_ = wanted != 0;
      rest_ = rest_.subspan(taken);
    }
    return written;
  }

 private:
  LZ4F_dctx* context_ = nullptr;
  std::span<char> rest_;  // compressed bytes that are still to be taken
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> open_lz4(Decompressor::Source source, std::string name) {
  return std::make_unique<Lz4>(std::move(source), std::move(name));
}

}  // namespace lode::io
