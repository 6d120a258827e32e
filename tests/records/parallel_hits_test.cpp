// Hits that all threads make together are those of each record alone, however the occurrences are cut, and rows begin
// where the hits say.

#include "records/parallel_hits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

std::vector<RecordHit> hits_by_meaning(const PlanData& plan, const std::vector<RecordOccurrence>& occurrences) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> least;
  for (const RecordOccurrence& occurrence : occurrences) {
    const auto take = [&](std::uint32_t id) {
      const auto [at, is_new] = least.emplace(std::pair(occurrence.record, id), occurrence.offset);
      if (!is_new) at->second = std::min(at->second, occurrence.offset);
    };
    if (!plan.has_duplicates()) take(occurrence.distinct);
    for (std::uint32_t at = 0; plan.has_duplicates() && at < plan.multiplicity(occurrence.distinct); ++at)
      take(plan.group(occurrence.distinct)[at]);
  }
  std::vector<RecordHit> hits;
  for (const auto& [cell, offset] : least) hits.push_back({cell.first, offset, cell.second});
  return hits;
}

TEST(ParallelHits, AreThoseOfEachRecord) {
  Random random = make_random("ParallelHits");
  for (const bool has_duplicates : {false, true}) {
    PatternSet patterns{"a", "b", "c", "d", "e"};
    if (has_duplicates)
      for (const char* const again : {"b", "e", "b"}) patterns.add(again);
    const Plan plan = Plan::build(patterns);
    ASSERT_TRUE(ParallelHits::suits(plan.data()));
    for (const unsigned threads : {1U, 3U}) {
      for (const std::uint64_t most_of_record : {1, 6, 30'000}) {
        SCOPED_TRACE(std::to_string(most_of_record) + " in a record");
        std::vector<RecordOccurrence> occurrences;
        for (std::uint64_t record = 3; occurrences.size() < 100'000; record += random.between(1, 3))
          for (std::uint64_t left = random.between(1, most_of_record); left > 0; --left)
            occurrences.push_back({record, random.below(1000), static_cast<std::uint32_t>(random.below(5))});
        const std::uint64_t records = occurrences.back().record + 400'000;  // the last records have no occurrence
        const std::vector<RecordHit> expected = hits_by_meaning(plan.data(), occurrences);
        std::vector<RecordHit> hits;
        HitRows rows;
        const TakeHits take = [&](std::vector<RecordHit>& batch) {
          EXPECT_FALSE(batch.empty());
          if (!hits.empty()) {
            EXPECT_LT(hits.back().record, batch.front().record) << "a batch ends with a record";
          }
          hits.insert(hits.end(), batch.begin(), batch.end());
          rows.add(std::move(batch));
          return true;
        };
        ParallelHits made(plan.data(), threads, take);
        for (std::size_t at = 0; at < occurrences.size();) {
          const std::size_t count = std::min<std::size_t>(random.scale(1, 60'000), occurrences.size() - at);
          ASSERT_TRUE(made.take(std::span(occurrences).subspan(at, count)));
          at += count;
        }
        ASSERT_TRUE(made.finish());
        EXPECT_EQ(made.hits(), expected.size());
        ASSERT_TRUE(hits == expected);
        const RecordHits built = rows.build(records, threads);
        ASSERT_EQ(built.row_starts.size(), records + 1);
        ASSERT_EQ(built.offsets.size(), expected.size());
        ASSERT_EQ(built.pattern_ids.size(), expected.size());
        std::uint64_t at = 0;
        for (std::uint64_t record = 0; record <= records; ++record) {
          ASSERT_EQ(built.row_starts[record], at) << record;
          for (; at < expected.size() && expected[at].record == record; ++at) {
            ASSERT_EQ(built.offsets[at], expected[at].offset);
            ASSERT_EQ(built.pattern_ids[at], expected[at].pattern_id);
          }
        }
      }
    }
  }
}

TEST(ParallelHits, EndWhereTheTakerSaysSo) {
  const Plan plan = Plan::build(PatternSet{"a"});
  std::vector<RecordOccurrence> occurrences;
  for (std::uint64_t record = 0; record < 20'000; ++record) occurrences.push_back({record, 0, 0});
  for (const std::uint64_t wanted : {1U, 2U}) {
    std::uint64_t calls = 0;
    std::uint64_t given = 0;
    const TakeHits take = [&](const std::vector<RecordHit>& batch) {
      given += batch.size();
      return ++calls < wanted;
    };
    ParallelHits hits(plan.data(), 2, take);
    EXPECT_FALSE(hits.take(occurrences));
    EXPECT_EQ(calls, wanted);
    EXPECT_EQ(hits.hits(), given) << "a hit that nobody was given is counted";
    EXPECT_LT(given, 20'000U);
  }
}

TEST(CellHits, EndWhereTheTakerSaysSo) {
  const std::vector<std::uint32_t> cells(300'000);
  std::uint64_t calls = 0;
  std::uint64_t given = 0;
  const TakeHits take = [&](const std::vector<RecordHit>& batch) {
    given += batch.size();
    return ++calls < 2;
  };
  CellHits hits(3, 2, take);
  EXPECT_FALSE(hits.take(0, 100'000, cells, UINT32_MAX));
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(hits.hits(), given) << "a hit that nobody was given is counted";
  EXPECT_LT(given, 300'000U);
}

TEST(ParallelHits, AreNotMadeWhereAPatternStandsForMany) {
  PatternSet patterns{"a"};
  for (int again = 0; again < 20; ++again) patterns.add("b");
  EXPECT_FALSE(ParallelHits::suits(Plan::build(patterns).data()));
}

// A sorted list stays as it is between lists that are not sorted.
TEST(FirstList, TakesSortedOnesBetweenOthers) {
  for (const std::uint32_t distinct_count : {3U, UINT32_MAX}) {  // the list has a place for each pattern, or none
    FirstList list(distinct_count);
    for (int turn = 0; turn < 2; ++turn) {
      list.clear();
      for (const RecordOccurrence& found :
           std::vector<RecordOccurrence>{{1, 5, 2}, {1, 7, 0}, {1, 8, 2}, {2, 4, 1}, {2, 3, 1}})
        list.add(found);
      list.append(std::vector<RecordOccurrence>{{4, 9, 0}, {4, 2, 2}, {5, 1, 1}});
      list.append(std::vector<RecordOccurrence>{{6, 3, 0}});
      for (const RecordOccurrence& found : std::vector<RecordOccurrence>{{8, 1, 1}, {8, 2, 0}, {8, 3, 1}, {8, 4, 0}})
        list.add(found);
      list.sort();
      std::vector<std::vector<std::uint64_t>> rows;
      for (const RecordOccurrence& found : list.list()) rows.push_back({found.record, found.distinct, found.offset});
      EXPECT_EQ(
          rows,
          (std::vector<std::vector<std::uint64_t>>{
              {1, 0, 7}, {1, 2, 5}, {2, 1, 3}, {4, 0, 9}, {4, 2, 2}, {5, 1, 1}, {6, 0, 3}, {8, 0, 2}, {8, 1, 1}}));
    }
  }
}

TEST(HitRows, OfNoHitsAreEmpty) {
  const RecordHits hits = HitRows().build(300'000, 2);
  EXPECT_EQ(hits.row_starts, std::vector<std::uint64_t>(300'001));
  EXPECT_TRUE(hits.offsets.empty());
  EXPECT_EQ(HitRows().build(0, 2).row_starts, std::vector<std::uint64_t>(1));
}

}  // namespace
}  // namespace lode::tests
