// Compares everything that a RecordSearcher gives with the oracle, which searches each record as a text of its own.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "lode/records.hpp"
#include "records/record_answers.hpp"
#include "support/engines.hpp"
#include "support/errors.hpp"

namespace lode::tests {
namespace {

class RecordEngines : public testing::TestWithParam<Engine> {
 protected:
  /// Null if the algorithm refuses the patterns.
  static std::unique_ptr<RecordSearcher> make_searcher(const PatternSet& patterns, const Rules& rules = {},
                                                       unsigned threads = 2) {
    if (!refusal(GetParam().algorithm, patterns).empty()) return nullptr;
    Configuration configuration;
    configuration.engine = GetParam();
    configuration.threads = threads;
    return std::make_unique<RecordSearcher>(Plan::build(patterns), make_options(configuration, rules),
                                            open_test_device(GetParam().device));
  }
};

TEST_P(RecordEngines, FindTheOriginsExample) {
  const PatternSet patterns{"kitty", "puppy"};
  Table table;
  table.add("kitty and puppy");
  table.add("puppy, elephant");
  const auto searcher = make_searcher(patterns);
  std::vector<std::int32_t> cells(4);
  searcher->first_dense(table.records(), cells);
  EXPECT_EQ(cells, (std::vector<std::int32_t>{0, 10, -1, 0}));
  // Records may be padded with NULs to one length.
  std::string padded = table.bytes.substr(0, 15) + std::string(4, '\0') + table.bytes.substr(15) + std::string(4, '\0');
  searcher->first_dense(Records::with_length(padded, 2, 15, 19), cells);
  EXPECT_EQ(cells, (std::vector<std::int32_t>{0, 10, -1, 0}));
}

TEST_P(RecordEngines, KeepMatchesWithinRecords) {
  const PatternSet patterns{"ab", "a", "bab", "aba"};
  Table table;
  for (const char* const record : {"a", "ba", "", "bab", "", "", "a", "b", "ab", ""}) table.add(record);
  const auto searcher = make_searcher(patterns);
  check(*searcher, table.records(), answer_by_oracle(table.records(), patterns, {}));
}

TEST_P(RecordEngines, AgreeWithTheOracle) {
  Random random = make_random("RecordEngines " + testing::PrintToString(GetParam()));
  std::uint64_t runs = 0;
  const std::uint64_t rounds = fewer_on_gpus(test_rounds(30, 150, 2000));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string alphabet = random.chance(30) ? "a" : random.chance(50) ? "aAbB" : "aK_ \n@b\x80";
    Table table;
    if (random.chance(30)) table.bytes = random.bytes(alphabet, table.offsets[0] = random.between(1, 20));
    const std::uint64_t longest = random.scale(1, GetParam().device == "cpu" ? 200 : 40);
    const std::uint64_t count = random.chance(5) ? 0 : random.scale(1, 60);
    for (std::uint64_t record = 0; record < count; ++record) {
      const std::uint64_t length = random.chance(20)  ? 0
                                   : random.chance(3) ? random.between(0, 20 * longest)
                                                      : random.between(0, longest);
      table.add(random.bytes(alphabet, length));
    }
    if (random.chance(40)) {
      table.first_bit = random.below(20);
      table.bits.resize((table.first_bit + count + 7) / 8 + 1);
      for (std::uint8_t& bits : table.bits) bits = static_cast<std::uint8_t>(random.next());
    }
    if (random.chance(30)) table.bytes += random.bytes(alphabet, 30);  // these bytes belong to no record
    PatternSet patterns;
    const std::uint64_t wanted = random.chance(50) ? random.between(1, 3) : random.between(4, 30);
    while (patterns.size() < wanted)
      patterns.add(random.bytes(alphabet, random.chance(80) ? random.between(1, 4) : random.between(5, 40)),
                   random.chance(30));
    const Rules rules = [&] {
      Rules drawn;
      drawn.condition = random.chance(60)   ? Condition::none
                        : random.chance(50) ? Condition::whole_word
                                            : Condition::whole_line;
      return drawn;
    }();
    const auto searcher = make_searcher(patterns, rules, random.chance(50) ? 1 : 2);
    if (!searcher) continue;
    ++runs;
    std::vector<std::uint32_t> narrow(table.offsets.begin(), table.offsets.end());
    const Records records =
        random.chance(50) ? table.records() : Records::with_offsets(table.bytes, narrow, table.validity());
    const Answer expected = answer_by_oracle(records, patterns, rules);
    check(*searcher, records, expected);
    if (HasFatalFailure()) return;
    // The results for two parts are those for the whole.
    const std::uint64_t middle = random.between(0, count);
    const Records tail = records.slice(middle, count);
    ASSERT_EQ(tail.size(), count - middle);
    const std::vector<std::uint64_t> counts = searcher->count_per_record(tail);
    ASSERT_TRUE(std::equal(counts.begin(), counts.end(), expected.per_record.begin() + static_cast<long>(middle)));
  }
  EXPECT_GT(runs, 0U);
}

TEST_P(RecordEngines, FindWhatFoldsIntoAscii) {
  PatternSet patterns;
  patterns.add("k", true);
  const auto searcher = make_searcher(patterns);
  Table table;
  for (const char* const record : {"K", "\xE2\x84\xAA", "x", "x\xE2\x84\xAA"}) table.add(record);
  EXPECT_EQ(searcher->count_per_record(table.records()), (std::vector<std::uint64_t>{1, 1, 0, 1}));
}

TEST_P(RecordEngines, TakeLinesOfATextAsRecords) {
  const PatternSet patterns{"one", "two", "e", "\n", "\r"};
  const std::string text = "one\ntwo\r\n\nthree one one\nend";
  const auto searcher = make_searcher(patterns);
  for (const std::string& lines : {text, text + "\n", std::string(), std::string("\n"), std::string("\n\n")}) {
    const Records records = Records::of_lines(lines);
    Table table;
    std::size_t begin = 0;
    while (begin < lines.size()) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      table.add(std::string_view(lines).substr(begin, end - begin));
      begin = end + 1;
    }
    ASSERT_EQ(records.size(), table.records().size());
    for (std::uint64_t record = 0; record < records.size(); ++record)
      ASSERT_EQ(records[record], table.records()[record]);
    check(*searcher, records, answer_by_oracle(table.records(), patterns, {}));
  }
}

TEST_P(RecordEngines, ServeRecordsOfOneLength) {
  Random random = make_random("ServeRecordsOfOneLength " + testing::PrintToString(GetParam()));
  const PatternSet patterns{"a", "ab", "bb"};
  const auto searcher = make_searcher(patterns);
  for (const auto& [count, length, stride] : std::vector<std::array<std::uint64_t, 3>>{
           {0, 0, 0}, {5, 0, 0}, {5, 0, 3}, {7, 1, 1}, {9, 4, 4}, {40, 3, 9}, {1, 20, 20}}) {
    const std::string bytes = random.bytes("ab", count == 0 ? 0 : (count - 1) * stride + length);
    const Records records = Records::with_length(bytes, count, length, stride);
    Table table;
    for (std::uint64_t record = 0; record < count; ++record)
      table.add(std::string_view(bytes).substr(record * stride, length));
    check(*searcher, records, answer_by_oracle(table.records(), patterns, {}));
    if (count > 2)
      check(*searcher, records.slice(1, count - 1),
            answer_by_oracle(table.records().slice(1, count - 1), patterns, {}));
  }
}

TEST_P(RecordEngines, BalanceOneLongRecordAmongShortOnes) {
  if (GetParam().device != "cpu" && test_effort() == 0) GTEST_SKIP() << "this takes too long on the host as a GPU";
  Table table;
  for (int record = 0; record < 1000; ++record) table.add("short record with a needle");
  const std::uint64_t long_bytes = GetParam().device == "cpu" ? 10 << 20 : 1 << 16;
  table.add(std::string(long_bytes, 'x') + "needle" + std::string(1000, 'x') + "needle");
  table.add("needle");
  const PatternSet patterns{"needle", "a needle", "xn", "nothing of it"};
  const auto searcher = make_searcher(patterns);
  std::vector<std::int64_t> cells(4 * table.records().size());
  searcher->first_dense(table.records(), cells);
  for (std::size_t record = 0; record < 1000; ++record) {
    ASSERT_EQ(cells[4 * record], 20);
    ASSERT_EQ(cells[4 * record + 1], 18);
    ASSERT_EQ(cells[4 * record + 2], -1);
  }
  EXPECT_EQ(cells[4000], static_cast<std::int64_t>(long_bytes));
  EXPECT_EQ(cells[4001], -1);
  EXPECT_EQ(cells[4002], static_cast<std::int64_t>(long_bytes) - 1);
  EXPECT_EQ(cells[4004], 0);
  EXPECT_EQ(searcher->count_per_record(table.records())[1000], 4U);
  const RecordHits hits = searcher->first(table.records());
  EXPECT_EQ(hits.row_starts[1001] - hits.row_starts[1000], 2U);
  EXPECT_EQ(hits.row_starts.back(), 2003U);
}

// Zeros that take no memory until they are written.
class Zeros {
 public:
  explicit Zeros(std::uint64_t bytes) : bytes_(bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<char*>(at);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { ::munmap(data_, bytes_); }
  void write(std::uint64_t place, std::string_view bytes) { std::copy(bytes.begin(), bytes.end(), data_ + place); }
  std::string_view text() const { return {data_, bytes_}; }

 private:
  std::uint64_t bytes_;
  char* data_ = nullptr;
};

TEST_P(RecordEngines, HoldRecordsOf4GiB) {
  const bool is_quick = GetParam().device == "cpu" && GetParam().algorithm == "auto";
  if (is_sanitized() || (test_effort() < 2 && !is_quick)) GTEST_SKIP() << "this takes minutes";
  if (GetParam().device.starts_with("host")) GTEST_SKIP() << "this takes hours";
  constexpr std::uint64_t long_bytes = std::uint64_t{1} << 32;
  Zeros zeros(6 + long_bytes + 6);
  zeros.write(0, "kitty1");
  zeros.write(6 + 77, "puppy");
  zeros.write(6 + long_bytes - 5, "kitty");  // the record's last bytes
  zeros.write(6 + long_bytes, "kitten");
  const std::vector<std::uint64_t> offsets = {0, 6, 6, 6 + long_bytes, 12 + long_bytes};
  const Records records = Records::with_offsets(zeros.text(), offsets);
  const PatternSet patterns{"kitty", "puppy", "ki", "ykit"};
  const auto searcher = make_searcher(patterns);
  const Hits expected = {{0, 0, 0}, {0, 0, 2}, {2, long_bytes - 5, 0}, {2, 77, 1}, {2, long_bytes - 5, 2}, {3, 0, 2}};
  std::vector<std::int32_t> narrow(16);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { searcher->first_dense(records, narrow); }));
  const auto check_huge = [&](const RecordSource& source) {
    std::vector<std::int64_t> cells(16);
    searcher->first_dense(source, cells);
    EXPECT_EQ(hits_of_cells(cells, 4), expected);
    EXPECT_EQ(searcher->count_per_record(source), (std::vector<std::uint64_t>{2, 0, 3, 1}));
    EXPECT_EQ(searcher->contains_any(source), std::vector<std::uint8_t>{0b1101});
    const RecordHits hits = searcher->first(source);
    EXPECT_EQ(hits.row_starts, (std::vector<std::uint64_t>{0, 2, 2, 5, 6}));
    EXPECT_EQ(hits.offsets, (std::vector<std::uint64_t>{0, 0, long_bytes - 5, 77, long_bytes - 5, 0}));
  };
  check_huge(records);
  if (GetParam().device == "cpu") return;
  const ResidentRecords resident(searcher->device(), records);
  check_huge(resident);
}

TEST_P(RecordEngines, FlagRecordsThatAreTooLongForAWorkItemUnseen) {
  if (GetParam().algorithm != "rabin-karp" || GetParam().device == "cpu")
    GTEST_SKIP() << "only GPUs flag records in this way";
  Table table;
  table.add("a needle");
  table.add(std::string((std::uint64_t{256} << 20) + 1, 'x'));
  table.add("nothing");
  const auto searcher = make_searcher(PatternSet{"needle"});
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  EXPECT_EQ(searcher->contains_any(table.records(), run), std::vector<std::uint8_t>{1});
  EXPECT_EQ(stats.flagged_records, 2U);
  EXPECT_EQ(stats.false_positives, 1U);
  EXPECT_EQ(stats.search.matches, 1U);
}

// If patterns occur often, other ways are taken: the CPU searches cell by cell, and GPUs give lists in parts.
TEST_P(RecordEngines, ServePatternsThatOccurOften) {
  Random random = make_random("ServePatternsThatOccurOften " + testing::PrintToString(GetParam()));
  Table table;
  const std::uint64_t count = GetParam().device == "cpu" ? test_rounds(1'000, 4'000, 8'000) : 200;
  for (std::uint64_t record = 0; record < count; ++record) {
    const std::string letters = random.chance(80) ? "a" : random.chance(50) ? "b A" : "bc";
    table.add(random.bytes(letters, random.between(50, 70)));
  }
  for (const Condition condition : {Condition::none, Condition::whole_word}) {
    const Rules rules{MatchKind::overlapping, condition};
    PatternSet patterns{"a", "aa"};
    patterns.add("A", true);
    patterns.add("a");
    const auto searcher = make_searcher(patterns, rules);
    check(*searcher, table.records(), answer_by_oracle(table.records(), patterns, rules));
    if (HasFatalFailure()) return;
  }
}

// There are several blocks of records of all lengths: some are empty, some are null, and the bytes between them match
// as well.
TEST_P(RecordEngines, ServeManyOccurrencesInRecordsOfAllLengths) {
  Random random = make_random("ServeManyOccurrences " + testing::PrintToString(GetParam()));
  const PatternSet patterns{"a", "ab", "bba", "abab"};
  const auto searcher = make_searcher(patterns);
  const std::uint64_t bytes = GetParam().device == "cpu" ? test_rounds(6'000, 50'000, 200'000) : 2'000;
  for (const std::uint64_t longest : {2, 12, 40, 150, 3000}) {
    SCOPED_TRACE("records of up to " + std::to_string(longest) + " bytes");
    Table table;
    table.bytes = random.bytes("ab", table.offsets[0] = 3);
    while (table.bytes.size() < bytes)
      table.add(random.bytes("ab", random.chance(10) ? 0 : random.between(0, longest)));
    const std::uint64_t count = table.offsets.size() - 1;
    check(*searcher, table.records(), answer_by_oracle(table.records(), patterns, {}));
    if (HasFatalFailure()) return;
    table.bits.resize((count + 7) / 8);
    for (std::uint8_t& bits : table.bits) bits = static_cast<std::uint8_t>(random.next());
    check(*searcher, table.records(), answer_by_oracle(table.records(), patterns, {}));
    if (HasFatalFailure()) return;

    const std::uint64_t stride = longest + 2;
    const Records gapped = Records::with_length(table.bytes, table.bytes.size() / stride, longest, stride);
    check(*searcher, gapped, answer_by_oracle(gapped, patterns, {}));
    if (HasFatalFailure()) return;
    const Records lines = Records::of_lines(table.bytes, 'b');
    check(*searcher, lines, answer_by_oracle(lines, patterns, {}));
    if (HasFatalFailure()) return;
  }
}

class RecordsThatMostlyMatch : public RecordEngines {};

// If most records match, the CPU leaves each record at its first match. The texts consist of many patterns, so that a
// pattern crosses nearly every end of a record.
TEST_P(RecordsThatMostlyMatch, AgreeWithTheOracle) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "other devices look at whole records";
  Random random = make_random("RecordsThatMostlyMatch " + testing::PrintToString(GetParam()));
  const std::string letters = "abcdefghijklmnopqrst";
  struct Shape {
    std::uint64_t patterns, shortest, longest;
    unsigned folded_percent;
  };
  for (const Shape shape : {Shape{20, 1, 1, 0}, {60, 2, 12, 20}, {300, 5, 12, 0}, {800, 5, 40, 20}, {1000, 6, 40, 0}}) {
    PatternSet patterns;
    for (std::uint64_t pattern = 0; pattern < shape.patterns; ++pattern) {
      if (shape.longest == 1)
        patterns.add(letters.substr(pattern, 1));
      else
        patterns.add(random.bytes(letters, random.between(shape.shortest, shape.longest)),
                     random.chance(shape.folded_percent));
    }
    const auto searcher = make_searcher(patterns, {}, 1);
    if (searcher == nullptr) continue;
    for (const std::uint64_t longest : {150, 2000}) {
      SCOPED_TRACE(std::to_string(shape.patterns) + " patterns in records of up to " + std::to_string(longest) +
                   " bytes");
      std::string text = "xyz";
      while (text.size() < test_rounds(15'000, 100'000, 200'000)) {
        // The text consists of patterns, near misses, and other letters.
        const std::uint64_t kind = random.between(0, 3);
        if (kind == 0) text += random.bytes("uvwxyz", random.between(1, longest));
        for (std::uint64_t rest = kind == 0 ? 0 : random.between(1, 4); rest > 0; --rest) {
          const std::string pattern(patterns[static_cast<std::uint32_t>(random.between(0, shape.patterns - 1))]);
          text += kind == 1 ? pattern.substr(0, pattern.size() - 1) + "x" : pattern;
        }
      }
      Table table;
      table.bytes = text;
      table.offsets[0] = 3;
      while (table.offsets.back() + longest < text.size())
        table.offsets.push_back(table.offsets.back() + (random.chance(5) ? 0 : random.between(longest / 2, longest)));
      table.bits.resize(table.offsets.size() / 8 + 1);
      for (std::uint8_t& bits : table.bits) bits = random.chance(80) ? 0xff : static_cast<std::uint8_t>(random.next());
      const Records gapped = Records::with_length(text, text.size() / longest, longest - 7, longest);
      const std::vector<Match> all = find_by_index(text, patterns, {});
      for (const Records& records : {table.records(), gapped, Records::of_lines(text, 'z')}) {
        std::vector<std::uint8_t> any((records.size() + 7) / 8);
        for (std::uint64_t record = 0; record < records.size(); ++record) {
          if (records.is_null(record)) continue;
          const auto first = std::lower_bound(all.begin(), all.end(), records.begin_of(record),
                                              [](const Match& a, std::uint64_t b) { return a.offset < b; });
          const auto last = std::lower_bound(first, all.end(), records.end_of(record),
                                             [](const Match& a, std::uint64_t b) { return a.offset < b; });
          const bool has_match = std::any_of(
              first, last, [&](const Match& match) { return match.offset + match.length <= records.end_of(record); });
          any[record / 8] |= static_cast<std::uint8_t>((has_match ? 1U : 0U) << record % 8);
        }
        ASSERT_EQ(searcher->contains_any(records), any);
      }
    }
  }
}

TEST_P(RecordEngines, EndWhereTheSinkSaysSo) {
  const auto searcher = make_searcher(PatternSet{"a"});
  Table table;
  for (int record = 0; record < 20'000; ++record) table.add("a");
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  std::uint64_t batches = 0;
  std::uint64_t next = 0;
  searcher->first(
      table.records(),
      [&](std::span<const RecordHit> batch) {
        for (const RecordHit& hit : batch) EXPECT_EQ(hit.record, next++);
        return ++batches < 2;
      },
      run);
  EXPECT_EQ(batches, 2U);
  EXPECT_LT(next, 20'000U);
  EXPECT_EQ(stats.search.matches, next) << "a match that the sink was not given is counted";
}

TEST_P(RecordEngines, EndWhenStopped) {
  const auto searcher = make_searcher(PatternSet{"a"});
  Table table;
  table.add("a");
  std::stop_source source;
  source.request_stop();
  RecordRunOptions run;
  run.stop = source.get_token();
  EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher->count_per_record(table.records(), run); }));
}

TEST(Records, RefuseWhatTheyCannotBe) {
  const std::string bytes = "abcdef";
  const std::vector<std::uint64_t> decreasing = {0, 4, 3};
  const std::vector<std::uint64_t> beyond = {0, 7};
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Records::with_offsets(bytes, decreasing); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Records::with_offsets(bytes, beyond); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Records::with_length(bytes, 2, 4, 3); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Records::with_length(bytes, 3, 2, 3); }));
  EXPECT_TRUE(
      throws_error(ErrorKind::invalid_argument, [&] { Records::with_length(bytes, UINT64_MAX, 1, UINT64_MAX); }));
  EXPECT_EQ(Records::with_length(bytes, 2, 2, 4).size(), 2U);
  EXPECT_EQ(Records::with_offsets(bytes, std::vector<std::uint64_t>()).size(), 0U);
}

TEST(Records, RefuseMatricesThatDoNotFit) {
  const RecordSearcher searcher(Plan::build(PatternSet{"a", "b", "c"}));
  const std::string bytes = "abcdef";
  const Records records = Records::with_length(bytes, 6, 1, 1);
  std::vector<std::int32_t> cells(17);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { searcher.first_dense(records, cells); }));
  std::vector<std::uint8_t> bits(5);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { searcher.contains(records, bits); }));
  EXPECT_EQ(dense_cells(std::uint64_t{1} << 40, 1 << 20), std::uint64_t{1} << 60);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { dense_cells(std::uint64_t{1} << 45, 1 << 20); }));
  try {
    searcher.first_dense(records, cells);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("18 cells"), std::string::npos) << error.what();
  }
}

TEST(Records, RefuseMatchKinds) {
  SearcherOptions options;
  options.match_kind = MatchKind::leftmost_first;
  EXPECT_TRUE(
      throws_error(ErrorKind::invalid_argument, [&] { RecordSearcher(Plan::build(PatternSet{"a"}), options); }));
}

INSTANTIATE_TEST_SUITE_P(Engines, RecordEngines, testing::ValuesIn(best_engines()), name_engine);
INSTANTIATE_TEST_SUITE_P(Engines, RecordsThatMostlyMatch, testing::ValuesIn(all_engines()), name_engine);

}  // namespace
}  // namespace lode::tests
