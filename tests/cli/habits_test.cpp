// Tests habits of grep that need more than a row of a table: the place where standard input is left, lists that are
// read twice, links, .gitignore files, many files on several threads, and names on terminals.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;

struct Position {
  std::string options, rest;  // the text behind the place at which standard input is left
};

TEST(CommandHabits, TextsAreDecoded) {
  const TemporaryFolder folder;
  folder.write("log", "\xFF\xFEO\0n\0e\0\n\0\x1F\x04 \0t\0w\0o\0\n\0"s);  // One, П two
  folder.write("genome", ">a b\nACG\nTT\n>c\nTGTT\n");
  struct Row {
    std::string script, output;
    int status = 0;
  };
  for (
      const auto& [script, output, status] : std::vector<Row>{
          {"lode --encoding utf-16 -n -i one log", "1:One\n"},
          {"cat log | lode --encoding auto -o -i п", "П\n"},
          {"gzip -k log; lode -z --encoding utf-16 -c o log.gz", "1\n"},
          {"lode --encoding utf-16 --offsets -i -e one -e п log", "2\t0\t6\n10\t1\t2\n"},
          {"lode --encoding utf-8 -c One log", "0\n", 1},
          {"lode --encoding utf-16 --view words --count-matches 'one п' log", "1\n"},
          {"lode --encoding utf-16 -e One --save-plan p; lode --plan p --offsets log; lode --plan p --count-matches log",
           "2\t0\t6\n1\n"},
          {"lode --plan p log", "", 2},
          {"lode --encoding fold x log", "", 2},
          {"lode --view utf-16,fasta x log", "", 2},
          {"lode --view fasta --offsets GTT genome", "7\t0\t4\ta\t2\n16\t0\t3\tc\t1\n"},
          {"cat genome | lode --view fasta --offsets TTT", "", 1},
          {"lode --view fasta -c GTT genome", "3\n"},
      }) {
    const Outcome outcome = run_script(folder, script);
    EXPECT_EQ(outcome.output, output) << script;
    EXPECT_EQ(outcome.status, status) << script;
  }
}

TEST(CommandHabits, StandardInputIsLeftBehindTheLastLine) {
  const TemporaryFolder folder;
  folder.write("p", "a\nx1\nb\nx2 x\nc\nx3");
  for (const auto& [options, rest] : std::vector<Position>{
           {"-m1 x", "b\nx2 x\nc\nx3"},
           {"-m2 x", "c\nx3"},
           {"-m3 x", ""},
           {"-m4 x", ""},
           {"x", ""},
           {"-q x", ""},
           {"walrus", ""},
           {"-m1 -A1 x", "b\nx2 x\nc\nx3"},
           {"-m1 -c x", "b\nx2 x\nc\nx3"},
           {"-m2 -v x", "x2 x\nc\nx3"},
           {"-m2 -vc x", "x2 x\nc\nx3"},
           {"-m2 -o x", "c\nx3"},
           {"-m2 --offsets x", "2 x\nc\nx3"},
           {"-m1 -n --memory-limit 64K x", "b\nx2 x\nc\nx3"},
       }) {
    const Outcome outcome = run_script(folder, "{ lode " + options + " >/dev/null; cat; } <p");
    EXPECT_EQ(outcome.output, rest) << options;
    // A search that starts in the middle of the file leaves it at the same place.
    const Outcome middle = run_script(folder, "{ read line; lode " + options + " >/dev/null; cat; } <p");
    EXPECT_EQ(middle.output, options.find("-v") == std::string::npos ? rest : middle.output) << options;
  }
}

TEST(CommandHabits, LoopsOverStandardInputEnd) {
  const TemporaryFolder folder;
  folder.write("p", "x1\na\nx2\n");
  EXPECT_EQ(run_script(folder, "while lode -m1 x; do echo more; done <p").output, "x1\nmore\nx2\nmore\n");
}

TEST(CommandHabits, AListIsNotSearchedAgain) {
  const TemporaryFolder folder;
  folder.write("p", "a\nb\n");
  for (const char* script : {"lode -f - <p", "cat p | lode -f -"}) {
    const Outcome outcome = run_script(folder, script);
    EXPECT_EQ(outcome.output, "") << script;
    EXPECT_EQ(outcome.status, 1) << script;
  }
}

TEST(CommandHabits, TheWorkingDirectoryIsSearchedWithoutAPath) {
  const TemporaryFolder folder;
  folder.write("a/b", "x\n");
  EXPECT_EQ(run_in(folder, {"-r", "x"}, "x\n").output, "a/b:x\n");
  EXPECT_EQ(run_in(folder, {"-R", "x"}, "x\n").output, "a/b:x\n");
  EXPECT_EQ(run_in(folder, {"-r", "x", "-"}, "x\n").output, "x\n");
  EXPECT_EQ(run_in(folder, {"-r", "-e", "x", "--save-plan", "plan", "--include", "b"}, "x\n").output, "a/b:x\n");
  folder.write("-", "of a file: x\n");
  EXPECT_EQ(run_in(folder, {"-r", "x", "--exclude", "plan"}, "x\n").output, "./-:of a file: x\na/b:x\n");
}

TEST(CommandHabits, LinksAreFollowedWhereThatIsAskedFor) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  folder.write("tree/file", "x\n");
  folder.write("other/file", "x\n");
  fs::create_directory_symlink("../other", folder.path() / "tree/folder");
  fs::create_symlink("../other/file", folder.path() / "tree/link");
  fs::create_directory_symlink("..", folder.path() / "other/up");
  fs::create_symlink("nowhere", folder.path() / "tree/broken");
  EXPECT_EQ(run_in(folder, {"-l", "x", "tree"}).output, "tree/file\n");
  const Outcome followed = run_in(folder, {"-Rl", "x", "tree"});
  EXPECT_EQ(followed.output, "tree/file\ntree/folder/file\ntree/link\n");
  EXPECT_EQ(followed.errors, "lode: tree/broken: No such file or directory\n");
  EXPECT_EQ(followed.status, 2);
}

TEST(CommandHabits, GitignoreFilesAreHeeded) {
  const TemporaryFolder folder;
  for (const char* name : {"keep", "a.log", "keep.log", "build/x", "sub/build/x", "sub/a.log", "sub/own",
                           "sub/deep/own", "doc/a.o", "doc/x/y/b.o", "dir only/x", "sub/dir only", ".git/config"}) {
    folder.write(name, "x\n");
  }
  folder.write(".gitignore", "# comment\n*.log\n!keep.log\n/build/\ndoc/**/*.o\ndir only/\n\n");
  folder.write("sub/.gitignore", "own\n!a.log\n");
  folder.write(".git/info/exclude", "keep\n");
  const auto found = [&](std::vector<std::string> arguments) {
    std::string output = run_in(folder, std::move(arguments)).output;
    return output;
  };
  EXPECT_EQ(found({"--gitignore", "-l", "x", "."}), "./keep.log\n./sub/a.log\n./sub/build/x\n./sub/dir only\n");
  // Rules of the directories above apply, too, and a file that is named is searched anyway.
  EXPECT_EQ(found({"--gitignore", "-l", "x", "sub", "a.log"}), "sub/a.log\nsub/build/x\nsub/dir only\na.log\n");
}

// git itself says which files it ignores.
TEST(CommandHabits, GitignoreFilesMeanWhatGitSays) {
  if (run_script(TemporaryFolder(), "command -v git").status != 0) GTEST_SKIP() << "there is no git here";
  const std::vector<std::string> parts = {"a",    "b",  "ab",   "*",   "?",   "a*",   "**",
                                          "[ab]", "*b", "[!a]", "\\a", "c d", "c d ", "#a"};
  const std::vector<std::string> names = {"a", "b", "ab", "ba", "c d", "#a", "!a"};
  const unsigned seeds = tests::is_sanitized() ? 10 : 60;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](std::size_t limit) { return engine() % limit; };
    const auto chance = [&] { return below(4) == 0; };
    const auto pick = [&](const std::vector<std::string>& from) { return from[below(from.size())]; };
    const TemporaryFolder folder;
    const auto draw_rules = [&] {
      std::string rules;
      for (std::size_t line = 1 + below(5); line > 0; --line) {
        if (chance()) rules += "!";
        if (chance()) rules += "/";
        for (std::size_t part = 1 + below(3); part > 0; --part) {
          rules += pick(parts) + (part > 1 ? "/" : "");
        }
        rules += chance() ? "/\n" : "\n";
      }
      return rules;
    };
    for (int file = 0; file < 12; ++file) {
      std::string path;
      for (std::size_t depth = below(4); depth > 0; --depth) path += "d" + pick(names) + "/";
      folder.write(path + pick(names), "x\n");
    }
    folder.write("da/" + pick(names), "x\n");
    folder.write(".gitignore", draw_rules());
    folder.write("da/.gitignore", draw_rules());
    const std::string expected =
        run_script(folder, "git init -q . && git ls-files -z --others --exclude-standard").output;
    const std::string found = run_in(folder, {"--gitignore", "-lZ", "-e", "x", "-e", "\n", "."}).output;
    const auto sorted = [](const std::string& list, std::size_t prefix_bytes) {
      std::vector<std::string> paths;
      std::istringstream stream(list);
      for (std::string path; std::getline(stream, path, '\0');) paths.push_back(path.substr(prefix_bytes));
      std::sort(paths.begin(), paths.end());
      return paths;
    };
    EXPECT_EQ(sorted(found, 2), sorted(expected, 0)) << "seed " << seed << ", rules:\n"
                                                     << folder.read(".gitignore") << "in da:\n"
                                                     << folder.read("da/.gitignore");
  }
}

// There are enough files for threads to take batches. Some of them are put aside and searched in their turn.
TEST(CommandHabits, ManyFilesGiveTheSameOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  for (int file = 0; file < 700; ++file) {
    std::string name = "tree/" + std::to_string(1000 + file);
    std::string content;
    for (int line = 0; line < file % 7; ++line)
      content += "line " + std::to_string(line) + (line % 3 == 0 ? " x\n" : "\n");
    if (file % 50 == 3) content += "\0x\n"s;
    if (file == 333) content.assign(3 * mebibyte, '.'), content += " x\nlast";
    if (file == 444) {
      for (int line = 0; line < (tests::is_sanitized() ? 20'000 : 200'000); ++line) content += "x and x\n";
    }
    folder.write(name, content);
  }
  std::filesystem::create_symlink("nowhere", folder.path() / "tree/1555-");
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"-n"},
                                             {"-c"},
                                             {"-l"},
                                             {"-L"},
                                             {"-o"},
                                             {"--offsets"},
                                             {"-C1"},
                                             {"-o", "-A0", "-H"},
                                             {"-vc"},
                                             {"-v"},
                                             {"-m1"},
                                             {"--count-matches"},
                                             {"-q"},
                                             {"--count-per-pattern"},
                                             {"--count-per-pattern", "--by-file", "--nonzero"},
                                             {"-l", "--pattern-id"},
                                             {"-R"},
                                             {"--color=always"},
                                             {"-I", "-C0"},
                                             {"--no-group-separator", "-C1"}}) {
    const auto searched_on = [&](const char* threads) {
      std::vector<std::string> arguments = {"--threads", threads, "-e", "x", "-e", "line 4"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      arguments.insert(arguments.end(), {"missing", "tree"});
      return run_in(folder, arguments);
    };
    const Outcome alone = searched_on("1");
    for (const char* threads : {"2", "5"}) {
      const Outcome several = searched_on(threads);
      EXPECT_TRUE(several.output == alone.output)
          << options.front() << ": " << several.output.size() << " against " << alone.output.size() << " bytes";
      EXPECT_EQ(several.errors, alone.errors) << options.front();
      EXPECT_EQ(several.status, alone.status) << options.front();
    }
  }
}

TEST(CommandHabits, NamesOnTerminalsHoldNoOrders) {
  const TemporaryFolder folder;
  folder.write("a\33[31m\tb", "x\n");
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = {"--color=never", "-H", "x", "a\33[31m\tb", "c\rd\xc2\x9b"};
  EXPECT_EQ(run(invocation).output, "a\33[31m\tb:x\n");
  invocation.output_is_terminal = invocation.errors_are_terminal = true;
  const Outcome outcome = run(invocation);
  EXPECT_NE(outcome.output.find("a\\x1b[31m\\x09b:x"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("lode: c\\x0dd\\xc2\\x9b: No such file"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace lode::test
