// If one match of each line or record is wanted, the engine's collector takes the first of each that is emitted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu/scan/collector.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

lode::Collector make_line_collector(lode::Collector::Mode mode) {
  static const Plan plan = Plan::build(PatternSet{"a", "bc"});
  SearcherOptions options;
  options.one_per_line = true;
  return lode::Collector(mode, plan.data(), options, instruction_sets().front());
}

// Both collectors take occurrences in any order: the list gets the first of each line, and the count is the number of
// lines with one.
TEST(LineCollector, TakesOneOfALine) {
  Random random = make_random("LineCollector");
  lode::Collector lists = make_line_collector(lode::Collector::Mode::list);
  lode::Collector counts = make_line_collector(lode::Collector::Mode::count_lines);
  std::uint64_t counted = 0;
  int many = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string text = random.bytes(std::string(random.scale(1, 40), 'a') + '\n', random.between(1, 1500));
    const std::uint64_t begin = random.below(text.size());
    const std::uint64_t end = random.between(begin + 1, text.size());
    const Piece piece{reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), 0};
    lists.start_range(piece, begin, end, UINT64_MAX);
    counts.start_range(piece, begin, end, 0);
    const auto line_of = [&](std::uint64_t place) {
      return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
    };
    std::set<std::ptrdiff_t> known;
    if (random.chance(30)) {
      lists.leave_out_first_line();
      counts.leave_out_first_line();
      known.insert(line_of(begin));
    }
    const std::size_t left_out = known.size();
    std::vector<Match> expected;
    const std::uint64_t asked_for_lines = random.below(100);
    const std::uint64_t emissions = random.scale(1, 300);
    for (std::uint64_t emission = 0; emission < emissions; ++emission) {
      const std::uint64_t place = random.between(begin == 0 ? 0 : begin - 1, end - 1);
      for (std::uint64_t at = begin; emission == asked_for_lines && at < end; ++at)
        ASSERT_EQ(lists.lines().is_known(at - begin), known.contains(line_of(at))) << at;
      lists.emit(place, 1, 2);
      counts.emit(place, 1, 2);
      if (place >= begin && known.insert(line_of(place)).second) expected.push_back({place, 1, 2});
    }
    ASSERT_EQ(std::vector<Match>(lists.list().begin(), lists.list().end()), expected) << "round " << round;
    ASSERT_EQ(counts.total() - counted, known.size() - left_out);
    counted = counts.total();
    many += known.size() > 32 ? 1 : 0;
    const bool goes_on = text[end - 1] != '\n';
    const bool is_known = goes_on && known.contains(line_of(end - 1));
    ASSERT_EQ(lists.is_last_line_known(), is_known);
    ASSERT_EQ(counts.is_last_line_known(), is_known);
  }
  EXPECT_GT(many, 20);
}

// The collector takes one match of each record, and none that crosses an end. Records may have gaps, whose bytes belong
// to no record.
TEST(LineCollector, TakesOneOfARecord) {
  Random random = make_random("LineCollectorRecords");
  lode::Collector out = make_line_collector(lode::Collector::Mode::list);
  for (int round = 0; round < 300; ++round) {
    const std::string text(600, 'a');
    const std::uint64_t length = random.between(1, 70);
    const std::uint64_t stride = length + random.below(3);
    const Records records = Records::with_length(text, text.size() / stride, length, stride);
    const std::uint64_t first = random.below(records.size());
    const std::uint64_t last = random.between(first + 1, records.size());
    const std::uint64_t begin = random.between(records.begin_of(first), records.end_of(last - 1) - 1);
    const std::uint64_t end = random.between(begin + 1, records.end_of(last - 1));
    out.want_one_per_record(&records, first, last);
    EXPECT_TRUE(out.one_per_record() && !out.takes_places());
    const Piece piece{reinterpret_cast<const std::uint8_t*>(text.data()), records.end_of(last - 1), 0};
    out.start_range(piece, begin, end, UINT64_MAX);
    std::map<std::uint64_t, Match> expected;
    for (int emission = 0; emission < 60; ++emission) {
      const auto distinct = static_cast<std::uint32_t>(random.below(2));  // the next record is longer by one
      const std::uint64_t start = random.between(begin, end - 1);
      if (start + distinct + 1 > piece.size) continue;
      out.emit(start, distinct, distinct + 1);
      if (start % stride + distinct + 1 <= length) expected.insert({start / stride, {start, distinct, distinct + 1}});
    }
    std::vector<Match> found = std::vector<Match>(out.list().begin(), out.list().end());
    std::sort(found.begin(), found.end(), [](const Match& a, const Match& b) { return a.offset < b.offset; });
    std::vector<Match> first_of_each;
    for (const auto& [record, match] : expected) first_of_each.push_back(match);
    ASSERT_EQ(found, first_of_each) << "round " << round;
  }
  out.want_one_per_record(nullptr, 0, 0);
  EXPECT_TRUE(out.takes_places()) << "all are wanted again";
}

}  // namespace
}  // namespace lode::tests
