#include "io/compressor.hpp"

#include <utility>

#include "lode/error.hpp"

namespace lode::io {
namespace {

constexpr std::size_t packed_bytes = std::size_t{1} << 17;

}  // namespace

std::optional<CompressedFormat> format_of_name(std::string_view name) noexcept {
  constexpr std::pair<std::string_view, CompressedFormat> endings[] = {{".gz", CompressedFormat::gzip},
                                                                       {".zst", CompressedFormat::zstd},
                                                                       {".xz", CompressedFormat::xz},
                                                                       {".bz2", CompressedFormat::bzip2},
                                                                       {".lz4", CompressedFormat::lz4}};
  for (const auto& [ending, format] : endings)
    if (name.ends_with(ending)) return format;
  return std::nullopt;
}

std::string_view format_name(CompressedFormat format) noexcept {
  switch (format) {
    case CompressedFormat::gzip: return "gzip";
    case CompressedFormat::zstd: return "zstd";
    case CompressedFormat::xz: return "xz";
    case CompressedFormat::bzip2: return "bzip2";
    case CompressedFormat::lz4: return "lz4";
    case CompressedFormat::skippable_frame: break;
  }
  return "zstd or lz4";
}

std::unique_ptr<Compressor> Compressor::open(CompressedFormat format, CompressorOptions options) {
  switch (format) {
    case CompressedFormat::gzip: return make_gzip(std::move(options));
    case CompressedFormat::xz: return make_xz(std::move(options));
    case CompressedFormat::bzip2: return make_bzip2(std::move(options));
    case CompressedFormat::lz4: return make_lz4(std::move(options));
    case CompressedFormat::zstd:
    case CompressedFormat::skippable_frame: break;
  }
  return make_zstd(std::move(options));
}

Compressor::Compressor(CompressorOptions options) : options_(std::move(options)), room_(packed_bytes) {}

void Compressor::fail(const std::string& reason) const {
  throw Error(ErrorKind::input_output, options_.name + ": " + reason);
}

void Compressor::fail_beyond_limit() const {
  throw Error(ErrorKind::limit, options_.name + ": packing needs more memory than the limit leaves for it (" +
                                    std::to_string(options_.memory_limit_bytes) + " bytes); raise --memory-limit");
}

}  // namespace lode::io
