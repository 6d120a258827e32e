// A file that changes during the search gives an error, not a crash, and the command writes no line that the file did
// not hold.

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::size_t page_bytes = 4096;
constexpr char text_line[] = "a line with a match in the file that will change\n";
constexpr std::size_t line_bytes = sizeof text_line - 1;
constexpr std::size_t match_begin = 14;

/// Runs the command, and resizes the file once the pipe of its output is full.
Outcome run_while_resized(const TemporaryFolder& folder, std::vector<std::string> arguments, const std::string& file,
                          std::size_t size) {
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = std::move(arguments);
  invocation.meanwhile = [&](pid_t, int output) {
    pollfd begun{output, POLLIN, 0};
    ASSERT_EQ(::poll(&begun, 1, 60'000), 1);
    std::this_thread::sleep_for(200ms);
    std::filesystem::resize_file(folder.path() / file, size);
  };
  return run(invocation);
}

std::string shrank(const std::string& file, std::size_t from, std::size_t to) {
  return "lode: " + file + ": file shrank while it was read (from " + std::to_string(from) + " to " +
         std::to_string(to) + " bytes)\n";
}

struct Form {
  std::vector<std::string> options;
  // The output for a line of the text, counted from 0. It has six bytes or more.
  std::function<std::string(std::size_t)> line;
};

std::string json_line(std::size_t line) {
  const std::string begin = R"({"type":"begin","data":{"path":{"text":"text"}}})"
                            "\n";
  return (line == 0 ? begin : "") +
         R"({"type":"match","data":{"path":{"text":"text"},"lines":{"text":"a line with a match in the file that )" +
         R"(will change\n"},"line_number":)" + std::to_string(line + 1) + R"(,"absolute_offset":)" +
         std::to_string(line * line_bytes) +
         R"(,"submatches":[{"match":{"text":"match"},"start":14,"end":19,"pattern_id":0}]}})"
         "\n";
}

const Form forms[] = {
    {{}, [](std::size_t) { return std::string(text_line); }},
    {{"-a"}, [](std::size_t) { return std::string(text_line); }},
    {{"-n"}, [](std::size_t line) { return std::to_string(line + 1) + ":" + text_line; }},
    {{"-a", "-n"}, [](std::size_t line) { return std::to_string(line + 1) + ":" + text_line; }},
    {{"-C1"}, [](std::size_t) { return std::string(text_line); }},
    {{"-o"}, [](std::size_t) { return std::string("match\n"); }},
    {{"-a", "-o"}, [](std::size_t) { return std::string("match\n"); }},
    {{"--offsets"}, [](std::size_t line) { return std::to_string(line * line_bytes + match_begin) + "\t0\n"; }},
    {{"--matrix", "dense", "-e", "absent"}, [](std::size_t) { return "-1," + std::to_string(match_begin) + "\n"; }},
    {{"--matrix", "sparse"},
     [](std::size_t line) { return std::to_string(line) + "\t0\t" + std::to_string(match_begin) + "\n"; }},
    {{"--json"}, json_line},
};

/// Expects that the output consists of the form's lines, one after the other, and that the last one is whole.
void expect_lines(const std::string& output, const Form& form) {
  std::size_t at = 0;
  for (std::size_t line = 0; at < output.size(); ++line) {
    const std::string expected = form.line(line);
    if (output.compare(at, expected.size(), expected) != 0) {
      FAIL() << "line " << line << " is " << testing::PrintToString(output.substr(at, expected.size() + 20));
    }
    at += expected.size();
  }
  EXPECT_GT(at, 0U);
}

// The text ends in the middle of a page. If the file ends in that page a little earlier, the rest of the page can still
// be read.
std::string text_of(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes || text.size() % page_bytes < page_bytes / 2) text += text_line;
  return text;
}

TEST(CommandChangingFiles, NoLineIsWrittenThatTheFileDidNotHold) {
  // All matches of the shorter text are found before the pipe is full, and the output is more than pipe and buffer
  // hold.
  for (const bool in_the_last_page : {false, true}) {
    const std::string text = text_of(in_the_last_page ? 5 * mebibyte / 4 : 8 * mebibyte);
    const std::size_t size = in_the_last_page ? text.size() - 1000 : text.size() / 2 / page_bytes * page_bytes + 1000;
    for (const Form& form : forms) {
      SCOPED_TRACE(testing::PrintToString(form.options) + " to " + std::to_string(size));
      const TemporaryFolder folder;
      folder.write("text", text);
      std::vector<std::string> arguments = form.options;
      arguments.insert(arguments.end(), {"-e", "match", "text"});
      Outcome outcome = run_while_resized(folder, arguments, "text", size);
      if (form.options == std::vector<std::string>{"--json"}) {
        const std::size_t summary = outcome.output.rfind(R"({"type":"summary")");
        ASSERT_NE(summary, std::string::npos);
        EXPECT_TRUE(json::accept(outcome.output.substr(summary)));
        outcome.output.resize(summary);
      }
      expect_lines(outcome.output, form);
      EXPECT_EQ(outcome.errors, shrank("text", text.size(), size));
      EXPECT_EQ(outcome.status, 2);
    }
  }
}

TEST(CommandChangingFiles, AFileThatGrowsIsSearchedUpToWhereItEnded) {
  const TemporaryFolder folder;
  const std::string text = text_of(8 * mebibyte);
  folder.write("text", text);
  const Outcome outcome = run_while_resized(folder, {"match", "text"}, "text", text.size() + 100);
  EXPECT_TRUE(outcome.output == text);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

// Files of /proc say that their size is 0, and those of /sys that it is a page. The text is what reading gives,
// whatever the size.
TEST(CommandFiles, WhoseSizeIsNotWhatTheyHold) {
  const TemporaryFolder folder;
  const auto search = [&](std::vector<std::string> arguments) {
    Invocation invocation;
    invocation.folder = folder.path();
    invocation.arguments = std::move(arguments);
    return run(invocation);
  };
  const std::string status = "/proc/self/status", number = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
  EXPECT_EQ(search({"-c", "Name:", status}).output, "1\n");
  EXPECT_EQ(search({"--count-matches", "-f", "/proc/sys/kernel/ostype", "/proc/version"}).output, "1\n");
  if (!std::filesystem::exists(number)) GTEST_SKIP() << "there is no " << number;
  std::string digits;
  std::getline(std::ifstream(number), digits);
  for (const std::vector<std::string>& form :
       std::vector<std::vector<std::string>>{{}, {"-z"}, {"-x"}, {"--threads", "1"}}) {
    std::vector<std::string> arguments = form;
    arguments.insert(arguments.end(), {digits, number});
    const Outcome outcome = search(arguments);
    EXPECT_EQ(outcome.output, digits + "\n");
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.status, 0);
  }
}

// A line that fits no buffer is written while it is read, and the command cannot take back what it wrote into a pipe.
TEST(CommandChangingFiles, WhatIsOutOfALongLineIsNotEndedAsIfItWereWhole) {
  const std::string text = std::string(2 * mebibyte - 6, 'x') + "match\n";
  for (const bool another : {false, true}) {
    const TemporaryFolder folder;
    folder.write("long", text);
    folder.write("other", "a match\n");
    std::vector<std::string> arguments = {"-I", "match", "long"};
    if (another) arguments.emplace_back("other");
    const Outcome outcome = run_while_resized(folder, arguments, "long", mebibyte);
    const std::size_t written = std::min(outcome.output.find_first_not_of('x'), outcome.output.size());
    EXPECT_GT(written, 0U);
    EXPECT_LE(written, mebibyte);
    EXPECT_EQ(outcome.output.substr(written), another ? "\na match\n" : "");
    EXPECT_EQ(outcome.errors, shrank("long", text.size(), mebibyte));
    EXPECT_EQ(outcome.status, 2);
  }
}

/// The types of the messages; "cut" stands for a piece that is no message.
std::vector<std::string> types_of(const std::string& output) {
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const json message = json::parse(output.begin() + static_cast<std::ptrdiff_t>(begin),
                                     output.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    types.push_back(message.is_object() ? message["type"].get<std::string>() : "cut");
    begin = end + 1;
  }
  return types;
}

// The second text has a line with so many matches that it is written in parts, and the file is cut between two parts.
TEST(CommandChangingFiles, AMessageThatIsCutEndsBeforeTheNextFile) {
  std::string with_parts = std::string(20'000, 'a') + "\n";
  with_parts.resize(2 * mebibyte, '\n');
  struct Cut {
    std::string text;
    std::size_t size;
    std::size_t patterns;
  };
  const Cut cuts[] = {{std::string(2 * mebibyte - 1, 'a') + "\n", mebibyte, tests::is_sanitized() ? 1 : 20},
                      {with_parts, page_bytes, tests::is_sanitized() ? 4 : 20}};
  for (const auto& [text, size, patterns] : cuts) {
    const TemporaryFolder folder;
    folder.write("long", text);
    folder.write("other", "a\n");
    std::vector<std::string> arguments = {"--json"};
    for (std::size_t length = 1; length <= patterns; ++length) {
      arguments.insert(arguments.end(), {"-e", std::string(length, 'a')});
    }
    arguments.insert(arguments.end(), {"long", "other"});
    const Outcome outcome = run_while_resized(folder, arguments, "long", size);
    EXPECT_EQ(types_of(outcome.output), (std::vector<std::string>{"begin", "cut", "begin", "match", "end", "summary"}));
    EXPECT_EQ(outcome.errors, shrank("long", text.size(), size));
    EXPECT_EQ(outcome.status, 2);
  }
}

}  // namespace
}  // namespace lode::test
