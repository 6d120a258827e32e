// Texts that stay on devices: stripes on several of them, and pieces that begin and end anywhere in them.
#include "gpu/resident.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <stop_token>

#include "gpu/engine.hpp"
#include "gpu/scan.hpp"
#include "gpu_devices.hpp"
#include "lode/error.hpp"
#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

struct Found {
  std::uint64_t offset;
  std::uint32_t distinct;
  friend bool operator==(const Found&, const Found&) = default;
};

class ResidentStripes : public testing::TestWithParam<std::string> {
 protected:
  ResidentStripes() {
    for (int at = 0; at < 700; ++at) text_ += at % 7 == 0 ? "ushers" : at % 3 == 0 ? "she, " : "hers.";
    for (std::uint64_t offset = 0; offset < text_.size(); ++offset)
      for (std::uint32_t distinct = 0; distinct < plan_.data().distinct_count(); ++distinct)
        if (text_.compare(offset, plan_.patterns()[distinct].size(), plan_.patterns()[distinct]) == 0)
          expected_.push_back({offset, distinct});
  }

  Resident make_resident(std::size_t devices, std::uint64_t stripe_bytes) const {
    const auto read = [this](std::uint64_t offset, std::span<char> into) {
      std::memcpy(into.data(), text_.data() + offset, into.size());
    };
    return {std::vector(devices, open_runtime(GetParam())), text_.size(), read, 2, stripe_bytes};
  }

  std::string text_;
  const Plan plan_ = Plan::build(PatternSet{"he", "she", "hers", "ushersshe, "});
  std::vector<Found> expected_;
};

TEST_P(ResidentStripes, GiveTheMatchesOfTheWholeTextInOrder) {
  for (const std::size_t devices : {1U, 2U, 3U}) {
    std::vector<std::unique_ptr<Engine>> engines;
    std::vector<Engine*> pointers;
    for (std::size_t device = 0; device < devices; ++device) {
      engines.push_back(std::make_unique<Engine>(open_runtime(GetParam()), plan_.data(), "filter", SearcherOptions{}));
      pointers.push_back(engines.back().get());
    }
    for (const std::uint64_t stripe_bytes : {301U, 1024U, 1U << 20}) {
      const Resident resident = make_resident(devices, stripe_bytes);
      ASSERT_EQ(resident.stripes().size(), (text_.size() + stripe_bytes - 1) / stripe_bytes);
      for (std::size_t at = 0; at < resident.stripes().size(); ++at)
        EXPECT_EQ(resident.stripes()[at].device, at % devices);
      ScanText scanned;
      scanned.size = text_.size();
      scanned.resident = &resident;
      for (const std::uint64_t piece_bytes : {0U, 777U}) {
        ScanRequest request;
        request.end = text_.size();
        request.mode = Mode::list;
        request.piece_bytes = piece_bytes;
        std::vector<Found> found;
        scan(pointers, scanned, request, [&](const PieceResult& piece) {
          for (const Match& match : piece.list) found.push_back({match.offset, match.pattern_id});
          return true;
        });
        EXPECT_TRUE(found == expected_) << devices << " devices, stripes of " << stripe_bytes << ", pieces of "
                                        << piece_bytes << ": " << found.size() << " for " << expected_.size();
        std::vector<std::uint64_t> counts(plan_.data().distinct_count());
        std::vector<std::uint64_t> expected_counts(counts.size());
        for (const Found& one : expected_) ++expected_counts[one.distinct];
        request.mode = Mode::per_distinct;
        request.per_distinct = &counts;
        scan(pointers, scanned, request, [](const PieceResult&) { return true; });
        EXPECT_EQ(counts, expected_counts);
      }
    }
  }
}

TEST_P(ResidentStripes, EndEarlyAndAreCancelled) {
  Engine engine(open_runtime(GetParam()), plan_.data(), "filter", SearcherOptions{});
  Engine* const engines[] = {&engine};
  const Resident resident = make_resident(1, 500);
  ScanText scanned;
  scanned.size = text_.size();
  scanned.resident = &resident;
  ScanRequest request;
  request.end = text_.size();
  int pieces = 0;
  scan(engines, scanned, request, [&](const PieceResult&) { return ++pieces < 2; });
  EXPECT_EQ(pieces, 2);
  std::stop_source source;
  request.stop = source.get_token();
  EXPECT_THROW(scan(engines, scanned, request,
                    [&](const PieceResult&) {
                      source.request_stop();
                      return true;
                    }),
               Error);
  // What was under way is gone, and the next search begins anew.
  request.stop = {};
  std::uint64_t matches = 0;
  scan(engines, scanned, request, [&](const PieceResult& piece) {
    matches += piece.matches;
    return true;
  });
  EXPECT_EQ(matches, expected_.size());
}

INSTANTIATE_TEST_SUITE_P(Devices, ResidentStripes, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

}  // namespace
}  // namespace lode::gpu::tests
