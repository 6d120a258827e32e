// Records that lie on several devices, and rows of which a device has room for few at a time, give the results of the
// CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "faulty_runtime.hpp"
#include "gpu/records/cell_search.hpp"
#include "gpu/records/record_search.hpp"
#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "search/gpu_search.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/memory.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::throws_error;

class ResidentRecordsOfDevices : public testing::TestWithParam<std::string> {
 protected:
  Device device(std::size_t devices) const {
    return make_gpu_device("several", std::vector(devices, open_runtime(GetParam())));
  }
};

TEST_P(ResidentRecordsOfDevices, GiveTheResultsOfTheCpu) {
  auto random = lode::tests::make_random("ResidentRecordsOfDevices " + GetParam());
  const Plan plan = Plan::build(PatternSet{"a", "ab", "ba", "abba", "ab"});
  const RecordSearcher reference(plan);
  const bool is_host = GetParam().starts_with("host");  // on other devices compilers take most of the time
  for (const std::size_t devices : is_host ? std::vector<std::size_t>{1, 2, 3} : std::vector<std::size_t>{2}) {
    const Device gpus = device(devices);
    for (const std::uint64_t count : {0U, 1U, 2U, 70U}) {
      SCOPED_TRACE(std::to_string(devices) + " devices, " + std::to_string(count) + " records");
      std::string bytes;
      std::vector<std::uint64_t> offsets = {0};
      for (std::uint64_t record = 0; record < count; ++record) {
        bytes += random.bytes("ab", random.chance(5) ? 300 : random.below(12));
        offsets.push_back(bytes.size());
      }
      std::vector<std::uint8_t> bits(count / 8 + 1);
      for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.next() | random.next());
      const Records records = Records::with_offsets(bytes, offsets, {bits.data(), 0});
      const lode::ResidentRecords resident(gpus, records);
      for (const std::uint64_t memory_limit :
           is_host ? std::vector<std::uint64_t>{0, 1, 64} : std::vector<std::uint64_t>{64}) {
        SearcherOptions options;
        options.memory_limit_bytes = memory_limit;
        const RecordSearcher searcher(plan, options, gpus);
        std::vector<std::int32_t> expected(count * 5);
        std::vector<std::int32_t> cells(count * 5);
        reference.first_dense(records, expected);
        searcher.first_dense(resident, cells);
        ASSERT_EQ(cells, expected);
        std::vector<std::uint8_t> expected_bits(count);
        std::vector<std::uint8_t> contains(count);
        reference.contains(records, expected_bits);
        searcher.contains(resident, contains);
        ASSERT_EQ(contains, expected_bits);
        ASSERT_EQ(searcher.contains_any(resident), reference.contains_any(records));
        ASSERT_EQ(searcher.count_per_record(resident), reference.count_per_record(records));
        ASSERT_EQ(searcher.count_per_pattern(resident), reference.count_per_pattern(records));
        const RecordHits hits = searcher.first(resident);
        const RecordHits expected_hits = reference.first(records);
        ASSERT_EQ(hits.row_starts, expected_hits.row_starts);
        ASSERT_EQ(hits.pattern_ids, expected_hits.pattern_ids);
        ASSERT_EQ(hits.offsets, expected_hits.offsets);
        if (devices == 1) {
          DeviceMatrix matrix(gpus, count * 5);
          searcher.first_dense(resident, matrix);
          std::vector<std::int32_t> left(count * 5);
          matrix.read(0, left);
          ASSERT_EQ(left, expected);
        }
      }
    }
  }
}

// The records decide, by an estimate, whether each cell is searched by itself or all occurrences are listed. Both ways
// give the same.
TEST_P(ResidentRecordsOfDevices, FillCellsTheWayThatIsEstimatedToBeFaster) {
  auto random = lode::tests::make_random("FillCellsTheWayThatIsEstimatedToBeFaster " + GetParam());
  const GpuDevices devices{{open_runtime(GetParam())}};
  const bool is_host = GetParam().starts_with("host");
  struct Draw {
    PatternSet patterns;
    bool is_often;
  };
  PatternSet letters;
  for (char letter = 'a'; letter <= 'h'; ++letter) letters.add(std::string(1, letter));
  PatternSet folded{"b", "a"};
  folded.add("A", true);
  folded.add("a");
  folded.add("bC", true);
  PatternSet many;
  for (int pattern = 0; pattern < 100; ++pattern) many.add(random.bytes("abcdefgh", random.between(2, 3)));
  const std::vector<Draw> draws = {{letters, true},
                                   {folded, true},
                                   {PatternSet{"abcdef", "hgfedcba", "aaaaaaaaaaaaaaaaaaaaa"}, false},
                                   {many, false}};  // these are too many to search for one by one
  for (const Draw& draw : draws) {
    for (const Condition condition :
         {Condition::none, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf}) {
      if (condition != Condition::none && !is_host && draw.is_often) continue;
      SCOPED_TRACE(std::to_string(draw.patterns.size()) + " patterns, condition " +
                   std::to_string(static_cast<int>(condition)));
      const std::uint64_t count = 80;
      const std::uint64_t length = random.between(30, 60);
      const std::uint64_t gap = random.below(3);
      const std::string alphabet = condition == Condition::none ? "abcdefghABC" : "aaab bAC\n";
      const std::string bytes = random.bytes(alphabet, count * (length + gap));
      std::vector<std::uint8_t> bits(count / 8 + 1);
      for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.next() | random.next() | random.next());
      const Records records = Records::with_length(bytes, count, length, length + gap, {bits.data(), 0});
      const Plan plan = Plan::build(draw.patterns);
      SearcherOptions options;
      options.condition = condition;
      std::vector<std::int32_t> expected(count * draw.patterns.size());
      RecordSearcher(plan, options).first_dense(records, expected);
      const auto hits = static_cast<std::uint64_t>(
          std::count_if(expected.begin(), expected.end(), [](std::int32_t cell) { return cell >= 0; }));
      const SearcherOptions engine_options;
      const GpuSearch engines(devices, plan.data(), "filter", engine_options, 2);
      const RecordSearch search(engines.engines());
      const ResidentRecords resident(devices.runtimes, records, 2);
      const std::uint64_t cells_of_all = count * plan.data().distinct_count();
      const Device device = this->device(1);
      const RecordHits expected_rows = RecordSearcher(plan, options).first(records);
      for (const std::uint64_t memory_limit : {std::uint64_t{0}, 64 * expected.size()}) {
        SearcherOptions limited = options;
        limited.memory_limit_bytes = memory_limit;
        RecordStats stats;
        RecordRunOptions run;
        run.stats = &stats;
        const RecordHits rows =
            RecordSearcher(plan, limited, device).first(lode::ResidentRecords(device, records), run);
        EXPECT_EQ(rows.row_starts, expected_rows.row_starts);
        EXPECT_EQ(rows.pattern_ids, expected_rows.pattern_ids);
        EXPECT_EQ(rows.offsets, expected_rows.offsets);
        EXPECT_EQ(stats.search.matches, hits);
        if (condition == Condition::none && draw.is_often) {
          EXPECT_EQ(stats.search.candidates, cells_of_all);
        }
      }
      for (const CellWay way : {CellWay::estimated, CellWay::scan, CellWay::search}) {
        for (const std::uint64_t memory_bytes : {std::uint64_t{0}, 4 * expected.size()}) {  // half of the rows
          RecordRequest request;
          request.condition = condition;
          request.cells = way;
          request.memory_bytes = memory_bytes;
          std::uint64_t bytes_done = 0;
          request.progress = [&](std::uint64_t done) { bytes_done += done; };
          std::vector<std::int32_t> cells(expected.size(), 77);
          const RecordTotals totals =
              search.fill(resident, Mode::first, request,
                          [&](std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> words) {
                            EXPECT_EQ(words.size(), (last - first) * draw.patterns.size());
                            std::memcpy(cells.data() + first * draw.patterns.size(), words.data(), words.size_bytes());
                            return true;
                          });
          ASSERT_EQ(cells, expected);
          EXPECT_EQ(totals.matches, hits);
          EXPECT_EQ(bytes_done, records.total_bytes());
          if (way == CellWay::estimated && condition != Condition::none && draw.is_often) continue;
          const bool is_searched = way == CellWay::search || (way == CellWay::estimated && draw.is_often);
          EXPECT_EQ(totals.searched_cells, is_searched ? cells_of_all : 0);
          if (is_searched) {
            EXPECT_EQ(totals.candidates, cells_of_all);
          }
        }
      }
    }
  }
}

TEST_P(ResidentRecordsOfDevices, FillCellsOfEmptyRecords) {
  const GpuDevices devices{{open_runtime(GetParam())}};
  const Plan plan = Plan::build(PatternSet{"a", "b", "a"});
  const SearcherOptions options;
  const GpuSearch engines(devices, plan.data(), "filter", options, 2);
  const RecordSearch search(engines.engines());
  const ResidentRecords resident(devices.runtimes, Records::with_length("", 7, 0, 0), 2);
  for (const CellWay way : {CellWay::estimated, CellWay::scan, CellWay::search}) {
    RecordRequest request;
    request.cells = way;
    std::vector<std::uint32_t> cells;
    search.fill(resident, Mode::first, request,
                [&](std::uint64_t, std::uint64_t, std::span<const std::uint32_t> words) {
                  cells.insert(cells.end(), words.begin(), words.end());
                  return true;
                });
    EXPECT_EQ(cells, std::vector<std::uint32_t>(21, LODE_NO_OFFSET));
  }
}

// Most patterns occur in these records of the host. So they become resident in parts, and hits and matrices come from a
// search for one cell after the other.
TEST_P(ResidentRecordsOfDevices, StageRecordsOfTheHostWhereMostMatch) {
  auto random = lode::tests::make_random("StageRecordsOfTheHostWhereMostMatch " + GetParam());
  PatternSet patterns{"a", "b", "c", "d", "a"};
  patterns.add("C", true);
  patterns.add("bB", true);
  const std::uint64_t columns = patterns.size();
  const std::uint64_t distincts = columns - 1;
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  while (bytes.size() < (150U << 10)) {
    bytes += random.bytes("abcd_", random.chance(1) ? 2000 : random.below(60));
    offsets.push_back(bytes.size());
  }
  const std::uint64_t count = offsets.size() - 1;
  std::vector<std::uint8_t> bits(count / 8 + 1);
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.next() | random.next());
  const Records records = Records::with_offsets(bytes, offsets, {bits.data(), 0});
  const Plan plan = Plan::build(patterns);
  std::uint64_t searched_cells = 0;
  const std::pair<Condition, std::uint64_t> draws[] = {
      {Condition::none, 0}, {Condition::whole_word, 1}, {Condition::none, 1 << 20}};
  for (const auto& [condition, memory_limit] : draws) {
    SCOPED_TRACE("condition " + std::to_string(static_cast<int>(condition)) + ", memory limit " +
                 std::to_string(memory_limit));
    SearcherOptions options;
    options.condition = condition;
    options.memory_limit_bytes = memory_limit;
    const RecordSearcher reference(plan, options);
    const RecordSearcher searcher(plan, options, device(memory_limit == 1 ? 2 : 1));
    RecordStats stats;
    RecordRunOptions run;
    run.stats = &stats;
    std::uint64_t done = 0;
    run.progress = [&](std::uint64_t now, std::uint64_t total) {
      EXPECT_GE(now, done);
      EXPECT_EQ(total, bytes.size());
      done = now;
    };
    const RecordHits hits = searcher.first(records, run);
    const RecordHits expected_hits = reference.first(records);
    ASSERT_EQ(hits.row_starts, expected_hits.row_starts);
    ASSERT_EQ(hits.pattern_ids, expected_hits.pattern_ids);
    ASSERT_EQ(hits.offsets, expected_hits.offsets);
    EXPECT_EQ(stats.search.matches, hits.offsets.size());
    if (condition == Condition::none) {
      // These are the candidates of all cells, which are fewer than all occurrences.
      EXPECT_LE(stats.search.candidates, count * distincts);
      EXPECT_GT(stats.search.candidates, 0U);
      searched_cells = stats.search.candidates;
      EXPECT_GT(done, bytes.size() / 2);
    }
    std::vector<std::int32_t> cells(count * columns), expected(count * columns);
    searcher.first_dense(records, cells);
    reference.first_dense(records, expected);
    ASSERT_EQ(cells, expected);
    std::vector<std::int64_t> wide(count * columns);
    searcher.first_dense(records, wide);
    ASSERT_TRUE(std::equal(wide.begin(), wide.end(), expected.begin()));
    int calls = 0;
    searcher.first(records, [&](std::span<const RecordHit> batch) {
      EXPECT_FALSE(batch.empty());
      return ++calls < 2;
    });
    EXPECT_LE(calls, 2);
    if (memory_limit != 0 || GetParam() == "host-teams") continue;  // bits and counts take long in these cases
    for (const Mode mode : {Mode::any, Mode::contains, Mode::per_record, Mode::per_distinct})
      EXPECT_TRUE(is_worth_staging(plan.data(), take_sample(records), mode, condition, '\n'));
    done = 0;
    EXPECT_EQ(searcher.contains_any(records, run), reference.contains_any(records));
    done = 0;
    const std::vector<std::uint64_t> counts = searcher.count_per_record(records, run);
    EXPECT_EQ(counts, reference.count_per_record(records));
    EXPECT_EQ(stats.search.matches, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    done = 0;
    EXPECT_EQ(searcher.count_per_pattern(records, run), reference.count_per_pattern(records));
    std::vector<std::uint8_t> found(count * searcher.contains_row_bytes()), expected_found(found.size());
    searcher.contains(records, found);
    reference.contains(records, expected_found);
    EXPECT_EQ(found, expected_found);
  }
  // An algorithm that was asked for runs.
  SearcherOptions options;
  options.algorithm = "vector";
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  const RecordHits hits = RecordSearcher(plan, options, device(1)).first(records, run);
  EXPECT_EQ(hits.offsets, RecordSearcher(plan).first(records).offsets);
  EXPECT_NE(stats.search.candidates, searched_cells);
}

// If there is memory for few cells at a time, cells of records behind the last one wanted are not searched.
TEST_P(ResidentRecordsOfDevices, EndWhereTheSinkSaysSo) {
  const Device gpus = device(1);
  SearcherOptions options;
  options.memory_limit_bytes = 64;
  const RecordSearcher searcher(Plan::build(PatternSet{"a", "b"}), options, gpus);
  const std::string bytes(200, 'a');
  const lode::ResidentRecords resident(gpus, Records::with_length(bytes, 20, 10, 10));
  for (int turn = 0; turn < 2; ++turn) {
    std::uint64_t next = 0;
    searcher.first(resident, [&](std::span<const RecordHit> batch) {
      for (const RecordHit& hit : batch) EXPECT_EQ(hit, (RecordHit{next++, 0, 0}));
      return next < 5;
    });
    EXPECT_GE(next, 5U);
    EXPECT_LT(next, 20U);
    EXPECT_EQ(searcher.first(resident).offsets.size(), 20U);
  }
}

// There are so many records that a matrix has several pieces, and each is read while the piece before is used. No two
// pieces are alike.
class MatrixOfSeveralPieces : public ResidentRecordsOfDevices {
 protected:
  MatrixOfSeveralPieces() : random_(lode::tests::make_random("MatrixOfSeveralPieces " + GetParam())) {
    bytes_ = random_.bytes("ab", 2 * count);
    offsets_.reserve(count + 1);
    offsets_.push_back(0);
    while (offsets_.size() <= count) offsets_.push_back(offsets_.back() + random_.below(3));
  }
  Records records() const { return Records::with_offsets(bytes_, offsets_); }

  static constexpr std::uint64_t count = 600'000;
  lode::tests::Random random_;
  std::string bytes_;
  std::vector<std::uint64_t> offsets_;
};

TEST_P(MatrixOfSeveralPieces, IsThatOfTheCpu) {
  const Plan plan = Plan::build(PatternSet{"a", "b"});
  const RecordSearcher reference(plan);
  const Device gpus = device(1);
  const RecordSearcher searcher(plan, {}, gpus);
  const lode::ResidentRecords resident(gpus, records());
  std::vector<std::int32_t> expected(2 * count);
  std::vector<std::int32_t> cells(2 * count, 77);
  reference.first_dense(records(), expected);
  searcher.first_dense(resident, cells);
  EXPECT_TRUE(cells == expected);
  std::vector<std::uint8_t> expected_bits(count);
  std::vector<std::uint8_t> bits(count, 77);
  reference.contains(records(), expected_bits);
  searcher.contains(resident, bits);
  EXPECT_TRUE(bits == expected_bits);
  EXPECT_TRUE(searcher.contains_any(resident) == reference.contains_any(records()));
  EXPECT_TRUE(searcher.count_per_record(resident) == reference.count_per_record(records()));
  const RecordHits expected_hits = reference.first(records());
  const RecordHits hits = searcher.first(resident);
  EXPECT_TRUE(hits.row_starts == expected_hits.row_starts);
  EXPECT_TRUE(hits.pattern_ids == expected_hits.pattern_ids);
  EXPECT_TRUE(hits.offsets == expected_hits.offsets);
}

// Hits that come from cells end when the sink says so. The piece that is under way then must not harm the next search.
TEST_P(MatrixOfSeveralPieces, EndsWhereTheSinkSaysSo) {
  const Plan plan = Plan::build(PatternSet{"a", "b"});
  const Device gpus = device(1);
  const RecordSearcher searcher(plan, {}, gpus);
  const lode::ResidentRecords resident(gpus, records());
  const RecordHits expected = RecordSearcher(plan).first(records());
  const std::string other_bytes(bytes_.rbegin(), bytes_.rend());
  const Records other_records = Records::with_offsets(other_bytes, offsets_);
  const lode::ResidentRecords other(gpus, other_records);
  const RecordHits expected_of_other = RecordSearcher(plan).first(other_records);
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  for (const std::uint64_t wanted : {std::uint64_t{1}, count / 2}) {
    std::uint64_t given = 0;
    std::uint64_t calls_in_vain = 0;
    bool is_right = true;
    searcher.first(
        resident,
        [&](std::span<const RecordHit> batch) {
          calls_in_vain += given >= wanted ? 1 : 0;
          for (const RecordHit& hit : batch) {
            is_right = is_right && given < expected.offsets.size() && hit.offset == expected.offsets[given] &&
                       hit.pattern_id == expected.pattern_ids[given];
            ++given;
          }
          return given < wanted;
        },
        run);
    ASSERT_EQ(stats.search.candidates, 2 * count) << "the hits were not made of cells";
    EXPECT_TRUE(is_right);
    EXPECT_EQ(calls_in_vain, 0U);
    EXPECT_GE(given, wanted);
    EXPECT_LT(given, expected.offsets.size() * 3 / 4);
    EXPECT_EQ(stats.search.matches, given) << "a match that the sink was not given is counted";
    const RecordHits hits = searcher.first(other);
    EXPECT_TRUE(hits.row_starts == expected_of_other.row_starts);
    EXPECT_TRUE(hits.pattern_ids == expected_of_other.pattern_ids);
    EXPECT_TRUE(hits.offsets == expected_of_other.offsets);
  }
}

// The next call uses a call's memory again, but large memory is not kept.
TEST(RecordMemoryOfTheHost, IsUsedAgain) {
  host::HostDevice settings;
  settings.team_items = 0;
  const std::shared_ptr<Runtime> runtime = host::make_host_runtime(settings);
  const auto faults = std::make_shared<host::FaultPlan>();
  const Device device = make_gpu_device("counted", {host::make_faulty_runtime(runtime, faults)});
  const RecordSearcher searcher(Plan::build(PatternSet{"kitty", "puppy"}), {}, device);
  const lode::ResidentRecords resident(device, Records::with_length("kitty and puppypuppy, elephant", 2, 15, 15));
  std::vector<std::int32_t> cells(4);
  const auto search = [&] {
    searcher.first_dense(resident, cells);
    EXPECT_EQ(searcher.contains_any(resident), std::vector<std::uint8_t>{3});
  };
  search();
  const std::uint64_t made = faults->made();
  const std::uint64_t used_bytes = settings.memory->buffers.used() + settings.memory->pinned.used();
  for (int turn = 0; turn < 3; ++turn) search();
  EXPECT_EQ(faults->made(), made);
  EXPECT_EQ(settings.memory->buffers.used() + settings.memory->pinned.used(), used_bytes);
}

TEST(RecordMemoryOfTheHost, IsNotKeptWhereItIsLarge) {
  host::HostDevice settings;
  settings.team_items = 0;
  const Device device = make_gpu_device("counted", {host::make_host_runtime(settings)});
  constexpr std::uint64_t count = 9 << 20;  // the cells take 36 MiB
  const RecordSearcher searcher(Plan::build(PatternSet{"a"}), {}, device);
  const lode::ResidentRecords resident(device, Records::with_length("", count, 0, 0));
  const std::uint64_t used_bytes = settings.memory->buffers.used();
  std::vector<std::int32_t> cells(count, 77);
  searcher.first_dense(resident, cells);
  EXPECT_EQ(std::count(cells.begin(), cells.end(), -1), count);
  EXPECT_GE(settings.memory->buffers.peak(), used_bytes + (36 << 20));
  EXPECT_LT(settings.memory->buffers.used(), used_bytes + (1 << 20));
}

// Under a memory limit lists are delivered in parts, which may end within a record.
TEST_P(ResidentRecordsOfDevices, GiveHitsOfLongListsUnderAMemoryLimit) {
  auto random = lode::tests::make_random("GiveHitsOfLongListsUnderAMemoryLimit " + GetParam());
  const Device gpus = device(1);
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  for (int record = 0; record < 400; ++record) {
    bytes += random.bytes(random.chance(50) ? "a" : "ab", random.chance(5) ? 0 : 60);
    offsets.push_back(bytes.size());
  }
  const Records records = Records::with_offsets(bytes, offsets);
  const lode::ResidentRecords resident(gpus, records);
  SearcherOptions options;
  options.memory_limit_bytes = 4 << 20;
  PatternSet patterns{"a", "aa", "b"};
  for (const bool has_many : {false, true}) {
    if (has_many)
      for (int again = 0; again < 20; ++again) patterns.add("a");
    const Plan plan = Plan::build(patterns);
    const RecordHits expected = RecordSearcher(plan).first(records);
    const RecordHits hits = RecordSearcher(plan, options, gpus).first(resident);
    EXPECT_EQ(hits.row_starts, expected.row_starts);
    EXPECT_EQ(hits.pattern_ids, expected.pattern_ids);
    EXPECT_EQ(hits.offsets, expected.offsets);
  }
}

// The matrix fits into memory of another owner, and the bytes beside it stay as they were.
TEST(DeviceMatrixOfTheHost, IsLeftInLentMemory) {
  const Device device = make_gpu_device("host", {open_runtime(host_without_teams)});
  const lode::ResidentRecords resident(device, Records::with_length("kitty and puppypuppy, elephant", 2, 15, 15));
  alignas(16) std::array<std::int32_t, 8> memory;
  memory.fill(77);
  const auto pointer = reinterpret_cast<std::uintptr_t>(memory.data());
  DeviceMatrix matrix = DeviceMatrix::adopt(device, pointer, 4);
  RecordSearcher(Plan::build(PatternSet{"kitty", "puppy"}), {}, device).first_dense(resident, matrix);
  EXPECT_EQ(memory, (std::array<std::int32_t, 8>{0, 10, -1, 0, 77, 77, 77, 77}));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { DeviceMatrix::adopt(device, pointer + 4, 4); }));
}

// Tests the first stage of rabin-karp. Its parts lie on the device and in the host's memory, two of each device at
// once.
TEST(FlaggedRecords, KeepToTheMemoryLimit) {
  constexpr std::uint64_t limit_bytes = 256 << 10;
  std::string bytes(1 << 20, '.');
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0; offset <= 1 << 19; offset += 64) offsets.push_back(offset);
  offsets.push_back(bytes.size());  // this record is longer than the limit allows to flag
  for (const std::uint64_t place : {100U, 300'000U, 1'000'000U}) bytes.replace(place, 6, "needle");
  for (const std::size_t devices : {1U, 2U}) {
    host::HostDevice settings;
    settings.team_items = 0;
    std::vector<std::shared_ptr<Runtime>> runtimes;
    for (std::size_t made = 0; made < devices; ++made) runtimes.push_back(host::make_host_runtime(settings));
    SearcherOptions options;
    options.algorithm = "rabin-karp";
    options.memory_limit_bytes = limit_bytes;
    const RecordSearcher searcher(Plan::build(PatternSet{"needle"}), options, make_gpu_device("limited", runtimes));
    const std::uint64_t tables_bytes = settings.memory->buffers.used();
    RecordStats stats;
    RecordRunOptions run;
    run.stats = &stats;
    const RecordHits hits = searcher.first(Records::with_offsets(bytes, offsets), run);
    EXPECT_EQ(hits.offsets, (std::vector<std::uint64_t>{100 % 64, 300'000 % 64, 1'000'000 - (1 << 19)}));
    EXPECT_EQ(stats.flagged_records, 3U);
    EXPECT_LE(settings.memory->buffers.peak() - tables_bytes + settings.memory->pinned.peak(), limit_bytes);
    EXPECT_GT(settings.memory->pinned.peak(), limit_bytes / 16) << "it was not flagged by the device";
  }
}

// The first stage flags every record of a part. Its hits must be delivered at once, because the list of all would not
// fit.
TEST(FlaggedRecords, GiveTheirHitsWithinTheMemoryLimit) {
  host::HostDevice settings;
  settings.team_items = 0;
  PatternSet patterns;
  std::string letters;
  for (char letter = 'A'; letter <= 'Z'; ++letter) letters += letter;
  for (const char letter : letters) patterns.add(std::string(1, letter));
  constexpr std::uint64_t count = 100'000;  // all hits together are 62 MB
  std::string bytes;
  bytes.reserve(count * letters.size());
  for (std::uint64_t record = 0; record < count; ++record) bytes += letters;
  SearcherOptions options;
  options.algorithm = "rabin-karp";
  options.memory_limit_bytes = 8 << 20;
  options.threads = 2;
  const RecordSearcher searcher(Plan::build(patterns), options,
                                make_gpu_device("limited", {host::make_host_runtime(settings)}));
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  std::uint64_t given = 0;
  bool is_right = true;
  const lode::tests::PeakMemory peak;
  searcher.first(
      Records::with_length(bytes, count, letters.size(), letters.size()),
      [&](std::span<const RecordHit> batch) {
        for (const RecordHit& hit : batch) {
          const std::uint64_t letter = given % letters.size();
          is_right &= hit == RecordHit{given / letters.size(), letter, static_cast<std::uint32_t>(letter)};
          ++given;
        }
        return true;
      },
      run);
  EXPECT_TRUE(is_right);
  EXPECT_EQ(given, count * letters.size());
  EXPECT_EQ(stats.flagged_records, count);
  if (!lode::tests::is_sanitized()) {
    EXPECT_LT(peak.growth_bytes(), std::uint64_t{24} << 20);
  }
}

TEST_P(ResidentRecordsOfDevices, AreSearchedWhereTheyLie) {
  const std::string bytes = "abab";
  const Records records = Records::with_length(bytes, 2, 2, 2);
  const Plan plan = Plan::build(PatternSet{"a"});
  const Device one = device(1);
  const Device two = device(2);
  const lode::ResidentRecords resident(one, records);
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { RecordSearcher(plan).contains_any(resident); }));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { RecordSearcher(plan, {}, two).contains_any(resident); }));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { lode::ResidentRecords(Device::cpu(), records); }));
  EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { DeviceMatrix(two, 4); }));
  const RecordSearcher searcher(plan, {}, one);
  DeviceMatrix small(one, 1);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { searcher.first_dense(resident, small); }));
  std::vector<std::int32_t> cells(2);
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { small.read(0, cells); }));
}

const auto name_runtime = [](const testing::TestParamInfo<std::string>& info) {
  return lode::tests::make_test_name(info.param);
};
INSTANTIATE_TEST_SUITE_P(Devices, ResidentRecordsOfDevices, testing::ValuesIn(runtime_names()), name_runtime);
// The host with teams takes too long for so many records.
INSTANTIATE_TEST_SUITE_P(Devices, MatrixOfSeveralPieces, testing::ValuesIn([] {
                           std::vector<std::string> names = runtime_names();
                           std::erase(names, host_with_teams);
                           return names;
                         }()),
                         name_runtime);

}  // namespace
}  // namespace lode::gpu::tests
