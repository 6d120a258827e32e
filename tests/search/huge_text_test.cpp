// Tests texts beyond 4 GiB, and files that change while they are read. Files are sparse and texts are computed, so
// nothing of that size is written or held.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace lode::tests {
namespace {

constexpr std::uint64_t four_gibibytes = std::uint64_t{1} << 32;

/// A text of zeros, with a word at some places.
class SyntheticText final : public RandomAccessText {
 public:
  SyntheticText(std::uint64_t size, std::string word, std::vector<std::uint64_t> places)
      : size_(size), word_(std::move(word)), places_(std::move(places)) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> into) const override {
    ASSERT_LE(offset, size_);
    ASSERT_LE(into.size(), size_ - offset);
    std::fill(into.begin(), into.end(), '\0');
    for (const std::uint64_t place : places_) {
      for (std::uint64_t i = 0; i < word_.size(); ++i) {
        if (place + i >= offset && place + i < offset + into.size()) into[place + i - offset] = word_[i];
      }
    }
  }

 private:
  std::uint64_t size_;
  std::string word_;
  std::vector<std::uint64_t> places_;
};

class HugeText : public testing::TestWithParam<std::string> {
 protected:
  static Searcher make_searcher(MatchKind kind = MatchKind::overlapping, std::uint64_t chunk_bytes = 0) {
    SearcherOptions options;
    options.algorithm = GetParam();
    options.match_kind = kind;
    options.chunk_bytes = chunk_bytes;
    return Searcher(Plan::build(PatternSet{"kitty", "kit", "puppy"}), options);
  }
};

// Words stand around 2^32, 2^33, 2^40 and the very end of a text of nearly 2^63 bytes.
TEST_P(HugeText, OffsetsHave64Bits) {
  const std::uint64_t size = (std::uint64_t{1} << 63) - 1;
  const std::vector<std::uint64_t> places = {four_gibibytes - 100,   four_gibibytes - 2,           four_gibibytes + 3,
                                             2 * four_gibibytes - 1, (std::uint64_t{1} << 40) - 3, size - 5};
  const SyntheticText text(size, "kitty", places);
  for (const MatchKind kind : {MatchKind::overlapping, MatchKind::leftmost_longest}) {
    for (const std::uint64_t chunk_bytes : {0, 100, 4097}) {
      const Searcher searcher = make_searcher(kind, chunk_bytes);
      for (const std::uint64_t place : places) {
        RunOptions run;
        run.begin = place - 4;
        run.end = place + 2;
        std::uint64_t not_before = 0;
        run.not_before = &not_before;
        std::vector<Match> expected = {{place, 0, 5}, {place, 1, 3}};
        if (kind != MatchKind::overlapping) expected.pop_back();
        EXPECT_TRUE(compare_matches(searcher.find(text, run), expected));
        if (kind != MatchKind::overlapping) {
          EXPECT_EQ(not_before, place + 5);
        }
        not_before = 0;
        EXPECT_EQ(searcher.count(text, run), expected.size());
        not_before = 0;
        EXPECT_EQ(searcher.first(text, run), expected.front());
        run.begin = place - 1'000'000;
        run.end = place + 1'000'000 > size ? UINT64_MAX : place + 3;
        not_before = place;
        const std::vector<Match> found = searcher.find(text, run);
        EXPECT_NE(std::find(found.begin(), found.end(), expected.front()), found.end());
      }
    }
  }
}

TEST_P(HugeText, SparseFileBeyondFourGibibytes) {
  if (GetParam() != "auto" && test_effort() < 2) {
    GTEST_SKIP() << "this takes long; raise LODE_TEST_EFFORT to run it. OffsetsHave64Bits covers the offsets.";
  }
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "sparse";
  const std::uint64_t size = four_gibibytes + (std::uint64_t{300} << 20);
  const std::vector<std::uint64_t> places = {0,       1 << 20, four_gibibytes - 5, four_gibibytes, four_gibibytes + 7,
                                             size - 5};
  const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::ftruncate(descriptor, static_cast<off_t>(size)), 0);
  for (const std::uint64_t place : places) {
    ASSERT_EQ(::pwrite(descriptor, "kitty", 5, static_cast<off_t>(place)), 5);
  }
  ::close(descriptor);
  const FileText text(path);
  ASSERT_EQ(text.size(), size);
  std::vector<Match> expected;
  for (const std::uint64_t place : places) {
    expected.push_back({place, 0, 5});
    expected.push_back({place, 1, 3});
  }
  const Searcher searcher = make_searcher();
  // The first read of a hole is slow on some file systems, so by default the middle is left out.
  RunOptions first_part;
  first_part.end = test_effort() < 2 ? 2 << 20 : four_gibibytes - (std::uint64_t{100} << 20);
  RunOptions second_part;
  second_part.begin = four_gibibytes - (std::uint64_t{100} << 20);
  std::vector<Match> found = searcher.find(text, first_part);
  const std::vector<Match> rest = searcher.find(text, second_part);
  found.insert(found.end(), rest.begin(), rest.end());
  EXPECT_TRUE(compare_matches(found, expected));
  EXPECT_EQ(searcher.count(text, second_part), rest.size());
  EXPECT_EQ(searcher.count_per_pattern(text, second_part), (std::vector<std::uint64_t>{4, 4, 0}));
}

TEST_P(HugeText, StreamBeyondFourGibibytes) {
  if (test_effort() == 0 || (GetParam() != "filter" && test_effort() < 2)) {
    GTEST_SKIP() << "this takes long; raise LODE_TEST_EFFORT to run it";
  }
  const Searcher searcher = make_searcher(MatchKind::leftmost_longest);
  Collector collector;
  Stream stream(searcher, collector.sink());
  const std::string zeros(std::size_t{64} << 20, '\0');
  while (stream.size() < four_gibibytes - zeros.size()) stream.push(zeros);
  stream.push(std::string_view(zeros).substr(0, four_gibibytes - stream.size() - 3));
  stream.push("kitty");
  stream.push(zeros);
  stream.push("kit");
  const std::uint64_t end = stream.size();
  stream.finish();
  const std::vector<Match> expected = {{four_gibibytes - 3, 0, 5}, {end - 3, 1, 3}};
  EXPECT_TRUE(compare_matches(collector.matches(), expected));
}

TEST_P(HugeText, FileThatShrinksIsAnError) {
  const TemporaryFolder folder;
  const std::string content = "kitty" + std::string(std::size_t{8} << 20, '.') + "kitty";
  for (const unsigned threads : {1U, 4U}) {
    SearcherOptions options;
    options.algorithm = GetParam();
    options.threads = threads;
    options.chunk_bytes = 1 << 16;
    const Searcher searcher(Plan::build(PatternSet{"kitty"}), options);
    {
      const std::filesystem::path path = folder.write("before", content);
      const FileText text(path);
      std::filesystem::resize_file(path, 100'000);
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { searcher.find(text); }));
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { searcher.count(text); }));
    }
    {
      const std::filesystem::path path = folder.write("meanwhile", content);
      const FileText text(path);
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] {
        searcher.find(text, [&](std::span<const Match>) {
          std::filesystem::resize_file(path, 70'000);
          return true;
        });
      }));
    }
    {
      const std::filesystem::path path = folder.write("grows", content);
      const FileText text(path);
      std::filesystem::resize_file(path, content.size() + 1000);
      EXPECT_EQ(searcher.count(text), 2U) << "the length of a file is that at its opening";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, HugeText, testing::ValuesIn(algorithm_names()),
                         [](const auto& info) { return make_test_name(info.param); });

TEST(FileText, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { FileText text(folder.path() / "absent"); }));
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { FileText text(folder.path()); }));
  EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { FileText text("/dev/zero"); }));
}

TEST(FileText, ReadsAnywhereAndAdoptsDescriptors) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("text", "kitty and puppy");
  const FileText text(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
  EXPECT_EQ(text.size(), 15U);
  std::string piece(5, '\0');
  text.read(10, piece);
  EXPECT_EQ(piece, "puppy");
  EXPECT_EQ(FileText(folder.write("empty", "")).size(), 0U);
}

TEST(FileText, EmptyFileHoldsNothing) {
  const TemporaryFolder folder;
  const FileText text(folder.write("empty", ""));
  const Searcher searcher(Plan::build(PatternSet{"a"}));
  EXPECT_EQ(searcher.count(text), 0U);
  EXPECT_TRUE(searcher.find(text).empty());
}

// Matches cross the seams of the stream. A memory limit of 2 MiB makes the buffer small enough for many seams.
TEST(StreamSeams, AreCrossedByMatchesOnce) {
  Random random = make_random("AreCrossedByMatchesOnce");
  Account account("AreCrossedByMatchesOnce");
  const std::string unit = "kitty kit\nab";
  const std::uint64_t length = test_effort() == 0 ? 2'500'000 : 12'000'000;
  std::string text;
  while (text.size() < length) {
    text += unit;
    if (random.below(1000) == 0) text += random.bytes("ab \n", random.below(9));
  }
  const PatternSet patterns{"kitty", "kit", "ty kit\nabki", "b", "\n"};
  const Plan plan = Plan::build(patterns);
  Configuration configuration;
  configuration.engine = {"auto", cpu_instruction_sets().front()};
  configuration.threads = 2;
  configuration.memory_limit_bytes = 2 << 20;
  for (const Rules& rules : {Rules{}, Rules{MatchKind::leftmost_longest, Condition::none, '\n'},
                             Rules{MatchKind::leftmost_first, Condition::whole_word, '\n'},
                             Rules{MatchKind::overlapping, Condition::whole_word, '\n'},
                             Rules{MatchKind::overlapping, Condition::whole_line, '\n'}}) {
    const auto searcher = account.make_searcher(plan, configuration, rules);
    const std::vector<Match> expected = searcher->find(text);
    for (const std::uint64_t piece_bytes : {std::uint64_t{4096}, std::uint64_t{1'000'003}, std::uint64_t{UINT64_MAX}}) {
      Collector collector;
      Stream stream(*searcher, collector.sink());
      for (std::uint64_t at = 0; at < text.size(); at += std::min<std::uint64_t>(piece_bytes, text.size())) {
        stream.push(std::string_view(text).substr(at, piece_bytes));
      }
      stream.finish();
      EXPECT_TRUE(compare_matches(collector.matches(), expected)) << describe(rules) << ", pieces of " << piece_bytes;
    }
  }
}

}  // namespace
}  // namespace lode::tests
