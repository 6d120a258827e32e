// Tests what a search promises beside its matches: ending early, cancelling, progress, bounded memory, the same answer
// with any threads, one searcher for many threads, and errors that reach the caller.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/engines.hpp"
#include "support/entry_points.hpp"
#include "support/errors.hpp"
#include "support/memory.hpp"
#include "support/scenarios.hpp"

namespace lode::tests {
namespace {

constexpr MatchKind all_kinds[] = {MatchKind::overlapping, MatchKind::leftmost_longest, MatchKind::leftmost_first};

// Makes a text of dots with "needle" every 1 000 bytes.
std::string make_haystack(std::uint64_t needles) {
  std::string text;
  for (std::uint64_t i = 0; i < needles; ++i) text += "needle" + std::string(994, '.');
  return text;
}

Plan make_needle_plan() { return Plan::build(PatternSet{"needle", "noodle", "need"}); }

SearcherOptions with_threads(const Engine& engine, unsigned threads, std::uint64_t chunk_bytes = 10'000) {
  SearcherOptions options;
  options.algorithm = engine.algorithm;
  options.instruction_set = engine.instruction_set;
  options.threads = threads;
  options.chunk_bytes = chunk_bytes;
  return options;
}

class Search : public testing::TestWithParam<Engine> {
 protected:
  static Device device() { return open_test_device(GetParam().device); }
};

TEST_P(Search, EndsWhenTheSinkHasEnough) {
  const std::string text = make_haystack(2000);
  for (const unsigned threads : {1U, 4U}) {
    for (const MatchKind kind : all_kinds) {
      SearcherOptions options = with_threads(GetParam(), threads);
      options.match_kind = kind;
      const Searcher searcher(make_needle_plan(), options, device());
      const std::vector<Match> expected = find_by_index(text, searcher.plan().patterns(), {kind});
      for (const std::size_t wanted : {1, 2, 100, 1500}) {
        std::vector<Match> received;
        bool has_ended = false;
        searcher.find(text, [&](std::span<const Match> batch) {
          EXPECT_FALSE(has_ended) << "called again after it returned false";
          received.insert(received.end(), batch.begin(), batch.end());
          has_ended = received.size() >= wanted;
          return !has_ended;
        });
        ASSERT_TRUE(has_ended);
        ASSERT_LE(received.size(), expected.size());
        EXPECT_TRUE(std::equal(received.begin(), received.end(), expected.begin()));
      }
    }
  }
}

TEST_P(Search, StreamEndsWhenTheSinkHasEnough) {
  const Searcher searcher(make_needle_plan(), with_threads(GetParam(), 2), device());
  const std::string text = make_haystack(20);
  std::uint64_t calls = 0;
  Stream stream(searcher, [&](std::span<const Match>) { return ++calls < 1; });
  bool goes_on = true;
  for (int i = 0; i < 2000 && goes_on; ++i) goes_on = stream.push(text);
  EXPECT_FALSE(goes_on) << "40 MB were pushed after the sink had enough";
  EXPECT_FALSE(stream.push(text));
  stream.finish();
  EXPECT_EQ(calls, 1U);
}

TEST_P(Search, StreamRefusesToBeUsedByItsSink) {
  const Searcher searcher(Plan::build(PatternSet{"kitty"}), with_threads(GetParam(), 1), device());
  Stream* used = nullptr;
  std::uint64_t matches = 0;
  std::uint64_t refusals = 0;
  const auto use = [&] {
    refusals += throws_error(ErrorKind::invalid_argument, [&] { used->push("more"); }) ? 1 : 0;
    refusals += throws_error(ErrorKind::invalid_argument, [&] { used->flush(); }) ? 1 : 0;
    refusals += throws_error(ErrorKind::invalid_argument, [&] { used->finish(); }) ? 1 : 0;
  };
  RunOptions run;
  std::uint64_t told = 0;
  run.progress = [&](std::uint64_t, std::uint64_t) {
    ++told;
    use();
  };
  Stream stream(
      searcher,
      [&](std::span<const Match> batch) {
        matches += batch.size();
        use();
        return true;
      },
      run);
  used = &stream;
  stream.push("kitty and kit");
  stream.flush();
  stream.push("ty");
  stream.finish();
  EXPECT_EQ(matches, 2U);
  EXPECT_GE(refusals, 6U);
  EXPECT_GE(told, 2U);
  EXPECT_EQ(refusals % 3, 0U);
  EXPECT_EQ(stream.size(), 15U);
}

TEST_P(Search, StreamTellsWhatIsDone) {
  const Searcher searcher(make_needle_plan(), with_threads(GetParam(), 1), device());
  const std::string text = make_haystack(9);
  SearchStats stats;
  std::uint64_t last_done = 0;
  std::uint64_t last_pushed = 0;
  RunOptions run;
  run.stats = &stats;
  run.progress = [&](std::uint64_t done, std::uint64_t pushed) {
    EXPECT_GE(done, last_done);
    EXPECT_LE(done, pushed);
    last_done = done;
    last_pushed = pushed;
  };
  Stream stream(
      searcher, [](std::span<const Match>) { return true; }, run);
  for (std::size_t at = 0; at < text.size(); at += 4000) {
    stream.push(std::string_view(text).substr(at, 4000));
    stream.flush();
  }
  EXPECT_EQ(last_pushed, text.size());
  stream.finish();
  EXPECT_EQ(last_done, text.size());
  EXPECT_EQ(stats.matches, 18U);
  EXPECT_EQ(stats.bytes, text.size());
  EXPECT_EQ(stats.algorithm, searcher.algorithm());
}

TEST_P(Search, StreamSearchesLargePiecesWhereTheyLie) {
  const std::uint64_t unit = device().is_cpu() ? 1024 : 16;  // kernels on the host are slow
  Random random(11);
  const std::string text = random.bytes("ab", 1500 * unit);
  const PatternSet patterns{"abbaabbabbbaababbaab", "aaaaaaaaaaaaaa", "bbababbbabbabab",
                            text.substr(299 * unit, 2 * unit)};
  SearcherOptions options = with_threads(GetParam(), 1);
  for (const Condition condition : {Condition::none, Condition::whole_line}) {
    options.condition = condition;
    options.line_terminator = 'b';
    const Searcher searcher(Plan::build(patterns), options, device());
    Collector collector;
    Stream stream(searcher, collector.sink());
    const std::vector<std::uint64_t> sizes = {300 * unit, 10,         256 * unit, 1, 256 * unit - 1,
                                              3 * unit,   400 * unit, 0,          2};
    for (std::size_t at = 0, piece = 0; at < text.size(); ++piece) {
      const std::string copy(std::string_view(text).substr(at, sizes[piece % sizes.size()]));
      stream.push(copy);
      at += copy.size();
      EXPECT_EQ(stream.size(), at);
    }
    stream.finish();
    const std::vector<Match> expected = searcher.find(text);
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(compare_matches(collector.matches(), expected));
  }
}

TEST_P(Search, StreamReportsOnFlushWhatIsDecided) {
  const Searcher searcher(make_needle_plan(), with_threads(GetParam(), 1), device());
  Collector collector;
  Stream stream(searcher, collector.sink());
  stream.push("a needle, a needle; need");
  stream.flush();
  // All matches that start more than the longest pattern before the end are certain.
  const std::vector<Match> decided = {{2, 0, 6}, {2, 2, 4}, {12, 0, 6}, {12, 2, 4}};
  EXPECT_TRUE(compare_matches(collector.matches(), decided));
  stream.push("le");
  stream.finish();
  const std::vector<Match> all = {{2, 0, 6}, {2, 2, 4}, {12, 0, 6}, {12, 2, 4}, {20, 0, 6}, {20, 2, 4}};
  EXPECT_TRUE(compare_matches(collector.matches(), all));
}

TEST_P(Search, IsCancelledBeforeItBegins) {
  std::stop_source source;
  source.request_stop();
  RunOptions run;
  run.stop = source.get_token();
  const std::string text = make_haystack(100);
  const CheckedText checked(text);
  for (const unsigned threads : {1U, 2U}) {
    const Searcher searcher(make_needle_plan(), with_threads(GetParam(), threads), device());
    for (const Text& asked : {Text(text), Text(checked)}) {
      EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.find(asked, run); }));
      EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.count(asked, run); }));
      EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.count_per_pattern(asked, run); }));
      EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.contains(asked, run); }));
      EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.first(asked, run); }));
    }
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] {
      Stream stream(
          searcher, [](std::span<const Match>) { return true; }, run);
      stream.push(text);
      stream.finish();
    }));
  }
}

TEST_P(Search, IsCancelledFromTheSinkAndFromProgress) {
  const std::string text = make_haystack(5000);
  for (const unsigned threads : {1U, 4U}) {
    const Searcher searcher(make_needle_plan(), with_threads(GetParam(), threads), device());
    std::stop_source from_sink;
    RunOptions run;
    run.stop = from_sink.get_token();
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] {
      searcher.find(
          text,
          [&](std::span<const Match>) {
            from_sink.request_stop();
            return true;
          },
          run);
    }));
    std::stop_source from_progress;
    run.stop = from_progress.get_token();
    run.progress = [&](std::uint64_t, std::uint64_t) { from_progress.request_stop(); };
    EXPECT_TRUE(throws_error(ErrorKind::cancelled, [&] { searcher.count(text, run); }));
  }
}

TEST_P(Search, TellsItsProgress) {
  const std::string text = make_haystack(1000);
  for (const unsigned threads : {1U, 4U}) {
    for (const MatchKind kind : all_kinds) {
      SearcherOptions options = with_threads(GetParam(), threads);
      options.match_kind = kind;
      const Searcher searcher(make_needle_plan(), options, device());
      for (const bool counts : {false, true}) {
        std::atomic<int> inside = 0;
        std::uint64_t calls = 0;
        std::uint64_t last_done = 0;
        bool is_sound = true;
        RunOptions run;
        run.begin = 1500;
        run.end = text.size() - 500;
        run.progress = [&](std::uint64_t done, std::uint64_t total) {
          is_sound = is_sound && ++inside == 1 && total == run.end - run.begin && done >= last_done && done <= total;
          last_done = done;
          ++calls;
          --inside;
        };
        if (counts) {
          searcher.count(text, run);
        } else {
          searcher.find(text, run);
        }
        EXPECT_TRUE(is_sound);
        EXPECT_GT(calls, 1U);
        EXPECT_EQ(last_done, run.end - run.begin);
      }
    }
  }
}

TEST_P(Search, ExceptionsOfTheSinkReachTheCaller) {
  const std::string text = make_haystack(1000);
  for (const unsigned threads : {1U, 4U}) {
    const Searcher searcher(make_needle_plan(), with_threads(GetParam(), threads), device());
    const MatchSink sink = [](std::span<const Match>) -> bool { throw std::range_error("enough"); };
    EXPECT_THROW(searcher.find(text, sink), std::range_error);
    EXPECT_EQ(searcher.count(text), 2000U) << "the searcher must work after an exception";
  }
}

// A text that can be read up to a place, and then fails.
class FailingText final : public RandomAccessText {
 public:
  FailingText(std::string_view bytes, std::uint64_t fails_from) : bytes_(bytes), fails_from_(fails_from) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<char> into) const override {
    if (offset + into.size() > fails_from_) throw Error(ErrorKind::input_output, "the disk is on fire");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  }

 private:
  std::string_view bytes_;
  std::uint64_t fails_from_;
};

TEST_P(Search, ErrorsOfTheTextReachTheCaller) {
  const std::string text = make_haystack(500);
  const FailingText failing(text, 300'000);
  for (const unsigned threads : {1U, 4U}) {
    for (const Schedule schedule : {Schedule::dynamic_chunks, Schedule::static_chunks}) {
      SearcherOptions options = with_threads(GetParam(), threads);
      options.schedule = schedule;
      const Searcher searcher(make_needle_plan(), options, device());
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { searcher.find(failing); }));
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] { searcher.count(failing); }));
      // Matches before the failure were still found, in order.
      std::vector<Match> received;
      EXPECT_TRUE(throws_error(ErrorKind::input_output, [&] {
        searcher.find(failing, [&](std::span<const Match> batch) {
          received.insert(received.end(), batch.begin(), batch.end());
          return true;
        });
      }));
      const std::vector<Match> expected = find_by_index(text, searcher.plan().patterns());
      ASSERT_LE(received.size(), expected.size());
      EXPECT_TRUE(std::equal(received.begin(), received.end(), expected.begin()));
    }
  }
}

TEST_P(Search, OneSearcherServesManyThreads) {
  Random random(11);
  const PatternSet patterns{"ab", "abc", "bca", "cabab", "a"};
  const Plan plan = Plan::build(patterns);
  const std::string text = random.bytes("abc", 20'000);
  for (const MatchKind kind : all_kinds) {
    SearcherOptions options = with_threads(GetParam(), 2, 1000);
    options.match_kind = kind;
    const Searcher searcher(plan, options, device());
    const std::vector<Match> expected = find_by_index(text, patterns, {kind});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        Random own(static_cast<std::uint64_t>(i));
        for (int round = 0; round < 8; ++round) {
          if (searcher.find(text) != expected) ++wrong;
          if (searcher.count(text) != expected.size()) ++wrong;
          if (searcher.first(text) != expected.front()) ++wrong;
          if (!check_entry_point(EntryPoint::stream_of_random_pieces, searcher, text, expected, own)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_P(Search, MovesAndServesOn) {
  Searcher first(make_needle_plan(), with_threads(GetParam(), 1), device());
  Searcher second(std::move(first));
  first = std::move(second);
  EXPECT_EQ(first.count(make_haystack(10)), 20U);
  EXPECT_EQ(first.plan().patterns().size(), 3U);
}

TEST_P(Search, GivesTheSameAnswerWhateverTheThreads) {
  Random random = make_random("GivesTheSameAnswerWhateverTheThreads");
  Scenario scenario = draw_scenario(random, {50, 20, 100, 1'000'000});
  scenario.text = draw_text(random, scenario.patterns, scenario.alphabet, 300'000);
  limit_matches(scenario, 300'000);
  const Plan plan = Plan::build(scenario.patterns);
  std::vector<Match> expected;
  for (const unsigned threads : {1U, 2U, 3U, 8U, 0U}) {
    for (const Schedule schedule : {Schedule::dynamic_chunks, Schedule::static_chunks}) {
      SearcherOptions options = with_threads(GetParam(), threads, 3000);
      options.schedule = schedule;
      const std::vector<Match> found = Searcher(plan, options, device()).find(scenario.text);
      if (expected.empty()) expected = found;
      EXPECT_TRUE(compare_matches(found, expected)) << threads << " threads";
    }
  }
}

// Every place of a text of one letter starts 64 matches, which makes millions in all.
TEST_P(Search, MemoryStaysBoundedHoweverManyMatches) {
  PatternSet patterns;
  for (std::size_t length = 1; length <= 64; ++length) patterns.add(std::string(length, 'a'));
  const Plan plan = Plan::build(patterns);
  const std::uint64_t length = test_effort() == 0 ? 12'000 : 60'000;
  const std::string text(length, 'a');
  const std::uint64_t expected = length * 64 - 63 * 64 / 2;
  const bool is_cpu = GetParam().device == "cpu";
  for (const unsigned threads : {1U, 4U}) {
    SearcherOptions options = with_threads(GetParam(), threads, is_cpu ? 4096 : 0);
    options.memory_limit_bytes = 8 << 20;
    const Searcher searcher(plan, options, device());
    EXPECT_EQ(searcher.count(text), expected);
    std::uint64_t received = 0;
    bool is_sorted = true;
    Match last;
    const PeakMemory peak;
    searcher.find(text, [&](std::span<const Match> batch) {
      for (const Match& match : batch) {
        is_sorted = is_sorted && (received == 0 || last.offset < match.offset ||
                                  (last.offset == match.offset && last.pattern_id < match.pattern_id));
        last = match;
        ++received;
      }
      return true;
    });
    EXPECT_EQ(received, expected);
    EXPECT_TRUE(is_sorted);
    if (!is_sanitized()) {
      // Beside the lists, each thread takes up to a MiB to scan. A GPU has as much memory again of its own.
      const std::uint64_t most_bytes = is_cpu ? std::uint64_t{12} << 20 : std::uint64_t{24} << 20;
      EXPECT_LT(peak.growth_bytes(), most_bytes) << threads << " threads, limit 8 MiB";
    }
  }
}

TEST_P(Search, RangesOutsideOfTheTextAreEmpty) {
  const Searcher searcher(make_needle_plan(), with_threads(GetParam(), 2), device());
  const std::string text = "needle";
  for (const auto& [begin, end] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {6, 7}, {6, UINT64_MAX}, {7, 9}, {UINT64_MAX, UINT64_MAX}, {0, 0}, {1, 1}, {3, 2}, {1, 6}}) {
    RunOptions run;
    run.begin = begin;
    run.end = end;
    EXPECT_TRUE(searcher.find(text, run).empty()) << begin << " … " << end;
    EXPECT_EQ(searcher.count(text, run), 0U);
    EXPECT_FALSE(searcher.contains(text, run));
    EXPECT_FALSE(searcher.first(text, run).has_value());
  }
}

TEST_P(Search, RangesStillSeeTheTextAround) {
  const std::string text = "xneedle needley need\nneed";
  for (const Condition condition :
       {Condition::none, Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf}) {
    SearcherOptions options = with_threads(GetParam(), 1, 3);
    options.condition = condition;
    const Searcher searcher(make_needle_plan(), options, device());
    const std::vector<Match> all =
        find_by_meaning(text, searcher.plan().patterns(), {MatchKind::overlapping, condition});
    for (std::uint64_t begin = 0; begin <= text.size(); ++begin) {
      for (std::uint64_t end = begin; end <= text.size(); ++end) {
        RunOptions run;
        run.begin = begin;
        run.end = end;
        const std::vector<Match> expected = cut_range(all, begin, end);
        ASSERT_TRUE(compare_matches(searcher.find(text, run), expected)) << begin << " … " << end;
        ASSERT_TRUE(compare_matches(searcher.find(CheckedText(text), run), expected)) << begin << " … " << end;
        ASSERT_EQ(searcher.count(text, run), expected.size());
        ASSERT_EQ(searcher.contains(text, run), !expected.empty());
      }
    }
  }
}

TEST_P(Search, FirstGoesOnWhereNotBeforeSays) {
  const std::string text = "aaaaab ab aab";
  SearcherOptions options = with_threads(GetParam(), 1);
  options.match_kind = MatchKind::leftmost_longest;
  const Searcher searcher(Plan::build(PatternSet{"a", "aa", "aab", "b"}), options, device());
  const std::vector<Match> expected = find_by_meaning(text, searcher.plan().patterns(), {MatchKind::leftmost_longest});
  std::vector<Match> found;
  std::uint64_t not_before = 0;
  RunOptions run;
  run.not_before = &not_before;
  while (const std::optional<Match> next = searcher.first(text, run)) {
    found.push_back(*next);
    ASSERT_EQ(not_before, next->offset + next->length);
    ASSERT_LE(found.size(), expected.size());
  }
  EXPECT_TRUE(compare_matches(found, expected));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Search, testing::ValuesIn(best_engines()), name_engine);

TEST(SearchOptions, NamesThatAreNoneAreRefused) {
  const Plan plan = make_needle_plan();
  SearcherOptions options;
  options.algorithm = "knuth-morris-pratt";
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Searcher(plan, options); }));
  options.algorithm = "auto";
  options.instruction_set = "avx1024";
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Searcher(plan, options); }));
  EXPECT_FALSE(refusal("knuth-morris-pratt", plan.patterns()).empty());
}

TEST(SearchOptions, InstructionSetIsForcedByTheEnvironment) {
  const Plan plan = make_needle_plan();
  const std::string least = cpu_instruction_sets().back();
  ASSERT_EQ(::setenv("LODE_TARGET", least.c_str(), 1), 0);
  EXPECT_EQ(Searcher(plan).instruction_set(), least);
  SearcherOptions options;
  options.instruction_set = cpu_instruction_sets().front();
  EXPECT_EQ(Searcher(plan, options).instruction_set(), cpu_instruction_sets().front()) << "options come first";
  ASSERT_EQ(::setenv("LODE_TARGET", "abacus", 1), 0);
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { const Searcher searcher{plan}; }));
  ASSERT_EQ(::unsetenv("LODE_TARGET"), 0);
  EXPECT_EQ(Searcher(plan).instruction_set(), cpu_instruction_sets().front());
}

TEST(SearchOptions, OnePerLineGoesWithOverlappingOnly) {
  SearcherOptions options;
  options.one_per_line = true;
  options.match_kind = MatchKind::leftmost_first;
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Searcher(make_needle_plan(), options); }));
}

// The lines in which matches start, by the offsets of their beginnings.
std::set<std::uint64_t> lines_of(std::string_view text, const std::vector<Match>& matches, char terminator) {
  std::set<std::uint64_t> beginnings;
  for (const Match& match : matches) {
    const auto before = match.offset == 0 ? std::string_view::npos : text.rfind(terminator, match.offset - 1);
    beginnings.insert(before == std::string_view::npos ? 0 : before + 1);
  }
  return beginnings;
}

// With this option a search gives enough to tell which lines match: some of the matches, in order, with at least one of
// each such line.
TEST(SearchOptions, OnePerLineTellsWhichLinesMatch) {
  Random random = make_random("OnePerLineTellsWhichLinesMatch");
  Account account("OnePerLineTellsWhichLinesMatch");
  for (std::uint64_t round = 0; round < fewer_on_gpus(test_rounds(30, 500, 10'000)); ++round) {
    Scenario scenario = draw_scenario(random, {200, 30, 5000, 50'000});
    Rules rules = draw_rules(random);
    rules.match_kind = MatchKind::overlapping;
    const std::uint64_t line_length = random.scale(2, 500);
    for (char& byte : scenario.text) {
      if (random.below(line_length) == 0) byte = rules.line_terminator;
    }
    const std::string& text = scenario.text;
    const Plan plan = Plan::build(scenario.patterns);
    const std::vector<Match> all = find_by_index(text, scenario.patterns, rules);
    const std::set<std::uint64_t> lines = lines_of(text, all, rules.line_terminator);
    for (const Engine& engine : draw_engines(random)) {
      const Configuration configuration = draw_configuration(random, engine);
      if (!account.make_searcher(plan, configuration, rules)) continue;
      SearcherOptions options = make_options(configuration, rules);
      options.one_per_line = true;
      const Searcher searcher(plan, options, open_test_device(engine.device));
      std::vector<Match> found;
      if (random.chance(70)) {
        found = random.chance(50) ? searcher.find(text) : searcher.find(CheckedText(text));
      } else {
        Collector collector;
        Stream stream(searcher, collector.sink());
        stream.push(std::string_view(text).substr(0, text.size() / 2));
        stream.push(std::string_view(text).substr(text.size() / 2));
        stream.finish();
        found = collector.matches();
      }
      const auto comes_before = [](const Match& left, const Match& right) {
        return std::pair(left.offset, left.pattern_id) < std::pair(right.offset, right.pattern_id);
      };
      ASSERT_TRUE(std::is_sorted(found.begin(), found.end(), comes_before));
      ASSERT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end(), comes_before))
          << "something that is no match was reported, " << describe(configuration);
      ASSERT_EQ(lines_of(text, found, rules.line_terminator), lines)
          << describe(configuration) << "\n  " << describe(rules) << "\n  " << describe(scenario.patterns);
      if (scenario.patterns.any_contains(rules.line_terminator)) {
        EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { (void)searcher.count_lines(text); }));
        continue;
      }
      const std::uint64_t cut = random.below(text.size() + 1);
      RunOptions front, back;
      front.end = back.begin = cut;
      ASSERT_EQ(searcher.count_lines(text), lines.size()) << describe(configuration) << "\n  " << describe(rules);
      const auto in_front = static_cast<std::uint64_t>(std::distance(lines.begin(), lines.lower_bound(cut)));
      ASSERT_EQ(searcher.count_lines(text, front), in_front) << describe(configuration) << ", cut at " << cut;
      ASSERT_EQ(searcher.count_lines(text, back), lines.size() - in_front) << describe(configuration);
    }
  }
}

TEST(SearchOptions, LinesAreCountedWhateverTheirLength) {
  const std::string line = std::string(300'000, '-') + "needle" + std::string(300'000, '-') + "needle\n";
  const std::string text = line + "\nneedle\n" + std::string(200'000, '.') + "\n" + line + "needle";
  for (const Engine& engine : best_engines()) {
    for (const std::uint64_t chunk_bytes : {0, 5000, 100'000}) {
      const Searcher searcher(make_needle_plan(), with_threads(engine, 0, chunk_bytes),
                              open_test_device(engine.device));
      EXPECT_EQ(searcher.count_lines(text), 4u) << testing::PrintToString(engine) << ' ' << chunk_bytes;
    }
  }
}

TEST(SearchOptions, OnePerLineReportsAllWhereAPatternHoldsTheTerminator) {
  const PatternSet patterns{"a", "a\nb"};
  SearcherOptions options;
  options.one_per_line = true;
  const std::string text = "aa\nba\nb";
  EXPECT_TRUE(compare_matches(Searcher(Plan::build(patterns), options).find(text), find_by_meaning(text, patterns)));
}

}  // namespace
}  // namespace lode::tests
