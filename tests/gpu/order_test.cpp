// Lists long enough for the device to sort them: matches spread evenly, and so many in one place that the host must help.
#include "gpu/order.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "gpu/engine.hpp"
#include "gpu/scan.hpp"
#include "gpu_devices.hpp"
#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

class Order : public testing::TestWithParam<std::string> {
 protected:
  // Lists all runs of one, two and three letters a of the text, as one piece.
  void expect_all_runs(const std::string& text) {
    const Plan plan = Plan::build(PatternSet{"a", "aa", "aaa"});
    std::vector<Match> expected;
    for (std::uint64_t offset = 0; offset < text.size(); ++offset)
      for (std::uint32_t length = 1; length <= 3 && text.compare(offset, length, std::string(length, 'a')) == 0;
           ++length)
        expected.push_back({offset, length - 1, length});
    ASSERT_GT(expected.size(), 8 * OrderKernels::tile_matches) << "the host alone would sort them";

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

TEST_P(Order, OfMatchesEverywhere) { expect_all_runs(std::string(6000, 'a')); }

TEST_P(Order, OfMatchesCrowdedInOnePlace) {
  expect_all_runs(std::string(20000, '.') + std::string(4000, 'a') + std::string(20000, '.') + "a.aa");
}

INSTANTIATE_TEST_SUITE_P(Devices, Order, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

}  // namespace
}  // namespace lode::gpu::tests
