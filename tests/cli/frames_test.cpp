// Tests compressed input (-z) with frames that only some formats have: skippable frames, which zstd and lz4 data may
// have before, between and behind their own, and lz4's legacy format.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compression.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

constexpr std::size_t legacy_magic_bytes = 4;
constexpr std::size_t skippable_header_bytes = 8;

std::string skippable_header(int kind, std::uint32_t size) {
  std::string header = {static_cast<char>(0x50 + kind), '\x2a', '\x4d', '\x18'};
  for (int shift = 0; shift < 32; shift += 8) header += static_cast<char>(size >> shift);
  return header;
}

std::string skippable_frame(int kind, const std::string& content) {
  return skippable_header(kind, static_cast<std::uint32_t>(content.size())) + content;
}

std::vector<std::string> every_cut(const std::string& packed, std::size_t from) {
  std::vector<std::string> cut;
  for (std::size_t left = from; left < packed.size(); ++left) cut.push_back(packed.substr(0, left));
  return cut;
}

/// Writes each of these to a file, and searches all files with one command.
void expect_all_damaged(const std::vector<std::string>& packed, const std::string& what) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"-z", "-c", "-e", "line"};
  for (std::size_t file = 0; file < packed.size(); ++file) {
    arguments.push_back(std::to_string(file));
    folder.write(arguments.back(), packed[file]);
  }
  const Outcome outcome = run_in(folder, arguments);
  EXPECT_EQ(outcome.status, 2) << what;
  std::istringstream counts(outcome.output), errors(outcome.errors);
  std::string count, error;
  for (std::size_t file = 0; file < packed.size(); ++file) {
    std::getline(counts, count);
    EXPECT_TRUE(packed.size() == 1 || count.starts_with(std::to_string(file) + ":")) << what << ": " << count;
    std::getline(errors, error);
    EXPECT_TRUE(error.starts_with("lode: " + std::to_string(file) + ": ")) << what << ", " << file << ": " << error;
  }
  EXPECT_FALSE(std::getline(errors, error)) << what << ": " << error;
}

TEST(CommandDecompression, SkippableFramesAreSkippedWhereverTheyStand) {
  const std::string text = numbered_lines(300);
  const std::string small = skippable_frame(0, "a line to be skipped\n");
  const std::string empty = skippable_frame(15, "");
  const std::string large = skippable_frame(7, numbered_lines(50'000));
  for (const auto& [name, packed] : {std::pair{"zst"s, packed_by("zstd", {"-c"}, text)},
                                     {"zst without checksum"s, packed_by("zstd", {"-c", "--no-check"}, text)},
                                     {"lz4"s, packed_by("lz4", {"-c"}, text)},
                                     {"legacy lz4"s, legacy_lz4(text)}}) {
    expect_searched_as(text, small + packed, name + " behind one");
    expect_searched_as(text, empty + packed, name + " behind an empty one");
    expect_searched_as(text, large + packed, name + " behind a large one");
    expect_searched_as(text, small + empty + large + small + packed, name + " behind several");
    expect_searched_as(text, packed + small, name + " in front of one");
    expect_searched_as(text, packed + empty, name + " in front of an empty one");
    expect_searched_as(text + text, packed + small + packed, name + " before and behind one");
    expect_searched_as(text + text + text,
                       empty + packed + large + small + packed + empty + small + packed + large + empty,
                       name + " among several");
  }
}

TEST(CommandDecompression, SkippableFramesAreOfSixteenKinds) {
  const std::string text = numbered_lines(300);
  const std::string packed = packed_by("zstd", {"-c"}, text);
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"-z", "-I", "-e", "line"};
  std::string expected;
  for (int kind = 0; kind < 16; ++kind) {
    arguments.push_back("frame-" + std::to_string(kind));
    folder.write(arguments.back(), skippable_frame(kind, "a line to be skipped\n") + packed);
    expected += text;
  }
  const Outcome outcome = run_in(folder, arguments);
  EXPECT_TRUE(outcome.output == expected) << outcome.output.size() << " against " << expected.size() << " bytes";
  EXPECT_EQ(outcome.errors, "");
}

// pzstd writes a skippable frame with the size before each of its frames.
TEST(CommandDecompression, PzstdFilesAreSearched) {
  const TemporaryFolder folder;
  const std::string text = numbered_lines(500'000);
  folder.write("text", text);
  const std::string packed = packed_by("pzstd", {"-q", "-1", "-p", "2", "-c", (folder.path() / "text").string()}, {});
  const std::string begin = skippable_header(0, 4);
  ASSERT_TRUE(packed.starts_with(begin));
  ASSERT_NE(packed.find(begin, 1), std::string::npos) << "only one frame";
  folder.write("packed", packed);
  for (const char* threads : {"1", "2"}) {
    const Outcome outcome = run_in(folder, {"--threads", threads, "-z", "-nb", "line 4999", "packed"});
    EXPECT_TRUE(outcome.output == run_in(folder, {"-nb", "line 4999", "text"}).output) << outcome.output.size();
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.status, 0);
  }
}

TEST(CommandDecompression, SkippableFramesAloneContainNothing) {
  const std::string small = skippable_frame(3, "a line to be skipped\n");
  const std::string empty = skippable_frame(0, "");
  expect_nothing_in(small, "line", "one");
  expect_nothing_in(empty, "M", "an empty one");
  expect_nothing_in(small + empty + small, "line", "several");
  expect_nothing_in(skippable_frame(0, numbered_lines(100'000)), "line", "a large one");
}

TEST(CommandDecompression, SkippableFramesThatAreCutAreDamaged) {
  const std::string frame = skippable_frame(0, "a line to be skipped\n");
  const std::string large = skippable_frame(0, numbered_lines(50'000));
  const std::string text = numbered_lines(40);
  expect_all_damaged(every_cut(frame, skippable_header_bytes), "cut");
  expect_damaged(frame.substr(0, frame.size() - 1), "cut at the end");
  expect_damaged(large.substr(0, large.size() - 1), "a large one");
  for (const std::string& packed : {frame, packed_by("zstd", {"-c"}, text), packed_by("lz4", {"-c"}, text),
                                    frame + packed_by("lz4", {"-c"}, text), legacy_lz4(text)}) {
    expect_all_damaged(every_cut(packed + frame, packed.size() + 1), "the last is cut");
    expect_damaged(packed + large.substr(0, large.size() - 1), "the last is cut and large");
  }
}

TEST(CommandDecompression, OnlyZstdAndLz4MayFollowSkippableFrames) {
  const std::string frame = skippable_frame(0, "skipped");
  const std::string text = numbered_lines(300);
  for (const char* plain : {"x", "\n", "four", "a line that is not compressed\n"}) {
    expect_damaged(frame + plain, "one and '"s + plain + "'");
    expect_damaged(frame + frame + plain, "two and '"s + plain + "'");
  }
  for (const char* program : {"gzip", "bzip2", "xz"}) {
    expect_damaged(frame + compressed(text, program), program);
  }
  for (const std::string& packed : {packed_by("zstd", {"-c"}, text), packed_by("lz4", {"-c"}, text)}) {
    expect_all_damaged(every_cut(frame + packed, frame.size() + 1), "what follows is cut");
    expect_damaged(frame + packed + "four", "something else behind what follows");
  }
}

TEST(CommandDecompression, LegacyLz4IsSearched) {
  constexpr std::size_t block_bytes = 8 * mebibyte;
  std::string long_text = numbered_lines(1000);
  for (const std::size_t end : {block_bytes, 2 * block_bytes}) {
    long_text += std::string(end - long_text.size() - 3, '.') + "line across blocks 9\n";
  }
  const std::string text = numbered_lines(1500);
  for (const std::string& content :
       {text, text + "line without end", long_text, long_text.substr(0, block_bytes - 1),
        long_text.substr(0, block_bytes), long_text.substr(0, block_bytes + 1), long_text.substr(0, 2 * block_bytes)}) {
    expect_searched_as(content, legacy_lz4(content), std::to_string(content.size()) + " bytes");
  }
  expect_nothing_in(legacy_lz4(""), "!L", "empty");

  const std::string legacy = legacy_lz4(text);
  const std::string frame = packed_by("lz4", {"-c"}, text);
  const std::string empty = legacy_lz4("");
  expect_searched_as(text + text, legacy + legacy, "one behind the other");
  expect_searched_as(text + long_text, legacy + legacy_lz4(long_text), "a long one behind");
  expect_searched_as(text + text, frame + legacy, "behind a frame");
  expect_searched_as(text + text + text, legacy + frame + legacy, "with a frame between");
  expect_searched_as(text + text, empty + legacy + empty + empty + frame + empty, "among empty ones");
}

TEST(CommandDecompression, LegacyLz4ThatIsCutOrChangedIsDamaged) {
  const std::string legacy = legacy_lz4(numbered_lines(40));
  ASSERT_EQ(legacy.substr(0, legacy_magic_bytes), "\x02\x21\x4c\x18");
  expect_all_damaged(every_cut(legacy, legacy_magic_bytes + 1), "cut");
  expect_damaged(legacy.substr(0, legacy.size() - 1), "cut at the end");
  for (std::size_t at = legacy_magic_bytes; at < 2 * legacy_magic_bytes; ++at) {
    expect_damaged(with_changed_byte(legacy, at), "size changed at " + std::to_string(at));
  }
  for (const char* garbage : {"x", "\n", "four", "a line that is not compressed\n"}) {
    expect_damaged(legacy + garbage, "and '"s + garbage + "'");
  }
  expect_damaged(legacy + std::string(4, '\0'), "and zero bytes");
  // This block unpacks to more than 8 MiB, because each byte repeats the first one.
  const std::string bomb = "\x1fx\1\0"s + std::string(40'000, '\xff') + "\0\x50xxxxx"s;
  const std::string size = skippable_header(0, static_cast<std::uint32_t>(bomb.size())).substr(legacy_magic_bytes);
  expect_damaged(legacy.substr(0, legacy_magic_bytes) + size + bomb, "too long a block");
}

TEST(CommandDecompression, LegacyLz4AndLongSkippableFramesNeedLittleMemory) {
  const TemporaryFolder folder;
  const std::string zeros = legacy_lz4(std::string(8 * mebibyte, '\0'));
  std::string bomb;
  for (int part = 0; part < 25; ++part) bomb += zeros;
  folder.write("bomb", bomb + legacy_lz4("last"));
  const Outcome searched = run_in(folder, {"-z", "--offsets", "last", "bomb"});
  EXPECT_EQ(searched.output, "209715200\t0\n");
  expect_peak_below(64, searched, "bomb");

  // The second size could also be the beginning of a text.
  for (const std::uint32_t size : {0x06123456U, 0x0a0a0a0aU}) {
    folder.write("frame", skippable_header(0, size));
    std::filesystem::resize_file(folder.path() / "frame", skippable_header_bytes + size - 1);
    const Outcome cut = run_in(folder, {"-z", "-c", "line", "frame"});
    EXPECT_TRUE(cut.errors.starts_with("lode: frame: ")) << size << ": " << cut.errors;
    EXPECT_EQ(cut.output, "0\n") << size;
    EXPECT_EQ(cut.status, 2) << size;
    std::filesystem::resize_file(folder.path() / "frame", skippable_header_bytes + size);
    std::ofstream(folder.path() / "frame", std::ios::binary | std::ios::app) << packed_by("zstd", {"-c"}, "a line\n");
    const Outcome whole = run_in(folder, {"-z", "-b", "line", "frame"});
    EXPECT_EQ(whole.output, "0:a line\n") << size;
    EXPECT_EQ(whole.errors, "") << size;
    expect_peak_below(64, cut, "frame that is cut");
    expect_peak_below(64, whole, "frame");
  }
}

TEST(CommandDecompression, LongTextMayBeginLikeASkippableFrame) {
  const std::string text = "P*M\x18 begins one\n" + numbered_lines(500'000);
  const TemporaryFolder folder;
  folder.write("text", text);
  for (const char* threads : {"1", "2"}) {
    const Outcome outcome = run_in(folder, {"--threads", threads, "-z", "-nb", "9999", "text"});
    EXPECT_TRUE(outcome.output == run_in(folder, {"-nb", "9999", "text"}).output) << outcome.output.size();
    EXPECT_EQ(outcome.errors, "");
  }
}

}  // namespace
}  // namespace lode::test
