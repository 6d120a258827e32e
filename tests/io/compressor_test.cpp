// Packed data come back from the decompressor as they were, whatever the pieces.
#include "io/compressor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/decompressor.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/scenarios.hpp"

namespace lode::tests {
namespace {

using io::CompressedFormat;

constexpr CompressedFormat formats[] = {CompressedFormat::gzip, CompressedFormat::zstd, CompressedFormat::xz,
                                        CompressedFormat::bzip2, CompressedFormat::lz4};

io::CompressorOptions options_into(std::string& packed, std::uint64_t memory_limit_bytes = 0) {
  return {[&packed](std::string_view bytes) { packed += bytes; }, "a", memory_limit_bytes};
}

std::string packed_in_pieces(CompressedFormat format, std::string_view text, Random& random) {
  std::string packed;
  const auto compressor = io::Compressor::open(format, options_into(packed));
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), random.scale(1, 300'000));
    compressor->write(text.substr(0, size));
    text.remove_prefix(size);
    if (random.chance(10)) compressor->write({});
  }
  compressor->finish();
  return packed;
}

std::string unpacked(CompressedFormat format, const std::string& packed) {
  io::CompressedData data;
  data.read = [&, at = std::size_t{0}](std::span<char> into) mutable {
    const std::size_t got = packed.copy(into.data(), into.size(), at);
    at += got;
    return got;
  };
  data.name = "a";
  const auto decompressor = io::Decompressor::open(format, std::move(data));
  std::string text;
  std::vector<char> piece(100'000);
  while (const std::size_t got = decompressor->read(piece)) text.append(piece.data(), got);
  return text;
}

TEST(Compressor, WhatIsPackedComesBack) {
  Random random = make_random("Compressor");
  for (const CompressedFormat format : formats) {
    SCOPED_TRACE(io::format_name(format));
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, std::size_t{3'000'000}}) {
      std::string text(size, 'a');
      const bool is_random = random.chance(50);
      for (std::size_t at = 0; at < size; at += is_random ? 1 : 1000) text[at] = static_cast<char>(random.below(256));
      const std::string packed = packed_in_pieces(format, text, random);
      EXPECT_EQ(io::detect_compression(std::string_view(packed).substr(0, io::compression_head_bytes)), format);
      ASSERT_TRUE(unpacked(format, packed) == text) << size << " bytes";
      EXPECT_TRUE(
          throws_error(ErrorKind::input_output, [&] { unpacked(format, packed.substr(0, packed.size() - 1)); }));
    }
  }
}

TEST(Compressor, KeepsToAMemoryLimit) {
  for (const CompressedFormat format : {CompressedFormat::xz, CompressedFormat::bzip2}) {
    std::string packed;
    const auto compressor = io::Compressor::open(format, options_into(packed, 5'000'000));
    compressor->write("kitty");
    compressor->finish();
    EXPECT_EQ(unpacked(format, packed), "kitty");
    EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { io::Compressor::open(format, options_into(packed, 1'000'000)); }));
  }
}

TEST(Compressor, NamesTellFormats) {
  EXPECT_EQ(io::format_of_name("a.gz"), CompressedFormat::gzip);
  EXPECT_EQ(io::format_of_name("folder.xz/a.zst"), CompressedFormat::zstd);
  EXPECT_EQ(io::format_of_name(".xz"), CompressedFormat::xz);
  EXPECT_EQ(io::format_of_name("a.gz.bz2"), CompressedFormat::bzip2);
  EXPECT_EQ(io::format_of_name("a.lz4"), CompressedFormat::lz4);
  for (const char* const name : {"", "gz", "a.gz.old", "a.gz/b", "a.GZ", "a.tgz"})
    EXPECT_EQ(io::format_of_name(name), std::nullopt) << name;
}

}  // namespace
}  // namespace lode::tests
