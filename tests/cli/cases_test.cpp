// One table: arguments, standard input and files in; standard output, standard error and exit status out.

#include <gtest/gtest.h>

#include <algorithm>

#include "opencl.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

struct File {
  std::string name, content;
};

struct Case {
  std::string name;  // letters and digits
  std::vector<std::string> arguments;
  std::string output;
  int status = 0;
  std::string errors = {};
  std::string input = {};
  std::vector<File> files = {};  // besides those that are always there
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

const std::vector<File> usual_files = {
    {"animals", "kitty and puppy\npuppy, elephant\n\nKITTY\nno animal"},
    {"numbers", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"},
    {"binary", "abc\n\0def\nabc def\n"s},
    {"tree/b", "puppy b\n"},
    {"tree/a/deep", "puppy deep\n"},
    {"tree/a.txt", "puppy text\n"},
    {"tree/.hidden", "puppy hidden\n"},
    {"words", "kitty\npuppy\n"},
    {"empty", ""},
};

const std::vector<Case> cases = {
    // Lines
    {"Lines", {"puppy", "animals"}, "kitty and puppy\npuppy, elephant\n"},
    {"NoMatch", {"walrus", "animals"}, "", 1},
    {"LastLineWithoutNewline", {"animal", "animals"}, "no animal\n"},
    {"StandardInput", {"b"}, "abc\n", 0, "", "abc\nxyz\n"},
    {"Dash", {"b", "-"}, "abc\n", 0, "", "abc\nxyz\n"},
    {"StandardInputAmongFiles",
     {"t", "-", "numbers"},
     "(standard input):t\nnumbers:two\nnumbers:three\n",
     0,
     "",
     "t\nu\n"},
    {"TwoPatterns", {"-e", "elephant", "-e", "KITTY", "animals"}, "puppy, elephant\nKITTY\n"},
    {"PatternThatLooksLikeAnOption", {"-e", "-n", "-"}, "a -n b\n", 0, "", "a -n b\n"},
    {"PatternBehindDashes", {"--", "-n", "-"}, "a -n b\n", 0, "", "a -n b\n"},
    {"BracketsAreBytes", {"[a,b]"}, "x[a,b]\n", 0, "", "x[a,b]\na\nb\n"},
    {"OptionsBehindPaths", {"puppy", "animals", "-c"}, "2\n"},
    {"ClusteredLetters", {"-ncv", "puppy", "animals"}, "3\n"},
    {"PatternWithNewlineTouchesTwoLines", {"-n", "-e", "two\nthree", "numbers"}, "2:two\n3:three\n"},
    {"PatternThatEndsInNewlineTouchesOneLine", {"-n", "-e", "two\n", "numbers"}, "2:two\n"},
    {"IgnoreCase", {"-i", "kitty", "animals"}, "kitty and puppy\nKITTY\n"},
    {"Word", {"-w", "ab"}, "ab\n-ab-\n", 0, "", "ab\nabc\n-ab-\n_ab\nab\xc3\xa9\n"},
    {"WholeLine", {"-x", "ab"}, "ab\nab\n", 0, "", "ab\nabc\n\nab"},
    {"Invert", {"-v", "puppy", "animals"}, "\nKITTY\nno animal\n"},
    {"NumbersAndOffsets", {"-nb", "puppy", "animals"}, "1:0:kitty and puppy\n2:16:puppy, elephant\n"},
    {"NamesOfSeveralFiles",
     {"o", "numbers", "tree/b", "animals"},
     "numbers:one\nnumbers:two\nnumbers:four\nanimals:no animal\n"},
    {"NameForced", {"-H", "elephant", "animals"}, "animals:puppy, elephant\n"},
    {"NameSuppressed", {"-I", "seven", "numbers", "animals"}, "seven\n"},
    {"MaxCount", {"-m", "1", "puppy", "animals"}, "kitty and puppy\n"},
    {"MaxCountZero", {"-m0", "puppy", "animals"}, "", 1},
    {"Context", {"-C1", "-n", "three", "numbers"}, "2-two\n3:three\n4-four\n"},
    {"ContextGroups", {"-A1", "-e", "one", "-e", "six", "numbers"}, "one\ntwo\n--\nsix\nseven\n"},
    {"ContextBehindTheLastAllowed", {"-m1", "-A1", "e", "numbers"}, "one\ntwo\n"},
    {"NullData", {"--null-data", "-c", "b"}, "2\n", 0, "", "ab\0b\n\0c"s},
    {"NullDataLines", {"--null-data", "b"}, "ab\0b\n\0"s, 0, "", "ab\0b\n\0c"s},
    {"EmptyFile", {"a", "empty"}, "", 1},
    {"InvertedEmptyFile", {"-vc", "a", "empty"}, "0\n", 1},
    {"PatternLongerThanText", {"abcdefgh"}, "", 1, "", "abc"},
    {"LeftmostDoesNotChangeLines", {"--match-kind", "leftmost-first", "-c", "puppy", "animals"}, "2\n"},
    // What is written
    {"Count", {"-c", "puppy", "animals", "numbers"}, "animals:2\nnumbers:0\n"},
    {"CountMatches", {"--count-matches", "aa"}, "3\n", 0, "", "aaaa"},
    {"CountMatchesLeftmost", {"--count-matches", "--match-kind", "leftmost-longest", "aa"}, "2\n", 0, "", "aaaa"},
    {"CountPerPattern",
     {"--count-per-pattern", "-f", "words", "-e", "x\\\t", "animals", "tree/b"},
     "1\t0\tkitty\n3\t1\tpuppy\n0\t2\tx\\x5c\\x09\n"},
    {"CountPerPatternEscapes",
     {"--count-per-pattern", "-e", "\xff\xc3\xa9\x7f"},
     "0\t0\t\\xff\xc3\xa9\\x7f\n",
     1,
     "",
     "a"},
    {"EqualPatternsKeepTheirIds", {"--offsets", "-e", "a", "-e", "a"}, "1\t0\n1\t1\n", 0, "", "ba"},
    {"OnlyMatching", {"-o", "-e", "ab", "-e", "abc", "-e", "cd"}, "abc\nab\n", 0, "", "abcd ab"},
    {"OnlyMatchingOverlapping",
     {"-ob", "--match-kind", "overlapping", "-e", "ab", "-e", "abc", "-e", "cd"},
     "0:ab\n0:abc\n2:cd\n",
     0,
     "",
     "abcd"},
    {"OnlyMatchingFirst", {"-o", "--match-kind", "leftmost-first", "-e", "ab", "-e", "abc"}, "ab\n", 0, "", "abcd"},
    {"OnlyMatchingInverted", {"-ov", "puppy", "animals"}, ""},
    {"FilesWith", {"-l", "puppy", "animals", "numbers", "tree/b"}, "animals\ntree/b\n"},
    {"FilesWithout", {"-L", "puppy", "animals", "numbers"}, "numbers\n"},
    {"FilesWithoutAllMatch", {"-L", "puppy", "animals"}, ""},
    {"FilesWithInverted", {"-lv", "puppy", "tree/b", "animals"}, "animals\n"},
    {"Quiet", {"-q", "puppy", "animals"}, ""},
    {"QuietNoMatch", {"-q", "walrus", "animals"}, "", 1},
    {"QuietEndsAtTheFirstMatch", {"-q", "puppy", "animals", "missing"}, ""},
    {"Offsets", {"--offsets", "-f", "words", "animals"}, "0\t0\n10\t1\n16\t1\n"},
    {"OffsetsOfSeveralFiles",
     {"--offsets", "-f", "words", "animals", "tree/b"},
     "animals\t0\t0\nanimals\t10\t1\nanimals\t16\t1\ntree/b\t0\t1\n"},
    {"OffsetsLimited", {"--offsets", "-m2", "-f", "words", "animals"}, "0\t0\n10\t1\n"},
    {"PatternIds", {"--pattern-id", "-f", "words", "animals"}, "0,1:kitty and puppy\n1:puppy, elephant\n"},
    {"PatternIdsOfMatches", {"--pattern-id", "-ob", "-f", "words", "animals"}, "0:0:kitty\n10:1:puppy\n16:1:puppy\n"},
    {"Color",
     {"--color=always", "-n", "-e", "ab", "-e", "b", "-"},
     "\33[32m\33[K1\33[m\33[K\33[36m\33[K:\33[m\33[Kx\33[01;31m\33[Kab\33[m\33[K\33[01;31m\33[Kb\33[m\33[K\n",
     0,
     "",
     "xabb\n"},
    {"ColorOfMatchAcrossLines",
     {"--color=always", "-e", "b\nc"},
     "a\33[01;31m\33[Kb\33[m\33[K\n\33[01;31m\33[Kc\33[m\33[Kd\n",
     0,
     "",
     "ab\ncd\n"},
    // Binary files
    {"Binary", {"abc", "binary"}, "", 0, "lode: binary: binary file matches\n"},
    {"BinaryAsText", {"-a", "abc", "binary"}, "abc\nabc def\n"},
    {"BinaryCounted", {"-c", "abc", "binary"}, "2\n"},
    {"BinaryOffsets", {"--offsets", "def", "binary"}, "5\t0\n13\t0\n"},
    {"BinaryOnlyMatching", {"-o", "abc", "binary"}, "", 0, "lode: binary: binary file matches\n"},
    // Where
    {"Tree",
     {"puppy", "tree"},
     "tree/.hidden:puppy hidden\ntree/a/deep:puppy deep\ntree/a.txt:puppy text\ntree/b:puppy b\n"},
    {"TreeWithSlash", {"-l", "puppy", "tree/"}, "tree/.hidden\ntree/a/deep\ntree/a.txt\ntree/b\n"},
    {"Include", {"-l", "--include", "*.txt", "puppy", "tree"}, "tree/a.txt\n"},
    {"IncludeBraces",
     {"-l", "--include", "*.{txt,md}", "--include", "{,.}{b,hidden}", "puppy", "tree"},
     "tree/.hidden\ntree/a.txt\ntree/b\n"},
    {"IncludeNestedBraces", {"-l", "--include", "{x,{a.t,z}xt}", "puppy", "tree"}, "tree/a.txt\n"},
    {"IncludeDirectory", {"-l", "--include", "a/", "puppy", "tree"}, "tree/a/deep\n"},
    {"IncludeDirectoryWithout",
     {"-l", "--include", "tree/", "--exclude", "a/", "puppy", "tree"},
     "tree/.hidden\ntree/a.txt\ntree/b\n"},
    {"ExcludeBraces",
     {"-l", "--exclude", "{a,c}/", "--exclude", "*.{txt,md}", "puppy", "tree"},
     "tree/.hidden\ntree/b\n"},
    {"Exclude", {"-l", "--exclude", "*.txt", "--exclude", ".*", "puppy", "tree"}, "tree/a/deep\ntree/b\n"},
    {"ExcludeDirectory", {"-l", "--exclude", "a/", "puppy", "tree"}, "tree/.hidden\ntree/a.txt\ntree/b\n"},
    {"LastGlobDecides", {"-l", "--exclude", "*", "--include", "b", "puppy", "tree"}, "tree/b\n"},
    {"DecompressPlain", {"-z", "puppy", "tree/b"}, "puppy b\n"},
    // Pattern files
    {"PatternFile", {"-c", "-f", "words", "animals"}, "2\n"},
    {"PatternFileWithoutPatterns", {"-f", "/dev/null", "animals"}, "", 2, "lode: /dev/null: no pattern in it\n"},
    {"PatternFilesWithoutPatterns",
     {"-f", "empty", "-f", "-", "animals"},
     "",
     2,
     "lode: (standard input):1: empty line skipped\nlode: empty, (standard input): no pattern in them\n",
     "\n"},
    {"PatternFileWithoutPatternsBesideAPattern", {"-c", "-f", "empty", "-e", "puppy", "animals"}, "2\n"},
    {"PatternFileFromStandardInput", {"-c", "-f", "-", "animals"}, "1\n", 0, "", "elephant\n"},
    {"PatternFileOrder",
     {"--count-per-pattern", "-e", "b", "-f", "words", "-e", "a", "empty"},
     "0\t0\tb\n0\t1\tkitty\n0\t2\tpuppy\n0\t3\ta\n",
     1},
    {"PatternFileEmptyLine",
     {"-c", "-f", "p", "animals"},
     "2\n",
     0,
     "lode: p:2: empty line skipped\n",
     "",
     {{"p", "kitty\n\npuppy"}}},
    {"PatternFileManyEmptyLines",
     {"-c", "-f", "p", "animals"},
     "2\n",
     0,
     "lode: p:1: empty line skipped (and 2 more empty lines)\n",
     "",
     {{"p", "\n\n\nkitty\npuppy"}}},
    {"PatternFileCarriageReturn",
     {"-c", "-f", "p", "animals"},
     "0\n",
     1,
     "lode: p:1: line ends in CR LF; the CR is kept as a part of the pattern; --crlf drops it\n",
     "",
     {{"p", "kitty\r\n"}}},
    {"PatternFileCrlf", {"-c", "--crlf", "-f", "p", "animals"}, "2\n", 0, "", "", {{"p", "kitty\r\npuppy\r\n"}}},
    {"PatternFileWithNul", {"-c", "-f", "p", "binary"}, "1\n", 0, "", "", {{"p", "\0def\n"s}}},
    {"Hex",
     {"--pattern-format", "hex", "-o", "-f", "p", "animals"},
     "kitty\npuppy\npuppy\n",
     0,
     "",
     "",
     {{"p", "6b 69 7474 79\r\n7075707079\n"}}},
    {"Jsonl",
     {"--pattern-format", "jsonl", "--pattern-id", "-o", "-f", "p", "animals"},
     "0=cat:kitty\n1:puppy\n1:puppy\n0=cat:KITTY\n",
     0,
     "",
     "",
     {{"p", "{\"text\": \"kitty\", \"label\": \"cat\", \"ignore_case\": true}\n{\"hex\": \"7075707079\"}\n"}}},
    {"JsonlLabelsInCounts",
     {"--pattern-format", "jsonl", "--count-per-pattern", "-f", "p", "animals"},
     "1\t0\tkitty\tcat\n2\t1\tpuppy\t\n",
     0,
     "",
     "",
     {{"p", "{\"text\":\"kitty\",\"label\":\"cat\"}\n{\"text\":\"puppy\"}"}}},
    {"JsonlLabelsKeepToTheLine",
     {"--pattern-format", "jsonl", "--pattern-id", "-f", "p", "animals"},
     "0=a\\x0ab\\x5c\xc3\xa9:kitty and puppy\n",
     0,
     "",
     "",
     {{"p", "{\"text\":\"kitty\",\"label\":\"a\\nb\\\\\xc3\xa9\"}\n"}}},
    {"JsonlIgnoreCaseFromOption",
     {"--count-per-pattern", "-i", "--pattern-format", "jsonl", "-f", "p", "animals"},
     "2\t0\tKitty\n1\t1\tkitty\n",
     0,
     "",
     "",
     {{"p", "{\"text\":\"Kitty\"}\n{\"text\":\"kitty\",\"ignore_case\":false}"}}},
    // How
    {"AlgorithmByName", {"--algorithm", "boyer-moore", "-c", "puppy", "animals"}, "2\n"},
    {"DeviceCpu", {"--device", "cpu", "-c", "puppy", "animals"}, "2\n"},
    {"Verify", {"--verify", "-c", "puppy", "animals"}, "2\n"},
    {"VerifyOffsets",
     {"--verify", "--algorithm", "filter", "--offsets", "-f", "words", "animals"},
     "0\t0\n10\t1\n16\t1\n"},
    {"Iterations",
     {"--iterations", "3", "puppy", "animals", "missing"},
     "animals:kitty and puppy\nanimals:puppy, elephant\n",
     2,
     "lode: missing: No such file or directory\n"},
    {"IterationsCountOnce",
     {"--iterations", "3", "--count-per-pattern", "-f", "words", "animals"},
     "1\t0\tkitty\n2\t1\tpuppy\n"},
    // Errors
    {"MissingFile",
     {"puppy", "missing", "tree/b"},
     "tree/b:puppy b\n",
     2,
     "lode: missing: No such file or directory\n"},
    {"QuietMatchBehindMissingFile",
     {"-q", "puppy", "missing", "tree/b"},
     "",
     0,
     "lode: missing: No such file or directory\n"},
    {"QuietMatchBeforeMissingFile", {"-q", "puppy", "tree/b", "missing"}, "", 0},
    {"QuietNoMatchBesideMissingFile",
     {"-q", "walrus", "missing", "tree/b"},
     "",
     2,
     "lode: missing: No such file or directory\n"},
    {"MissingFileNoMatch", {"walrus", "missing", "tree/b"}, "", 2, "lode: missing: No such file or directory\n"},
    {"MissingFileInFolder", {"a", "tree/none"}, "", 2, "lode: tree/none: No such file or directory\n"},
    {"MissingPatternFile", {"-f", "missing", "animals"}, "", 2, "lode: missing: No such file or directory\n"},
    {"NoArguments", {}, "", 2, "lode: no pattern given; see lode -h\n"},
    {"EmptyPattern", {"-e", "", "animals"}, "", 2, "lode: -e: the pattern is empty\n"},
    {"EmptyPatternArgument", {"", "animals"}, "", 2, "lode: the pattern is empty\n"},
    {"UnknownOption", {"--frob", "a"}, "", 2, "lode: unknown option '--frob'; see lode --help\n"},
    {"UnknownLetter", {"-cY", "a"}, "", 2, "lode: unknown option '-Y'; see lode --help\n"},
    {"MissingArgument", {"a", "-m"}, "", 2, "lode: -m: an argument is missing\n"},
    {"MissingLongArgument", {"a", "--plan"}, "", 2, "lode: --plan: an argument is missing\n"},
    {"ArgumentTooMany", {"--count=3", "a"}, "", 2, "lode: --count takes no argument\n"},
    {"NoNumber", {"-m", "x", "a"}, "", 2, "lode: --max-count: 'x' is not a number\n"},
    {"NegativeNumber", {"-A", "-1", "a"}, "", 2, "lode: --after-context: '-1' is not a number\n"},
    {"NumberTooLarge",
     {"-m", "99999999999999999999", "a"},
     "",
     2,
     "lode: --max-count: 99999999999999999999 is too large\n"},
    {"NoSuchChoice", {"--color", "blue", "a"}, "", 2, "lode: --color: 'blue' is not one of auto|always|never\n"},
    {"ConflictOfOutputs", {"-c", "--json", "a"}, "", 2, "lode: --count and --json cannot be combined\n"},
    {"ConflictOfPlan",
     {"--plan", "p", "-e", "a"},
     "",
     2,
     "lode: --plan stands in the place of -e and -f; they cannot be combined\n"},
    {"ConflictOfPlanAndFormat",
     {"--plan", "p", "--pattern-format", "lines"},
     "",
     2,
     "lode: --pattern-format cannot be combined with --plan: it is for the pattern files of -f\n"},
    {"ConflictOfPlanAndCarriageReturns",
     {"--crlf", "--plan", "p"},
     "",
     2,
     "lode: --crlf cannot be combined with --plan: it is for the pattern files of -f\n"},
    {"ConflictOfPlanAndCase",
     {"--plan", "p", "-i"},
     "",
     2,
     "lode: -i cannot be combined with --plan: the case rule is a part of the plan\n"},
    {"ConflictOfPlans",
     {"--plan", "p", "--save-plan", "q"},
     "",
     2,
     "lode: --plan and --save-plan cannot be combined\n"},
    {"ConflictOfInversion",
     {"-v", "--offsets", "a"},
     "",
     2,
     "lode: -v and --offsets cannot be combined: lines without a match have none to give\n"},
    {"ConflictOfLimit",
     {"-m1", "--count-matches", "a"},
     "",
     2,
     "lode: -m and --count-matches cannot be combined: -m limits lines, and matches only with --offsets\n"},
    {"FormatWithoutPatternFile",
     {"--pattern-format", "hex", "-e", "6b", "animals"},
     "",
     2,
     "lode: --pattern-format needs -f: it is for pattern files\n"},
    {"CarriageReturnsWithoutPatternFile",
     {"--crlf", "kitty", "animals"},
     "",
     2,
     "lode: --crlf needs -f: it is for pattern files\n"},
    {"HexMalformed",
     {"--pattern-format", "hex", "-f", "p", "animals"},
     "",
     2,
     "lode: p:2: 'x' is not a hexadecimal digit\n",
     "",
     {{"p", "00\n0x01\n"}}},
    {"HexHalfByte",
     {"--pattern-format", "hex", "-f", "p", "animals"},
     "",
     2,
     "lode: p:1: a byte needs two hexadecimal digits, side by side\n",
     "",
     {{"p", "00 1\n"}}},
    {"JsonlWithoutPattern",
     {"--pattern-format", "jsonl", "-f", "p", "animals"},
     "",
     2,
     "lode: p:1: a pattern needs \"text\", \"hex\" or \"base64\"\n",
     "",
     {{"p", "{\"label\":\"a\"}\n"}}},
    {"JsonlEmptyPattern",
     {"--pattern-format", "jsonl", "-f", "p", "animals"},
     "",
     2,
     "lode: p:1: empty pattern\n",
     "",
     {{"p", "{\"text\":\"\"}\n"}}},
    {"IterationsOfAPipe",
     {"--iterations", "2", "a"},
     "",
     2,
     "lode: (standard input): can be read only once; --iterations needs files\n",
     "a"},
};

void expect_exactly(const Case& test, const std::vector<std::string>& more_arguments) {
  const TemporaryFolder folder;
  for (const File& file : usual_files) folder.write(file.name, file.content);
  for (const File& file : test.files) folder.write(file.name, file.content);
  Invocation invocation;
  invocation.arguments = more_arguments;
  invocation.arguments.insert(invocation.arguments.end(), test.arguments.begin(), test.arguments.end());
  invocation.input = test.input;
  invocation.folder = folder.path();
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, test.output);
  EXPECT_EQ(outcome.errors, test.errors);
  EXPECT_EQ(outcome.status, test.status);
}

TEST(CommandConflicts, WhatWouldNotBeWrittenIsRefused) {
  const auto expect_refused = [](std::vector<std::string> options, const std::string& message) {
    Invocation invocation;
    invocation.arguments = std::move(options);
    invocation.arguments.emplace_back("a");
    invocation.input = "a\n";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.errors, "lode: " + message + "\n");
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.status, 2);
  };
  for (const std::string option : {"-n", "-b", "-A1", "-B0", "-C1", "--pattern-id"}) {
    expect_refused({"--offsets", option},
                   (option.starts_with("--") ? option : option.substr(0, 2)) +
                       " and --offsets cannot be combined: nothing but offsets and pattern ids is written");
  }
  for (const std::string output : {"--count", "--count-matches", "--files-with-matches", "--files-without-match"}) {
    expect_refused({output, "--pattern-id"},
                   "--pattern-id and " + output + " cannot be combined: ids stand in front of lines and matches");
  }
}

class CommandCases : public testing::TestWithParam<Case> {};

TEST_P(CommandCases, GivesExactly) { expect_exactly(GetParam(), {}); }

INSTANTIATE_TEST_SUITE_P(Table, CommandCases, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

// Of each kind of output, of input, and of exit status some; each starts the device anew, which takes a while.
const std::vector<std::string> names_of_cases_on_gpus = {"Lines",
                                                         "NoMatch",
                                                         "StandardInput",
                                                         "StandardInputAmongFiles",
                                                         "PatternWithNewlineTouchesTwoLines",
                                                         "IgnoreCase",
                                                         "Word",
                                                         "WholeLine",
                                                         "Invert",
                                                         "Context",
                                                         "NullDataLines",
                                                         "EmptyFile",
                                                         "Count",
                                                         "CountMatches",
                                                         "CountMatchesLeftmost",
                                                         "CountPerPattern",
                                                         "EqualPatternsKeepTheirIds",
                                                         "OnlyMatchingOverlapping",
                                                         "FilesWithout",
                                                         "QuietEndsAtTheFirstMatch",
                                                         "OffsetsOfSeveralFiles",
                                                         "OffsetsLimited",
                                                         "PatternIdsOfMatches",
                                                         "Color",
                                                         "BinaryAsText",
                                                         "Tree",
                                                         "JsonlIgnoreCaseFromOption",
                                                         "AlgorithmByName",
                                                         "VerifyOffsets",
                                                         "IterationsCountOnce",
                                                         "MissingFile",
                                                         "EmptyPattern"};

class CommandCasesOnOpenCl : public testing::TestWithParam<std::string> {};

TEST_P(CommandCasesOnOpenCl, GivesExactly) {
  const auto test = std::find_if(cases.begin(), cases.end(), [](const Case& row) { return row.name == GetParam(); });
  ASSERT_NE(test, cases.end()) << "there is no case " << GetParam();
  if (const std::string reason = opencl_absence(); !reason.empty()) GTEST_SKIP() << reason;
  expect_exactly(*test, {"--device", "opencl:0"});
}

INSTANTIATE_TEST_SUITE_P(Table, CommandCasesOnOpenCl, testing::ValuesIn(names_of_cases_on_gpus),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace lode::test
