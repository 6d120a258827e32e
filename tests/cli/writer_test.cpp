// Tests what the writer of standard output leaves of a line that is dropped, in a file and in a pipe.

#include "cli/output/writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "process.hpp"

namespace lode::test {
namespace {

using namespace std::string_literals;
using command::Writer;

const std::string longer_than_the_buffer(200'000, 'x');

std::string written_to_file(const std::function<void(Writer&)>& write) {
  const TemporaryFolder folder;
  const int file = ::open((folder.path() / "file").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    Writer writer(file, "file");
    write(writer);
    writer.flush();
    EXPECT_EQ(writer.total_bytes(), folder.read("file").size());
  }
  ::close(file);
  return folder.read("file");
}

std::string written_to_pipe(const std::function<void(Writer&)>& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::string written;
  std::thread reader([&] {
    char buffer[65536];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      written.append(buffer, static_cast<std::size_t>(got));
    }
  });
  {
    Writer writer(ends[1], "pipe");
    write(writer);
    writer.flush();
  }
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  return written;
}

void write_line(Writer& writer, const std::string& line) {
  writer.append(line + "\n");
  writer.end_line();
}

void drop_line(Writer& writer, const std::string& line, char terminator = '\n') {
  writer.append(line);
  writer.drop_line(terminator);
}

TEST(Writer, DropsALineFromItsBuffer) {
  const auto write = [](Writer& writer) {
    drop_line(writer, "a");
    write_line(writer, "b");
    drop_line(writer, "c");
    writer.drop_line('\n');
    write_line(writer, "d");
    drop_line(writer, "e");
  };
  EXPECT_EQ(written_to_file(write), "b\nd\n");
  EXPECT_EQ(written_to_pipe(write), "b\nd\n");
}

TEST(Writer, TakesALongLineBackFromAFile) {
  EXPECT_EQ(written_to_file([](Writer& writer) {
              write_line(writer, "a");
              drop_line(writer, longer_than_the_buffer);
              write_line(writer, "b");
              drop_line(writer, longer_than_the_buffer);
            }),
            "a\nb\n");
}

TEST(Writer, LeavesALongLineWithoutAnEndInAPipe) {
  EXPECT_TRUE(written_to_pipe([](Writer& writer) {
                write_line(writer, "a");
                drop_line(writer, longer_than_the_buffer);
              }) == "a\n" + longer_than_the_buffer);
}

TEST(Writer, BeginsTheNextLineBehindALongOneInAPipe) {
  EXPECT_TRUE(written_to_pipe([](Writer& writer) {
                drop_line(writer, longer_than_the_buffer);
                drop_line(writer, "a");
                write_line(writer, "b");
                drop_line(writer, "c");
                write_line(writer, "d");
              }) == longer_than_the_buffer + "\nb\nd\n");
  EXPECT_TRUE(written_to_pipe([](Writer& writer) {
                drop_line(writer, longer_than_the_buffer, '\0');
                drop_line(writer, longer_than_the_buffer, '\0');
                writer.append("a\0"s);
                writer.end_line();
              }) == longer_than_the_buffer + '\0' + longer_than_the_buffer + "\0a\0"s);
}

TEST(Writer, GivesALongLineItsEndOnce) {
  EXPECT_TRUE(written_to_pipe([](Writer& writer) {
                write_line(writer, longer_than_the_buffer);
                drop_line(writer, "a");
                write_line(writer, "b");
              }) == longer_than_the_buffer + "\nb\n");
}

}  // namespace
}  // namespace lode::test
