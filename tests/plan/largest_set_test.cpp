// Tests the largest sets: as many patterns, and as many bytes of them, as the limits allow.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace lode::tests {
namespace {

// Words of eight letters out of 32 are numbers of 40 bits. A word's number is its id times an odd number. So no two
// words are equal, and the id can be computed from the word.
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz .,-:;";
constexpr unsigned letter_bits = 5;
constexpr std::uint32_t word_bytes = 8;
constexpr std::uint64_t number_mask = (std::uint64_t{1} << letter_bits * word_bytes) - 1;
constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;

constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // right in its lowest three bits; each round doubles their number
  for (int round = 0; round < 5; ++round) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(letters.size() == 1U << letter_bits && factor * inverse_of(factor) == 1);

std::string word_of(std::uint64_t id) {
  const std::uint64_t number = id * factor & number_mask;
  std::string word;
  for (unsigned letter = 0; letter < word_bytes; ++letter) {
    word += letters[number >> letter * letter_bits & (letters.size() - 1)];
  }
  return word;
}

/// All matches of the words of ids below max_pattern_count, in a text of letters.
std::vector<Match> find_words(std::string_view text) {
  std::vector<Match> found;
  for (std::size_t at = 0; at + word_bytes <= text.size(); ++at) {
    std::uint64_t number = 0;
    for (unsigned letter = 0; letter < word_bytes; ++letter) {
      number |= std::uint64_t{letters.find(text[at + letter])} << letter * letter_bits;
    }
    const std::uint64_t id = number * inverse_of(factor) & number_mask;
    if (id < max_pattern_count) found.push_back({at, static_cast<std::uint32_t>(id), word_bytes});
  }
  return found;
}

TEST(LargestSet, SixteenMillionPatternsAreBuiltSavedLoadedAndFound) {
  if (test_effort() < 2) GTEST_SKIP() << "this takes some GiB of memory and minutes; raise LODE_TEST_EFFORT to run it";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "plan";
  {
    PatternSet patterns;
    patterns.reserve(max_pattern_count, max_pattern_count * word_bytes);
    for (std::uint64_t id = 0; id < max_pattern_count; ++id) patterns.add(word_of(id));
    const Plan plan = Plan::build(std::move(patterns));
    EXPECT_EQ(plan.distinct_count(), max_pattern_count);
    EXPECT_LE(plan.memory_bytes(), max_pattern_count * (word_bytes + 100));
    plan.save(path);
  }
  const Plan plan = Plan::load(path);
  ASSERT_EQ(plan.patterns().size(), max_pattern_count);
  EXPECT_EQ(plan.distinct_count(), max_pattern_count);

  Random random = make_random("SixteenMillionPatternsAreBuiltSavedLoadedAndFound");
  std::string text = random.bytes(letters, 200'000);
  const auto put = [&](std::size_t at, std::uint64_t id) {
    text.replace(at, word_bytes, word_of(id));
    EXPECT_EQ(plan.patterns()[static_cast<std::uint32_t>(id)], word_of(id));
  };
  for (std::size_t at = 1000; at < 150'000; at += random.between(1, 1000)) put(at, random.below(max_pattern_count));
  // The first word has the last id. The other two have ids that do not exist.
  put(0, max_pattern_count - 1);
  text.replace(160'000, word_bytes, word_of(max_pattern_count));
  text.replace(170'000, word_bytes, word_of(2 * max_pattern_count - 1));
  const std::vector<Match> expected = find_words(text);
  ASSERT_GT(expected.size(), 200U);
  ASSERT_EQ(expected.front(), (Match{0, max_pattern_count - 1, word_bytes}));
  for (const char* algorithm : {"filter", "auto"}) {
    SearcherOptions options;
    options.algorithm = algorithm;
    const Searcher searcher(plan, options);
    EXPECT_TRUE(compare_matches(searcher.find(text), expected)) << algorithm;
    EXPECT_EQ(searcher.count(text), expected.size()) << algorithm;
  }
}

/// Maps the same few pages to all of a large range of memory, so that filling it with repeated bytes takes no more
/// memory than these pages. The range loses its content.
void repeat_pages(char* begin, std::uint64_t size_bytes) {
  constexpr std::uint64_t repeated_bytes = std::uint64_t{64} << 20;
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const int pages = ::memfd_create("pages", MFD_CLOEXEC);
  if (pages < 0 || ::ftruncate(pages, static_cast<off_t>(repeated_bytes)) != 0) throw std::runtime_error("no pages");
  // The allocator's own data may lie on the first page, and other memory on the last, so these two stay.
  const std::uint64_t before = (page_bytes - reinterpret_cast<std::uintptr_t>(begin) % page_bytes) % page_bytes;
  const std::uint64_t end = before + (size_bytes - before) / page_bytes * page_bytes;
  for (std::uint64_t at = before; at < end; at += repeated_bytes) {
    if (::mmap(begin + at, std::min(repeated_bytes, end - at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages,
               0) == MAP_FAILED) {
      throw std::runtime_error("pages cannot be repeated");
    }
  }
  ::close(pages);
}

TEST(LargestSet, FourGibibytesOfPatternsAndNotAByteMore) {
  if (is_sanitized()) GTEST_SKIP() << "the allocators of sanitizers must not find their memory replaced";
  PatternSet patterns;
  try {
    patterns.reserve(5000, max_pattern_bytes);
  } catch (const std::bad_alloc&) {
    GTEST_SKIP() << "the system does not give 4 GiB of addresses";
  }
  const std::string longest(max_pattern_length, 'a');
  patterns.add(longest);
  repeat_pages(const_cast<char*>(patterns[0].data()), max_pattern_bytes);
  while (patterns.total_bytes() < max_pattern_bytes - max_pattern_length) patterns.add(longest);
  patterns.add(std::string_view(longest).substr(1));
  ASSERT_EQ(patterns.total_bytes(), max_pattern_bytes - 1);
  const std::uint32_t count = patterns.size();
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { patterns.add("ab"); }));
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { patterns.add(longest, true, "label"); }));
  EXPECT_EQ(patterns.size(), count) << "a refused pattern left something behind";
  EXPECT_EQ(patterns.total_bytes(), max_pattern_bytes - 1);
  EXPECT_FALSE(patterns.any_ignore_case());
  EXPECT_FALSE(patterns.has_labels());
  EXPECT_EQ(patterns.add("b"), count);
  EXPECT_EQ(patterns.total_bytes(), max_pattern_bytes);
  EXPECT_TRUE(throws_error(ErrorKind::limit, [&] { patterns.add("c"); }));
  EXPECT_EQ(patterns[count], "b");
  EXPECT_EQ(patterns[count - 1].size(), max_pattern_length - 1);
}

}  // namespace
}  // namespace lode::tests
