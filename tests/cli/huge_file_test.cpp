// Tests the command on a file of more than 4 GiB: offsets, numbers of lines and counts before, across and behind the
// place at which 32 bits overflow. The file is sparse, so nothing of that size is written.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdint>
#include <set>

#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

constexpr std::uint64_t two_gibibytes = std::uint64_t{1} << 31;
constexpr std::uint64_t four_gibibytes = std::uint64_t{1} << 32;
constexpr std::uint64_t file_bytes = four_gibibytes + (std::uint64_t{48} << 20);

struct Piece {
  std::uint64_t offset;
  std::string bytes;
};

// All other bytes are zero.
const std::vector<Piece> pieces = {{0, "a kitty in the first line\n"},
                                   {two_gibibytes - 2, "kitty\n"},
                                   {four_gibibytes - 4000, "\na kitty and a puppy before\n"},
                                   {four_gibibytes - 2, "kitty\n"},
                                   {four_gibibytes + 700, "\n\npuppy behind\nkitty\n"},
                                   {file_bytes - 5, "puppy"}};

const std::vector<std::string> patterns = {"kitty", "puppy"};

void write_sparse(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::ftruncate(file, static_cast<off_t>(file_bytes)), 0);
  for (const auto& [offset, bytes] : pieces) {
    EXPECT_EQ(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes.size()));
  }
  ::close(file);
}

struct Expected {
  std::string offsets;     // the output of --offsets
  std::string matches;     // the output of -n -b -o
  std::string line_count;  // the output of -c
};

Expected search_obviously() {
  Expected expected;
  std::uint64_t line = 1;
  std::set<std::uint64_t> lines;
  for (const auto& [offset, bytes] : pieces) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const std::string place = std::to_string(offset + at);
      for (std::size_t id = 0; id < patterns.size(); ++id) {
        if (bytes.compare(at, patterns[id].size(), patterns[id]) != 0) continue;
        expected.offsets += place + "\t" + std::to_string(id) + "\n";
        expected.matches += std::to_string(line) + ":" + place + ":" + patterns[id] + "\n";
        lines.insert(line);
      }
      if (bytes[at] == '\n') ++line;
    }
  }
  expected.line_count = std::to_string(lines.size()) + "\n";
  return expected;
}

TEST(CommandHugeFile, OffsetsLinesAndCountsHave64Bits) {
  if (tests::is_sanitized()) GTEST_SKIP() << "this takes minutes under sanitizers";
  const TemporaryFolder folder;
  struct statfs system {};
  ASSERT_EQ(::statfs(folder.path().c_str(), &system), 0);
  if (static_cast<std::uint64_t>(system.f_type) == TMPFS_MAGIC) {
    GTEST_SKIP() << folder.path()
                 << " lies in memory, of which the file would take 4 GiB; set TMPDIR to a folder on a disk";
  }
  write_sparse(folder.path() / "huge");
  if (HasFailure()) return;
  const Expected expected = search_obviously();
  const auto expect_output = [&](const std::vector<std::string>& options, const std::string& output) {
    std::vector<std::string> arguments = {"--device", "cpu", "--threads", "2", "-e", patterns[0], "-e", patterns[1]};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("huge");
    const Outcome outcome = run_in(folder, arguments);
    EXPECT_EQ(outcome.output, output) << options.back();
    EXPECT_EQ(outcome.errors, "") << options.back();
    EXPECT_EQ(outcome.status, 0) << options.back();
  };
  expect_output({"--offsets"}, expected.offsets);
  expect_output({"-a", "-n", "-b", "-o"}, expected.matches);
  expect_output({"-c"}, expected.line_count);
}

}  // namespace
}  // namespace lode::test
