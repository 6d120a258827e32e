// Tests --matrix, which gives the first offset of each pattern in each line, dense and sparse, to the last byte. It
// also tests its conflicts with other options and its statistics, and compares random texts with plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

struct InputFile {
  std::string name, content;
};

struct MatrixCase {
  std::string name;
  std::vector<std::string> arguments;  // the options beside --matrix
  std::string dense, sparse;
  int status = 0;
  std::string input = {};
  std::vector<InputFile> files = {};
  std::string errors = {};
};

void PrintTo(const MatrixCase& test, std::ostream* stream) { *stream << test.name; }

const std::vector<std::string> pets = {"-e", "kitty", "-e", "puppy"};

std::vector<std::string> with_pets(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), pets.begin(), pets.end());
  return arguments;
}

const std::vector<MatrixCase> matrix_cases = {
    {"Origin", with_pets({}), "0,10\n-1,0\n", "0\t0\t0\n0\t1\t10\n1\t1\t0\n", 0, "kitty and puppy\npuppy, elephant\n"},
    {"OnePattern", {"b"}, "-1\n1\n", "1\t0\t1\n", 0, "a\nab\n"},
    {"NoHit", {"x"}, "-1\n-1\n", "", 1, "a\nb\n"},
    {"FirstOfSeveral", {"a"}, "1\n", "0\t0\t1\n", 0, "banana\n"},
    {"LastLineWithoutTerminator", with_pets({}), "0,-1\n-1,1\n", "0\t0\t0\n1\t1\t1\n", 0, "kitty\n puppy"},
    {"NoText", {"a"}, "", "", 1, ""},
    {"OneEmptyLine", {"a"}, "-1\n", "", 1, "\n"},
    {"EmptyLines", {"a"}, "-1\n-1\n0\n-1\n", "2\t0\t0\n", 0, "\n\na\n\n"},
    {"CarriageReturnsBelongToTheRecord",
     {"-e", "\r", "-e", "b"},
     "2,1\n0,-1\n",
     "0\t0\t2\n0\t1\t1\n1\t0\t0\n",
     0,
     "ab\r\n\r\n"},
    {"Nul", {"b"}, "2\n-1\n", "0\t0\t2\n", 0, "a\0b\n\0\n"s},
    {"NullData",
     {"--null-data", "-e", "b", "-e", "\n"},
     "1,2\n-1,0\n-1,-1\n-1,-1\n2,-1\n",
     "0\t0\t1\n0\t1\t2\n1\t1\t0\n4\t0\t2\n",
     0,
     "ab\nb\0\n\0\0a\0aab"s},
    {"PatternsWithTheTerminatorNeverMatch",
     {"-e", "a\n", "-e", "a\nb", "-e", "\n", "-e", "b"},
     "-1,-1,-1,-1\n-1,-1,-1,0\n",
     "1\t3\t0\n",
     0,
     "a\nb\n"},
    {"OnlyPatternsWithTheTerminator", {"-e", "a\n"}, "-1\n", "", 1, "a\n"},
    {"EqualPatternsKeepTheirIds",
     {"-e", "b", "-e", "a", "-e", "b"},
     "1,0,1\n",
     "0\t0\t1\n0\t1\t0\n0\t2\t1\n",
     0,
     "ab\n"},
    {"OverlapsAndPrefixes",
     {"-e", "aba", "-e", "bab", "-e", "ab", "-e", "a"},
     "0,1,0,0\n",
     "0\t0\t0\n0\t1\t1\n0\t2\t0\n0\t3\t0\n",
     0,
     "ababa\n"},
    {"IgnoreCase", {"-i", "-e", "KITTY", "-e", "x"}, "1,-1\n", "0\t0\t1\n", 0, " Kitty\n"},
    {"Word",
     {"-w", "-e", "ab", "-e", "b"},
     "4,-1\n0,-1\n-1,-1\n-1,3\n",
     "0\t0\t4\n1\t0\t0\n3\t1\t3\n",
     0,
     "abc ab\nab\nabc\n_b b\n"},
    {"WordAtTheEndOfTheText", {"-w", "-e", "b"}, "-1\n2\n", "1\t0\t2\n", 0, "ab\na b"},
    {"WholeLine", {"-x", "-e", "ab", "-e", "b"}, "0,-1\n-1,-1\n-1,-1\n-1,0\n", "0\t0\t0\n3\t1\t0\n", 0, "ab\nabc\n\nb"},
    {"WholeRecordOfNullData", {"-x", "--null-data", "-e", "a\n"}, "0\n-1\n", "0\t0\t0\n", 0, "a\n\0a\0"s},
    {"WholeLineKeepsCarriageReturn", {"-x", "ab"}, "-1\n0\n", "1\t0\t0\n", 0, "ab\r\nab\n"},
    {"SeveralFiles",
     with_pets({"one", "empty", "open", "two"}),
     "0,-1\n-1,-1\n-1,0\n5,0\n",
     "0\t0\t0\n2\t1\t0\n3\t0\t5\n3\t1\t0\n",
     0,
     "",
     {{"one", "kitty\nkit\n"}, {"empty", ""}, {"open", "puppy"}, {"two", "puppykitty puppy\n"}},
     ""},
    {"OpenLineDoesNotGoOnInTheNextFile", {"ab", "one", "two"}, "-1\n-1\n", "", 1, "", {{"one", "a"}, {"two", "b"}}, ""},
    {"StandardInputAmongFiles",
     {"a", "one", "-", "one"},
     "0\n1\n-1\n0\n",
     "0\t0\t0\n1\t0\t1\n3\t0\t0\n",
     0,
     "ba\nc",
     {{"one", "a\n"}},
     ""},
    {"MissingFileAmongFiles",
     {"a", "one", "missing", "one"},
     "0\n0\n",
     "0\t0\t0\n1\t0\t0\n",
     2,
     "",
     {{"one", "a\n"}},
     "lode: missing: No such file or directory\n"},
    {"Directory",
     {"-e", "a", "tree"},
     "0\n1\n-1\n0\n",
     "0\t0\t0\n1\t0\t1\n3\t0\t0\n",
     0,
     "",
     {{"tree/a/deep", "a\nba\n"}, {"tree/b", "\n"}, {"tree/c", "a"}},
     ""},
    {"Globs",
     {"--include", "*.txt", "-e", "a", "tree"},
     "1\n",
     "0\t0\t1\n",
     0,
     "",
     {{"tree/a", "a\n"}, {"tree/b.txt", "ba\n"}},
     ""},
    {"Exclude",
     {"--exclude", "*.txt", "-e", "a", "tree"},
     "0\n",
     "0\t0\t0\n",
     0,
     "",
     {{"tree/a", "a\n"}, {"tree/b.txt", "ba\n"}},
     ""},
    {"LabelsDoNotMatter",
     {"--pattern-format", "jsonl", "-f", "p", "-e", "a"},
     "1,0\n",
     "0\t0\t1\n0\t1\t0\n",
     0,
     "aB\n",
     {{"p", "{\"text\": \"b\", \"label\": \"bee\", \"ignore_case\": true}\n"}},
     ""},
    {"NoNamesAndColoursAsEver",
     {"-I", "--color=always", "-a", "-e", "a", "one", "one"},
     "0\n0\n",
     "0\t0\t0\n1\t0\t0\n",
     0,
     "",
     {{"one", "a\n"}},
     ""},
    {"OverlappingIsWhatItIs", {"--match-kind", "overlapping", "a"}, "0\n", "0\t0\t0\n", 0, "aa\n"},
    {"Naive", with_pets({"--algorithm", "naive", "--threads", "1"}), "0,10\n", "0\t0\t0\n0\t1\t10\n", 0,
     "kitty and puppy"},
    {"RabinKarp", with_pets({"--algorithm", "rabin-karp", "--verify"}), "0,10\n-1,-1\n", "0\t0\t0\n0\t1\t10\n", 0,
     "kitty and puppy\n\n"},
    {"BoyerMoore", with_pets({"--algorithm", "boyer-moore", "--verify"}), "0,10\n-1,-1\n", "0\t0\t0\n0\t1\t10\n", 0,
     "kitty and puppy\n\n"},
    {"VerifiedWithWords",
     {"--verify", "-w", "-e", "ab", "-e", "b", "-e", "b\nab"},
     "-1,-1,-1\n2,0,-1\n",
     "1\t0\t2\n1\t1\t0\n",
     0,
     "abb\nb ab"},
    {"IterationsWriteOnce",
     {"--iterations", "3", "a", "one", "one"},
     "0\n-1\n0\n-1\n",
     "0\t0\t0\n2\t0\t0\n",
     0,
     "",
     {{"one", "a\nb\n"}},
     ""},
};

class MatrixCases : public testing::TestWithParam<MatrixCase> {};

TEST_P(MatrixCases, GivesExactly) {
  const MatrixCase& test = GetParam();
  const TemporaryFolder folder;
  for (const InputFile& file : test.files) folder.write(file.name, file.content);
  for (const bool dense : {true, false}) {
    Invocation invocation;
    invocation.arguments = test.arguments;
    invocation.arguments.insert(invocation.arguments.begin(), {"--matrix", dense ? "dense" : "sparse"});
    invocation.input = test.input;
    invocation.folder = folder.path();
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.output, dense ? test.dense : test.sparse);
    EXPECT_EQ(outcome.errors, test.errors);
    EXPECT_EQ(outcome.status, test.status);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, MatrixCases, testing::ValuesIn(matrix_cases),
                         [](const testing::TestParamInfo<MatrixCase>& info) { return info.param.name; });

Outcome run_matrix(std::vector<std::string> arguments, std::string input, const std::string& form = "dense") {
  Invocation invocation;
  invocation.arguments = std::move(arguments);
  invocation.arguments.insert(invocation.arguments.begin(), {"--matrix", form});
  invocation.input = std::move(input);
  return run(invocation);
}

TEST(Matrix, RefusesWhatHasNoMeaningForIt) {
  const std::pair<std::vector<std::string>, std::string> conflicts[] = {
      {{"-q"}, "-q"},      {{"-o"}, "-o"},  {{"-v"}, "-v"},      {{"-m", "3"}, "-m"},
      {{"-n"}, "-n"},      {{"-b"}, "-b"},  {{"-H"}, "-H"},      {{"--pattern-id"}, "--pattern-id"},
      {{"-C", "1"}, "-C"}, {{"-A1"}, "-A"}, {{"-B", "0"}, "-B"},
  };
  for (const auto& [options, name] : conflicts) {
    std::vector<std::string> arguments = options;
    arguments.push_back("a");
    const Outcome outcome = run_matrix(arguments, "a\n");
    EXPECT_EQ(outcome.errors,
              "lode: " + name + " and --matrix cannot be combined: nothing but the matrix is written\n");
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.status, 2);
  }
  for (const char* const kind : {"leftmost-longest", "leftmost-first"}) {
    const Outcome outcome = run_matrix({"--match-kind", kind, "a"}, "a\n");
    EXPECT_EQ(outcome.errors,
              "lode: --match-kind and --matrix cannot be combined: a matrix has the first of all occurrences\n");
    EXPECT_EQ(outcome.status, 2);
  }
  for (const char* const output : {"--count", "--count-matches", "--count-per-pattern", "--files-with-matches",
                                   "--files-without-match", "--offsets", "--json"}) {
    const Outcome outcome = run_matrix({output, "a"}, "a\n");
    EXPECT_EQ(outcome.errors, "lode: --matrix and "s + output + " cannot be combined\n");
    EXPECT_EQ(outcome.status, 2);
  }
  const Outcome no_form = run_matrix({"a"}, "a\n", "full");
  EXPECT_EQ(no_form.errors, "lode: --matrix: 'full' is not one of dense|sparse\n");
  EXPECT_EQ(no_form.status, 2);
}

TEST(Matrix, PlansAreSavedAndLoaded) {
  const TemporaryFolder folder;
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = with_pets({"--save-plan", "pets.plan", "--matrix", "dense"});
  const Outcome saved = run(invocation);
  EXPECT_EQ(saved.output + saved.errors, "");
  EXPECT_EQ(saved.status, 0);
  invocation.arguments = {"--plan", "pets.plan", "--matrix", "dense"};
  invocation.input = "kitty and puppy\npuppy, elephant\n";
  EXPECT_EQ(run(invocation).output, "0,10\n-1,0\n");
}

TEST(Matrix, StatsTellRecordsAndHits) {
  const std::string text = "kitty and puppy\npuppy, elephant\nnone\n";
  const Outcome outcome = run_matrix(with_pets({"--stats", "--verify", "--device", "cpu"}), text, "sparse");
  for (const char* line : {"device: cpu\n", "bytes: 37\n", "records: 3\n", "hits: 3\n",
                           "candidates: ", "GB/s: ", "verified: equal to rabin-karp\n"}) {
    EXPECT_NE(outcome.errors.find(line), std::string::npos) << line << " in\n" << outcome.errors;
  }
  EXPECT_EQ(outcome.errors.find("matches: "), std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("flagged"), std::string::npos) << outcome.errors;
}

TEST(Matrix, StatsOfRabinKarpTellBothStages) {
  const std::string text = "kitty and puppy\npuppy, elephant\nnone\n";
  const Outcome outcome = run_matrix(with_pets({"--stats", "--verify", "--algorithm", "rabin-karp"}), text, "sparse");
  EXPECT_EQ(outcome.output, "0\t0\t0\n0\t1\t10\n1\t1\t0\n");
  for (const char* line :
       {"algorithm: rabin-karp\n", "records: 3\n", "hits: 3\n", "flagged records: 2\n", "false positives: 0\n",
        "flag seconds: 0.", "verify seconds: 0.", "verified: equal to naive\n"}) {
    EXPECT_NE(outcome.errors.find(line), std::string::npos) << line << " in\n" << outcome.errors;
  }
}

struct ManyTexts {
  std::vector<std::string> texts, patterns;
  char terminator = '\n';
  std::string condition;  // may be -w, -x or none
  bool ignore_case = false;
};

ManyTexts draw_many_texts(unsigned seed) {
  std::mt19937 engine(seed);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine); };
  const std::string alphabets[] = {"ab\n", "aAbB \n", "a\0\n"s, "abcdefgh\n", "ab\xc3_ \r\n"};
  const std::string& alphabet = alphabets[below(5)];
  const auto draw = [&](std::size_t length) {
    std::string bytes;
    while (bytes.size() < length) bytes += alphabet[below(alphabet.size())];
    return bytes;
  };
  const std::size_t lengths[] = {0, 1, 7, 50, 300, 5000};
  ManyTexts drawn;
  for (std::size_t count = 1 + below(3); count > 0; --count) drawn.texts.push_back(draw(lengths[below(6)]));
  for (std::size_t count = 1 + below(8); count > 0; --count) drawn.patterns.push_back(draw(1 + below(4)));
  drawn.terminator = below(3) == 0 ? '\0' : '\n';
  const char* const conditions[] = {"", "-w", "-x"};
  drawn.condition = conditions[below(3)];
  drawn.ignore_case = below(2) == 0;
  return drawn;
}

bool is_word_byte(char byte) { return byte == '_' || std::isalnum(static_cast<unsigned char>(byte)) != 0; }

long first_in(const std::string& record, const std::string& pattern, const std::string& condition) {
  for (std::size_t at = 0; (at = record.find(pattern, at)) != std::string::npos; ++at) {
    const std::size_t end = at + pattern.size();
    if (condition == "-x" && (at > 0 || end < record.size())) continue;
    if (condition == "-w" &&
        ((at > 0 && is_word_byte(record[at - 1])) || (end < record.size() && is_word_byte(record[end]))))
      continue;
    return static_cast<long>(at);
  }
  return -1;
}

struct ExpectedMatrix {
  std::string dense, sparse;
};

ExpectedMatrix expected_of(ManyTexts drawn) {
  const auto fold = [](std::string& bytes) {
    for (char& byte : bytes)
      if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
  };
  ExpectedMatrix expected;
  std::size_t number = 0;
  if (drawn.ignore_case) std::for_each(drawn.patterns.begin(), drawn.patterns.end(), fold);
  for (std::string& text : drawn.texts) {
    if (drawn.ignore_case) fold(text);
    for (std::size_t begin = 0; begin < text.size(); ++number) {
      const std::size_t end = std::min(text.find(drawn.terminator, begin), text.size());
      const std::string record = text.substr(begin, end - begin);
      for (std::size_t id = 0; id < drawn.patterns.size(); ++id) {
        const long first = first_in(record, drawn.patterns[id], drawn.condition);
        expected.dense += (id > 0 ? "," : "") + std::to_string(first);
        if (first >= 0)
          expected.sparse += std::to_string(number) + "\t" + std::to_string(id) + "\t" + std::to_string(first) + "\n";
      }
      expected.dense += '\n';
      begin = end + 1;
    }
  }
  return expected;
}

class MatrixAgainstOracle : public testing::TestWithParam<std::string> {};

TEST_P(MatrixAgainstOracle, RandomTexts) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const ManyTexts drawn = draw_many_texts(seed);
    const TemporaryFolder folder;
    std::string lines;
    for (const std::string& pattern : drawn.patterns) {
      for (const unsigned char byte : pattern) lines += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
      lines += '\n';
    }
    folder.write("patterns", lines);
    Invocation invocation;
    invocation.folder = folder.path();
    invocation.arguments = {"--pattern-format", "hex", "-f", "patterns", "--algorithm", GetParam(), "--verify"};
    if (drawn.terminator == '\0') invocation.arguments.emplace_back("--null-data");
    if (!drawn.condition.empty()) invocation.arguments.push_back(drawn.condition);
    if (drawn.ignore_case) invocation.arguments.emplace_back("-i");
    // The first text arrives through a pipe, and the others are files.
    invocation.input = drawn.texts[0];
    invocation.arguments.emplace_back("-");
    for (std::size_t text = 1; text < drawn.texts.size(); ++text) {
      folder.write("text" + std::to_string(text), drawn.texts[text]);
      invocation.arguments.push_back("text" + std::to_string(text));
    }
    const ExpectedMatrix expected = expected_of(drawn);
    for (const bool dense : {true, false}) {
      Invocation with_form = invocation;
      with_form.arguments.insert(with_form.arguments.begin(), {"--matrix", dense ? "dense" : "sparse"});
      const Outcome outcome = run(with_form);
      ASSERT_EQ(outcome.errors, "") << "seed " << seed;
      ASSERT_TRUE(outcome.output == (dense ? expected.dense : expected.sparse)) << "seed " << seed;
      ASSERT_EQ(outcome.status, expected.sparse.empty() ? 1 : 0) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, MatrixAgainstOracle, testing::Values("auto", "naive", "rabin-karp", "boyer-moore"),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace lode::test
