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
        rewrite_records(records, found, replacements, patterns, static_cast<unsigned>(random.between(1, 4)));
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

TEST(RewrittenRecords, MatchesOfOtherRecordsAreRefused) {
  const PatternSet patterns{"a"};
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] {
    rewrite_records(Records::of_lines("a\nb\n"), {{0}, {}}, Replacements::of_all("x"), patterns);
  }));
}

}  // namespace
}  // namespace lode::tests
