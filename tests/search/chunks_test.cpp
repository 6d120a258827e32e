// Chunks cover the range of a run exactly once, and their pieces hold all bytes that their matches reach.
#include "search/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

// A text of any size, of which only some bytes are looked at.
class ChunkedText final : public RandomAccessText {
 public:
  explicit ChunkedText(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> into) const override {
    ASSERT_LE(offset + into.size(), size_);
    for (std::size_t at = 0; at < into.size(); ++at) into[at] = static_cast<char>((offset + at) * 7 % 251);
  }

 private:
  std::uint64_t size_;
};

// Expects that all chunks have the same size, except that the last may be shorter.
void check_chunks(const ChunkLayout& layout, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = begin;
  for (std::uint64_t chunk = 0; chunk < layout.chunk_count; ++chunk) {
    ASSERT_LT(at, end);
    ASSERT_EQ(layout.begin_of(chunk), at);
    at = std::min(end, at + layout.chunk_bytes);
    ASSERT_EQ(layout.end_of(chunk), at);
  }
  ASSERT_EQ(at, end);
}

TEST(ChunkLayout, CoversTheRangeOnce) {
  Random random = make_random("ChunkLayout");
  const Plan plan = Plan::build(PatternSet{"kitty", "puppies"});
  SearcherOptions options;
  for (int round = 0; round < 2000; ++round) {
    const ChunkedText source(random.scale(1, 500) - 1);
    RunOptions run;
    run.begin = random.below(600);
    if (random.chance(70)) run.end = random.below(600);
    options.chunk_bytes = random.scale(1, 600);
    options.condition = random.pick(
        std::vector{Condition::none, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf});
    const ChunkLayout layout(plan.data(), options, source, run, 3);
    const std::uint64_t begin = std::min(run.begin, source.size());
    ASSERT_NO_FATAL_FAILURE(check_chunks(layout, begin, std::max(begin, std::min(run.end, source.size()))));
    ASSERT_EQ(layout.text_size, source.size());
    ASSERT_EQ(layout.chunk_bytes, options.chunk_bytes);
    const std::uint64_t looked_at = options.condition == Condition::none         ? 0
                                    : options.condition == Condition::whole_word ? 4
                                    : options.condition == Condition::whole_line ? 1
                                                                                 : 2;
    ASSERT_EQ(layout.overlap, 6 + looked_at);
  }
}

// The chosen sizes give each thread some chunks, none too small or too large, and few bytes are looked at twice.
TEST(ChunkLayout, ChoosesChunks) {
  const Plan of_short = Plan::build(PatternSet{"kitty"});
  const Plan of_long = Plan::build(PatternSet{std::string(1'000'000, 'a')});
  for (const unsigned threads : {1U, 2U, 64U, 4096U}) {
    for (unsigned size_log2 = 0; size_log2 < 34; size_log2 += 3) {
      const ChunkedText source((std::uint64_t{1} << size_log2) + 1);
      const ChunkLayout layout(of_short.data(), SearcherOptions{}, source, RunOptions{}, threads);
      ASSERT_NO_FATAL_FAILURE(check_chunks(layout, 0, source.size()));
      EXPECT_GE(layout.chunk_bytes, threads == 1 ? 1u << 18 : 1u << 16);
      EXPECT_LE(layout.chunk_bytes, 1u << 20);
      const ChunkLayout with_overlap(of_long.data(), SearcherOptions{}, source, RunOptions{}, threads);
      ASSERT_NO_FATAL_FAILURE(check_chunks(with_overlap, 0, source.size()));
      EXPECT_EQ(with_overlap.chunk_bytes, 4'000'000u);
    }
  }
  const ChunkedText source(std::uint64_t{1} << 28);
  EXPECT_EQ(ChunkLayout(of_short.data(), SearcherOptions{}, source, RunOptions{}, 8).chunk_count, 8 * 128u);
}

// The reader reads one byte before the chunk, and as many behind it as a match and its condition may reach, if the text
// has them.
TEST(PieceReader, ReadsWhatMatchesOfAChunkReach) {
  const Plan plan = Plan::build(PatternSet{"kitty", "puppies"});
  SearcherOptions options;
  options.chunk_bytes = 10;
  options.condition = Condition::whole_word;
  const ChunkedText source(95);
  const Text text(source);
  const ChunkLayout layout(plan.data(), options, text, RunOptions{}, 1);
  PieceReader reader(text, layout);
  for (const std::uint64_t chunk : {0, 9, 1, 8, 4}) {
    const Piece piece = reader.read(layout.begin_of(chunk), layout.end_of(chunk));
    EXPECT_EQ(piece.base, chunk == 0 ? 0 : 10 * chunk - 4);
    EXPECT_EQ(piece.base + piece.size, std::min<std::uint64_t>(95, 10 * chunk + 10 + 6 + 4));
    for (std::uint64_t at = 0; at < piece.size; ++at) ASSERT_EQ(piece.data[at], (piece.base + at) * 7 % 251);
  }
  const std::string bytes(95, 'a');
  const Text in_memory(bytes);
  const Piece all = PieceReader(in_memory, layout).read(20, 30);
  EXPECT_EQ(all.data, reinterpret_cast<const std::uint8_t*>(bytes.data()));
  EXPECT_EQ(all.size, 95u);
  EXPECT_EQ(all.base, 0u);
}

}  // namespace
}  // namespace lode::tests
