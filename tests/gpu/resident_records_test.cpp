// Records that lie on several devices, and rows of which a device has room for few at a time: the results are those of the
// CPU.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "search/device_registry.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

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
  const bool is_host = GetParam().starts_with("host");  // elsewhere compilers take the time
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

// Memory that is another's takes the matrix, and nothing beside it is touched.
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

// The first stage of rabin-karp, whose parts lie on the device and in the host's memory, two of each device at once.
TEST(FlaggedRecords, KeepToTheMemoryLimit) {
  constexpr std::uint64_t limit_bytes = 256 << 10;
  std::string bytes(1 << 20, '.');
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0; offset <= 1 << 19; offset += 64) offsets.push_back(offset);
  offsets.push_back(bytes.size());  // longer than the limit allows to flag
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

INSTANTIATE_TEST_SUITE_P(Devices, ResidentRecordsOfDevices, testing::ValuesIn(runtime_names()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return lode::tests::make_test_name(info.param);
                         });

}  // namespace
}  // namespace lode::gpu::tests
