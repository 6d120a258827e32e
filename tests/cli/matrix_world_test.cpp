// Tests --matrix with texts that are long, slow, compressed or damaged, with little memory, with a reader that goes
// away, and on a GPU if there is one. Its verifier must see what differs.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "cli/search/matrix_verifier.hpp"
#include "lode/lode.hpp"
#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

Outcome run_shell(const std::string& script) {
  Invocation invocation;
  invocation.program = "bash";
  invocation.arguments = {"-c", script};
  return run(invocation);
}

const std::vector<std::string> words = {"needle", "e 7", "99", "needle"};

// The lines have all lengths, and one of them is longer than any part that is searched at once.
std::string long_text() {
  std::mt19937 engine(7);
  std::string text;
  for (std::size_t line = 0; text.size() < (tests::is_sanitized() ? 3 : 20) * mebibyte; ++line) {
    text += "line " + std::to_string(line);
    if (engine() % 100 == 0) text += " needle";
    text.append(engine() % 50, '.');
    if (text.size() > mebibyte && text.size() < mebibyte + 200) {
      text.append((tests::is_sanitized() ? 1 : 33) * mebibyte, '-');
      text += "needle";
    }
    text += '\n';
  }
  return text + "needle without end";
}

struct Table {
  std::string dense, sparse;
};

Table table_of(const std::string& text) {
  Table table;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    for (std::size_t id = 0; id < words.size(); ++id) {
      const std::size_t at = line.find(words[id]);
      table.dense += at == std::string::npos ? "-1" : std::to_string(at);
      table.dense += id + 1 < words.size() ? ',' : '\n';
      if (at != std::string::npos)
        table.sparse += std::to_string(number) + "\t" + std::to_string(id) + "\t" + std::to_string(at) + "\n";
    }
  }
  return table;
}

std::vector<std::string> with_words(std::vector<std::string> arguments) {
  for (const std::string& word : words) arguments.insert(arguments.end(), {"-e", word});
  return arguments;
}

TEST(MatrixOfLongTexts, EqualsTheObviousLoopsFromFilesAndPipes) {
  const std::string text = long_text();
  const Table expected = table_of(text);
  const TemporaryFolder folder;
  folder.write("text", text);
  for (const bool dense : {true, false}) {
    for (const char* const threads : {"1", "3"}) {
      for (const char* const algorithm : {"auto", "rabin-karp"}) {
        Invocation invocation;
        invocation.folder = folder.path();
        invocation.arguments =
            with_words({"--matrix", dense ? "dense" : "sparse", "--threads", threads, "--algorithm", algorithm});
        const std::string& wanted = dense ? expected.dense : expected.sparse;
        invocation.arguments.emplace_back("-");
        invocation.input = text;
        EXPECT_TRUE(run(invocation).output == wanted) << dense << threads << algorithm << " from a pipe";
        invocation.arguments.back() = "text";
        invocation.input.clear();
        EXPECT_TRUE(run(invocation).output == wanted) << dense << threads << algorithm << " from a file";
      }
    }
  }
}

TEST(MatrixOfLongTexts, OpenClGivesTheSame) {
  if (tests::is_thread_sanitized()) GTEST_SKIP() << "every access in a driver looks like a race";
  const TemporaryFolder folder;
  Invocation invocation;
  invocation.arguments = {"--list-devices"};
  const std::string devices = run(invocation).output;
  if (devices.find("\nopencl:0\t") == std::string::npos) GTEST_SKIP() << "no OpenCL device: " << devices;
  const std::string text = long_text().substr(0, 3 * mebibyte / 2);
  const Table expected = table_of(text);
  folder.write("text", text);
  invocation.folder = folder.path();
  for (const char* const algorithm : {"auto", "rabin-karp"}) {
    invocation.arguments =
        with_words({"--matrix", "sparse", "--device", "opencl:0", "--stats", "--algorithm", algorithm, "text"});
    const Outcome sparse = run(invocation);
    EXPECT_TRUE(sparse.output == expected.sparse) << algorithm;
    EXPECT_NE(sparse.errors.find("device: opencl:0\n"), std::string::npos) << sparse.errors;
    invocation.arguments = with_words({"--matrix", "dense", "--device", "opencl:0", "--algorithm", algorithm, "text"});
    EXPECT_TRUE(run(invocation).output == expected.dense) << algorithm;
  }
}

TEST(MatrixOfStreams, CompressedTextsAreUnpacked) {
  const Outcome outcome = run_shell("printf 'kitty and puppy\\npuppy, elephant\\n' | gzip -c | '" LODE_COMMAND
                                    "' -z --matrix dense -e kitty -e puppy");
  EXPECT_EQ(outcome.output, "0,10\n-1,0\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(MatrixOfStreams, RecordsOfASlowStreamComeAtOnce) {
  const char* const script = "(echo match 1; sleep 2; echo match 2) | '" LODE_COMMAND
                             "' --matrix sparse match | (read -t 1 first && echo \"got $first\")";
  EXPECT_EQ(run_shell(script).output, "got 0\t0\t0\n");
}

TEST(MatrixOfStreams, BrokenPipeEndsSilently) {
  for (const char* const form : {"dense", "sparse"}) {
    const Outcome outcome = run_shell("yes match | '" LODE_COMMAND "' --matrix " + std::string(form) +
                                      " match | head -n 1; echo ${PIPESTATUS[1]}");
    EXPECT_EQ(outcome.output, (form == "dense"s ? "0"s : "0\t0\t0"s) + "\n141\n");
    EXPECT_EQ(outcome.errors, "");
  }
}

TEST(MatrixOfStreams, FullDisk) {
  for (const char* const form : {"dense", "sparse"}) {
    Invocation invocation;
    invocation.arguments = {"--matrix", form, "match"};
    invocation.input = "match\n";
    invocation.output_path = "/dev/full";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.errors, "lode: standard output: No space left on device\n");
    EXPECT_EQ(outcome.status, 2);
  }
}

TEST(MatrixOfStreams, InputFileIsAlsoTheOutput) {
  const TemporaryFolder folder;
  folder.write("text", "match\n");
  Invocation invocation;
  invocation.arguments = {"--matrix", "dense", "match", "text"};
  invocation.folder = folder.path();
  invocation.output_path = (folder.path() / "text").string();
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.errors, "lode: text: input file is also the output\n");
  EXPECT_EQ(outcome.status, 2);
}

// A line that does not fit is an error. The records of the next file continue the numbers of those that were read.
TEST(MatrixOfStreams, FileThatFailsHalfWay) {
  const TemporaryFolder folder;
  folder.write("next", "b\nxa\n");
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.input = "a\nb\n" + std::string(mebibyte, 'a');
  for (const bool dense : {true, false}) {
    invocation.arguments = {"--matrix", dense ? "dense" : "sparse", "--memory-limit", "64K", "a", "-", "next"};
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.output, dense ? "0\n-1\n-1\n1\n" : "0\t0\t0\n3\t0\t1\n");
    EXPECT_EQ(outcome.errors.rfind("lode: (standard input): a line of more than ", 0), 0U) << outcome.errors;
    EXPECT_NE(outcome.errors.find(" does not fit into the memory limit; raise --memory-limit\n"), std::string::npos);
    EXPECT_EQ(outcome.status, 2);
  }
}

TEST(MatrixMemory, LongPipesStayBounded) {
  const std::pair<const char*, std::string> texts[] = {
      {"usual lines", "a line with a match and some more text behind it\n"},
      {"empty lines", "\n"},
      {"hits only", "a\n"}};
  for (const auto& [name, line] : texts) {
    std::string text;
    while (text.size() < mebibyte) text += line;
    for (const char* const form : {"dense", "sparse"}) {
      for (const char* const algorithm : {"auto", "rabin-karp"}) {
        Invocation invocation;
        invocation.arguments = {"--threads", "2", "--matrix", form, "--algorithm", algorithm, "-e", "a", "-e", "match"};
        invocation.input = text;
        invocation.input_repeats = tests::is_sanitized() ? 2 : 24;
        invocation.output_path = "/dev/null";
        const Outcome outcome = run(invocation);
        EXPECT_EQ(outcome.status, line == "\n" ? 1 : 0) << outcome.errors;
        expect_peak_below(128, outcome, std::string(name) + ", " + form + ", " + algorithm);
      }
    }
  }
}

TEST(MatrixMemory, MatchExplosionStaysBounded) {
  const std::size_t size = tests::is_sanitized() ? mebibyte / 16 : mebibyte;
  for (const bool one_line : {true, false}) {
    std::string text(size, 'a');
    for (std::size_t at = 20; !one_line && at < size; at += 21) text[at] = '\n';
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"dense"}, {"sparse"}, {"sparse", "--algorithm", "rabin-karp"}}) {
      Invocation invocation;
      invocation.arguments = options;
      invocation.arguments.insert(invocation.arguments.begin(), {"--threads", "2", "--matrix"});
      for (std::size_t length = 1; length <= 20; ++length)
        invocation.arguments.insert(invocation.arguments.end(), {"-e", std::string(length, 'a')});
      invocation.input = text;
      invocation.output_path = "/dev/null";
      const Outcome outcome = run(invocation);
      EXPECT_EQ(outcome.status, 0) << outcome.errors;
      expect_peak_below(128, outcome, options.back() + (one_line ? ", one line" : ", many lines"));
    }
  }
}

TEST(MatrixMemory, ManyPatternsNeedNoWholeMatrix) {
  std::string patterns;
  for (int id = 0; id < 5000; ++id) patterns += "pattern " + std::to_string(id) + "\n";
  std::string text;
  while (text.size() < mebibyte / 8) text += "of pattern " + std::to_string(text.size() % 7001) + "\n";
  const TemporaryFolder folder;
  folder.write("patterns", patterns);
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = {"--matrix", "dense", "-f", "patterns"};
  invocation.input = text;
  invocation.output_path = "/dev/null";
  const Outcome outcome = run(invocation);  // more than 70 MB
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  expect_peak_below(64, outcome, "many patterns");
}

// The two sides of the comparison have different patterns, as if one of them were wrong.
TEST(MatrixVerifier, SaysWhatDiffersFirst) {
  const std::string text = "kitty and puppy\n\npuppy, elephant\npuppykitty";
  const auto compare = [&](PatternSet checked, PatternSet expected) {
    const RecordSearcher searcher(Plan::build(std::move(checked)), {}, Device::cpu());
    SearcherOptions options;
    options.algorithm = "naive";
    const command::MatrixVerifier verifier(searcher, Searcher(Plan::build(std::move(expected)), options));
    return verifier.compare(text, '\n', 100).value_or("equal");
  };
  EXPECT_EQ(compare({"kitty", "puppy"}, {"kitty", "puppy"}), "equal");
  EXPECT_EQ(compare({"walrus"}, {"horse"}), "equal");
  const std::string checked = RecordSearcher(Plan::build(PatternSet{"kitty", "puppy"})).algorithm();
  EXPECT_EQ(compare({"kitty", "walrus"}, {"kitty", ", elephant"}),
            "verification failed: the first difference is at record 103, pattern 0, offset 5 (" + checked +
                ") against record 102, pattern 1, offset 5 (naive)");
  EXPECT_EQ(compare({"walrus", "puppy"}, {"walrus", "puppy,"}),
            "verification failed: the first difference is at record 100, pattern 1, offset 10 (" + checked +
                ") against record 102, pattern 1, offset 0 (naive)");
  EXPECT_EQ(compare({"walrus", ", e"}, {"walrus", "horse"}).substr(0, 21), "verification failed: ");
  EXPECT_NE(compare({"walrus", ", e"}, {"walrus", "horse"})
                .find(" reports a hit at record 102, pattern 1, offset 5 that naive does not find"),
            std::string::npos);
  EXPECT_NE(compare({"walrus", "horse"}, {"walrus", ", e"})
                .find(" misses the hit at record 102, pattern 1, offset 5 that naive finds"),
            std::string::npos);
}

TEST(MatrixVerifier, ComparesManyHitsPartByPart) {
  std::string text;
  while (text.size() < 5 * mebibyte / 4) text += "abcdefghijkl\n";
  text += "xyz\n";
  const PatternSet patterns{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "x"};
  const RecordSearcher searcher(Plan::build(patterns));
  const auto compare = [&](const std::string& last) {
    PatternSet expected{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    expected.add(last);
    const command::MatrixVerifier verifier(searcher, Searcher(Plan::build(std::move(expected))));
    return verifier.compare(text, '\n', 0).value_or("equal");
  };
  EXPECT_EQ(compare("x"), "equal");
  const std::string last_record = "record " + std::to_string(std::count(text.begin(), text.end(), '\n') - 1);
  EXPECT_NE(compare("y").find("the first difference is at " + last_record + ", pattern 12, offset 0 "),
            std::string::npos);
}

}  // namespace
}  // namespace lode::test
