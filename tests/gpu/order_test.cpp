// Tests lists that are long enough for the device to sort them. Matches are spread evenly, or so many stand in one
// place that the host must help.
#include "gpu/engine/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "gpu/engine/engine.hpp"
#include "gpu/engine/scan.hpp"
#include "gpu_devices.hpp"
#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

class Order : public testing::TestWithParam<std::string> {
 protected:
  // Lists all runs of one, two and three letters a in the text, as one piece.
  void expect_all_runs(const std::string& text) {
    const Plan plan = Plan::build(PatternSet{"a", "aa", "aaa"});
    std::vector<Match> expected;
    for (std::uint64_t offset = 0; offset < text.size(); ++offset)
      for (std::uint32_t length = 1; length <= 3 && text.compare(offset, length, std::string(length, 'a')) == 0;
           ++length)
        expected.push_back({offset, length - 1, length});
    ASSERT_GT(expected.size(), most_sorted_by_host) << "the host alone would sort them";

    Engine engine(open_runtime(GetParam()), plan.data(), "filter", SearcherOptions{});
    Engine* const engines[] = {&engine};
    ScanText scanned;
    scanned.size = text.size();
    scanned.read = [&](std::uint64_t offset, std::span<char> into) {
      std::memcpy(into.data(), text.data() + offset, into.size());
    };
    ScanRequest request;
    request.end = text.size();
    request.mode = Mode::list;
    request.piece_bytes = text.size();
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::vector<Match> found;
      scan(engines, scanned, request, [&](const PieceResult& piece) {
        found.insert(found.end(), piece.list.begin(), piece.list.end());
        return true;
      });
      EXPECT_TRUE(found == expected) << found.size() << " matches for " << expected.size();
    }
  }
};

TEST_P(Order, OfMatchesEverywhere) { expect_all_runs(std::string(8000, 'a')); }

TEST_P(Order, OfMatchesCrowdedInOnePlace) {
  expect_all_runs(std::string(20000, '.') + std::string(6000, 'a') + std::string(20000, '.') + "a.aa");
}

INSTANTIATE_TEST_SUITE_P(Devices, Order, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

TEST(OrderOnTheHost, IsThatOfAComparingSort) {
  lode::tests::Random random = lode::tests::make_random("order on the host");
  for (const std::size_t size : {0U, 1U, 2U, 255U, 256U, 257U, 5000U, 40000U}) {
    for (const std::uint64_t starts : {1U, 7U, 3000U, 0xffffffffU}) {
      std::vector<abi::lode_match> matches(size);
      for (abi::lode_match& match : matches)
        match = {static_cast<std::uint32_t>(random.between(0, starts)),
                 static_cast<std::uint32_t>(random.between(0, 9))};
      std::vector<abi::lode_match> expected = matches;
      std::sort(expected.begin(), expected.end(), comes_before);
      sort_matches(matches);
      EXPECT_TRUE(
          std::equal(matches.begin(), matches.end(), expected.begin(),
                     [](const auto& a, const auto& b) { return a.start == b.start && a.distinct == b.distinct; }))
          << size << " matches, starts up to " << starts;
    }
  }
}

}  // namespace
}  // namespace lode::gpu::tests
