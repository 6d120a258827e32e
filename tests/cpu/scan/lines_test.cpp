// Lines are the same as a walk over the bytes finds, across the words in which their ends are kept.
#include "cpu/scan/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/environment.hpp"

namespace lode::tests {
namespace {

// The terminators of a range, and whether a match of each line is known.
struct PlainLines {
  explicit PlainLines(std::vector<bool> its_ends) : ends(std::move(its_ends)), known(line_of(ends.size()) + 1) {}

  // The number of terminators before the place.
  std::uint64_t line_of(std::uint64_t place) const {
    const std::uint64_t before = std::min<std::uint64_t>(place, ends.size());
    return static_cast<std::uint64_t>(
        std::count(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(before), true));
  }
  bool is_end(std::uint64_t place) const { return place < ends.size() && ends[place]; }

  std::vector<bool> ends;
  std::vector<bool> known;
};

// Makes lines known one by one, and asks at every place.
void check_lines(Random& random, Lines& lines, PlainLines plain) {
  const std::uint64_t size = plain.ends.size();
  ASSERT_EQ(lines.count(), plain.known.size());
  ASSERT_EQ(lines.known_count(), 0u);
  for (std::uint64_t place = 0; place < size + 64; ++place) {
    std::uint64_t expected = 0;
    for (std::uint64_t bit = 0; bit < 64; ++bit) expected |= std::uint64_t{plain.is_end(place + bit)} << bit;
    ASSERT_EQ(lines.ends(place), expected) << place;
    const std::uint64_t count = random.scale(1, 300) - 1;
    bool has_ends = false;
    for (std::uint64_t at = place; at < place + count; ++at) has_ends |= plain.is_end(at);
    ASSERT_EQ(lines.has_ends(place, count), has_ends) << count << " from " << place;
  }
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    for (std::uint64_t place = 0; place <= size; ++place) {
      const std::uint64_t line = plain.line_of(place);
      ASSERT_EQ(lines.is_known(place), plain.known[line]) << place;
      ASSERT_EQ(lines.is_number_known(line), plain.known[line]);
      const std::uint64_t count = random.between(1, 64);
      bool are_known = true;
      for (std::uint64_t number = line; number <= plain.line_of(place + count - 1); ++number)
        are_known = are_known && plain.known[number];
      ASSERT_EQ(lines.are_known(place, count), are_known) << count << " from " << place;
    }
    const std::uint64_t more = turn == 2 ? size + 1 : size / 20 + 1;  // then nearly all bytes are ends
    for (std::uint64_t made = 0; made < more; ++made) {
      const std::uint64_t place = turn == 2 ? made : random.below(size + 1);
      if (turn == 2 && random.chance(1)) continue;
      lines.set_known(place);
      plain.known[plain.line_of(place)] = true;
    }
  }
}

TEST(Lines, AreThoseOfAPlainLoop) {
  Random random = make_random("Lines");
  for (const InstructionSet set : instruction_sets()) {
    SCOPED_TRACE(name_of(set));
    Lines lines(set);
    for (const std::uint64_t size : {0, 1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 193, 500, 0, 320}) {
      for (const std::uint64_t percent : {0, 3, 30, 100}) {
        SCOPED_TRACE(std::to_string(size) + " bytes, ends at " + std::to_string(percent) + " %");
        std::string text = random.bytes("ab\n\x0b", size);
        for (char& byte : text)
          if (byte == '\xff' || random.chance(static_cast<unsigned>(percent))) byte = '\xff';
        std::vector<bool> ends;
        for (const char byte : text) ends.push_back(byte == '\xff');
        lines.start({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, 0xff);
        ASSERT_NO_FATAL_FAILURE(check_lines(random, lines, PlainLines(ends)));
      }
    }
  }
}

// A line ends with the last byte before a record begins, whatever lies in the gap. Empty records are not lines.
TEST(Lines, AreRecords) {
  Random random = make_random("LinesOfRecords");
  Lines lines(instruction_sets().front());
  for (int round = 0; round < 300; ++round) {
    const std::string bytes(700, ' ');
    std::vector<std::uint32_t> offsets{static_cast<std::uint32_t>(random.below(20))};
    const std::uint64_t longest = random.scale(1, 120);
    while (offsets.back() + longest < bytes.size())
      offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random.chance(20) ? 0 : random.below(longest + 1)));
    const std::uint64_t length = random.below(longest) + 1;
    const std::uint64_t stride = length + random.below(3);
    const Records records = round % 2 == 0 ? Records::with_offsets(bytes, offsets)
                                           : Records::with_length(bytes, bytes.size() / stride, length, stride);
    const std::uint64_t first = random.below(records.size());
    const std::uint64_t last = random.between(first + 1, records.size());
    const std::uint64_t begin = random.between(records.begin_of(first), records.end_of(last - 1));
    const std::uint64_t size = random.below(records.end_of(last - 1) - begin + 1);
    std::set<std::uint32_t> begins;
    for (std::uint64_t record = first; record < last; ++record)
      if (records.begin_of(record) > begin && records.begin_of(record) <= begin + size)
        begins.insert(static_cast<std::uint32_t>(records.begin_of(record) - begin));
    std::vector<bool> ends(size);
    for (const std::uint32_t place : begins) ends[place - 1] = true;
    lines.start(begin, size, records, first, last);
    ASSERT_EQ(lines.count(), begins.size() + 1);
    std::vector<std::uint32_t> expected{0};
    expected.insert(expected.end(), begins.begin(), begins.end());
    expected.push_back(static_cast<std::uint32_t>(size));
    for (std::uint64_t number = 0; number <= lines.count(); ++number)
      ASSERT_EQ(lines.begin_of(number), expected[number]) << number;
    ASSERT_NO_FATAL_FAILURE(check_lines(random, lines, PlainLines(ends)));
  }
}

}  // namespace
}  // namespace lode::tests
