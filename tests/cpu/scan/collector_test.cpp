// The engine's collector counts and lists the emitted occurrences that are wanted, and says when a list is full.
#include "cpu/scan/collector.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace lode::tests {
namespace {

using EngineMode = lode::Collector::Mode;

// The distinct patterns are 0 and 1, and the first of them has two ids.
const Plan& plan_of_collectors() {
  static const Plan plan = Plan::build(PatternSet{"a", "bc", "a"});
  return plan;
}

lode::Collector make_engine_collector(EngineMode mode, const SearcherOptions& options = {}) {
  return lode::Collector(mode, plan_of_collectors().data(), options, instruction_sets().front());
}

Piece engine_piece(std::string_view text, std::uint64_t base = 0) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), base};
}

std::vector<Match> engine_list(lode::Collector& out) { return {out.list().begin(), out.list().end()}; }

TEST(EngineCollector, CountsWhatStartsInItsRanges) {
  const std::string text(100, 'a');
  lode::Collector ids = make_engine_collector(EngineMode::count);
  lode::Collector each = make_engine_collector(EngineMode::count_per_pattern);
  EXPECT_TRUE(ids.takes_counts() && each.takes_counts());
  EXPECT_FALSE(ids.counts_alike()) << "a pattern stands for two";
  for (const std::uint64_t begin : {10, 20}) {
    for (lode::Collector* const out : {&ids, &each}) {
      out->start_range(engine_piece(text), begin, begin + 10, 0);
      for (const std::uint64_t start : {9, 10, 19, 20, 29, 30}) out->emit(start, 0, 1);
      out->emit(begin, 1, 2);
      out->add(1, 5);
      out->add_candidates(3);
    }
  }
  EXPECT_EQ(ids.total(), 2 * (2 * 2 + 1 + 5u));
  EXPECT_EQ(each.per_distinct(), (std::vector<std::uint64_t>{4, 12}));
  EXPECT_EQ(ids.candidates(), 6u);
}

TEST(EngineCollector, ListsUpToItsLimit) {
  const std::string text(5000, 'a');
  lode::Collector out = make_engine_collector(EngineMode::list);
  EXPECT_TRUE(out.takes_places());
  for (const std::uint64_t limit : {0, 1, 1023, 1024, 1025, 3000, 2}) {
    for (const std::uint64_t emitted : {limit, limit + 1, limit + 7}) {
      out.start_range(engine_piece(text, 1'000'000), 100, 5000, limit);
      EXPECT_TRUE(out.list().empty());
      std::vector<Match> expected;
      out.emit(99, 0, 1);  // this one is not wanted
      for (std::uint64_t at = 0; at < emitted; ++at) {
        out.emit(100 + at, 1, 2);
        if (at < limit) expected.push_back({1'000'100 + at, 1, 2});
      }
      EXPECT_EQ(out.overflowed(), emitted > limit) << emitted << " of " << limit;
      EXPECT_EQ(engine_list(out), expected);
    }
  }
}

// A word of places has the same effect as its places one by one, wherever it comes in the list.
TEST(EngineCollector, ListsPlacesAcrossItsRoom) {
  Random random = make_random("EngineCollectorPlaces");
  const std::string text(100'000, 'a');
  for (int round = 0; round < 300; ++round) {
    lode::Collector by_words = make_engine_collector(EngineMode::list);
    lode::Collector one_by_one = make_engine_collector(EngineMode::list);
    const std::uint64_t limit = random.pick(std::vector<std::uint64_t>{UINT64_MAX, 0, 40, 1000, 1024, 1100, 1090});
    for (lode::Collector* const out : {&by_words, &one_by_one})
      out->start_range(engine_piece(text, 9), 0, 100'000, limit);
    const std::uint64_t before = random.between(900, 1030);
    for (lode::Collector* const out : {&by_words, &one_by_one})
      for (std::uint64_t at = 0; at < before; ++at) out->emit(at, 0, 1);
    for (std::uint64_t at = 2000; at < 2000 + 64 * 30; at += 64) {
      const unsigned full = static_cast<unsigned>(random.below(4));
      std::uint64_t bits = random.next();
      if (full == 0) bits = ~std::uint64_t{0};
      if (full == 1) bits &= random.next() & random.next() & random.next();
      by_words.list_places(at, bits, 1, 2);
      for (std::uint64_t bit = 0; bit < 64; ++bit)
        if ((bits >> bit & 1) != 0) one_by_one.emit(at + bit, 1, 2);
    }
    ASSERT_EQ(engine_list(by_words), engine_list(one_by_one)) << "limit " << limit;
    ASSERT_EQ(by_words.overflowed(), one_by_one.overflowed());
    ASSERT_EQ(by_words.overflowed(), limit != UINT64_MAX);
  }
}

TEST(EngineCollector, DropsWhatFailsTheCondition) {
  Random random = make_random("EngineCollectorConditions");
  for (const Condition condition : {Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf}) {
    SearcherOptions options;
    options.condition = condition;
    options.line_terminator = ';';
    lode::Collector out = make_engine_collector(EngineMode::list, options);
    EXPECT_FALSE(out.takes_places() || make_engine_collector(EngineMode::count, options).takes_counts());
    for (int round = 0; round < 50; ++round) {
      const std::string text = random.bytes("a_;\r \n\xC3\xA9", random.between(1, 60));
      out.start_range(engine_piece(text), 0, text.size(), UINT64_MAX);
      std::vector<Match> expected;
      for (std::uint64_t start = 0; start < text.size(); ++start) {
        for (std::uint64_t length = 1; start + length <= text.size(); ++length) {
          out.emit(start, 0, static_cast<std::uint32_t>(length));
          if (meets_condition(text, start, length, {.condition = condition, .line_terminator = ';'}))
            expected.push_back({start, 0, static_cast<std::uint32_t>(length)});
        }
      }
      ASSERT_EQ(engine_list(out), expected) << escape(text);
    }
  }
}

}  // namespace
}  // namespace lode::tests
