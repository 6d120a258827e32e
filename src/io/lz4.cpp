// lz4 data, through liblz4. The library skips skippable frames. Of the legacy format it knows only blocks, so frames of
// that format are read here.
#include <lz4.h>
#include <lz4frame.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "base/bytes.hpp"
#include "base/dynamic_library.hpp"
#include "io/compressor.hpp"
#include "io/decompressor.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

// A frame of the legacy format is a magic number, then blocks, each behind its size, up to the end of the data or the
// next magic number.
constexpr std::uint32_t legacy_magic = 0x184c2102;
constexpr std::uint32_t legacy_block_bytes = std::uint32_t{8} << 20;
constexpr std::uint32_t largest_legacy_block = LZ4_COMPRESSBOUND(legacy_block_bytes);
constexpr std::uint32_t frame_magic = 0x184d2204;
constexpr std::uint64_t linked_bytes = std::uint64_t{1} << 17;  // bytes of earlier blocks, to which a block may refer

// The functions in use, with the types of the header that this was compiled against.
struct Lz4Library {
  base::DynamicLibrary object;
  decltype(::LZ4F_createDecompressionContext)* create = nullptr;
  decltype(::LZ4F_freeDecompressionContext)* destroy = nullptr;
  decltype(::LZ4F_decompress)* decompress = nullptr;
  decltype(::LZ4_decompress_safe)* decompress_block = nullptr;
  decltype(::LZ4F_createCompressionContext)* create_packing = nullptr;
  decltype(::LZ4F_freeCompressionContext)* destroy_packing = nullptr;
  decltype(::LZ4F_compressBound)* bound = nullptr;
  decltype(::LZ4F_compressBegin)* begin_packing = nullptr;
  decltype(::LZ4F_compressUpdate)* compress = nullptr;
  decltype(::LZ4F_compressEnd)* end_packing = nullptr;
  decltype(::LZ4F_isError)* is_error = nullptr;
  decltype(::LZ4F_getErrorName)* error_name = nullptr;
  std::string reason;  // why it cannot be used; empty if it can
};

Lz4Library load_lz4_library() {
  Lz4Library loaded;
  loaded.object = base::DynamicLibrary::open({"liblz4.so.1"});
  if (!loaded.object.loaded()) {
    loaded.reason = "lz4 data need liblz4, which is not there (" + loaded.object.reason() + ")";
  } else if (const auto& from = loaded.object;
             !from.bind("LZ4F_createDecompressionContext", loaded.create) ||
             !from.bind("LZ4F_freeDecompressionContext", loaded.destroy) ||
             !from.bind("LZ4F_decompress", loaded.decompress) ||
             !from.bind("LZ4_decompress_safe", loaded.decompress_block) ||
             !from.bind("LZ4F_createCompressionContext", loaded.create_packing) ||
             !from.bind("LZ4F_freeCompressionContext", loaded.destroy_packing) ||
             !from.bind("LZ4F_compressBound", loaded.bound) || !from.bind("LZ4F_compressBegin", loaded.begin_packing) ||
             !from.bind("LZ4F_compressUpdate", loaded.compress) || !from.bind("LZ4F_compressEnd", loaded.end_packing) ||
             !from.bind("LZ4F_isError", loaded.is_error) || !from.bind("LZ4F_getErrorName", loaded.error_name)) {
    loaded.reason = "lz4 data need another version of liblz4";
  }
  return loaded;
}

const Lz4Library& lz4_library() {
  static const Lz4Library loaded = load_lz4_library();
  return loaded;
}

class Lz4 final : public Decompressor {
 public:
  explicit Lz4(CompressedData data) : Decompressor(std::move(data)) {
    if (!lz4_library().reason.empty()) fail(lz4_library().reason);
    if (lz4_library().is_error(lz4_library().create(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4() override { lz4_library().destroy(context_); }

 private:
  std::size_t unpack(std::span<char> into) override {
    std::size_t written = 0;
    while (written == 0) {
      if (in_frame_)
        written = read_frame(into);
      else if (!legacy_block_.empty())
        written = read_legacy_block(into);
      else if (!begin_frame_or_legacy_block())
        break;
    }
    return written;
  }

  // Begins a frame of the library's format, or reads a legacy block. Returns false at the end of the data.
  bool begin_frame_or_legacy_block() {
    std::array<char, sizeof(std::uint32_t)> word;
    const std::size_t taken = take(word);
    if (taken == 0) return false;
    if (taken < word.size()) fail_cut();
    const std::uint32_t magic_or_size = load_u32(reinterpret_cast<const std::uint8_t*>(word.data()));
    if (in_legacy_frame_ && magic_or_size <= largest_legacy_block) {
      decompress_legacy_block(magic_or_size);
      return true;
    }
    in_legacy_frame_ = magic_or_size == legacy_magic;
    if (in_legacy_frame_) return true;
    decompress({}, word);
    if (magic_or_size == frame_magic) begin_frame();
    return true;
  }

  // Reads the two bytes that tell the size of blocks, and checks the memory limit before the library gets them: once it
  // has the whole header, it takes memory for two blocks.
  void begin_frame() {
    std::array<char, 2> flags_and_sizes;
    if (take(flags_and_sizes) < flags_and_sizes.size()) fail_cut();
    const int block_size_code = flags_and_sizes[1] >> 4 & 7;
    check_memory((std::uint64_t{2} << (8 + 2 * block_size_code)) + linked_bytes);
    decompress({}, flags_and_sizes);
  }

  void check_memory(std::uint64_t needed_bytes) const {
    if (memory_limit_bytes() > 0 && needed_bytes > memory_limit_bytes()) fail_beyond_limit(needed_bytes);
  }

  std::size_t read_frame(std::span<char> into) {
    // At the end of the data, bytes that the library still holds come out without more input.
    if (rest_.empty()) rest_ = next_compressed();
    const bool has_ended = rest_.empty();
    const auto [written, taken] = decompress(into, rest_.first(std::min(rest_.size(), block_rest_bytes_)));
    if (has_ended && written == 0) fail_cut();
    rest_ = rest_.subspan(taken);
    return written;
  }

  struct Progress {
    std::size_t written;
    std::size_t taken;
  };

  Progress decompress(std::span<char> into, std::span<const char> from) {
    Progress progress{into.size(), from.size()};
    const std::size_t wanted =
        lz4_library().decompress(context_, into.data(), &progress.written, from.data(), &progress.taken, nullptr);
    if (lz4_library().is_error(wanted) != 0)
      fail(std::string("damaged lz4 data, or something else behind them: ") + lz4_library().error_name(wanted));
    // If a call fails, the library does not say what it wrote. So it never gets more than one block, but with it the
    // size of the next one, which it wants.
    constexpr std::size_t size_bytes = sizeof(std::uint32_t);
    block_rest_bytes_ = wanted > size_bytes ? wanted - size_bytes : wanted;
    in_frame_ = wanted != 0;
    return progress;
  }

  void decompress_legacy_block(std::uint32_t size) {
    if (!plain_) {
      check_memory(std::uint64_t{largest_legacy_block} + legacy_block_bytes);
      packed_ = std::make_unique_for_overwrite<char[]>(largest_legacy_block);
      plain_ = std::make_unique_for_overwrite<char[]>(legacy_block_bytes);
    }
    if (take({packed_.get(), size}) < size) fail_cut();
    const int plain_bytes =
        lz4_library().decompress_block(packed_.get(), plain_.get(), static_cast<int>(size), legacy_block_bytes);
    if (plain_bytes < 0) fail("damaged lz4 data");
    legacy_block_ = {plain_.get(), static_cast<std::size_t>(plain_bytes)};
  }

  std::size_t read_legacy_block(std::span<char> into) {
    const auto piece = legacy_block_.first(std::min(legacy_block_.size(), into.size()));
    std::copy(piece.begin(), piece.end(), into.begin());
    legacy_block_ = legacy_block_.subspan(piece.size());
    return piece.size();
  }

  // Takes compressed bytes, as many as the span holds; fewer only at the end.
  std::size_t take(std::span<char> into) {
    std::size_t taken = 0;
    while (taken < into.size()) {
      if (rest_.empty()) rest_ = next_compressed();
      if (rest_.empty()) break;
      const auto piece = rest_.first(std::min(rest_.size(), into.size() - taken));
      std::copy(piece.begin(), piece.end(), into.begin() + static_cast<std::ptrdiff_t>(taken));
      rest_ = rest_.subspan(piece.size());
      taken += piece.size();
    }
    return taken;
  }

  [[noreturn]] void fail_cut() const { fail("the lz4 data end in the middle"); }

  LZ4F_dctx* context_ = nullptr;
  std::span<const char> rest_;        // compressed bytes that are still to be taken
  std::size_t block_rest_bytes_ = 0;  // the most bytes that the library may get now
  bool in_frame_ = false;             // in a frame of the library's format
  bool in_legacy_frame_ = false;
  std::span<const char> legacy_block_;  // plain bytes of the last block that are still to be read
  std::unique_ptr<char[]> packed_;      // one compressed legacy block; allocated for the first
  std::unique_ptr<char[]> plain_;
};

// Blocks of 64 KiB, each of which may refer to the one before. To unpack them takes little memory.
class Lz4Maker final : public Compressor {
 public:
  explicit Lz4Maker(CompressorOptions options) : Compressor(std::move(options)) {
    if (!lz4_library().reason.empty()) fail(lz4_library().reason);
    LZ4F_cctx* context = nullptr;
    if (lz4_library().is_error(lz4_library().create_packing(&context, LZ4F_VERSION)) != 0) throw std::bad_alloc();
    context_.reset(context);
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    make_room(std::max<std::size_t>(lz4_library().bound(part_bytes, &preferences_), LZ4F_HEADER_SIZE_MAX));
    pass_on_checked(lz4_library().begin_packing(context_.get(), room().data(), room().size(), &preferences_));
  }

  void write(std::string_view plain) override {
    while (!plain.empty()) {
      const std::string_view part = plain.substr(0, part_bytes);
      plain.remove_prefix(part.size());
      pass_on_checked(
          lz4_library().compress(context_.get(), room().data(), room().size(), part.data(), part.size(), nullptr));
    }
  }
  void finish() override {
    pass_on_checked(lz4_library().end_packing(context_.get(), room().data(), room().size(), nullptr));
  }

 private:
  struct Destroy {
    void operator()(LZ4F_cctx* context) const { lz4_library().destroy_packing(context); }
  };
  static constexpr std::size_t part_bytes = std::size_t{1} << 16;

  void pass_on_checked(std::size_t result) {
    if (lz4_library().is_error(result) != 0)
      fail(std::string("liblz4 cannot pack the data: ") + lz4_library().error_name(result));
    pass_on(result);
  }

  std::unique_ptr<LZ4F_cctx, Destroy> context_;
  LZ4F_preferences_t preferences_{};
};

}  // namespace

std::unique_ptr<Compressor> make_lz4(CompressorOptions options) {
  return std::make_unique<Lz4Maker>(std::move(options));
}

std::unique_ptr<Decompressor> open_lz4(CompressedData data) { return std::make_unique<Lz4>(std::move(data)); }

}  // namespace lode::io
