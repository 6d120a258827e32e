// Both mappers give the same as a walk over the records, for occurrences in the bytes.
#include "records/record_mapper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::tests {
namespace {

using MappedRows = std::vector<std::vector<std::uint64_t>>;  // each row is (record, offset, distinct)

MappedRows mapped_rows(std::span<const RecordOccurrence> found) {
  MappedRows rows;
  for (const RecordOccurrence& one : found) rows.push_back({one.record, one.offset, one.distinct});
  return rows;
}

// Maps occurrences in the order in which they come. Each lies in at most one record, because no pattern is empty.
MappedRows map_by_walk(const Records& records, const std::vector<Match>& found, Condition condition) {
  MappedRows rows;
  for (const Match& match : found) {
    for (std::uint64_t record = 0; record < records.size(); ++record) {
      if (records.is_null(record) || match.offset < records.begin_of(record) ||
          match.offset + match.length > records.end_of(record))
        continue;
      const std::uint64_t offset = match.offset - records.begin_of(record);
      if (meets_condition(records[record], offset, match.length, Rules{.condition = condition}))
        rows.push_back({record, offset, match.pattern_id});
    }
  }
  return rows;
}

RecordSetup mapper_setup(Condition condition) {
  static const Plan plan = Plan::build(PatternSet{"a"});
  static const SearcherOptions options;
  static const auto scanner = make_naive_scanner(plan.data(), instruction_sets().front(), 1);
  return {{plan.data(), *scanner, options, instruction_sets().front(), 1}, condition};
}

// Records with empty ones, gaps, nulls, and bytes before the first and behind the last.
struct DrawnRecords {
  DrawnRecords(Random& random, std::uint64_t longest) : bytes(random.bytes("ab \n\r_", 3000)), bits(2000) {
    for (std::uint8_t& bit : bits) bit = static_cast<std::uint8_t>(random.next() | random.next());
    const Validity validity{random.chance(50) ? bits.data() : nullptr, random.below(9)};
    const std::uint64_t length = random.below(longest + 1);
    const std::uint64_t stride = std::max<std::uint64_t>(1, length + random.below(3));
    offsets.push_back(random.below(30));
    while (offsets.back() + longest < bytes.size())
      offsets.push_back(offsets.back() + (random.chance(20) ? 0 : random.below(longest + 1)));
    const std::uint64_t layout = random.below(3);
    records = layout == 0   ? Records::with_length(bytes, 3000 / stride, length, stride, validity)
              : layout == 1 ? Records::of_lines(bytes)
                            : Records::with_offsets(bytes, offsets, validity);
  }
  DrawnRecords(const DrawnRecords&) = delete;

  std::string bytes;
  std::vector<std::uint8_t> bits;
  std::vector<std::uint64_t> offsets;
  Records records;
};

// Draws occurrences that start in a range, in sorted order or in any order.
std::vector<Match> draw_to_map(Random& random, std::uint64_t begin, std::uint64_t end, std::uint64_t count) {
  std::vector<Match> found;
  for (; count > 0 && begin < end; --count) {
    const auto length = static_cast<std::uint32_t>(random.scale(1, 12));
    found.push_back({random.between(begin, end - 1), static_cast<std::uint32_t>(count % 9), length});
  }
  if (random.chance(50))
    std::sort(found.begin(), found.end(), [](const Match& a, const Match& b) { return a.offset < b.offset; });
  return found;
}

TEST(RecordMapper, MapsWhatLiesInARecord) {
  Random random = make_random("RecordMapper");
  std::uint64_t all = 0;
  for (int round = 0; round < 400; ++round) {
    const Condition condition = random.pick(
        std::vector{Condition::none, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf});
    const DrawnRecords drawn(random, random.scale(1, 200));
    const Records& records = drawn.records;
    RecordMapper mapper(mapper_setup(condition), records);
    std::vector<RecordOccurrence> mapped{{7, 7, 7}};
    for (int batch = 0; batch < 3; ++batch) {
      const std::uint64_t end = records.end_of(records.size() - 1);
      const std::vector<Match> found = draw_to_map(random, records.begin_of(0), end, random.scale(1, 200));
      mapper.map(found, mapped);
      ASSERT_EQ(mapped_rows(mapped), map_by_walk(records, found, condition)) << "round " << round;
      all += mapped.size();
      if (found.empty()) continue;
      std::uint64_t behind = 0;
      while (behind < records.size() && records.begin_of(behind) <= found[0].offset) ++behind;
      ASSERT_EQ(mapper.begin_behind(found[0].offset), behind == records.size() ? UINT64_MAX : records.begin_of(behind));
    }
  }
  EXPECT_GT(all, 3000u);
}

// Conditions see nothing behind a record's end or before its begin.
TEST(RecordMapper, EndsConditionsWithTheRecord) {
  const std::uint32_t offsets[] = {0, 3, 3, 6, 7};  // "xab", "", "abx", "a"
  const Records records = Records::with_offsets("xababxa", offsets);
  const std::vector<Match> found{{1, 0, 2}, {3, 0, 2}, {3, 1, 3}, {2, 2, 2}, {0, 3, 3}, {6, 4, 1}};
  for (const Condition condition : {Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf}) {
    RecordMapper mapper(mapper_setup(condition), records);
    std::vector<RecordOccurrence> mapped;
    mapper.map(found, mapped);
    EXPECT_EQ(mapped_rows(mapped), (MappedRows{{2, 0, 1}, {0, 0, 3}, {3, 0, 4}}));
  }
}

TEST(BlockMapper, MapsWhatLiesInARecord) {
  Random random = make_random("BlockMapper");
  int worth_it = 0;
  for (int round = 0; round < 600; ++round) {
    const DrawnRecords drawn(random, random.scale(8, 300));
    const Records& records = drawn.records;
    BlockMapper mapper(records);
    const std::uint64_t first = random.below(records.size());
    const std::uint64_t last = random.between(first + 1, records.size());
    // Blocks lie one behind the other, and may begin and end within records.
    for (std::uint64_t at = records.begin_of(first); at < records.end_of(last - 1);) {
      const std::uint64_t end = std::min(records.end_of(last - 1), at + random.scale(1, 2000));
      mapper.start(at, end, first, last);
      for (int batch = 0; batch < 2; ++batch) {
        const std::vector<Match> found = draw_to_map(random, at, end, random.between(8, 200));
        if (!mapper.is_worth_it(found.size())) break;
        ASSERT_EQ(mapped_rows(mapper.map(found)), map_by_walk(records, found, Condition::none)) << "round " << round;
        ++worth_it;
      }
      at = end;
    }
  }
  EXPECT_GT(worth_it, 500);
}

TEST(BlockMapper, IsWorthItForManyInRecordsThatAreNotShort) {
  const std::string bytes(8000, 'a');
  const Records of_eight = Records::with_length(bytes, 1000, 8, 8);
  BlockMapper mapper(of_eight);
  mapper.start(0, 2560, 0, 1000);
  EXPECT_FALSE(mapper.is_worth_it(9));
  EXPECT_TRUE(mapper.is_worth_it(10));
  const Records of_seven = Records::with_length(bytes, 1000, 7, 7);
  BlockMapper of_short(of_seven);
  of_short.start(0, 2560, 0, 1000);
  EXPECT_FALSE(of_short.is_worth_it(2560));
}

}  // namespace
}  // namespace lode::tests
