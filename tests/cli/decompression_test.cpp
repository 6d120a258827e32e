// Tests compressed input (-z): every format from files and pipes, long texts, bombs, and members behind members. If
// data are cut or damaged, the command reports everything that can be unpacked, and then an error. If they only begin
// like compressed data, they are plain text. Frames that only some formats have are in frames_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "compression.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

/// Everything that the format's own program unpacks, even if it then complains.
std::string unpacked_by(const std::string& program, const std::string& packed) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = {"-dc"};
  invocation.input = packed;
  return run(invocation).output;
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
    // A search of the packed bytes themselves would find these two bytes.
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
  // One or two bytes alone could be plain text. Behind a member they can only be a damaged one.
  for (const std::size_t left : {1, 2}) {
    expect_damaged(packed + packed.substr(0, left), std::to_string(left) + " bytes left of the second member");
  }
  expect_damaged(packed + with_changed_byte(packed, packed.size() / 2), "second member damaged");
}

TEST(CommandDecompression, WhatFollowsCompressedDataIsAnError) {
  const std::string text = numbered_lines(300);
  for (const Format& format : formats) {
    if (format.program == "bzip2") continue;  // bzip2 ignores bytes behind a member
    const std::string packed = compressed(text, format.program);
    // A magic number has four bytes, so a reader may have consumed that many before it knows.
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

/// Expects that every way to write lines reports each line of the text that is packed in there.
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
  search_in_every_way(packed, {"--json", "-e", "line 77"}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
    EXPECT_NE(outcome.output.find("\"type\":\"summary\""), std::string::npos) << what << ", " << name;
  });
  if (text.empty()) return;
  search_in_every_way(packed, {"-q", "-e", "line 0"}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.status, 0) << what << ", " << name;
  });
}

// The format's own program decides what can be unpacked.
TEST(CommandDecompression, AllThatCanBeUnpackedIsToldBeforeTheError) {
  const std::string text = numbered_lines(tests::is_sanitized() ? 20'000 : 150'000);
  for (const Format& format : formats) {
    const std::string packed =
        format.program == "zstd" ? packed_by("zstd", {"-c", "-1"}, text) : compressed(text, format.program);
    for (const std::size_t part :
         tests::is_sanitized() ? std::vector<std::size_t>{5} : std::vector<std::size_t>{1, 5, 9}) {
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
  const std::string text = numbered_lines(tests::is_sanitized() ? 100'000 : 200'000);
  for (const Format& format : formats) {
    const std::string packed = compressed(text, format.program);
    const std::string cut = packed.substr(0, packed.size() - packed.size() / 8);
    // The number of threads decides how far the command reads ahead.
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
  const std::string text = numbered_lines(100'000);
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
    EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "1G", "-c", "line", name}).output, "100000\n") << name;
  }
  EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "16M", "-c", "line", "small.xz"}).output, "100000\n");
  EXPECT_EQ(run_in(folder, {"-z", "--memory-limit", "64K", "-c", "line", "small.gz"}).output, "100000\n");
}

TEST(CommandDecompression, ZeroBytesBehindGzipAreNothing) {
  const std::string text = numbered_lines(300);
  const std::string packed = compressed(text, "gzip");
  // Tapes and disks write whole blocks, with zeros behind the data.
  for (const std::size_t zeros : {1, 8, 512, 100'000}) {
    expect_searched_as(text, packed + std::string(zeros, '\0'), std::to_string(zeros) + " zero bytes");
    expect_damaged(packed + std::string(zeros, '\0') + "x", std::to_string(zeros) + " zero bytes and a letter");
  }
}

/// The lines that the output has for one of several files. Each begins with the file's name.
std::string lines_of_file(const std::string& output, const std::string& name) {
  std::istringstream all(output);
  std::string lines;
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with(name + ":")) lines += line.substr(name.size() + 1) + "\n";
  }
  return lines;
}

// Each cut and each changed byte is a file of its own, and one command searches them all.
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
      // Some bits have no effect, such as those of a time.
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

// The files are so long that pieces are unpacked ahead. Lines cross pieces, one line is longer than several pieces, and
// a text ends on the last byte of a piece, or just before or behind it.
TEST(CommandDecompression, LongFilesEqualTheirContent) {
  std::string content;
  for (int line = 0; content.size() < 5 * mebibyte; ++line) content += "line " + std::to_string(line) + "\n";
  content += std::string(9 * mebibyte, '.') + "line behind dots\n";
  content += content.substr(0, 4 * mebibyte);
  const std::size_t whole = content.size() / (2 * mebibyte) * 2 * mebibyte;
  std::vector<std::size_t> sizes = {whole, whole - 1, whole + 1, content.size()};
  if (tests::is_sanitized()) sizes.resize(1);  // sanitized programs take a minute for all of them
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
  // Under sanitizers nothing is said of memory.
  const std::size_t unpacked_bytes = (tests::is_sanitized() ? 20 : 120) * mebibyte;
  folder.write("bomb", compressed(std::string(unpacked_bytes, '\0') + "last", "gzip"));
  const Outcome outcome = run_in(folder, {"-z", "-c", "match", "bomb"});
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.status, 1);
  expect_peak_below(64, outcome, "bomb");
  // The command need not keep lines that it does not write, however long they are.
  for (const char* pattern : {"match", "last"}) {
    const Outcome lines = run_in(folder, {"-z", "-n", pattern, "bomb"});
    EXPECT_EQ(lines.output, "");
    EXPECT_EQ(lines.errors, pattern == std::string("last") ? "lode: bomb: binary file matches\n" : "");
    EXPECT_EQ(lines.status, pattern == std::string("last") ? 0 : 1);
    expect_peak_below(64, lines, pattern);
  }
}

}  // namespace
}  // namespace lode::test
