// Tests pattern files in their three formats: the patterns, the warnings, and the errors with their lines.

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

// The error's message; empty if the content is not refused.
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

TEST(PatternFile, NamesTellHex) {
  PatternSet patterns;
  append_pattern_text(patterns, "6b 69\n", "list.hex", {});
  append_pattern_text(patterns, "6b 69\n", "list", {});
  EXPECT_EQ(patterns[0], "ki");
  EXPECT_EQ(patterns[1], "6b 69");
}

TEST(PatternFile, WhatLooksLikeUtf16IsToldAndTakenAsBytes) {
  const Reading taken =
      read(std::string("\xFF\xFE"
                       "a\0",
                       4));
  EXPECT_EQ(taken.patterns, Strings{std::string("\xFF\xFE"
                                                "a\0",
                                                4)});
  ASSERT_EQ(taken.warnings.size(), 1U);
  EXPECT_NE(taken.warnings[0].find("UTF-16"), std::string::npos);
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

TEST(PatternFile, JsonLinesNameForms) {
  PatternFileOptions options;
  options.format = PatternFormat::jsonl;
  options.forms = Forms("json");
  const PatternSet patterns = read_set(
      "{\"text\": \"a\"}\n{\"text\": \"a\", \"forms\": []}\n{\"text\": \"a\", \"forms\": \"\"}\n"
      "{\"text\": \"a\", \"forms\": [\"base64\", \"utf-16le\"]}\n{\"text\": \"a\", \"forms\": \"iupac,json\"}\n",
      options);
  ASSERT_EQ(patterns.size(), 5U);
  EXPECT_EQ(patterns.forms(0), Forms("json"));
  EXPECT_TRUE(patterns.forms(1).empty());
  EXPECT_TRUE(patterns.forms(2).empty());
  EXPECT_EQ(patterns.forms(3), Forms("utf-16le,base64"));
  EXPECT_EQ(patterns.forms(4), Forms("iupac,json"));
  options.format = PatternFormat::lines;
  EXPECT_EQ(read_set("a\nb", options).forms(1), Forms("json"));
  options.format = PatternFormat::hex;
  EXPECT_EQ(read_set("61", options).forms(0), Forms("json"));
  for (const char* value : {"7", "null", "{}", "[7]", "\"utf-8\"", "[\"json\", \"\", \"jsonl\"]", "[[\"json\"]]"}) {
    const std::string content = "{\"text\": \"a\"}\n{\"text\": \"a\", \"forms\": " + std::string(value) + "}\n";
    EXPECT_NE(refusal_of(content, PatternFormat::jsonl).find("list:2: \"forms\""), std::string::npos) << value;
  }
}

TEST(PatternFile, JsonLinesHoldReplacements) {
  PatternFileOptions options;
  options.format = PatternFormat::jsonl;
  const PatternSet patterns = read_set(
      "{\"text\": \"a\"}\n{\"text\": \"b\", \"replacement\": \"\"}\n{\"text\": \"c\", \"replacement\": null}\n"
      "{\"text\": \"d\", \"replacement\": \"{{\\u0000{id}\\n\\u00e9\"}\n{\"text\": \"e\"}\n",
      options);
  ASSERT_EQ(patterns.size(), 5U);
  EXPECT_TRUE(patterns.has_replacements());
  EXPECT_EQ(patterns.replacement(0), std::nullopt);
  EXPECT_EQ(patterns.replacement(1), "");
  EXPECT_EQ(patterns.replacement(2), std::nullopt);
  EXPECT_EQ(patterns.replacement(3), std::string_view("{{\0{id}\n\xC3\xA9", 10));
  EXPECT_EQ(patterns.replacement(4), std::nullopt);
  EXPECT_FALSE(read_set("{\"text\": \"a\"}", options).has_replacements());
  for (const char* value :
       {"7", "[]", "{}", "true", "\"{word}\"", "\"}\"", "\"{id\"", "\"{\"", "\"{{{\"", "\"{ID}\""}) {
    const std::string content = "{\"text\": \"a\"}\n{\"text\": \"a\", \"replacement\": " + std::string(value) + "}\n";
    EXPECT_NE(refusal_of(content, PatternFormat::jsonl).find("list:2: \"replacement\""), std::string::npos) << value;
  }
  EXPECT_NE(refusal_of("{\"text\": \"a\", \"replacement\": \"\xFF\"}", PatternFormat::jsonl).find("list:1: malformed"),
            std::string::npos);
}

TEST(PatternFile, ByteOrderMarkIsSkippedAtTheStartAlone) {
  for (const PatternFormat format : {PatternFormat::lines, PatternFormat::by_name}) {
    PatternFileOptions options;
    options.format = format;
    EXPECT_EQ(read("\xEF\xBB\xBFkitty\n\xEF\xBB\xBFpuppy\n", options).patterns,
              (Strings{"kitty", "\xEF\xBB\xBFpuppy"}));
    EXPECT_TRUE(read("\xEF\xBB\xBF", options).patterns.empty());
  }
  PatternFileOptions options;
  options.format = PatternFormat::hex;
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "61\n",
                 options)
                .patterns,
            (Strings{"a"}));
  options.format = PatternFormat::jsonl;
  EXPECT_EQ(read("\xEF\xBB\xBF{\"text\": \"a\"}\n", options).patterns, (Strings{"a"}));
}

TEST(PatternFile, JsonLinesHoldBase64) {
  PatternFileOptions options;
  options.format = PatternFormat::jsonl;
  const auto decoded = [&](const std::string& digits) {
    return read("{\"base64\": \"" + digits + "\"}", options).patterns.at(0);
  };
  EXPECT_EQ(decoded("a2l0dHk="), "kitty");
  EXPECT_EQ(decoded("YQ=="), "a");
  EXPECT_EQ(decoded("AP8K"), std::string("\0\xFF\n", 3));
  EXPECT_EQ(decoded("+/+/"), "\xFB\xFF\xBF");
  for (const char* bad : {"YQ", "YQ=", "Y===", "====", "YQ==YQ==", "Y Q=", "YQ-_", ""}) {
    EXPECT_NE(refusal_of(std::string("{\"base64\": \"") + bad + "\"}", PatternFormat::jsonl).find("list:1:"),
              std::string::npos)
        << bad;
  }
}

TEST(PatternFile, UnknownKeysAreRefusedWithTheirLine) {
  const std::string message =
      refusal_of("{\"text\": \"a\"}\n{\"text\": \"PASSWORD\", \"nocase\": true}\n", PatternFormat::jsonl);
  EXPECT_EQ(message,
            "list:2: unknown key \"nocase\"; known are text, hex, base64, label, ignore_case, forms and replacement");
}

TEST(PatternFile, NameSaysTheFormatUnlessItIsGiven) {
  const TemporaryFolder folder;
  const auto path = folder.write("list.jsonl", "{\"text\": \"a\"}\n");
  PatternSet by_name;
  append_pattern_file(by_name, path);
  ASSERT_EQ(by_name.size(), 1U);
  EXPECT_EQ(by_name[0], "a");
  PatternSet lines;
  PatternFileOptions options;
  options.format = PatternFormat::lines;
  append_pattern_file(lines, path, options);
  EXPECT_EQ(lines[0], "{\"text\": \"a\"}");
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
