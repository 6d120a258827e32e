#include "compression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "support/environment.hpp"

namespace lode::test {

std::string packed_by(const std::string& program, const std::vector<std::string>& arguments,
                      const std::string& content) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = arguments;
  invocation.input = content;
  const Outcome outcome = run(invocation);
  EXPECT_EQ(outcome.status, 0) << program << ": " << outcome.errors;
  return outcome.output;
}

std::string compressed(const std::string& content, const std::string& program) {
  if (program == "lz4") return packed_by(program, {"-c", "-B4"}, content);  // smaller blocks than the texts here
  return packed_by(program, {"-c"}, content);
}

std::string legacy_lz4(const std::string& content) { return packed_by("lz4", {"-l", "-c"}, content); }

std::string numbered_lines(int count) {
  std::string content;
  for (int line = 0; line < count; ++line) content += "line " + std::to_string(line) + "\n";
  return content;
}

std::string with_changed_byte(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

void search_in_every_way(const std::string& packed, const std::vector<std::string>& arguments,
                         const std::function<void(const Outcome& outcome, const std::string& name)>& check) {
  // Sanitized programs start slowly. So in turns, they read the pipe with one thread and the file with two, and the
  // other way round.
  static unsigned turn = 0;
  ++turn;
  const TemporaryFolder folder;
  folder.write("packed", packed);
  for (const unsigned threads : {1U, 2U}) {
    std::vector<std::string> of_all = {"--threads", std::to_string(threads), "-z"};
    of_all.insert(of_all.end(), arguments.begin(), arguments.end());
    const bool takes_turns = tests::is_sanitized();
    if (!takes_turns || (turn + threads) % 2 == 0) check(run_in(folder, of_all, packed), "(standard input)");
    of_all.emplace_back("packed");
    if (!takes_turns || (turn + threads) % 2 == 1) check(run_in(folder, of_all), "packed");
  }
}

void expect_nothing_in(const std::string& packed, const std::string& pattern, const std::string& what) {
  search_in_every_way(packed, {"-c", "-e", pattern}, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_EQ(outcome.output, "0\n") << what << ", " << name;
    EXPECT_EQ(outcome.errors, "") << what << ", " << name;
    EXPECT_EQ(outcome.status, 1) << what << ", " << name;
  });
}

void expect_searched_as(const std::string& text, const std::string& packed, const std::string& what) {
  const std::vector<std::string> arguments = {"--offsets", "-e", "line", "-e", "9\nl"};
  const TemporaryFolder folder;
  const Outcome expected = run_in(folder, arguments, text);
  ASSERT_EQ(expected.status, 0) << what << ": there is nothing to be found";
  search_in_every_way(packed, arguments, [&](const Outcome& outcome, const std::string& name) {
    EXPECT_TRUE(outcome.output == expected.output)
        << what << ", " << name << ": " << outcome.output.size() << " against " << expected.output.size() << " bytes";
    EXPECT_EQ(outcome.errors, "") << what << ", " << name;
    EXPECT_EQ(outcome.status, 0) << what << ", " << name;
  });
}

void expect_damaged(const std::string& packed, const std::string& what) {
  std::optional<std::string> counted;
  search_in_every_way(packed, {"-c", "-e", "line"}, [&](const Outcome& outcome, const std::string& name) {
    const std::string begin = "lode: " + name + ": ";
    EXPECT_EQ(outcome.status, 2) << what << ", " << name;
    if (!counted) counted = outcome.output;
    EXPECT_NE(outcome.output, "") << what << ", " << name;
    EXPECT_EQ(outcome.output, *counted) << what << ", " << name;
    EXPECT_TRUE(outcome.errors.starts_with(begin) && outcome.errors.size() > begin.size() + 1)
        << what << ", " << name << ": " << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << what << ": " << outcome.errors;
  });
}

}  // namespace lode::test
