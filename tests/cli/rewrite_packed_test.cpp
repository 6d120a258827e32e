// Tests of -z beside --in-place: what was packed is packed again, and stays as it was where that fails.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "compression.hpp"
#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().native());
  std::sort(names.begin(), names.end());
  return names;
}

// Waits until a process writes the file that will replace a.xz, which may have no name yet. Then it has read a part of
// a.xz, however slow the machine is.
void await_replacement(pid_t process, const TemporaryFolder& folder) {
  const auto files = std::filesystem::path("/proc") / std::to_string(process) / "fd";
  for (int tries = 0; tries < 2000; ++tries, std::this_thread::sleep_for(5ms)) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(files, gone)) {
      const auto target = std::filesystem::read_symlink(entry.path(), gone);
      if (target.parent_path() == folder.path() && target.filename() != "a.xz") return;
    }
  }
}

std::string lines_with_cats(int count) {
  std::string content;
  for (int line = 0; line < count; ++line) {
    content += "line " + std::to_string(line * 7919 % 10007);
    if (line % 3 == 2) content += " the cat";
    content += '\n';
  }
  return content;
}

std::string noise(std::size_t bytes) {
  std::mt19937 random(1);
  std::string content(bytes, '\0');
  for (char& byte : content) byte = static_cast<char>(random() | 0x80);
  return content;
}

TEST(CommandRewritePacked, FilesArePackedAgain) {
  for (const Format& format : formats) {
    const TemporaryFolder folder;
    const std::string name = "a." + format.name;
    const std::string before = lines_with_cats(30'000);
    folder.write(name, compressed(before, format.program));
    folder.write("before", before);
    ::chmod((folder.path() / name).c_str(), 0640);
    std::filesystem::create_symlink(name, folder.path() / "link");
    const Outcome outcome = run_script(
        folder, "unpack() { " + format.program + " -dc <$1; }; lode -z --in-place=.old --replace 'li{{on' cat " + name +
                    " && stat -c %a " + name + "; sed 's/cat/li{on/g' before >wanted; unpack " + name +
                    " | cmp - wanted; unpack " + name +
                    ".old | cmp - before; lode -z --in-place --mask x 'li{' link; " +
                    "sed 's/li{/xxx/g' wanted >masked; unpack " + name + " | cmp - masked; stat -c %F link");
    EXPECT_EQ(outcome.output, "640\nsymbolic link\n") << name << ": " << outcome.errors;
    EXPECT_EQ(outcome.status, 0) << name << ": " << outcome.errors;
  }
}

TEST(CommandRewritePacked, PlainFilesStayPlainAndUnchangedOnesAsTheyWere) {
  const TemporaryFolder folder;
  folder.write("plain", "a cat\n");
  folder.write("b.gz", compressed("a dog\n", "gzip"));
  const std::string packed = folder.read("b.gz");
  const Outcome outcome = run_script(folder, "lode -z --in-place --replace lion cat plain b.gz; cat plain");
  EXPECT_EQ(outcome.output, "a lion\n");
  EXPECT_EQ(folder.read("b.gz"), packed);
}

TEST(CommandRewritePacked, PartsAndSkippableFramesBecomeOne) {
  const TemporaryFolder folder;
  folder.write("a.gz", compressed("a c", "gzip") + compressed("at\n", "gzip") + std::string(10, '\0'));
  folder.write("b.zst", "\x50\x2a\x4d\x18\x03\0\0\0abc"s + compressed("a cat\n", "zstd"));
  folder.write("c.lz4", "\x50\x2a\x4d\x18\x03\0\0\0abc"s + compressed("a cat\n", "lz4"));
  folder.write("d.lz4", legacy_lz4("a cat\n"));
  EXPECT_EQ(run_script(folder,
                       "lode -z --in-place --replace '' cat a.gz b.zst c.lz4 d.lz4 && gzip -dc a.gz && "
                       "zstd -dcq b.zst && lz4 -dcq c.lz4 && lz4 -dcq d.lz4")
                .output,
            "a \na \na \na \n");
  folder.write("e.xz", compressed("cat", "xz"));
  EXPECT_EQ(run_script(folder, "lode -z --in-place --replace '' cat e.xz; xz -dc e.xz | wc -c").output, "0\n");
}

TEST(CommandRewritePacked, FilesWhoseNameAndContentDisagreeStay) {
  const TemporaryFolder folder;
  const std::string packed = compressed("a cat\n", "gzip");
  folder.write("a", packed);
  folder.write("b.xz", packed);
  folder.write("c.gz", "a cat\n");
  folder.write("d.gz", packed);
  folder.write("e.gz", "a dog\n");
  const Outcome outcome =
      run_script(folder, "lode -z --in-place --replace lion --report r cat a b.xz c.gz d.gz e.gz; echo $?; cat r");
  EXPECT_EQ(outcome.output, "2\n{\"file\":\"d.gz\",\"offset\":2,\"length\":3,\"id\":0}\n");
  EXPECT_EQ(
      outcome.errors,
      "lode: a: the content is gzip data, and the name tells no format; rename it to what it is\n"
      "lode: b.xz: the content is gzip data, and the name tells xz; rename it to what it is\n"
      "lode: c.gz: the name tells gzip data, and the content is not packed; without -z it is rewritten as it is\n");
  EXPECT_EQ(folder.read("a"), packed);
  EXPECT_EQ(folder.read("b.xz"), packed);
  EXPECT_EQ(folder.read("c.gz"), "a cat\n");
  EXPECT_EQ(run_script(folder, "lode --in-place --replace lion cat c.gz; cat c.gz").output, "a lion\n");
}

TEST(CommandRewritePacked, DamageLeavesTheFileAsItWas) {
  for (const Format& format : formats) {
    const std::string packed = compressed(lines_with_cats(10'000), format.program);
    for (const std::string& damaged :
         {packed.substr(0, packed.size() - 1), packed.substr(0, packed.size() / 2),
          with_changed_byte(packed, packed.size() / 2), packed.substr(0, format.head_bytes + 8)}) {
      const TemporaryFolder folder;
      const std::string name = "a." + format.name;
      folder.write(name, damaged);
      folder.write("b." + format.name, packed);
      const Outcome outcome =
          run_script(folder, "lode -z --in-place=~ --replace lion --report r cat " + name + " b." + format.name);
      EXPECT_EQ(outcome.status, 2) << name;
      EXPECT_TRUE(outcome.errors.starts_with("lode: " + name + ": ")) << outcome.errors;
      EXPECT_TRUE(folder.read(name) == damaged) << name;
      EXPECT_EQ(folder.read("r").find(name), std::string::npos) << "what is reported was not replaced";
      EXPECT_EQ(names_in(folder), (std::vector{name, "b." + format.name, "b." + format.name + "~", "r"s}));
    }
  }
}

TEST(CommandRewritePacked, AFullDiskLeavesTheFileAsItWas) {
  const std::string content = "a cat\n" + noise(1'500'000) + "a cat\n";
  for (const Format& format : formats) {
    const TemporaryFolder folder;
    const std::string name = "a." + format.name;
    folder.write(name, compressed(content, format.program));
    const std::string packed = folder.read(name);
    const Outcome outcome =
        run_script(folder, "ulimit -f 1000; trap '' XFSZ; lode -z --in-place=~ --replace lion cat " + name);
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_EQ(outcome.errors, "lode: " + name + ": File too large\n");
    EXPECT_TRUE(folder.read(name) == packed);
    EXPECT_EQ(names_in(folder), std::vector{name});
  }
}

TEST(CommandRewritePacked, InterruptsAndKillsLeaveTheFileAsItWas) {
  const TemporaryFolder folder;
  folder.write("a.xz", packed_by("xz", {"-0", "-c"}, "a cat\n" + noise(6'000'000)));
  const std::string packed = folder.read("a.xz");
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    Invocation invocation;
    invocation.arguments = {"-z", "--in-place", "--replace", "lion", "cat", "a.xz"};
    invocation.folder = folder.path();
    invocation.meanwhile = [&folder, signal](pid_t child, int) {
      await_replacement(child, folder);
      ::kill(child, signal);
    };
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, signal == SIGINT ? 130 : 128 + signal);
    EXPECT_TRUE(folder.read("a.xz") == packed);
    EXPECT_EQ(names_in(folder), std::vector{"a.xz"s});
  }
}

TEST(CommandRewritePacked, AFileThatChangesMeanwhileIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string packed = packed_by("xz", {"-0", "-c"}, "a cat\n" + noise(2'000'000));
  const std::string padding(4, '\0');  // xz ignores it, so nothing else is wrong
  for (const bool is_replaced : {false, true}) {
    folder.write("a.xz", packed);
    Invocation invocation;
    invocation.arguments = {"-z", "--in-place=~", "--replace", "lion", "cat", "a.xz"};
    invocation.folder = folder.path();
    invocation.meanwhile = [&](pid_t child, int) {
      await_replacement(child, folder);
      if (is_replaced) {
        folder.write("b", "something else");
        std::filesystem::rename(folder.path() / "b", folder.path() / "a.xz");
      } else {
        std::ofstream(folder.path() / "a.xz", std::ios::binary | std::ios::app) << padding;
      }
    };
    const Outcome outcome = run(invocation);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.errors, "lode: a.xz: the file changed while it was rewritten; it is left as it is\n");
    EXPECT_TRUE(folder.read("a.xz") == (is_replaced ? "something else" : packed + padding));
    EXPECT_EQ(names_in(folder), std::vector{"a.xz"s});
  }
}

TEST(CommandRewritePacked, PackingKeepsToTheMemoryLimit) {
  const TemporaryFolder folder;
  folder.write("a.xz", packed_by("xz", {"-0", "-c"}, "a cat\n"));
  const std::string packed = folder.read("a.xz");
  const Outcome outcome = run_script(folder, "lode -z --memory-limit 2M --in-place --replace lion cat a.xz");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("raise --memory-limit"), std::string::npos) << outcome.errors;
  EXPECT_EQ(folder.read("a.xz"), packed);
  EXPECT_EQ(run_script(folder, "lode -z --memory-limit 16M --in-place --replace lion cat a.xz; xz -dc a.xz").output,
            "a lion\n");
}

}  // namespace
}  // namespace lode::test
