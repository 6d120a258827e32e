// Compares the command with grep -F on drawn files, patterns and options, to the last byte. Each failure prints the
// seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "process.hpp"

namespace lode::test {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(engine_) < probability; }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_); }
  template <typename T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }
  std::string bytes(const std::string& alphabet, std::size_t length) {
    std::string text;
    while (text.size() < length) text += alphabet[below(alphabet.size())];
    return text;
  }

 private:
  std::mt19937 engine_;
};

struct GrepScenario {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> options, patterns, paths;
  std::string input;
};

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

GrepScenario draw_grep_scenario(unsigned seed) {
  Draw draw(seed);
  GrepScenario drawn;
  const std::string alphabet = draw.one_of<std::string>({"ab", "abc \n", "ab_ \n\n", "aAbB\n", "xyz0_ .\n", "ab\n"});
  std::vector<std::string>& options = drawn.options;
  for (const char* option : {"-n", "-b", "-H", "-i", "-a"}) {
    if (draw.chance(0.3)) options.push_back(option);
  }
  const std::string output = draw.one_of<std::string>({"", "", "", "-c", "-o", "-o", "-l", "-L", "-q"});
  const bool colors = draw.chance(0.2);
  const bool null_data = draw.chance(0.1);
  if (!output.empty()) options.push_back(output);
  if (colors) options.push_back("--color=always");
  if (null_data) options.push_back("--null-data");
  // These options are left out where grep differs: it finds other words behind the first match in a line, colours the
  // context of inverted matches in one direction only, and writes the context of -o -v.
  if (!colors && output != "-o") {
    if (draw.chance(0.2)) options.push_back("-v");
    if (draw.chance(0.2)) options.push_back("-w");
  }
  if (draw.chance(0.1)) options.push_back("-x");
  if (draw.chance(0.2)) options.insert(options.end(), {"-m", draw.one_of<std::string>({"0", "1", "2", "3"})});
  if (output.empty() || output == "-o") {
    for (const char* option : {"-A", "-B", "-C"}) {
      if (draw.chance(0.2)) options.insert(options.end(), {option, draw.one_of<std::string>({"0", "1", "2", "5"})});
    }
  }
  // grep takes the NUL bytes of binary files for ends of lines. That shows if lines are counted.
  const bool nul_allowed =
      has(options, "-a") || null_data ||
      !(has(options, "-v") || has(options, "-c") || has(options, "-x") || has(options, "-w") || has(options, "-m"));
  for (const char* name : {"one", "two"}) {
    std::string text = draw.bytes(alphabet, draw.one_of<std::size_t>({0, 1, 5, 20, 100, 400, 3000}));
    if (nul_allowed && !text.empty() && draw.chance(0.15)) text[draw.below(text.size())] = '\0';
    drawn.files.emplace_back(name, text);
  }
  const std::string letters = alphabet.substr(0, alphabet.find('\n'));
  for (std::size_t count = draw.one_of<std::size_t>({1, 1, 2, 5}); count > 0; --count) {
    drawn.patterns.insert(drawn.patterns.end(), {"-e", draw.bytes(letters, draw.one_of<std::size_t>({1, 2, 3, 4}))});
  }
  drawn.paths = draw.one_of<std::vector<std::string>>({{"one"}, {"one", "two"}, {}});
  if (drawn.paths.empty()) drawn.input = drawn.files[0].second;
  if (output != "-q" && draw.chance(0.05)) drawn.paths.push_back("missing");
  return drawn;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void compare_with_grep(unsigned seed, const std::vector<std::string>& more_options) {
  const GrepScenario drawn = draw_grep_scenario(seed);
  const TemporaryFolder folder;
  for (const auto& [name, content] : drawn.files) folder.write(name, content);
  Invocation ours;
  ours.folder = folder.path();
  ours.input = drawn.input;
  ours.variables = {{"LC_ALL", "C"}};
  std::vector<std::string> arguments = drawn.options;
  arguments.insert(arguments.end(), drawn.patterns.begin(), drawn.patterns.end());
  arguments.insert(arguments.end(), drawn.paths.begin(), drawn.paths.end());
  Invocation theirs = ours;
  ours.arguments = arguments;
  ours.arguments.insert(ours.arguments.begin(), more_options.begin(), more_options.end());
  theirs.program = "grep";
  theirs.arguments = arguments;
  theirs.arguments.insert(theirs.arguments.begin(), "-F");
  const Outcome found = run(ours);
  const Outcome expected = run(theirs);
  std::string shown = "seed " + std::to_string(seed) + ":";
  for (const std::string& argument : ours.arguments) shown += " '" + argument + "'";
  ASSERT_EQ(found.output, expected.output) << shown;
  ASSERT_EQ(found.errors, replaced(expected.errors, "grep:", "lode:")) << shown;
  ASSERT_EQ(found.status, expected.status) << shown;
}

TEST(CommandAgainstGrep, DrawnScenarios) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    compare_with_grep(seed, {});
    if (HasFatalFailure()) return;
  }
}

TEST(CommandAgainstGrep, DrawnScenariosOnOneThreadWithAnotherAlgorithm) {
  for (unsigned seed = 1001; seed <= 1100; ++seed) {
    compare_with_grep(seed, {"--threads", "1", "--algorithm", "filter"});
    if (HasFatalFailure()) return;
  }
}

// The texts span several windows and mappings, and lines and matches cross every edge.
TEST(CommandAgainstGrep, LongTexts) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Draw draw(seed);
    const std::string alphabet =
        draw.one_of<std::string>({"ab\n", "abababababababababababab\n", std::string(3000, 'a') + "b\n"});
    const std::string text = draw.bytes(alphabet, draw.one_of<std::size_t>({1200000, 2500000}));
    const TemporaryFolder folder;
    folder.write("text", text);
    const std::vector<std::string> options =
        draw.one_of<std::vector<std::string>>({{"-n"}, {"-c"}, {"-v"}, {"-vc"}, {"-ob"}, {"-nb", "-C2"}, {"-x"}});
    for (const bool through_pipe : {false, true}) {
      Invocation invocation;
      invocation.folder = folder.path();
      invocation.variables = {{"LC_ALL", "C"}};
      invocation.arguments = options;
      invocation.arguments.insert(invocation.arguments.end(), {"-e", "bab", "-e", "aaaab", "-e", "b"});
      if (seed % 2 == 0) invocation.arguments.resize(invocation.arguments.size() - 2);
      if (through_pipe) {
        invocation.input = text;
      } else {
        invocation.arguments.push_back("text");
      }
      const Outcome found = run(invocation);
      invocation.program = "grep";
      invocation.arguments.insert(invocation.arguments.begin(), "-F");
      const Outcome expected = run(invocation);
      ASSERT_TRUE(found.output == expected.output)
          << "seed " << seed << (through_pipe ? " through a pipe" : "") << " option " << options[0] << ": "
          << found.output.size() << " against " << expected.output.size() << " bytes";
      ASSERT_EQ(found.errors, "");
      ASSERT_EQ(found.status, expected.status);
    }
  }
}

}  // namespace
}  // namespace lode::test
