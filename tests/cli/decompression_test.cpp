// Compressed input (-z): every format from files and pipes, long texts, bombs, members behind members, and skippable
// frames. Of what is cut or damaged all is told that can be unpacked, and then it is an error; what only begins like
// compressed data is plain text.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>

#include "process.hpp"
#include "sanitized.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

/// What a program writes of this, or of nothing, given through a pipe.
std::string packed_by(const std::string& program, const std::vector<std::string>& arguments,
                      const std::string& content) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = arguments;
  invocation.input = content;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.status, 0) << program << ": " << outcome.errors;
  return outcome.output;
}

struct Format {
  std::string name;
  std::string program;     // that packs with -c and unpacks with -dc
  std::size_t head_bytes;  // enough to tell it from plain text
};

const Format formats[] = {
    {"gz", "gzip", 6}, {"bz2", "bzip2", 10}, {"xz", "xz", 6}, {"zst", "zstd", 4}, {"lz4", "lz4", 4}};

std::string compressed(const std::string& content, const std::string& program) {
  if (program == "lz4") return packed_by(program, {"-c", "-B4"}, content);  // else a block is as long as the texts here
  return packed_by(program, {"-c"}, content);
}

/// All that the format's own program gets out of this, whether or not it complains.
std::string unpacked_by(const std::string& program, const std::string& packed) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = {"-dc"};
  invocation.input = packed;
  return run(invocation).output;
}

/// lz4's format before it had frames with checksums: blocks of 8 MiB, each compressed by itself.
std::string legacy_lz4(const std::string& content) { return packed_by("lz4", {"-l", "-c"}, content); }

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

std::string numbered_lines(int count) {
  std::string content;
  for (int line = 0; line < count; ++line) content += "line " + std::to_string(line) + "\n";
  return content;
}

std::string with_changed_byte(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

/// Searches what is packed from a file and from a pipe, with and without a thread that unpacks ahead. `name` is how
/// messages call it.
void search_in_every_way(const std::string& packed, const std::vector<std::string>& arguments,
                         const std::function<void(const Outcome& outcome, const std::string& name)>& check) {
  const TemporaryFolder folder;
  folder.write("packed", packed);
  for (const char* threads : {"1", "2"}) {
    std::vector<std::string> of_all = {"--threads", threads, "-z"};
    of_all.insert(of_all.end(), arguments.begin(), arguments.end());
    check(run_in(folder, of_all, packed), "(standard input)");
    of_all.emplace_back("packed");
    check(run_in(folder, of_all), "packed");
  }
}

/// What there is of it is counted, the same in every way, and then it is called damaged.
void expect_damaged(const std::string& packed, const std::string& what) {
  std::optional<std::string> counted;
  search_in_every_way(packed, {"-c", "-e", "line"}, [&](const Outcome& outcome, const std::string& name) {
    const std::string begin = "lode: " + name + ": ";
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
    if (!counted) counted = outcome.output;
    EXPECT_NE(outcome.output, "") << what << ", " << name;
    EXPECT_EQ(outcome.output, *counted) << what << ", " << name;
    EXPECT_TRUE(outcome.errors.starts_with(begin) && outcome.errors.size() > begin.size() + 1)
        << what << ", " << name << ": " << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << what << ": " << outcome.errors;
  });
}

/// Each a file of its own, all of which one command searches.
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

std::vector<std::string> every_cut(const std::string& packed, std::size_t from) {
  std::vector<std::string> cut;
  for (std::size_t left = from; left < packed.size(); ++left) cut.push_back(packed.substr(0, left));
  return cut;
}

void expect_nothing_in(const std::string& packed, const std::string& pattern, const std::string& what) {
  search_in_every_way(packed, {"-c", "-e", pattern}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.output, "0\n") << what << ", " << name;
    EXPECT_EQ(outcome.errors, "") << what << ", " << name;
    EXPECT_EQ(outcome.status, 1) << what << ", " << name;
  });
}

void expect_searched_as(const std::string& text, const std::string& packed, const std::string& what) {
  const std::vector<std::string> arguments = {"--offsets", "-e", "line", "-e", "9\nl"};
  const TemporaryFolder folder;
  const Outcome expected = run_in(folder, arguments, text);
  ASSERT_EQ(expected.status, 0) << what << ": there is nothing to be found";
  search_in_every_way(packed, arguments, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_TRUE(outcome.output == expected.output)
        << what << ", " << name << ": " << outcome.output.size() << " against " << expected.output.size() << " bytes";
    EXPECT_EQ(outcome.errors, "") << what << ", " << name;
    EXPECT_EQ(outcome.status, 0) << what << ", " << name;
  });
}

TEST(CommandDecompression, EveryFormatFromFilesAndPipes) {
  const std::string content = numbered_lines(20000);
  for (const Format& format : formats) {
    const std::string& name = format.name;
    const TemporaryFolder folder;
    const std::string packed = compressed(content, format.program);
    folder.write("packed", packed);
    EXPECT_EQ(run_in(folder, {"-z", "-nb", "line 19999", "packed"}).output, "20000:208879:line 19999\n") << name;
    EXPECT_EQ(run_in(folder, {"-z", "-c", "9"}, packed).output, run_in(folder, {"-c", "9"}, content).output) << name;
    folder.write("truncated", packed.substr(0, packed.size() / 2));
    const Outcome truncated = run_in(folder, {"-z", "-c", "line", "truncated"});
    EXPECT_EQ(truncated.status, 2) << name;
    EXPECT_EQ(truncated.errors.rfind("lode: truncated: ", 0), 0U) << name << ": " << truncated.errors;
    EXPECT_EQ(run_in(folder, {"-c", "line 19999", "packed"}).status, 1) << name << " without -z";
  }
}

TEST(CommandDecompression, MembersBehindMembersAreOneText) {
  const std::string first = numbered_lines(1500) + "a li";
  const std::string second = "ne across both\n" + numbered_lines(700) + "line without end";
  for (const Format& format : formats) {
    const std::string packed = compressed(first, format.program) + compressed(second, format.program);
    expect_searched_as(first + second, packed, format.name);
  }
}

TEST(CommandDecompression, EmptyMembersAreNothing) {
  for (const Format& format : formats) {
    const std::string empty = compressed("", format.program);
    // What would be found in the bytes themselves.
    expect_nothing_in(empty, empty.substr(0, 2), format.name);
    const std::string member = compressed(numbered_lines(100), format.program);
    expect_searched_as(numbered_lines(100) + numbered_lines(100), empty + member + empty + member, format.name);
  }
}

TEST(CommandDecompression, GzipHeaderMayHoldMore) {
  const std::string text = numbered_lines(200);
  const std::string packed = compressed(text, "gzip");
  constexpr std::size_t plain_header_bytes = 10;
  ASSERT_EQ(packed[3], '\0') << "flags";
  const std::string header = packed.substr(0, 3) + "\x1c" + packed.substr(4, plain_header_bytes - 4) + "\x05\0extra"s +
                             "name of the file\0"s + "a comment\0"s;
  expect_searched_as(text, header + packed.substr(plain_header_bytes), "extra field, name and comment");
  for (const std::string_view field : {"extra", "name", "comment"}) {
    const std::size_t middle = header.find(field) + 2;
    expect_damaged(header.substr(0, middle), "cut in the middle of " + std::string(field));
  }
}

TEST(CommandDecompression, GzipTrailerIsChecked) {
  const std::string packed = compressed(numbered_lines(1500), "gzip");
  for (const std::size_t behind : {8, 5, 4, 1}) {
    const std::string damaged = with_changed_byte(packed, packed.size() - behind);
    const std::string what = behind > 4 ? "wrong checksum" : "wrong size";
    expect_damaged(damaged, what);
    expect_damaged(damaged + packed, what + " in front of a second member");
    expect_damaged(packed + damaged, what + " of the second member");
  }
}

TEST(CommandDecompression, GzipThatIsCutIsDamaged) {
  const std::string packed = compressed(numbered_lines(1500), "gzip");
  for (const std::size_t left :
       {std::size_t{6}, std::size_t{10}, packed.size() / 2, packed.size() - 8, packed.size() - 4, packed.size() - 1}) {
    expect_damaged(packed.substr(0, left), std::to_string(left) + " bytes left");
    expect_damaged(packed + packed.substr(0, left), std::to_string(left) + " bytes left of the second member");
  }
  // Too short to be told from plain text, but behind a member that can be told nothing else may follow.
  for (const std::size_t left : {1, 2}) {
    expect_damaged(packed + packed.substr(0, left), std::to_string(left) + " bytes left of the second member");
  }
  expect_damaged(packed + with_changed_byte(packed, packed.size() / 2), "second member damaged");
}

TEST(CommandDecompression, WhatFollowsCompressedDataIsAnError) {
  const std::string text = numbered_lines(300);
  for (const Format& format : formats) {
    if (format.program == "bzip2") continue;  // which leaves it alone
    const std::string packed = compressed(text, format.program);
    // Four bytes are what a magic number takes, so that a reader may have consumed them.
    for (const char* garbage : {"x", "\n", "four", "a line that is not compressed\n"}) {
      expect_damaged(packed + garbage, format.name + " and '" + garbage + "'");
    }
  }
}

TEST(CommandDecompression, WhatFollowsBzip2IsLeftAlone) {
  const std::string text = numbered_lines(300);
  const std::string packed = compressed(text, "bzip2");
  for (const std::string& garbage : {"x"s, "\n"s, "four"s, std::string(512, '\0'), "Bzzz"s}) {
    expect_searched_as(text, packed + garbage, "and '" + garbage + "'");
    expect_searched_as(text + text, packed + packed + garbage, "twice and '" + garbage + "'");
  }
  expect_damaged(packed + "BZh9 begins a stream", "the begin of another stream");
  expect_damaged(packed + "BZ", "the cut begin of another stream");
}

TEST(CommandDecompression, ZeroBytesBehindXzAreNothingByFours) {
  const std::string text = numbered_lines(300);
  const std::string packed = compressed(text, "xz");
  for (const std::size_t zeros : {4, 512, 100'000}) {
    expect_searched_as(text + text, packed + std::string(zeros, '\0') + packed, std::to_string(zeros) + " zero bytes");
    expect_damaged(packed + std::string(zeros + 1, '\0'), std::to_string(zeros + 1) + " zero bytes");
  }
}

/// Every line of the text that lies in there, by each way to write lines.
void expect_told(const std::string& packed, const std::string& text, const std::string& what) {
  const auto lines = [](const std::string& bytes) {
    return std::count(bytes.begin(), bytes.end(), '\n') + (bytes.empty() || bytes.back() == '\n' ? 0 : 1);
  };
  std::optional<std::string> told;
  search_in_every_way(packed, {"-a", "-v", "-e", "absent"}, [&](const Outcome& outcome, const std::string& name) {
    if (!told) told = outcome.output;
    EXPECT_TRUE(outcome.output.starts_with(text))
        << what << ", " << name << ": " << outcome.output.size() << " bytes of " << text.size();
    EXPECT_TRUE(outcome.output == *told) << what << ", " << name << ": " << outcome.output.size() << " against "
                                         << told->size() << " bytes";
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
  });
  const std::string count = std::to_string(lines(*told)) + "\n";
  search_in_every_way(packed, {"-vc", "-e", "absent"}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.output, count) << what << ", " << name;
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
  });
  search_in_every_way(packed, {"--json", "-e", "line"}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
    EXPECT_NE(outcome.output.find("\"type\":\"summary\""), std::string::npos) << what << ", " << name;
  });
  if (text.empty()) return;
  search_in_every_way(packed, {"-q", "-e", "line 0"}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.status, 0) << what << ", " << name;
  });
}

// The format's own program says what can be unpacked.
TEST(CommandDecompression, AllThatCanBeUnpackedIsToldBeforeTheError) {
  const std::string text = numbered_lines(LODE_SANITIZED ? 60'000 : 400'000);
  for (const Format& format : formats) {
    const std::string packed =
        format.program == "zstd" ? packed_by("zstd", {"-c", "-1"}, text) : compressed(text, format.program);
    for (const std::size_t part : {1, 5, 9}) {
      const std::string cut = packed.substr(0, packed.size() * part / 10);
      expect_told(cut, unpacked_by(format.program, cut), format.name + ", cut at " + std::to_string(part));
    }
    const std::string changed = with_changed_byte(packed, packed.size() * 3 / 4);
    std::string whole = unpacked_by(format.program, changed);
    expect_told(changed, whole, format.name + ", changed");
    expect_told(packed + packed.substr(0, packed.size() / 2), text, format.name + ", a second member cut");
  }
}

TEST(CommandDecompression, WhatIsNotNeededIsNotComplainedOf) {
  const std::string text = numbered_lines(400'000);
  for (const Format& format : formats) {
    const std::string packed = compressed(text, format.program);
    const std::string cut = packed.substr(0, packed.size() - packed.size() / 8);
    // How far is read ahead depends on the threads.
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{{"-l"}, {"-q"}, {"-m1"}}) {
      std::vector<std::string> arguments = options;
      arguments.insert(arguments.end(), {"-e", "line 7"});
      search_in_every_way(cut, arguments, [&](const Outcome& outcome, const std::string& name) {
        EXPECT_EQ(outcome.errors, "") << format.name << options.front() << name;
        EXPECT_EQ(outcome.status, 0) << format.name << options.front() << name;
      });
    }
  }
}

TEST(CommandDecompression, MemoryIsWithinTheLimitOrRefused) {
  const TemporaryFolder folder;
  const std::string text = numbered_lines(300'000);
  folder.write("small.xz", packed_by("xz", {"-c", "-0"}, text));
  folder.write("large.xz", packed_by("xz", {"-c", "-9"}, text));
  folder.write("large.zst", packed_by("zstd", {"-c", "--long=27", "-19"}, text));
  folder.write("large.lz4", packed_by("lz4", {"-c", "-B7"}, text));
  folder.write("old.lz4", legacy_lz4(text));
  folder.write("large.bz2", compressed(text, "bzip2"));
  folder.write("small.gz", compressed(text, "gzip"));
  for (const char* name : {"large.xz", "large.zst", "large.lz4", "old.lz4", "large.bz2"}) {
    const Outcome outcome = run_in(folder, {"-z", "--memory-limit", "2M", "-c", "line", name});
    EXPECT_TRUE(outcome.errors.starts_with("lode: "s + name + ": unpacking needs")) << outcome.errors;
    EXPECT_NE(outcome.errors.find("--memory-limit"), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "1G", "-c", "line", name}).output, "300000\n") << name;
  }
  EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "16M", "-c", "line", "small.xz"}).output, "300000\n");
  EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "64K", "-c", "line", "small.gz"}).output, "300000\n");
}

TEST(CommandDecompression, ZeroBytesBehindGzipAreNothing) {
  const std::string text = numbered_lines(300);
  const std::string packed = compressed(text, "gzip");
  // Tapes and disks write whole blocks.
  for (const std::size_t zeros : {1, 8, 512, 100'000}) {
    expect_searched_as(text, packed + std::string(zeros, '\0'), std::to_string(zeros) + " zero bytes");
    expect_damaged(packed + std::string(zeros, '\0') + "x", std::to_string(zeros) + " zero bytes and a letter");
  }
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

// In front of each of its frames pzstd tells its size in a skippable one.
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
  // A block of more than 8 MiB, of which each byte repeats the first.
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

  // The second size might be the beginning of a text.
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

/// What the output says of one of several files, each line with the file's name before it.
std::string lines_of_file(const std::string& output, const std::string& name) {
  std::istringstream all(output);
  std::string lines;
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with(name + ":")) lines += line.substr(name.size() + 1) + "\n";
  }
  return lines;
}

// Each cut and each changed byte is a file of its own, all of which one command searches.
TEST(CommandDecompression, EveryCutAndEveryChangedByteIsNoticed) {
  const std::string text = numbered_lines(40);
  for (const Format& format : formats) {
    const std::string packed = compressed(text, format.program);
    const TemporaryFolder folder;
    std::vector<std::string> arguments = {"-z", "-H", "-e", "line"};
    const auto add_file = [&](const std::string& name, const std::string& content) {
      folder.write(name, content);
      arguments.push_back(name);
    };
    for (std::size_t at = format.head_bytes; at < packed.size(); ++at) {
      add_file("cut-" + std::to_string(at), packed.substr(0, at));
      add_file("changed-" + std::to_string(at), with_changed_byte(packed, at));
    }
    const Outcome outcome = run_in(folder, arguments);
    EXPECT_EQ(outcome.status, 2) << format.name;
    for (std::size_t argument = 4; argument < arguments.size(); ++argument) {
      const std::string& name = arguments[argument];
      if (("\n" + outcome.errors).find("\nlode: " + name + ": ") != std::string::npos) continue;
      EXPECT_FALSE(name.starts_with("cut-")) << format.name << ": " << name << " was taken for whole";
      // Some bits mean nothing, those of a time among them.
      EXPECT_EQ(lines_of_file(outcome.output, name), text) << format.name << ": " << name;
    }
  }
}

TEST(CommandDecompression, WhatOnlyBeginsLikeCompressedDataIsPlainText) {
  for (const std::string text :
       {"\x1f\x8b is how gzip begins\n", "\x1f\x8b", "\x1f", "BZh9 is a text\n", "BZh91AY", "BZh91AY is a text\n",
        "BZh", "P*M\x18 is a text\n", "P*M\x18", "P*M\x18 is", "P*M\x18 is ", "_*M\x18\t\t\t\n", "P*M is a text\n"}) {
    const std::string line = text.back() == '\n' ? text : text + "\n";
    search_in_every_way(text, {"-e", text.substr(0, 2)}, [&](const Outcome& outcome, const std::string& name) {
      EXPECT_EQ(outcome.output, line) << name;
      EXPECT_EQ(outcome.errors, "") << line << name;
      EXPECT_EQ(outcome.status, 0) << line << name;
    });
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

// Long enough that pieces are unpacked ahead: lines across pieces, one line longer than several pieces, an end on the
// last byte of a piece and just before and behind it.
TEST(CommandDecompression, LongFilesEqualTheirContent) {
  std::string content;
  for (int line = 0; content.size() < 5 * mebibyte; ++line) content += "line " + std::to_string(line) + "\n";
  content += std::string(9 * mebibyte, '.') + "line behind dots\n";
  content += content.substr(0, 4 * mebibyte);
  const std::size_t whole = content.size() / (2 * mebibyte) * 2 * mebibyte;
  std::vector<std::size_t> sizes = {whole, whole - 1, whole + 1, content.size()};
  if (LODE_SANITIZED) sizes.resize(1);  // sanitized programs take a minute for all
  for (const std::size_t size : sizes) {
    const TemporaryFolder folder;
    const std::string text = content.substr(0, size);
    const std::string packed = compressed(text, "lz4");
    folder.write("text", text);
    folder.write("packed", packed);
    for (const char* option : {"-n", "-c", "-vc", "--offsets"}) {
      const Outcome expected = run_in(folder, {"--threads", "2", option, "99", "text"});
      ASSERT_EQ(expected.status, 0);
      EXPECT_TRUE(run_in(folder, {"--threads", "2", "-z", option, "99", "packed"}).output == expected.output) << option;
      EXPECT_TRUE(run_in(folder, {"--threads", "1", "-z", option, "99", "packed"}).output == expected.output) << option;
    }
    EXPECT_EQ(run_in(folder, {"--threads", "2", "-z", "-q", "line 7", "packed"}).status, 0);
    folder.write("truncated", packed.substr(0, packed.size() - packed.size() / 16));
    const Outcome truncated = run_in(folder, {"--threads", "2", "-z", "-c", "line", "truncated"});
    EXPECT_EQ(truncated.status, 2);
    EXPECT_EQ(truncated.errors.rfind("lode: truncated: ", 0), 0U) << truncated.errors;
  }
}

TEST(CommandDecompression, BombIsSearchedInBoundedMemory) {
  const TemporaryFolder folder;
  folder.write("bomb", compressed(std::string(200 * mebibyte, '\0'), "gzip"));
  const Outcome outcome = run_in(folder, {"-z", "-c", "match", "bomb"});
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.status, 1);
  expect_peak_below(64, outcome, "bomb");
  // Lines that are not written need not stay, however long.
  for (const char* pattern : {"match", "last"}) {
    folder.write("bomb", compressed(std::string(200 * mebibyte, '\0') + "last", "gzip"));
    const Outcome lines = run_in(folder, {"-z", "-n", pattern, "bomb"});
    EXPECT_EQ(lines.output, "");
    EXPECT_EQ(lines.errors, pattern == std::string("last") ? "lode: bomb: binary file matches\n" : "");
    EXPECT_EQ(lines.status, pattern == std::string("last") ? 0 : 1);
    expect_peak_below(64, lines, pattern);
  }
}

}  // namespace
}  // namespace lode::test
