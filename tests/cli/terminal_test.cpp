// Tests the command on a terminal: when it uses colours, and when it draws a progress bar.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <thread>

#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::chrono_literals;

using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr char plain[] = "a match\n";
constexpr char colored[] = "a \33[01;31m\33[Kmatch\33[m\33[K\n";
constexpr auto patience = 1000ms;  // there is no bar before that

struct ColorCase {
  std::string name;
  bool terminal = false;
  Variables variables;
  std::vector<std::string> options;
  bool is_colored = false;
};

void PrintTo(const ColorCase& test, std::ostream* out) { *out << test.name; }

const Variables usual = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
const Variables unwanted = {{"TERM", "xterm"}, {"NO_COLOR", "1"}};
const Variables dumb = {{"TERM", "dumb"}, {"NO_COLOR", ""}};

const std::vector<ColorCase> color_cases = {
    {"Pipe", false, usual, {}, false},
    {"PipeAlways", false, usual, {"--color=always"}, true},
    {"PipeAlwaysBeatsNoColor", false, unwanted, {"--color=always"}, true},
    {"Terminal", true, usual, {}, true},
    {"TerminalAuto", true, usual, {"--color=auto"}, true},
    {"TerminalNever", true, usual, {"--color=never"}, false},
    {"TerminalNoColor", true, unwanted, {}, false},
    {"TerminalNoColorAuto", true, unwanted, {"--color=auto"}, false},
    {"TerminalAlwaysBeatsNoColor", true, unwanted, {"--color=always"}, true},
    {"DumbTerminal", true, dumb, {}, false},
    {"DumbTerminalAlways", true, dumb, {"--color=always"}, true},
};

class CommandColors : public testing::TestWithParam<ColorCase> {};

TEST_P(CommandColors, GivesExactly) {
  Invocation invocation;
  invocation.arguments = GetParam().options;
  invocation.arguments.emplace_back("match");
  invocation.input = plain;
  invocation.variables = GetParam().variables;
  invocation.output_is_terminal = GetParam().terminal;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, GetParam().is_colored ? colored : plain);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

INSTANTIATE_TEST_SUITE_P(Table, CommandColors, testing::ValuesIn(color_cases),
                         [](const testing::TestParamInfo<ColorCase>& info) { return info.param.name; });

// The output waits unread for longer than the command waits with a bar, and it is more than the pipe holds.
Invocation slow_search(const TemporaryFolder& folder) {
  std::string text;
  while (text.size() < std::size_t{8} << 20) text += "a line with a match\n";
  folder.write("text", text);
  Invocation invocation;
  invocation.arguments = {"--offsets", "match", "text"};
  invocation.folder = folder.path();
  invocation.meanwhile = [](pid_t, int) { std::this_thread::sleep_for(patience + 500ms); };
  return invocation;
}

TEST(CommandProgress, BarOfAFileThatTakesLong) {
  const TemporaryFolder folder;
  Invocation invocation = slow_search(folder);
  invocation.errors_are_terminal = true;
  const Outcome outcome = run(invocation);
  EXPECT_TRUE(std::regex_match(outcome.errors,
                               std::regex("(\r\33\\[K\\[#* *\\] +[0-9]+ % text)+\r\33\\[K", std::regex::ECMAScript)))
      << testing::PrintToString(outcome.errors);
  std::smatch bar;
  ASSERT_TRUE(std::regex_search(outcome.errors, bar, std::regex("\\[(#* *)\\] +([0-9]+) %")));
  EXPECT_EQ(bar[1].length(), 30);
  // Only a part of the file is done when the pipe is full.
  const double share = std::stod(bar[2].str());
  const auto filled = static_cast<double>(std::count(bar[1].first, bar[1].second, '#'));
  EXPECT_NEAR(filled, share * 30 / 100, 1);
  EXPECT_EQ(outcome.output.substr(outcome.output.size() - 10), "8388614\t0\n");
  EXPECT_EQ(outcome.status, 0);
}

TEST(CommandProgress, BytesOfAStreamThatTakesLong) {
  Invocation invocation;
  invocation.program = "bash";
  invocation.arguments = {"-c", "(echo match 1; sleep 1.5; echo match 2) | '" LODE_COMMAND "' match"};
  invocation.errors_are_terminal = true;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, "match 1\nmatch 2\n");
  EXPECT_TRUE(std::regex_match(outcome.errors, std::regex("(\r\33\\[K0\\.0 MB \\(standard input\\))+\r\33\\[K")))
      << testing::PrintToString(outcome.errors);
}

TEST(CommandProgress, NoBarWhereErrorsGoElsewhere) {
  const TemporaryFolder folder;
  const Outcome outcome = run(slow_search(folder));
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST(CommandProgress, NoBarWhereTheResultsGoToATerminal) {
  const TemporaryFolder folder;
  Invocation invocation = slow_search(folder);
  invocation.errors_are_terminal = invocation.output_is_terminal = true;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST(CommandProgress, NoBarOfShortWork) {
  Invocation invocation;
  invocation.arguments = {"match"};
  invocation.input = plain;
  invocation.errors_are_terminal = true;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.output, plain);
}

}  // namespace
}  // namespace lode::test
