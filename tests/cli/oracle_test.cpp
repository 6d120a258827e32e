// Tests what grep cannot do against the four lines that define a match: offsets, counts, kinds, pattern ids and JSON,
// from files and from pipes, with patterns that hold newlines and NUL bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "process.hpp"
#include "support/environment.hpp"

namespace lode::test {
namespace {

struct Occurrence {
  std::size_t offset, id;
  bool operator==(const Occurrence&) const = default;
};

std::vector<Occurrence> all_occurrences(const std::string& text, const std::vector<std::string>& patterns) {
  std::vector<Occurrence> found;
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    for (std::size_t id = 0; id < patterns.size(); ++id) {
      if (text.compare(offset, patterns[id].size(), patterns[id]) == 0) found.push_back({offset, id});
    }
  }
  return found;
}

std::vector<Occurrence> leftmost(const std::vector<Occurrence>& all, const std::vector<std::string>& patterns,
                                 bool longest) {
  std::vector<Occurrence> kept;
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i, best = i;
    for (; end < all.size() && all[end].offset == all[i].offset; ++end) {
      if (longest && patterns[all[end].id].size() > patterns[all[best].id].size()) best = end;
    }
    if (all[i].offset >= next) {
      kept.push_back(all[best]);
      next = all[best].offset + patterns[all[best].id].size();
    }
    i = end;
  }
  return kept;
}

std::string offsets_output(const std::vector<Occurrence>& matches) {
  std::string output;
  for (const Occurrence& match : matches)
    output += std::to_string(match.offset) + "\t" + std::to_string(match.id) + "\n";
  return output;
}

struct Scenario {
  std::string text;
  std::vector<std::string> patterns;
};

Scenario draw_scenario(unsigned seed) {
  std::mt19937 engine(seed);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine); };
  const std::string alphabets[] = {"ab", "ab\n", std::string("a\0\n", 3), "abcdefgh\n"};
  const std::string& alphabet = alphabets[below(4)];
  const auto draw = [&](std::size_t length) {
    std::string bytes;
    while (bytes.size() < length) bytes += alphabet[below(alphabet.size())];
    return bytes;
  };
  const std::size_t lengths[] = {0, 1, 7, 50, 300, 5000};
  Scenario drawn{draw(lengths[below(6)]), {}};
  for (std::size_t count = 1 + below(6); count > 0; --count) drawn.patterns.push_back(draw(1 + below(4)));
  return drawn;
}

std::string hex_lines(const std::vector<std::string>& patterns) {
  std::string lines;
  for (const std::string& pattern : patterns) {
    for (const unsigned char byte : pattern) {
      lines += "0123456789abcdef"[byte >> 4];
      lines += "0123456789abcdef"[byte & 15];
    }
    lines += '\n';
  }
  return lines;
}

class CommandAgainstOracle : public testing::TestWithParam<bool> {
 protected:
  Outcome search(const Scenario& scenario, const std::vector<std::string>& options) {
    const TemporaryFolder folder;
    folder.write("patterns", hex_lines(scenario.patterns));
    folder.write("text", scenario.text);
    Invocation invocation;
    invocation.folder = folder.path();
    invocation.arguments = {"--pattern-format", "hex", "-f", "patterns"};
    invocation.arguments.insert(invocation.arguments.end(), options.begin(), options.end());
    if (GetParam()) {
      invocation.input = scenario.text;
    } else {
      invocation.arguments.push_back("text");
    }
    return run(invocation);
  }
};

TEST_P(CommandAgainstOracle, OffsetsOfEveryKind) {
  for (unsigned seed = 1; seed <= (tests::is_sanitized() ? 20 : 60); ++seed) {
    const Scenario drawn = draw_scenario(seed);
    const auto all = all_occurrences(drawn.text, drawn.patterns);
    ASSERT_EQ(search(drawn, {"--offsets"}).output, offsets_output(all)) << "seed " << seed;
    ASSERT_EQ(search(drawn, {"--offsets", "--match-kind", "leftmost-longest", "--verify"}).output,
              offsets_output(leftmost(all, drawn.patterns, true)))
        << "seed " << seed;
    ASSERT_EQ(search(drawn, {"--offsets", "--match-kind", "leftmost-first"}).output,
              offsets_output(leftmost(all, drawn.patterns, false)))
        << "seed " << seed;
  }
}

TEST_P(CommandAgainstOracle, Counts) {
  for (unsigned seed = 101; seed <= (tests::is_sanitized() ? 115 : 140); ++seed) {
    const Scenario drawn = draw_scenario(seed);
    const auto all = all_occurrences(drawn.text, drawn.patterns);
    const Outcome counted = search(drawn, {"--count-matches"});
    ASSERT_EQ(counted.output, std::to_string(all.size()) + "\n") << "seed " << seed;
    ASSERT_EQ(counted.status, all.empty() ? 1 : 0);
    std::vector<std::size_t> per_pattern(drawn.patterns.size());
    for (const Occurrence& match : all) ++per_pattern[match.id];
    std::istringstream lines(search(drawn, {"--count-per-pattern"}).output);
    std::string line;
    for (std::size_t id = 0; id < per_pattern.size(); ++id) {
      ASSERT_TRUE(std::getline(lines, line));
      const std::string start = std::to_string(per_pattern[id]) + "\t" + std::to_string(id) + "\t";
      ASSERT_EQ(line.substr(0, start.size()), start) << "seed " << seed;
    }
    ASSERT_FALSE(std::getline(lines, line));
  }
}

// The lines as [begin, end), with their newline.
std::vector<std::pair<std::size_t, std::size_t>> lines_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.emplace_back(begin, end);
    begin = end;
  }
  return lines;
}

TEST_P(CommandAgainstOracle, LinesTouchedAndTheirPatternIds) {
  for (unsigned seed = 201; seed <= (tests::is_sanitized() ? 220 : 260); ++seed) {
    const Scenario drawn = draw_scenario(seed);
    const auto all = all_occurrences(drawn.text, drawn.patterns);
    std::string lines, with_ids;
    std::size_t count = 0;
    for (const auto& [begin, end] : lines_of(drawn.text)) {
      std::set<std::size_t> ids;
      for (const Occurrence& match : all) {
        if (match.offset < end && match.offset + drawn.patterns[match.id].size() > begin) ids.insert(match.id);
      }
      if (ids.empty()) continue;
      ++count;
      std::string line = drawn.text.substr(begin, end - begin);
      if (line.back() != '\n') line += '\n';
      lines += line;
      std::string shown;
      for (const std::size_t id : ids) shown += (shown.empty() ? "" : ",") + std::to_string(id);
      with_ids += shown + ":" + line;
    }
    ASSERT_EQ(search(drawn, {"-a"}).output, lines) << "seed " << seed;
    ASSERT_EQ(search(drawn, {"-a", "--pattern-id"}).output, with_ids) << "seed " << seed;
    ASSERT_EQ(search(drawn, {"-c"}).output, std::to_string(count) + "\n") << "seed " << seed;
    ASSERT_EQ(search(drawn, {"-vc"}).output, std::to_string(lines_of(drawn.text).size() - count) + "\n")
        << "seed " << seed;
  }
}

// Windows have some KiB, and lines and matches cross their ends, whether lines are selected or not.
TEST_P(CommandAgainstOracle, LinesInSmallWindows) {
  for (unsigned seed = 401; seed <= (tests::is_sanitized() ? 408 : 425); ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine); };
    const auto draw = [&](std::size_t length, std::string_view alphabet) {
      std::string bytes;
      while (bytes.size() < length) bytes += alphabet[below(alphabet.size())];
      return bytes;
    };
    Scenario drawn;
    const std::size_t longest = below(2) == 0 ? 40 : 3000;
    while (drawn.text.size() < 200'000)
      drawn.text += draw(below(longest), "abcdefgh") + (below(4) == 0 ? "\n\n" : "\n");
    if (below(2) == 0) drawn.text.pop_back();
    drawn.patterns = {draw(3, "abcdefgh"), draw(2, "abcdefgh") + "\n" + draw(1, "abcdefgh")};
    if (below(2) == 0) drawn.patterns.push_back("absent\nhere");
    if (below(3) == 0) drawn.patterns.push_back(below(2) == 0 ? "\n\n" : draw(1, "abcdefgh") + "\n\n");
    const auto all = all_occurrences(drawn.text, drawn.patterns);
    std::string touched, others;
    std::size_t touched_count = 0, first = 0;
    const auto lines = lines_of(drawn.text);
    for (const auto& [begin, end] : lines) {
      while (first < all.size() && all[first].offset + 10 < begin) ++first;
      bool is_touched = false;
      for (std::size_t at = first; at < all.size() && all[at].offset < end; ++at)
        is_touched |= all[at].offset + drawn.patterns[all[at].id].size() > begin;
      std::string line = drawn.text.substr(begin, end - begin);
      if (line.back() != '\n') line += '\n';
      (is_touched ? touched : others) += line;
      touched_count += is_touched ? 1 : 0;
    }
    const std::size_t other_count = lines.size() - touched_count;
    const std::string name = GetParam() ? "(standard input)" : "text";
    for (const std::string limit : {"64K", "1M"}) {
      const auto found = [&](std::vector<std::string> options) {
        options.insert(options.end(), {"--memory-limit", limit});
        return search(drawn, options);
      };
      SCOPED_TRACE("seed " + std::to_string(seed) + ", limit " + limit);
      ASSERT_EQ(found({"-c"}).output, std::to_string(touched_count) + "\n");
      ASSERT_EQ(found({"-vc"}).output, std::to_string(other_count) + "\n");
      ASSERT_EQ(found({"-vc", "-m", "7"}).output, std::to_string(std::min<std::size_t>(other_count, 7)) + "\n");
      ASSERT_TRUE(found({}).output == touched);
      ASSERT_TRUE(found({"-v"}).output == others);
      ASSERT_EQ(found({"-vl"}).output, other_count > 0 ? name + "\n" : "");
      ASSERT_EQ(found({"-vL"}).output, other_count > 0 ? "" : name + "\n");
      ASSERT_EQ(found({"-vq"}).status, other_count > 0 ? 0 : 1);
      ASSERT_EQ(found({"-vo"}).status, other_count > 0 ? 0 : 1);
    }
  }
}

std::string bytes_of(const nlohmann::json& object) {
  if (object.contains("text")) return object["text"].get<std::string>();
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char digit : object["bytes"].get<std::string>()) {
    if (digit == '=') break;
    group = group << 6 | static_cast<unsigned>(digits.find(digit));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 255);
  }
  return bytes;
}

TEST_P(CommandAgainstOracle, JsonListsEveryOccurrence) {
  for (unsigned seed = 301; seed <= 340; ++seed) {
    Scenario drawn = draw_scenario(seed);
    if (seed % 4 == 0) std::replace(drawn.text.begin(), drawn.text.end(), 'b', '\xff');
    const auto all = all_occurrences(drawn.text, drawn.patterns);
    std::istringstream messages(search(drawn, {"--json"}).output);
    std::vector<Occurrence> listed;
    std::vector<std::string> types;
    for (std::string message; std::getline(messages, message);) {
      const auto parsed = nlohmann::json::parse(message);
      types.push_back(parsed["type"]);
      const auto& data = parsed["data"];
      if (types.back() == "summary") {
        ASSERT_EQ(data["stats"]["matches"], all.size());
      }
      if (types.back() != "match") continue;
      const std::size_t offset = data["absolute_offset"];
      const std::string lines = bytes_of(data["lines"]);
      ASSERT_EQ(drawn.text.substr(offset, lines.size()), lines);
      const auto number =
          1 + std::count(drawn.text.begin(), drawn.text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
      ASSERT_EQ(data["line_number"], number);
      for (const auto& submatch : data["submatches"]) {
        const std::size_t id = submatch["pattern_id"];
        ASSERT_EQ(bytes_of(submatch["match"]), drawn.patterns[id]);
        ASSERT_EQ(submatch["end"].get<std::size_t>() - submatch["start"].get<std::size_t>(), drawn.patterns[id].size());
        listed.push_back({offset + submatch["start"].get<std::size_t>(), id});
      }
    }
    ASSERT_EQ(listed, all) << "seed " << seed;
    ASSERT_EQ(types.back(), "summary");
    if (!all.empty()) {
      ASSERT_EQ(types.front(), "begin");
      ASSERT_EQ(types[types.size() - 2], "end");
    }
  }
}

// One line has more matches than are gathered at a time, and it is longer than a piece of a pipe.
TEST_P(CommandAgainstOracle, LineWithVeryManyMatches) {
  // Its matches take more than the memory limit.
  const std::string longest(70000, 'a');
  const Scenario drawn{"b\n" + longest + "\naab\n", {"a", "aa", "b"}};
  std::istringstream messages(search(drawn, {"--json", "--memory-limit", "1M"}).output);
  std::size_t next_offset = 0, matches = 0;
  for (std::string message; std::getline(messages, message);) {
    const auto parsed = nlohmann::json::parse(message);
    if (parsed["type"] != "match") continue;
    const auto& data = parsed["data"];
    ASSERT_EQ(data["absolute_offset"], next_offset);
    next_offset += bytes_of(data["lines"]).size();
    std::size_t last = 0;
    for (const auto& submatch : data["submatches"]) {
      const std::size_t key = submatch["start"].get<std::size_t>() * 3 + submatch["pattern_id"].get<std::size_t>() + 1;
      ASSERT_GT(key, last);
      last = key;
      ++matches;
    }
  }
  EXPECT_EQ(next_offset, drawn.text.size());
  EXPECT_EQ(matches, 1 + 2 * longest.size() - 1 + 4);
  EXPECT_TRUE(search(drawn, {"--pattern-id", "--memory-limit", "1M"}).output ==
              "2:b\n0,1:" + longest + "\n0,1,2:aab\n");
  const std::string on = "\33[01;31m\33[K", off = "\33[m\33[K";
  std::string colored = on + "b" + off + "\n";
  for (std::size_t i = 0; i < longest.size(); i += 2) colored += on + "aa" + off;
  colored += "\n" + on + "aa" + off + on + "b" + off + "\n";
  EXPECT_TRUE(search(drawn, {"--color=always", "--memory-limit", "1M"}).output == colored);
  const std::string with_ids = search(drawn, {"--color=always", "--pattern-id"}).output;
  EXPECT_EQ(with_ids.size(), colored.size() + 9 + 3 * std::string("\33[36m\33[K:\33[m\33[K").size());
}

INSTANTIATE_TEST_SUITE_P(FromFilesAndPipes, CommandAgainstOracle, testing::Values(false, true),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Pipe" : "File"; });

}  // namespace
}  // namespace lode::test
