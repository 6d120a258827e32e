#include "records/record_answers.hpp"

#include <algorithm>

namespace lode::tests {

Answer answer_by_oracle(const Records& records, const PatternSet& patterns, const Rules& rules) {
  return answer_by([&](std::string_view record) { return find_by_meaning(record, patterns, rules); }, records,
                   patterns);
}

void check_source(const RecordSearcher& searcher, const RecordSource& records, const Answer& expected) {
  const std::uint64_t patterns = searcher.plan().patterns().size();
  const std::uint64_t cells = dense_cells(records.size(), patterns);
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;

  Hits listed;
  searcher.first(
      records,
      [&](std::span<const RecordHit> batch) {
        EXPECT_FALSE(batch.empty());
        listed.insert(listed.end(), batch.begin(), batch.end());
        return true;
      },
      run);
  ASSERT_EQ(listed, expected.hits);
  EXPECT_EQ(stats.search.matches, expected.hits.size());
  EXPECT_EQ(stats.records, records.size());
  if (searcher.algorithm() == "rabin-karp" && records.resident() == nullptr && searcher.plan().view().empty()) {
    const auto matching = std::count_if(expected.per_record.begin(), expected.per_record.end(),
                                        [](std::uint64_t count) { return count != 0; });
    EXPECT_GE(stats.flagged_records, static_cast<std::uint64_t>(matching));
    // A record whose occurrences all fail the condition was flagged, too, and is a false positive.
    EXPECT_EQ(stats.false_positives, stats.flagged_records - static_cast<std::uint64_t>(matching));
  }

  for (const MatchKind kind : {MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first}) {
    const RecordMatches found = searcher.find(records, kind, run);
    EXPECT_EQ(stats.search.matches, found.matches.size());
    ASSERT_EQ(found.row_starts.size(), records.size() + 1);
    ASSERT_EQ(found.row_starts.back(), found.matches.size());
    for (std::uint64_t record = 0; record < records.size(); ++record) {
      const std::vector<Match> row(found.matches.begin() + static_cast<std::ptrdiff_t>(found.row_starts[record]),
                                   found.matches.begin() + static_cast<std::ptrdiff_t>(found.row_starts[record + 1]));
      ASSERT_EQ(row, apply_match_kind(expected.matches[record], kind)) << "record " << record;
    }
  }

  const RecordHits sparse = searcher.first(records);
  ASSERT_EQ(sparse.row_starts.size(), records.size() + 1);
  ASSERT_EQ(sparse.pattern_ids.size(), expected.hits.size());
  Hits rows;
  for (std::uint64_t record = 0; record < records.size(); ++record)
    for (std::uint64_t at = sparse.row_starts[record]; at < sparse.row_starts[record + 1]; ++at)
      rows.push_back({record, sparse.offsets[at], sparse.pattern_ids[at]});
  ASSERT_EQ(rows, expected.hits);

  // Cells behind those that are needed stay as they were.
  std::vector<std::int32_t> narrow(cells + 1, 77);
  searcher.first_dense(records, narrow, run);
  EXPECT_EQ(narrow.back(), 77);
  narrow.pop_back();
  ASSERT_EQ(hits_of_cells(narrow, patterns), expected.hits);
  EXPECT_EQ(stats.search.matches, expected.hits.size());
  std::vector<std::int64_t> wide(cells, 77);
  searcher.first_dense(records, wide);
  ASSERT_EQ(hits_of_cells(wide, patterns), expected.hits);

  std::vector<std::uint8_t> any((records.size() + 7) / 8);
  std::vector<std::uint8_t> contains(records.size() * searcher.contains_row_bytes());
  for (const RecordHit& hit : expected.hits) {
    any[hit.record / 8] |= static_cast<std::uint8_t>(1U << hit.record % 8);
    contains[hit.record * searcher.contains_row_bytes() + hit.pattern_id / 8] |=
        static_cast<std::uint8_t>(1U << hit.pattern_id % 8);
  }
  ASSERT_EQ(searcher.contains_any(records), any);
  std::vector<std::uint8_t> bits(contains.size() + 1, 0x5a);
  searcher.contains(records, bits, run);
  EXPECT_EQ(bits.back(), 0x5a);
  bits.pop_back();
  ASSERT_EQ(bits, contains);
  EXPECT_EQ(stats.search.matches, expected.hits.size());

  ASSERT_EQ(searcher.count_per_record(records), expected.per_record);
  ASSERT_EQ(searcher.count_per_pattern(records), expected.per_pattern);
}

void check(const RecordSearcher& searcher, const Records& records, const Answer& expected) {
  check_source(searcher, records, expected);
  if (searcher.device().is_cpu() || testing::Test::HasFatalFailure()) return;
  SCOPED_TRACE("resident");
  const ResidentRecords resident(searcher.device(), records, 2);
  EXPECT_EQ(resident.size(), records.size());
  EXPECT_EQ(resident.total_bytes(), records.total_bytes());
  check_source(searcher, resident, expected);
  if (testing::Test::HasFatalFailure()) return;
  const std::uint64_t patterns = searcher.plan().patterns().size();
  DeviceMatrix matrix(searcher.device(), records.size() * patterns + 1);
  searcher.first_dense(resident, matrix);
  std::vector<std::int32_t> cells(records.size() * patterns);
  matrix.read(0, cells);
  ASSERT_EQ(hits_of_cells(cells, patterns), expected.hits);
}

}  // namespace lode::tests
