// Tests of what replaces matches: on standard output, in files, as a report; beside sed, and where it fails.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "compression.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

struct Row {
  std::string script, output;
  int status = 0;
};

void expect_rows(const TemporaryFolder& folder, const std::vector<Row>& rows) {
  for (const auto& [script, output, status] : rows) {
    const Outcome outcome = run_script(folder, script);
    EXPECT_EQ(outcome.output, output) << script;
    EXPECT_EQ(outcome.status, status) << script << "\n" << outcome.errors;
  }
}

std::size_t files_in(const TemporaryFolder& folder) {
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  return files;
}

TEST(CommandRewrite, KeepsTheEncodingOfAFileInItsPlace) {
  const TemporaryFolder folder;
  folder.write("text", "one Пароль\ntwo\n");
  folder.write("genome", ">a GATTA\nGAT\nTACA\n");
  expect_rows(
      folder,
      {
          {"iconv -f utf-8 -t utf-16 text >log; gzip -k log; lode -i --encoding auto --in-place=~ --report r --mask '*' пароль "
           "log; iconv -f utf-16 -t utf-8 log; iconv -f utf-16 -t utf-8 log~; cat r",
           "one ******\ntwo\none Пароль\ntwo\n"
           "{\"file\":\"log\",\"offset\":10,\"length\":12,\"id\":0}\n"},
          {"lode -z --encoding utf-16 --in-place --replace '{match}▒' two log.gz; gzip -dc log.gz | iconv -f utf-16 -t utf-8",
           "one Пароль\ntwo▒\n"},
          {"lode --encoding utf-16 --replace дом one log~", "дом Пароль\ntwo\n"},
          {"iconv -f utf-8 -t koi8-r text >old; lode --encoding koi8-r --in-place --replace Дом -i пароль old; "
           "iconv -f koi8-r -t utf-8 old",
           "one Дом\ntwo\n"},
          {"lode --encoding koi8-r --in-place --replace ä one old", "", 2},
          {"iconv -f koi8-r -t utf-8 old", "one Дом\ntwo\n"},
          {"lode --view fasta --mask N GATTACA genome; cat genome | lode --view fasta --replace '' GATTACA",
           ">a GATTA\nNNN\nNNNN\n>a GATTA\n\n"},
          {"lode --view fasta --in-place --mask N TT genome; cat genome", ">a GATTA\nGAN\nNACA\n"},
      });
}

TEST(CommandRewrite, WritesTheWholeText) {
  const TemporaryFolder folder;
  folder.write("a", "the cat\n\xFFsat “Cat”");
  folder.write("empty", "");
  folder.write("list.jsonl", "{\"text\": \"cat\", \"label\": \"pet\"}\n{\"text\": \"sat\"}\n");
  folder.write("lines", "dog\nstood");
  expect_rows(
      folder,
      {
          {"lode --replace dog cat a", "the dog\n\xFFsat “Cat”"},
          {"cat a | lode -i --replace '<{id} {label} {match}>' -f list.jsonl",
           "the <0 pet cat>\n\xFF<1 sat sat> “<0 pet Cat>”"},
          {"lode -w -i --mask '*' cat a", "the ***\n\xFFsat “***”"},
          {"lode --mask █ cat a", "the ███\n\xFFsat “Cat”"},
          {"lode --replacements lines -f list.jsonl a", "the dog\n\xFFstood “Cat”"},
          {"lode --replace '' -e 'the ' -e cat -e 'cat\nx' a", "\n\xFFsat “Cat”"},
          {"lode --replace x walrus a", "the cat\n\xFFsat “Cat”", 1},
          {"lode --replace x -f empty a", "the cat\n\xFFsat “Cat”", 1},
          {"lode --replace x cat empty", "", 1},
          {"lode --replace '{{{match}}}' --match-kind leftmost-first -e c -e cat a", "the {c}at\n\xFFsat “Cat”"},
          {"lode --replace x --view fold,one-space 'THE CAT SAT' a", "the cat\n\xFFsat “Cat”", 1},
          {"printf 'ca t CA\\n\\nT' | lode --view fold,drop-space --replace x cat", "x x"},
          {"gzip -k a; lode -z --replace dog cat a.gz", "the dog\n\xFFsat “Cat”"},
          {"lode --replace \"$(printf '\\377{{')\" cat a", "the \xFF{\n\xFFsat “Cat”"},
          {"printf '\\000\\377\\r\\n' >bytes; lode --replacements bytes cat a", "the \0\xFF\r\n\xFFsat “Cat”"s},
          {"lode --crlf --replacements bytes cat a", "the \0\xFF\n\xFFsat “Cat”"s},
          {"lode --replace X the empty a lines", "X cat\n\xFFsat “Cat”dog\nstood"},
          {"lode --replace x --report r cat a; cat r",
           "the x\n\xFFsat “Cat”{\"file\":\"a\",\"offset\":4,\"length\":3,\"id\":0}\n"},
          {"lode -f list.jsonl --mask . --report r -- - <a >/dev/null; cat r",
           "{\"file\":\"(standard input)\",\"offset\":4,\"length\":3,\"id\":0,\"label\":\"pet\"}\n"
           "{\"file\":\"(standard input)\",\"offset\":9,\"length\":3,\"id\":1}\n"},
      });
}

TEST(CommandRewrite, PatternsOfAListHaveTheirOwnReplacements) {
  const TemporaryFolder folder;
  folder.write("a", "key sk-1, sk-22, token, sk-1");
  folder.write("list.jsonl",
               "{\"text\": \"sk-1\", \"replacement\": \"<{id}>\"}\n{\"text\": \"sk-22\", \"label\": \"key\", "
               "\"replacement\": \"\"}\n{\"text\": \"token\", \"replacement\": null, \"label\": \"T\"}\n"
               "{\"text\": \"sk-1\", \"replacement\": \"second\"}\n");
  folder.write("all.jsonl", "{\"text\": \"sk-1\", \"replacement\": \"\\u0000\\n{{{form}}}\"}\n");
  folder.write("lines", "1\n2\n3\n4\n");
  const std::string lacking = "lode: pattern 2, 'T', has no replacement of its own, and there is none for all others\n";
  expect_rows(folder,
              {
                  {"lode --replace '[{match}]' -f list.jsonl a", "key <0>, , [token], <0>"},
                  {"lode --replace '' -e ke -f list.jsonl a", "y <1>, , , <1>"},
                  {"lode --mask '*' -f list.jsonl a", "key ****, *****, *****, ****"},
                  {"lode --replacements lines -f list.jsonl a", "key 1, 2, 3, 1"},
                  {"lode --own-replacements -f list.jsonl a 2>&1", lacking, 2},
                  {"lode --own-replacements -e x -f all.jsonl a", "", 2},
                  {"lode --own-replacements -f all.jsonl a", "key \0\n{as-given}, sk-22, token, \0\n{as-given}"s},
                  {"lode --save-plan plan -f list.jsonl && lode --plan plan --replace x a", "key <0>, , x, <0>"},
                  {"lode --save-plan plan -i -f list.jsonl && lode --plan plan --replace x a", "key <0>, , x, <0>"},
                  {"cp a b; lode --in-place --own-replacements -f all.jsonl b; tr -d '\\000' <b",
                   "key \n{as-given}, sk-22, token, \n{as-given}"},
                  {": >none; lode --own-replacements -f none a", "key sk-1, sk-22, token, sk-1", 1},
                  {"lode --replacements none -f none a", "key sk-1, sk-22, token, sk-1", 1},
                  {"lode -c -f list.jsonl a", "1\n"},
              });
  for (const char* const replacement : {"7", "\"{word}\"", "\"}\"", "\"\xFF\"", "\"\\ud800\""}) {
    folder.write("wrong.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\", \"replacement\": "s + replacement + "}\n");
    const Outcome outcome = run_script(folder, "lode --replace x -f wrong.jsonl a");
    EXPECT_EQ(outcome.status, 2) << replacement;
    EXPECT_EQ(outcome.output, "") << replacement;
    EXPECT_TRUE(outcome.errors.starts_with("lode: wrong.jsonl:2: ")) << outcome.errors;
  }
}

TEST(CommandRewrite, TellsTheFormOfAMatch) {
  const TemporaryFolder folder;
  folder.write("a", "GAATTTC GAAATTC");
  expect_rows(folder, {{"lode --forms reverse-complement --replace '{form}' --report r GAATTTC a; cat r",
                        "as-given reverse-complement"
                        "{\"file\":\"a\",\"offset\":0,\"length\":7,\"id\":0,\"form\":\"as-given\"}\n"
                        "{\"file\":\"a\",\"offset\":8,\"length\":7,\"id\":0,\"form\":\"reverse-complement\"}\n"},
                       {"lode --replace '{form}' GAATTTC a", "as-given GAAATTC"}});
}

TEST(CommandRewrite, EqualsSed) {
  const TemporaryFolder folder;
  std::string text;
  for (int line = 0; line < 30000; ++line)
    text += "the quick brown fox " + std::to_string(line * 7919 % 10007) + (line % 3 == 0 ? " the end\n" : "\n");
  folder.write("a", text);
  folder.write("list", "the\nfox 1\nend\nbrown fox 99\n");
  for (const char* const options : {"", "--threads 3", "--memory-limit 64K"}) {
    expect_rows(folder, {{"sed -E 's/the|fox 1|end|brown fox 99/<&>/g' a >wanted; lode "s + options +
                              " --replace '<{match}>' -f list a | cmp - wanted; cat a | lode " + options +
                              " --replace '<{match}>' -f list | cmp - wanted",
                          ""}});
  }
}

TEST(CommandRewrite, EqualsRipgrep) {
  const TemporaryFolder folder;
  if (run_script(folder, "command -v rg").status != 0) GTEST_SKIP() << "there is no rg here";
  std::string text;
  for (int line = 0; line < 30000; ++line) text += "row " + std::to_string(line * 7919 % 10007) + " naïve\xFF\n";
  std::string list = "row\nrow 1\nve\nï\n";
  for (int number = 0; number < 1000; number += 3) list += " " + std::to_string(number) + "\n";
  folder.write("a", text);
  folder.write("list", list);
  // It takes the leftmost match of the pattern that comes first.
  expect_rows(folder,
              {{"rg --passthru -N -r '<>' -F -f list a >wanted; grep -c '<>' wanted; for threads in 1 3; do "
                "lode --threads $threads --match-kind leftmost-first --replace '<>' -f list a | cmp - wanted; done",
                "30000\n"}});
}

TEST(CommandRewrite, FilesAreRewrittenInTheirPlace) {
  const TemporaryFolder folder;
  folder.write("a", "a cat\n");
  folder.write("b", "a dog\n");
  folder.write("folder/c", "two cats, one cat\n");
  ::chmod((folder.path() / "a").c_str(), 0640);
  std::filesystem::create_symlink("a", folder.path() / "link");
  expect_rows(
      folder,
      {
          {"touch -d 2001-01-01 b; lode --in-place --replace lion cat a b; cat a b; stat -c %a a; "
           "stat -c %y b | cut -c1-4",
           "a lion\na dog\n640\n2001\n"},
          {"lode --in-place=.old --mask x lion link; cat a link.old; stat -c %F link",
           "a xxxx\na lion\nsymbolic link\n"},
          {"lode --in-place=~ -r --replace '{match}{match}' --include c cat folder; cat folder/c folder/c~",
           "two catcats, one catcat\ntwo cats, one cat\n"},
          // The backup is there already, once as a name of the same file; what else is there stays.
          {"echo mine >a.old.0; ln -f a a.old; lode --in-place=.old --replace cat xxxx a; cat a a.old a.old.0; ls | wc -l",
           "a cat\na xxxx\nmine\n7\n"},
          {"echo x >a.old; lode --in-place=.old --replace xxxx cat a; cat a a.old", "a xxxx\na cat\n"},
          {"rm a.old; mkdir a.old; lode --in-place=.old --replace y xxxx a; cat a; ls | wc -l", "a xxxx\n7\n"},
          {"lode --in-place --replace x walrus a b", "", 1},
          {"printf 'a\\nb\\n' | lode --in-place --replace x xxxx a missing b", "", 2},
          {"cat a", "a x\n"},
          {"lode --in-place .old --replace y -e x a 2>&1; lode --in-place= --replace y x a; cat a",
           "lode: .old: No such file or directory; a suffix is given as --in-place=.old; no file was rewritten\na x\n"},
      });
}

TEST(CommandRewrite, WhatCannotBeIsRefused) {
  const TemporaryFolder folder;
  folder.write("a", "a cat\n");
  folder.write("lines", "one\ntwo\n");
  for (const char* const arguments : {"--replace '{word}' cat a",
                                      "--replace 'x}' cat a",
                                      "--replacements lines cat a",
                                      "--replacements none cat a",
                                      "--mask ab cat a",
                                      "--mask '' cat a",
                                      "--replace x --mask y cat a",
                                      "--replace x --own-replacements cat a",
                                      "--own-replacements --mask y cat a",
                                      "--own-replacements cat a",
                                      "--own-replacements=x cat a",
                                      "--replace x -c cat a",
                                      "--replace x -n cat a",
                                      "--replace x -v cat a",
                                      "--replace x -o cat a",
                                      "--replace x -q cat a",
                                      "--replace x --match-kind overlapping cat a",
                                      "--in-place cat a",
                                      "--report r cat a",
                                      "--in-place --replace x cat",
                                      "--in-place=/tmp --replace x cat a",
                                      "--replace x --report none/r cat a",
                                      "--replace x --report r --encoding utf-16 cat a",
                                      "--replace x --report a cat a",
                                      "--replace x cat folder/none",
                                      "--in-place --replace x cat -- -"}) {
    const Outcome outcome = run_script(folder, "lode "s + arguments + " </dev/null");
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_TRUE(outcome.errors.starts_with("lode: ")) << arguments << ": " << outcome.errors;
  }
  EXPECT_EQ(folder.read("a"), "a cat\n");
}

TEST(CommandRewrite, FailuresLeaveTheFileAsItWas) {
  const TemporaryFolder folder;
  const std::string content = "a cat\n" + std::string(3'000'000, '.');
  folder.write("a", content);
  // A file may not grow so large, as if the disk were full.
  const Outcome full = run_script(folder, "ulimit -f 1000; trap '' XFSZ; lode --in-place --replace lion cat a");
  EXPECT_EQ(full.status, 2);
  EXPECT_EQ(full.errors, "lode: a: File too large\n");
  EXPECT_EQ(folder.read("a"), content);
  const Outcome no_output = run_script(folder, "lode --replace lion cat a >/dev/full");
  EXPECT_EQ(no_output.status, 2);
  EXPECT_EQ(run_script(folder, "lode --replace lion cat a | head -c 3").output, "a l");
  EXPECT_EQ(folder.read("a"), content);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(CommandRewrite, FilesOfFoldersThatMayNotBeWrittenToStay) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryFolder folder;
  const std::string content = "a cat\n";
  folder.write("a", content);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(run_script(folder, "lode --in-place --replace lion cat a").status, 2);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(folder.read("a"), content);
}

TEST(CommandRewrite, InterruptsAndKillsLeaveTheFileAsItWas) {
  const TemporaryFolder folder;
  std::string content;
  for (int line = 0; line < 2'000'000; ++line) content += "a cat and another cat in a line\n";
  folder.write("a", content);
  for (const int signal : {SIGINT, SIGKILL}) {
    Invocation invocation;
    invocation.arguments = {"--in-place", "--replace", "lion", "--threads", "1", "cat", "a"};
    invocation.folder = folder.path();
    invocation.meanwhile = [signal](pid_t child, int) {
      std::this_thread::sleep_for(50ms);
      ::kill(child, signal);
    };
    const Outcome outcome = run(invocation);
    EXPECT_EQ(files_in(folder), 1u) << signal;
    if (outcome.status == 0) continue;  // it was faster
    EXPECT_EQ(outcome.status, signal == SIGINT ? 130 : 128 + signal);
    EXPECT_TRUE(folder.read("a") == content);
  }
}

TEST(CommandRewrite, StatisticsCountWhatWasReplaced) {
  const TemporaryFolder folder;
  folder.write("a", "a cat, a dog, a cat");
  folder.write("b", "nothing");
  folder.write("packed.gz", packed_by("gzip", {"-c"}, "dogs and cats"));
  folder.write("damaged.gz", folder.read("packed.gz").substr(0, 20));
  const std::string counts = " 2>&1 >/dev/null | grep -E '^(matches|replaced|bytes (read|written))'";
  expect_rows(
      folder,
      {{"lode --stats --replace lions -e lion -e cat -e dog a b" + counts,
        "matches: 3\nreplaced: 3\nbytes read: 26\nbytes written: 32\nreplaced of pattern 1: 2\nreplaced of pattern 2: 1\n"},
       {"lode -z --stats --mask x -e cat -e dog a packed.gz" + counts,
        "matches: 5\nreplaced: 5\nbytes read: 32\nbytes written: 32\nreplaced of pattern 0: 3\nreplaced of pattern 1: 2\n"},
       {"lode --stats --mask x walrus a" + counts, "matches: 0\nreplaced: 0\nbytes read: 19\nbytes written: 19\n", 0},
       {"lode -z --stats --in-place --replace '' -e cat -e dog a b packed.gz damaged.gz" + counts,
        "matches: 6\nreplaced: 5\nbytes read: 39\nbytes written: 17\nreplaced of pattern 0: 3\nreplaced of pattern 1: 2\n"},
       {"lode --stats -c dog b" + counts, "matches: 0\n"},
       // Many small files are dealt out to threads.
       {"mkdir c; for i in $(seq 200); do echo a cat >c/$i; done; lode --threads 3 --stats --replace x -e a -e cat -r c" +
            counts,
        "matches: 400\nreplaced: 400\nbytes read: 1200\nbytes written: 800\nreplaced of pattern 0: 200\n"
        "replaced of pattern 1: 200\n"}});
}

TEST(CommandRewrite, LinesOfASlowPipeDoNotWait) {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      folder,
      "mkfifo in out; lode --replace dog cat <in >out & exec 3>in 4<out; echo 'a cat' >&3; read line <&4; echo \"$line\"; "
      "echo 'no cat' >&3; read line <&4; echo \"$line\"; exec 3>&-; wait");
  EXPECT_EQ(outcome.output, "a dog\nno dog\n");
}

TEST(CommandRewrite, MemoryStaysBounded) {
  Invocation invocation;
  invocation.arguments = {"--replace", "lion", "--memory-limit", "8M", "cat"};
  invocation.input = "a cat " + std::string(1'000'000, '.');
  invocation.input_repeats = 100;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.output.size(), 100 * (invocation.input.size() + 1));
  expect_peak_below(64, outcome, "rewriting");
}

}  // namespace
}  // namespace lode::test
