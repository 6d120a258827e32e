// Records are rewritten as if each were a text of its own.

#include <gtest/gtest.h>

#include <string>

#include "lode/rewrite.hpp"
#include "records/record_answers.hpp"
#include "support/errors.hpp"

namespace lode::tests {
namespace {

TEST(RewrittenRecords, EqualTextsThatAreRewritten) {
  Random random = make_random("RewrittenRecords");
  const PatternSet patterns{"ab", "aba", "b"};
  const Replacements replacements = Replacements::of_all("<{match}>");
  const Plan plan = Plan::build(patterns);
  const RecordSearcher finder(plan);
  for (std::uint64_t round = 0; round < test_rounds(20, 100, 1000); ++round) {
    SearcherOptions options;
    options.match_kind = random.chance(50) ? MatchKind::leftmost_longest : MatchKind::leftmost_first;
    const Searcher searcher(plan, options);
    // Some have so many bytes that threads share them.
    const std::uint64_t count = random.chance(30) ? random.between(3000, 5000) : random.below(30);
    Table table;
    for (std::uint64_t record = 0; record < count; ++record) table.add(random.bytes("abc", random.below(60)));
    if (random.chance(40)) {
      table.bits.resize(count / 8 + 1);
      for (std::uint8_t& bits : table.bits) bits = static_cast<std::uint8_t>(random.next());
    }
    // Records of one length may have bytes between them.
    const std::uint64_t length = random.below(10), stride = length + random.below(3);
    const Records records = random.chance(20) && stride != 0
                                ? Records::with_length(table.bytes, table.bytes.size() / stride, length, stride)
                                : table.records();
    const RecordMatches found = finder.find(records, options.match_kind);
    const RewrittenRecords rewritten =
        rewrite_records(records, found, replacements, plan, static_cast<unsigned>(random.between(1, 4)));
    ASSERT_EQ(rewritten.offsets.size(), records.size() + 1);
    ASSERT_EQ(rewritten.offsets.back(), rewritten.bytes.size());
    for (std::uint64_t record = 0; record < records.size(); ++record) {
      std::string expected;
      if (!records.is_null(record))
        searcher.rewrite(records[record], replacements, [&](std::string_view bytes) {
          expected += bytes;
          return true;
        });
      ASSERT_EQ(std::string(rewritten.bytes.data() + rewritten.offsets[record],
                            rewritten.offsets[record + 1] - rewritten.offsets[record]),
                expected)
          << "round " << round << ", record " << record;
    }
  }
}

TEST(RewrittenRecords, KeepTheirEncoding) {
  PlanOptions plan_options;
  plan_options.view = View("auto,fold");
  const Plan plan = Plan::build(PatternSet{"п"}, plan_options);
  Table table;
  for (const std::string_view record : {std::string_view("\xFF\xFE\x1F\x04x\0", 6), std::string_view("Пx"),
                                        std::string_view("\xFE\xFF\x04\x1F", 4), std::string_view("")})
    table.add(std::string(record));
  const Records records = table.records();
  const RecordMatches found = RecordSearcher(plan).find(records, MatchKind::leftmost_longest);
  const RewrittenRecords rewritten = rewrite_records(records, found, Replacements::of_all("ä"), plan, 1);
  EXPECT_EQ(std::string(rewritten.bytes.begin(), rewritten.bytes.end()),
            std::string("\xFF\xFE\xE4\0x\0äx\xFE\xFF\0\xE4", 13));
  EXPECT_EQ(rewritten.offsets, (std::vector<std::uint64_t>{0, 6, 9, 13, 13}));
}

TEST(RewrittenRecords, PartsAreJoined) {
  for (const std::uint64_t expected : {0, 2, 5, 1000}) {
    RewrittenRecords all;
    all.append({{0, 2, 2}, {'a', 'b'}}, expected);
    all.append({{0}, {}}, expected);
    all.append({{0, 0, 3}, {'c', 'd', 'e'}}, expected);
    EXPECT_EQ(all.offsets, (std::vector<std::uint64_t>{0, 2, 2, 2, 5}));
    EXPECT_EQ(std::string(all.bytes.begin(), all.bytes.end()), "abcde");
  }
}

TEST(RewrittenRecords, MatchesOfOtherRecordsAreRefused) {
  const PatternSet patterns{"a"};
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] {
    rewrite_records(Records::of_lines("a\nb\n"), {{0}, {}}, Replacements::of_all("x"), Plan::build(patterns));
  }));
}

}  // namespace
}  // namespace lode::tests
