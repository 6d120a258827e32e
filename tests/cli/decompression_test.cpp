// Compressed input (-z): every format from files and pipes, long texts, and bombs.

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <utility>

#include "process.hpp"
#include "sanitized.hpp"

namespace lode::test {
namespace {

constexpr long mebibyte = 1 << 20;

void expect_peak_below(long mebibytes, const Outcome& outcome, const std::string& what) {
  if (LODE_SANITIZED) return;  // sanitizers need memory of their own
  EXPECT_LT(outcome.peak_memory_bytes, mebibytes * mebibyte) << what;
}

std::string compressed(const std::string& content, int filter) {
  std::string packed(content.size() + 65536, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_raw(writer);
  EXPECT_EQ(archive_write_add_filter(writer, filter), ARCHIVE_OK) << archive_error_string(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  EXPECT_EQ(archive_write_open_memory(writer, packed.data(), packed.size(), &used), ARCHIVE_OK);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_pathname(entry, "content");
  EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK) << archive_error_string(writer);
  EXPECT_EQ(archive_write_data(writer, content.data(), content.size()), static_cast<la_ssize_t>(content.size()));
  archive_entry_free(entry);
  archive_write_free(writer);
  packed.resize(used);
  return packed;
}

TEST(CommandDecompression, EveryFormatFromFilesAndPipes) {
  std::string content;
  for (int line = 0; line < 20000; ++line) content += "line " + std::to_string(line) + "\n";
  const std::pair<const char*, int> filters[] = {{"gz", ARCHIVE_FILTER_GZIP},
                                                 {"bz2", ARCHIVE_FILTER_BZIP2},
                                                 {"xz", ARCHIVE_FILTER_XZ},
                                                 {"zst", ARCHIVE_FILTER_ZSTD},
                                                 {"lz4", ARCHIVE_FILTER_LZ4}};
  for (const auto& [name, filter] : filters) {
    const TemporaryFolder folder;
    const std::string packed = compressed(content, filter);
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

// Long enough that pieces are unpacked ahead: lines across pieces, one line longer than several pieces, an end on the
// last byte of a piece and just before and behind it.
TEST(CommandDecompression, LongFilesEqualTheirContent) {
  std::string content;
  for (int line = 0; content.size() < 5 * static_cast<std::size_t>(mebibyte); ++line)
    content += "line " + std::to_string(line) + "\n";
  content += std::string(9 * static_cast<std::size_t>(mebibyte), '.') + "line behind dots\n";
  content += content.substr(0, 4 * static_cast<std::size_t>(mebibyte));
  const std::size_t whole = content.size() / (2 * static_cast<std::size_t>(mebibyte)) * 2 * mebibyte;
  for (const std::size_t size : {whole - 1, whole, whole + 1, content.size()}) {
    const TemporaryFolder folder;
    const std::string text = content.substr(0, size);
    const std::string packed = compressed(text, ARCHIVE_FILTER_LZ4);
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
  folder.write("bomb", compressed(std::string(200 * static_cast<std::size_t>(mebibyte), '\0'), ARCHIVE_FILTER_GZIP));
  const Outcome outcome = run_in(folder, {"-z", "-c", "match", "bomb"});
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.status, 1);
  expect_peak_below(64, outcome, "bomb");
  // Lines that are not written need not stay, however long.
  for (const char* pattern : {"match", "last"}) {
    folder.write("bomb",
                 compressed(std::string(200 * static_cast<std::size_t>(mebibyte), '\0') + "last", ARCHIVE_FILTER_GZIP));
    const Outcome lines = run_in(folder, {"-z", "-n", pattern, "bomb"});
    EXPECT_EQ(lines.output, "");
    EXPECT_EQ(lines.errors, pattern == std::string("last") ? "lode: bomb: binary file matches\n" : "");
    EXPECT_EQ(lines.status, pattern == std::string("last") ? 0 : 1);
    expect_peak_below(64, lines, pattern);
  }
}

}  // namespace
}  // namespace lode::test
