// The command behaves well in a hostile world: full disks, closed pipes, interrupts, files that vanish, links, and
// little memory.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "lode/device.hpp"
#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

using namespace std::chrono_literals;

TEST(CommandOutput, FullDisk) {
  const TemporaryFolder folder;
  folder.write("text", "match\n");
  for (const char* option : {"-c", "-o", "--offsets", "--json", "-n", "--count-per-pattern"}) {
    Invocation invocation;
    invocation.arguments = {option, "match", "text"};
    invocation.folder = folder.path();
    invocation.output_path = "/dev/full";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.errors, "lode: standard output: No space left on device\n") << option;
    EXPECT_EQ(outcome.status, 2) << option;
  }
}

// If the disk fills up in the middle, the output ends with a whole line. A limit on the size of files stands for the
// full disk.
TEST(CommandOutput, DiskThatFillsUpLeavesWholeLines) {
  constexpr std::size_t limit_bytes = 100 * 1024;
  const TemporaryFolder folder;
  std::string text;
  for (int line = 0; line < 20000; ++line) text += "line " + std::to_string(line) + " with a match\n";
  folder.write("text", text);
  const auto run_limited = [&](const std::string& arguments) {
    Invocation invocation;
    invocation.program = "bash";
    invocation.folder = folder.path();
    invocation.arguments = {"-c", "trap '' XFSZ; ulimit -f 100; exec '" LODE_COMMAND "' " + arguments};
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.errors, "lode: standard output: File too large\n") << arguments;
    EXPECT_EQ(outcome.status, 2) << arguments;
    return folder.read("output");
  };
  const std::string before = "what was there, of which nothing is cut off";
  for (const std::string option : {"--offsets", "-n", "-o", "--json"}) {
    const std::string complete = run_in(folder, {option, "match", "text"}).output;
    ASSERT_GT(complete.size(), limit_bytes);
    ASSERT_NE(complete[limit_bytes - 1], '\n') << option << ": the limit does not cut a line";
    EXPECT_TRUE(run_limited(option + " match text > output") ==
                complete.substr(0, complete.rfind('\n', limit_bytes - 1) + 1))
        << option;
    folder.write("output", before);
    EXPECT_TRUE(run_limited(option + " match text >> output") ==
                before + complete.substr(0, complete.rfind('\n', limit_bytes - before.size() - 1) + 1))
        << option << " behind what was there";
  }
  folder.write("output", std::string(limit_bytes, 'x'));
  EXPECT_TRUE(run_limited("match text >> output") == std::string(limit_bytes, 'x')) << "nothing was written";
  // This line is longer than what is held back until its end is known.
  folder.write("text", "a match\n" + std::string(3 * limit_bytes, 'x') + " match\n");
  EXPECT_EQ(run_limited("match text > output"), "a match\n");
}

TEST(CommandOutput, BrokenPipeEndsSilently) {
  Invocation invocation;
  invocation.program = "bash";
  invocation.arguments = {"-c", "yes match | '" LODE_COMMAND "' match | head -n 1; echo ${PIPESTATUS[1]}"};
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, "match\n141\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(CommandOutput, InterruptEndsWith130) {
  // The command waits for a text, for the beginning of a plan, for the rest of a plan, and for patterns.
  for (const char* arguments :
       {"a <(sleep 2)", "--plan <(sleep 2) /dev/null",
        "--plan <('" LODE_COMMAND "' -e a --save-plan /dev/stdout | head -c 150; sleep 2) /dev/null",
        "-f <(sleep 2) /dev/null"}) {
    Invocation invocation;
    invocation.program = "bash";
    invocation.arguments = {"-c", "exec '" LODE_COMMAND "' " + std::string(arguments)};
    invocation.meanwhile = [](pid_t child, int) {
      std::this_thread::sleep_for(300ms);
      ::kill(child, SIGINT);
    };
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, 130) << arguments;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << arguments;
  }
}

TEST(CommandOutput, InterruptNeverLeavesHalfALine) {
  Invocation invocation;
  invocation.program = "bash";
  invocation.arguments = {"-c", "exec '" LODE_COMMAND "' line <(yes 'a line to be found')"};
  invocation.meanwhile = [](pid_t child, int output) {
    pollfd begun{output, POLLIN, 0};
    ASSERT_EQ(::poll(&begun, 1, 60'000), 1);
    // The command goes on until the pipe is full, and then waits in the middle of a write.
    std::this_thread::sleep_for(100ms);
    ::kill(child, SIGINT);
  };
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.status, 130);
  ASSERT_FALSE(outcome.output.empty());
  EXPECT_EQ(outcome.output.size() % std::string("a line to be found\n").size(), 0U);
}

TEST(CommandOutput, InputFileIsAlsoTheOutput) {
  const TemporaryFolder folder;
  folder.write("a", "match\n");
  folder.write("b", "match\n");
  Invocation invocation;
  invocation.arguments = {"match", "a", "b"};
  invocation.folder = folder.path();
  invocation.output_path = (folder.path() / "b").string();
  const Outcome outcome = run(invocation);
  EXPECT_EQ(folder.read("b"), "match\na:match\n");
  EXPECT_EQ(outcome.errors, "lode: b: input file is also the output\n");
  EXPECT_EQ(outcome.status, 2);
}

TEST(CommandOutput, LinesOfASlowStreamComeAtOnce) {
  Invocation invocation;
  invocation.program = "bash";
  invocation.arguments = {"-c", "(echo match 1; sleep 2; echo match 2) | '" LODE_COMMAND
                                "' match | (read -t 1 first && echo \"got $first\")"};
  EXPECT_EQ(run(invocation).output, "got match 1\n");
}

// The tree is deeper than any path that the system takes at once.
TEST(CommandWalk, TreesMayBeDeeperThanAnyPath) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "tree");
  int room = ::open((folder.path() / "tree").c_str(), O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'd');
  std::string path = "tree";
  std::string expected;
  for (int depth = 0; depth < 60; ++depth) {
    const int file = ::openat(room, "file", O_WRONLY | O_CREAT, 0644);
    ASSERT_GE(file, 0);
    ASSERT_EQ(::write(file, "match\n", 6), 6);
    ::close(file);
    expected = path + "/file:match\n" + (depth == 0 ? "" : expected);
    ASSERT_EQ(::mkdirat(room, name.c_str(), 0755), 0);
    const int next = ::openat(room, name.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_GE(next, 0);
    ::close(room);
    room = next;
    path += "/" + name;
  }
  ::close(room);
  ASSERT_GT(path.size(), 2U * PATH_MAX);
  const Outcome outcome = run_in(folder, {"match", "tree"});
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.output == expected) << outcome.output.size() << " bytes instead of " << expected.size();
}

TEST(CommandFiles, LinksAreFollowedOnlyOnTheCommandLine) {
  const TemporaryFolder folder;
  folder.write("real/file", "match\n");
  std::filesystem::create_symlink("file", folder.path() / "real/link");
  std::filesystem::create_directory_symlink("..", folder.path() / "real/loop");
  std::filesystem::create_directory_symlink("real", folder.path() / "shortcut");
  std::filesystem::create_symlink("nowhere", folder.path() / "dangling");
  EXPECT_EQ(run_in(folder, {"match", "real"}).output, "real/file:match\n");
  EXPECT_EQ(run_in(folder, {"match", "shortcut"}).output, "shortcut/file:match\n");
  EXPECT_EQ(run_in(folder, {"match", "real/link"}).output, "match\n");
  const Outcome dangling = run_in(folder, {"match", "dangling"});
  EXPECT_EQ(dangling.errors, "lode: dangling: No such file or directory\n");
  EXPECT_EQ(dangling.status, 2);
}

TEST(CommandFiles, Unreadable) {
  const TemporaryFolder folder;
  folder.write("tree/file", "match\n");
  folder.write("tree/secret", "match\n");
  std::filesystem::permissions(folder.path() / "tree/secret", std::filesystem::perms::none);
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = {"match", "tree"};
  if (::geteuid() == 0) {
    // Root may read everything, so another user runs the command. It is a copy, because the program's own folder may be
    // closed to others.
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::copy_file(LODE_COMMAND, folder.path() / "command");
    invocation.program = "/usr/bin/setpriv";
    invocation.arguments = {"--reuid=65534", "--regid=65534", "--clear-groups", "./command", "match", "tree"};
  }
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, "tree/file:match\n");
  EXPECT_EQ(outcome.errors, "lode: tree/secret: Permission denied\n");
  EXPECT_EQ(outcome.status, 2);
}

TEST(CommandFiles, DanglingLinksInDirectoriesAreNotFollowed) {
  const TemporaryFolder folder;
  folder.write("tree/file", "match\n");
  std::filesystem::create_symlink("nowhere", folder.path() / "tree/dangling");
  const Outcome outcome = run_in(folder, {"match", "tree"});
  EXPECT_EQ(outcome.output, "tree/file:match\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

// The first file has more matches than the pipe holds. So when its first byte arrives, the command has read the folder
// and is still busy with that file.
TEST(CommandFiles, FilesThatVanishMeanwhile) {
  const TemporaryFolder folder;
  std::string long_text, expected;
  while (long_text.size() < 4 * mebibyte) {
    long_text += "a line with a match\n";
    expected += "tree/a:a line with a match\n";
  }
  folder.write("tree/a", long_text);
  folder.write("tree/b", "a match that is gone\n");
  folder.write("tree/c", "a match behind\n");
  expected += "tree/c:a match behind\n";
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string output;
  Invocation invocation;
  invocation.folder = folder.path();
  invocation.arguments = {"match", "tree"};
  invocation.output_path = pipe;
  invocation.meanwhile = [&](pid_t, int) {
    std::ifstream reader(pipe, std::ios::binary);
    output += static_cast<char>(reader.get());
    std::filesystem::remove(folder.path() / "tree/a");
    std::filesystem::remove(folder.path() / "tree/b");
    output.append(std::istreambuf_iterator<char>(reader), {});
  };
  const Outcome outcome = run(invocation);
  EXPECT_TRUE(output == expected) << output.size() << " bytes instead of " << expected.size();
  EXPECT_EQ(outcome.errors, "lode: tree/b: No such file or directory\n");
  EXPECT_EQ(outcome.status, 2);
}

// If there are many patterns, the text is sampled before it is searched. The writer waits until somebody opens the pipe
// to read.
TEST(CommandFiles, PipesAreOpenedOnce) {
  const TemporaryFolder folder;
  std::string patterns;
  for (int number = 1; number <= 100; ++number) patterns += "pat" + std::to_string(number) + "\n";
  folder.write("patterns", patterns);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  Invocation invocation;
  invocation.program = "timeout";
  invocation.arguments = {"60", "bash", "-c",
                          "(printf 'pat1\\npat2\\n' > pipe) & sleep 0.5; exec '" LODE_COMMAND "' -c -f patterns pipe"};
  invocation.folder = folder.path();
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output, "2\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST(CommandMemory, LongPipesStayBounded) {
  std::string text;
  while (text.size() < mebibyte) text += "a line with a match and some more text behind it\n";
  for (const char* option : {"-c", "-o", "-vc", "--count-matches", "--offsets", "-n"}) {
    Invocation invocation;
    invocation.arguments = {option, "match"};
    invocation.input = text;
    invocation.input_repeats = tests::is_sanitized() ? 8 : 200;
    invocation.output_path = "/dev/null";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, std::string(option) == "-vc" ? 1 : 0) << option;
    expect_peak_below(64, outcome, option);
  }
}

TEST(CommandMemory, TextWithoutNewlineStaysBoundedWhereNoLineIsWritten) {
  const std::string text(mebibyte, 'a');
  for (const char* option : {"-c", "-vc", "--count-matches", "--offsets", "-ob"}) {
    Invocation invocation;
    invocation.arguments = {option, "--match-kind", "leftmost-longest", "-e", std::string(20, 'a')};
    invocation.input = text;
    invocation.input_repeats = tests::is_sanitized() ? 4 : 100;
    invocation.output_path = "/dev/null";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, std::string(option) == "-vc" ? 1 : 0) << option << outcome.errors;
    expect_peak_below(64, outcome, option);
  }
}

// The command forgets the begin of a line that does not fit. That is an error only if the line must be written.
TEST(CommandMemory, LineBeyondTheLimitFailsOnlyWhereItIsNeeded) {
  const std::string error = "lode: (standard input): a line of more than ";
  const std::string quiet = "\nb here\n", touched = "b\nb here\n";
  const struct {
    std::vector<std::string> arguments;
    std::string tail, output;
    bool fails;
  } cases[] = {
      {{"b"}, quiet, "b here\n", false},
      {{"-n", "b"}, quiet, "3:b here\n", false},
      {{"-n", "-A1", "b"}, quiet, "3:b here\n", false},
      {{"-c", "b"}, touched, "2\n", false},
      {{"-vc", "b"}, quiet, "2\n", false},
      {{"-c", "-e", "b", "-e", "x\ny"}, quiet, "1\n", false},
      {{"-v", "-n", "a"}, quiet, "1:first\n3:b here\n", false},
      {{"-ob", "b"}, touched, "4194310:b\n4194312:b\n", false},
      {{"b"}, touched, "", true},
      {{"-n", "-e", "first", "-e", "b"}, touched, "1:first\n", true},
      {{"-v", "b"}, quiet, "first\n", true},
      {{"-A1", "first"}, quiet, "first\n", true},
      {{"-B1", "b"}, quiet, "", true},
      {{"-m1", "-A1", "-v", "a"}, quiet, "first\n", true},
  };
  for (const auto& [arguments, tail, output, fails] : cases) {
    Invocation invocation;
    invocation.arguments = {"--memory-limit", "64K"};
    invocation.arguments.insert(invocation.arguments.end(), arguments.begin(), arguments.end());
    invocation.input = "first\n" + std::string(4 * mebibyte, 'a') + tail;
    const Outcome outcome = run(invocation);
    const std::string trace = arguments.front() + " " + arguments.back() + " " + tail;
    EXPECT_EQ(outcome.output, output) << trace;
    EXPECT_EQ(outcome.errors.substr(0, error.size()), fails ? error : "") << trace;
    EXPECT_EQ(outcome.status, fails ? 2 : 0) << trace;
    expect_peak_below(20, outcome, trace);
  }
}

TEST(CommandMemory, MatchExplosionStaysBounded) {
  const std::size_t size = tests::is_sanitized() ? mebibyte / 16 : mebibyte;
  const std::string text = std::string(size, 'a') + "\n";
  for (const char* option : {"--offsets", "--json", "--pattern-id", "--color=always", "--count-per-pattern"}) {
    Invocation invocation;
    invocation.arguments = {option};
    for (std::size_t length = 1; length <= 20; ++length) {
      invocation.arguments.insert(invocation.arguments.end(), {"-e", std::string(length, 'a')});
    }
    invocation.input = text;
    invocation.output_path = "/dev/null";
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, 0) << option << outcome.errors;
    // Most of these options write the line itself.
    expect_peak_below(80, outcome, option);
  }
}

TEST(CommandPlans, SaveLoadAndDamage) {
  const TemporaryFolder folder;
  folder.write("words", "kitty\npuppy\n");
  folder.write("text", "Puppy kitty puppy\n");
  const Outcome saved = run_in(folder, {"--save-plan", "words.plan", "-i", "-f", "words"});
  EXPECT_EQ(saved.output + saved.errors, "");
  EXPECT_EQ(saved.status, 0);
  EXPECT_EQ(run_in(folder, {"--plan", "words.plan", "-o", "text"}).output, "Puppy\nkitty\npuppy\n");
  EXPECT_EQ(run_in(folder, {"--save-plan", "other.plan", "puppy", "text"}).output, "Puppy kitty puppy\n");
  std::string plan = folder.read("words.plan");
  ASSERT_GT(plan.size(), 100U);
  plan[plan.size() / 2] ^= 1;
  folder.write("words.plan", plan);
  const Outcome damaged = run_in(folder, {"--plan", "words.plan", "text"});
  EXPECT_EQ(damaged.status, 2);
  EXPECT_NE(damaged.errors, "");
  EXPECT_EQ(damaged.output, "");
  EXPECT_EQ(run_in(folder, {"--plan", "text", "text"}).status, 2);
  const Outcome missing = run_in(folder, {"--plan", "none.plan", "text"});
  EXPECT_EQ(missing.errors, "lode: none.plan: No such file or directory\n");
}

TEST(CommandPlans, WhatCannotBeSavedLeavesNothing) {
  const TemporaryFolder folder;
  folder.write("text", "match\n");
  const auto expect_refused = [&](const Outcome& outcome, const std::string& message) {
    EXPECT_EQ(outcome.errors, message);
    EXPECT_EQ(outcome.output, "") << "nothing is searched";
    EXPECT_EQ(outcome.status, 2);
  };
  expect_refused(run_in(folder, {"--save-plan", "absent/plan", "match", "text"}),
                 "lode: absent/plan: No such file or directory\n");
  expect_refused(run_in(folder, {"--save-plan", ".", "match", "text"}), "lode: .: Is a directory\n");
  expect_refused(run_in(folder, {"--save-plan", "/dev/full", "match", "text"}),
                 "lode: /dev/full: No space left on device\n");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  // The limit on the size of files ends the writing in the middle, as a full disk does.
  std::string words;
  for (int word = 0; word < 20000; ++word) words += "word " + std::to_string(word) + "\n";
  folder.write("words", words);
  for (const bool replaces : {false, true}) {
    if (replaces) folder.write("plan", "what was there");
    Invocation invocation;
    invocation.program = "bash";
    invocation.folder = folder.path();
    invocation.arguments = {"-c", "trap '' XFSZ; ulimit -f 64; exec '" LODE_COMMAND "' --save-plan plan -f words text"};
    expect_refused(run(invocation), "lode: plan: File too large\n");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      names.push_back(entry.path().filename());
    EXPECT_EQ(names.size(), replaces ? 3U : 2U) << testing::PrintToString(names);
    EXPECT_EQ(folder.read("plan"), replaces ? "what was there" : "");
  }
}

TEST(CommandPlans, LinksAndPipesStayWhatTheyAre) {
  const TemporaryFolder folder;
  folder.write("text", "a match\n");
  folder.write("real/plan", "what was there");
  std::filesystem::create_symlink("real/plan", folder.path() / "link");
  EXPECT_EQ(run_in(folder, {"--save-plan", "link", "-e", "match"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
  EXPECT_EQ(run_in(folder, {"--plan", "link", "-o", "text"}).output, "match\n");
  EXPECT_EQ(run_in(folder, {"--save-plan", "/dev/stdout", "-e", "match"}).output, folder.read("real/plan"));
}

TEST(CommandMeasures, StatsGoToStandardError) {
  const TemporaryFolder folder;
  folder.write("text", "match\nmatch\n");
  const Outcome outcome =
      run_in(folder, {"--stats", "--verify", "--count-matches", "--iterations", "3", "match", "text"});
  EXPECT_EQ(outcome.output, "2\n");
  for (const char* line :
       {"algorithm: ", "device: cpu\n", "instruction set: ", "threads: ", "bytes: 12\n", "matches: 2\n",
        "candidates: ", "seconds: ", "GB/s: ", "plan build seconds: ", "iterations: 3\n", "verified: equal to "}) {
    EXPECT_NE(outcome.errors.find(line), std::string::npos) << line << " in\n" << outcome.errors;
  }
}

TEST(CommandMeasures, StatsTellHowFilterLooks) {
  const TemporaryFolder folder;
  folder.write("text", "match\n");
  const std::string told = "\nstrategy: 1 by probes\n";
  const auto errors_of = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--stats", "-e", "match", "text"});
    return run_in(folder, options).errors;
  };
  EXPECT_NE(errors_of({"--algorithm", "filter"}).find(told), std::string::npos);
  EXPECT_NE(errors_of({"--algorithm", "filter", "--matrix", "sparse"}).find(told), std::string::npos);
  EXPECT_EQ(errors_of({"--algorithm", "naive"}).find("strategy"), std::string::npos);
}

// --stats has a line for each stage that came before the search.
TEST(CommandMeasures, StatsTellEveryStage) {
  const TemporaryFolder folder;
  folder.write("text", "a match\n");
  folder.write("patterns", "match\n");
  const auto stages_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--stats");
    const Outcome outcome = run_in(folder, arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.errors.find("patterns: 1\nplan bytes: "), std::string::npos) << outcome.errors;
    std::string stages;
    for (const char* name : {"pattern read", "plan build", "plan load", "plan save", "prepare"})
      if (outcome.errors.find("\n" + std::string(name) + " seconds: ") != std::string::npos)
        stages += std::string(name) + ", ";
    return stages;
  };
  EXPECT_EQ(stages_of({"-f", "patterns", "text"}), "pattern read, plan build, prepare, ");
  EXPECT_EQ(stages_of({"-f", "patterns", "--matrix", "sparse", "text"}), "pattern read, plan build, prepare, ");
  EXPECT_EQ(stages_of({"-f", "patterns", "--save-plan", "plan", "text"}),
            "pattern read, plan build, plan save, prepare, ");
  EXPECT_EQ(stages_of({"-f", "patterns", "--save-plan", "plan"}), "pattern read, plan build, plan save, ");
  EXPECT_EQ(stages_of({"--plan", "plan", "text"}), "plan load, prepare, ");
}

TEST(CommandMeasures, EachRepetitionOfAQuietSearchIsAWholeOne) {
  const TemporaryFolder folder;
  folder.write("without", "nothing\n");
  folder.write("with", "a match\n");
  for (const char* iterations : {"1", "3"}) {
    const Outcome outcome = run_in(folder, {"-q", "--stats", "--iterations", iterations, "match", "without", "with"});
    EXPECT_NE(outcome.errors.find("\nbytes: 16\n"), std::string::npos) << iterations << " in\n" << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.status, 0);
  }
  EXPECT_EQ(run_in(folder, {"-q", "--iterations", "2", "match", "without"}).status, 1);
}

TEST(CommandMeasures, InstructionSetIsForcedByTheEnvironment) {
  const TemporaryFolder folder;
  folder.write("text", "match\n");
  Invocation invocation;
  invocation.arguments = {"--stats", "match", "text"};
  invocation.folder = folder.path();
  const std::string least = cpu_instruction_sets().back();
  invocation.variables = {{"LODE_TARGET", least}};
  EXPECT_NE(run(invocation).errors.find("instruction set: " + least + "\n"), std::string::npos);
  invocation.variables = {{"LODE_TARGET", "abacus"}};
  EXPECT_EQ(run(invocation).status, 2);
}

TEST(CommandAlgorithms, EachByNameAndRefusalWithReason) {
  const TemporaryFolder folder;
  folder.write("text", "she sells hers\n");
  const std::string listed = run_in(folder, {"--list-algorithms"}).output;
  for (const char* algorithm : {"naive", "vector", "balanced", "rabin-karp", "boyer-moore", "filter", "auto"}) {
    EXPECT_NE(("\n" + listed).find(std::string("\n") + algorithm + "\t"), std::string::npos) << algorithm;
    EXPECT_EQ(
        run_in(folder, {"--algorithm", algorithm, "--offsets", "-e", "he", "-e", "she", "-e", "hers", "text"}).output,
        "0\t1\n1\t0\n10\t0\n10\t2\n")
        << algorithm;
  }
  const auto expect_refused = [&](const char* algorithm, const std::string& patterns, const std::string& message) {
    folder.write("patterns", patterns);
    const Outcome outcome = run_in(folder, {"--algorithm", algorithm, "-f", "patterns", "text"});
    EXPECT_EQ(outcome.errors, "lode: " + message + "\n");
    EXPECT_EQ(outcome.output, "") << algorithm;
    EXPECT_EQ(outcome.status, 2) << algorithm;
  };
  expect_refused(
      "magic", "he\n",
      "there is no algorithm magic: use one of auto, naive, vector, balanced, rabin-karp, boyer-moore, filter");
  std::string many = "she sells\n";
  for (int number = 1; number < 5000; ++number) many += "pattern " + std::to_string(number) + "\n";
  for (const std::string algorithm : {"naive", "vector", "balanced", "boyer-moore"}) {
    expect_refused(algorithm.c_str(), many,
                   algorithm + " serves at most 4096 patterns (one pass per pattern), not 5000: use filter");
  }
  for (const char* algorithm : {"rabin-karp", "filter", "auto"}) {
    EXPECT_EQ(run_in(folder, {"--algorithm", algorithm, "-f", "patterns", "text"}).output, "she sells hers\n")
        << algorithm;
  }
  std::string lengths;
  for (std::size_t length = 1; length <= 4097; ++length) lengths += std::string(length, 'x') + "\n";
  expect_refused(
      "rabin-karp", lengths,
      "rabin-karp serves at most 4096 different pattern lengths (one pass per length), not 4097: use filter");
}

TEST(CommandHelp, AllTextsNameEveryOption) {
  const TemporaryFolder folder;
  const std::string long_help = run_in(folder, {"--help"}).output;
  std::vector<std::string> names;
  for (std::size_t at = long_help.find("--"); at != std::string::npos; at = long_help.find("--", at + 2)) {
    const std::size_t end = long_help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    if (end > at + 3) names.push_back(long_help.substr(at + 2, end - at - 2));
  }
  ASSERT_GT(names.size(), 40U);
  const std::string bash = run_in(folder, {"--generate", "complete-bash"}).output;
  const std::string zsh = run_in(folder, {"--generate", "complete-zsh"}).output;
  const std::string fish = run_in(folder, {"--generate", "complete-fish"}).output;
  const std::string short_help = run_in(folder, {"-h"}).output;
  std::string manual = run_in(folder, {"--generate", "man"}).output;
  for (std::size_t at = manual.find("\\-"); at != std::string::npos; at = manual.find("\\-", at)) manual.erase(at, 1);
  for (const std::string& name : names) {
    EXPECT_NE(short_help.find("--" + name), std::string::npos) << name;
    EXPECT_NE(bash.find("--" + name), std::string::npos) << name;
    EXPECT_NE(zsh.find("--" + name), std::string::npos) << name;
    EXPECT_NE(fish.find("-l " + name), std::string::npos) << name;
    EXPECT_NE(manual.find("--" + name), std::string::npos) << name;
  }
  for (const char* words : {"Regular expressions and approximate matches", "Exit status"}) {
    EXPECT_NE(long_help.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(run_in(folder, {"--version"}).output.rfind("lode ", 0), 0U);
}

TEST(CommandForms, JsonTellsFormsWhereThereAreSome) {
  const TemporaryFolder folder;
  folder.write("encoded", "bG9kZQ== lode\n");
  const std::string told = run_in(folder, {"--json", "--forms", "base64", "lode", "encoded"}).output;
  EXPECT_NE(told.find(R"("end":5,"pattern_id":0,"form":"base64"})"), std::string::npos) << told;
  EXPECT_NE(told.find(R"("end":13,"pattern_id":0,"form":"as-given"})"), std::string::npos) << told;
  EXPECT_EQ(run_in(folder, {"--json", "lode", "encoded"}).output.find("form"), std::string::npos);
}

TEST(CommandForms, SavedPlansKeepTheirForms) {
  const TemporaryFolder folder;
  folder.write("reads", "GGAATTTCG CGAAATTCC\n");
  const std::vector<std::string> forms = {"--forms", "reverse-complement", "-e", "GAATTTC", "-e", "GGAA"};
  std::vector<std::string> direct = forms, save = forms;
  direct.insert(direct.end(), {"--offsets", "reads"});
  save.insert(save.end(), {"--save-plan", "plan"});
  EXPECT_EQ(run_in(folder, save).status, 0);
  const std::string found = run_in(folder, direct).output;
  EXPECT_EQ(found,
            "0\t1\t4\tas-given\t+\n1\t0\t7\tas-given\t+\n11\t0\t7\treverse-complement\t-\n"
            "15\t1\t4\treverse-complement\t-\n");
  EXPECT_EQ(run_in(folder, {"--plan", "plan", "--offsets", "reads"}).output, found);
}

}  // namespace
}  // namespace lode::test
