// Pattern files in their three formats: what they give, what they warn of, what they refuse and with which line.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace lode::tests {
namespace {

struct Reading {
  std::vector<std::string> patterns;
  std::vector<std::string> warnings;
};

PatternSet read_set(std::string_view content, PatternFileOptions options = {}) {
  PatternSet patterns;
  append_pattern_text(patterns, content, "list", options);
  return patterns;
}

Reading read(std::string_view content, PatternFileOptions options = {}) {
  Reading reading;
  options.warning = [&](const std::string& message) { reading.warnings.push_back(message); };
  const PatternSet patterns = read_set(content, options);
  for (std::uint32_t id = 0; id < patterns.size(); ++id) reading.patterns.emplace_back(patterns[id]);
  return reading;
}

// The message, or nothing where it is not refused.
std::string refusal_of(std::string_view content, PatternFormat format) {
  PatternFileOptions options;
  options.format = format;
  try {
    read_set(content, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_pattern);
    return error.what();
  }
  return "";
}

using Strings = std::vector<std::string>;

TEST(PatternFile, LinesAreBytesUpToTheLineFeed) {
  EXPECT_EQ(read("kitty\npuppy\n").patterns, (Strings{"kitty", "puppy"}));
  EXPECT_EQ(read("kitty\npuppy").patterns, (Strings{"kitty", "puppy"}));
  EXPECT_EQ(read(" a b \n\t\n").patterns, (Strings{" a b ", "\t"}));
  EXPECT_EQ(read(std::string_view("a\0b\n\xFF\n", 6)).patterns, (Strings{std::string("a\0b", 3), "\xFF"}));
  EXPECT_TRUE(read("kitty\n").warnings.empty());
  EXPECT_TRUE(read("").patterns.empty());
}

TEST(PatternFile, EmptyLinesTakeNoIdAndAreWarnedOf) {
  const Reading reading = read("\nkitty\n\n\npuppy\n");
  EXPECT_EQ(reading.patterns, (Strings{"kitty", "puppy"}));
  EXPECT_EQ(reading.warnings.size(), 1U);
}

TEST(PatternFile, CarriageReturnsAreKeptWithOneWarningOrStripped) {
  const Reading kept = read("kitty\r\npuppy\r\n");
  EXPECT_EQ(kept.patterns, (Strings{"kitty\r", "puppy\r"}));
  ASSERT_EQ(kept.warnings.size(), 1U);
  EXPECT_NE(kept.warnings[0].find("; strip_carriage_return drops it"), std::string::npos) << kept.warnings[0];
  PatternFileOptions options;
  options.strip_option = "--strip";
  EXPECT_NE(read("kitty\r\n", options).warnings.at(0).find("; --strip drops it"), std::string::npos);
  options.strip_carriage_return = true;
  const Reading stripped = read("kitty\r\npup\rpy\r\r\n", options);
  EXPECT_EQ(stripped.patterns, (Strings{"kitty", "pup\rpy\r"}));
  EXPECT_TRUE(stripped.warnings.empty());
}

TEST(PatternFile, HexTakesBlanksBetweenBytes) {
  PatternFileOptions options;
  options.format = PatternFormat::hex;
  EXPECT_EQ(read("6b697474 79\n 00 fF\t0A \r\n", options).patterns, (Strings{"kitty", std::string("\0\xFF\n", 3)}));
}

TEST(PatternFile, HexThatIsNoneIsRefusedWithItsLine) {
  for (const char* content : {"61\n6\n", "61\n6 1\n", "61\nxy\n", "61\n0x61\n"}) {
    EXPECT_NE(refusal_of(content, PatternFormat::hex).find("list:2:"), std::string::npos) << content;
  }
}

TEST(PatternFile, JsonLinesHoldTextOrHexAndMore) {
  PatternFileOptions options;
  options.format = PatternFormat::jsonl;
  const PatternSet patterns = read_set(
      "{\"text\": \"kitty\", \"label\": \"cat\"}\n{\"hex\": \"00 ff\", \"ignore_case\": true}\n"
      "{\"text\": \"caf\\u00e9\"}\n",
      options);
  ASSERT_EQ(patterns.size(), 3U);
  EXPECT_EQ(patterns[0], "kitty");
  EXPECT_EQ(patterns.label(0), "cat");
  EXPECT_FALSE(patterns.ignore_case(0));
  EXPECT_EQ(patterns[1], std::string_view("\0\xFF", 2));
  EXPECT_TRUE(patterns.ignore_case(1));
  EXPECT_EQ(patterns[2], "caf\xC3\xA9");
  options.ignore_case = true;
  EXPECT_TRUE(read_set("{\"text\": \"a\"}", options).ignore_case(0));
  EXPECT_FALSE(read_set("{\"text\": \"a\", \"ignore_case\": false}", options).ignore_case(0));
}

TEST(PatternFile, JsonThatIsMalformedIsRefusedWithItsLine) {
  const std::string good = "{\"text\": \"a\"}\n";
  for (const char* bad : {"{", "[]", "{}", "{\"text\": 1}", "{\"hex\": \"6\"}", "{\"text\": \"a\", \"hex\": \"61\"}",
                          "{\"text\": \"\"}", "{\"text\": \"a\", \"ignore_case\": 1}", "{\"text\": \"a\"} x"}) {
    EXPECT_NE(refusal_of(good + bad, PatternFormat::jsonl).find("list:2:"), std::string::npos) << bad;
  }
}

TEST(PatternFile, FilesAppendToTheSet) {
  const TemporaryFolder folder;
  PatternSet patterns{"first"};
  append_pattern_file(patterns, folder.write("list", "second\nthird"));
  ASSERT_EQ(patterns.size(), 3U);
  EXPECT_EQ(patterns[0], "first");
  EXPECT_EQ(patterns[2], "third");
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { append_pattern_file(patterns, folder.path() / "absent"); }));
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { append_pattern_file(patterns, folder.path()); }));
}

TEST(PatternFile, PatternBeyondTheLimitIsRefusedWithItsLine) {
  PatternSet patterns;
  const std::string content = "a\n" + std::string(max_pattern_length + 1, 'a') + "\n";
  try {
    append_pattern_text(patterns, content, "list");
    ADD_FAILURE() << "a pattern of more than a mebibyte was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::limit);
    EXPECT_EQ(std::string(error.what()).rfind("list:2:", 0), 0U) << error.what();
  }
}

}  // namespace
}  // namespace lode::tests
