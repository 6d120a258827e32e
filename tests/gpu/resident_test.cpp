// Tests texts that stay on devices, in stripes on several of them, and pieces that begin and end anywhere in them.
#include "gpu/engine/resident.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stop_token>

#include "gpu/engine/engine.hpp"
#include "gpu/engine/scan.hpp"
#include "gpu_devices.hpp"
#include "host_runtime.hpp"
#include "lode/error.hpp"
#include "lode/pattern_set.hpp"
#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

struct FoundInText {
  std::uint64_t offset;
  std::uint32_t distinct;
  friend bool operator==(const FoundInText&, const FoundInText&) = default;
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
  std::vector<FoundInText> expected_;
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
        std::vector<FoundInText> found;
        scan(pointers, scanned, request, [&](const PieceResult& piece) {
          for (const Match& match : piece.list) found.push_back({match.offset, match.pattern_id});
          return true;
        });
        EXPECT_TRUE(found == expected_) << devices << " devices, stripes of " << stripe_bytes << ", pieces of "
                                        << piece_bytes << ": " << found.size() << " for " << expected_.size();
        std::vector<std::uint64_t> counts(plan_.data().distinct_count());
        std::vector<std::uint64_t> expected_counts(counts.size());
        for (const FoundInText& one : expected_) ++expected_counts[one.distinct];
        request.mode = Mode::per_distinct;
        request.per_distinct = &counts;
        scan(pointers, scanned, request, [](const PieceResult&) { return true; });
        EXPECT_EQ(counts, expected_counts);
      }
    }
  }
}

TEST_P(ResidentStripes, AreCutAgainWhereListsHaveNoRoom) {
  SearcherOptions options;
  options.memory_limit_bytes = 1;  // lists hold 4096 matches
  const std::string text = std::string(300000, '.') + std::string(200000, 'a') + std::string(600000, '.') + "aa";
  const Plan plan = Plan::build(PatternSet{"aa", "a"});
  for (const std::size_t devices : {1U, 2U}) {
    std::vector<std::unique_ptr<Engine>> engines;
    std::vector<Engine*> pointers;
    for (std::size_t device = 0; device < devices; ++device) {
      engines.push_back(std::make_unique<Engine>(open_runtime(GetParam()), plan.data(), "vector", options));
      pointers.push_back(engines.back().get());
    }
    const auto read = [&](std::uint64_t offset, std::span<char> into) {
      std::memcpy(into.data(), text.data() + offset, into.size());
    };
    for (const std::uint64_t stripe_bytes : {400000U, 2000000U}) {
      const Resident resident(std::vector(devices, open_runtime(GetParam())), text.size(), read, 2, stripe_bytes);
      ScanText scanned;
      scanned.size = text.size();
      scanned.resident = &resident;
      ScanRequest request;
      request.end = text.size();
      request.mode = Mode::list;
      std::uint64_t done = 0, bytes = 0;
      std::vector<Match> found;
      scan(pointers, scanned, request, [&](const PieceResult& piece) {
        EXPECT_EQ(piece.begin, done);
        EXPECT_LE(piece.list.size(), 4096U);
        EXPECT_EQ(piece.list.size(), piece.matches);
        done = piece.end;
        bytes = std::max(bytes, piece.end - piece.begin);
        found.insert(found.end(), piece.list.begin(), piece.list.end());
        return true;
      });
      EXPECT_EQ(done, text.size());
      EXPECT_GT(bytes, 100000U) << "pieces grow again where matches are rare";
      ASSERT_EQ(found.size(), 2U * 200000 - 1 + 3);
      std::size_t at = 0;
      for (std::uint64_t offset = 0; offset < text.size(); ++offset) {
        for (std::uint32_t distinct = 0; distinct < 2; ++distinct) {
          if (text.compare(offset, plan.patterns()[distinct].size(), plan.patterns()[distinct]) != 0) continue;
          ASSERT_EQ(found[at].offset, offset);
          ASSERT_EQ(found[at].pattern_id, distinct);
          ++at;
        }
      }
      EXPECT_EQ(at, found.size());
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
  // The search that was stopped has left nothing under way, and the next one starts anew.
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

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

TEST(ResidentCuts, AreEvenForEverySizeAndNumberOfDevices) {
  lode::tests::Random random = lode::tests::make_random("ResidentCuts");
  std::vector<std::uint64_t> sizes = {1, 16 * mebibyte, 32 * mebibyte - 1, 4 * gibibyte, 4 * gibibyte + 1};
  for (int draw = 0; draw < 2000; ++draw) sizes.push_back(random.scale(1, 600 * gibibyte));
  for (const std::uint64_t size : sizes) {
    for (const std::uint64_t devices : {1U, 2U, 3U, 4U, 8U}) {
      for (const std::uint64_t max_buffer_bytes : {32 * mebibyte, 2 * gibibyte, 100 * gibibyte}) {
        if (size / max_buffer_bytes > 200) continue;  // rounding so many stripes would give one less
        const std::uint64_t stripe = choose_stripe_bytes(size, devices, max_buffer_bytes);
        SCOPED_TRACE(std::to_string(size) + " bytes on " + std::to_string(devices) + " devices in stripes of " +
                     std::to_string(stripe));
        ASSERT_EQ(stripe % (64 << 10), 0U);
        ASSERT_LT(stripe, std::min(max_buffer_bytes, 4 * gibibyte));
        const std::uint64_t stripes = (size + stripe - 1) / stripe;
        const std::uint64_t used = std::clamp<std::uint64_t>(size / (16 * mebibyte), 1, devices);
        // Each device has as many stripes, and the last stripe is shorter only by what rounding makes.
        ASSERT_EQ(stripes % used, 0U);
        ASSERT_LE(stripes * stripe - size, stripes * (64 << 10));
        ASSERT_TRUE(size < 16 * mebibyte || stripe >= 8 * mebibyte);
        // There are no more launches than needed.
        ASSERT_LE(stripes, used * std::max(std::min<std::uint64_t>(8, size / used / gibibyte),
                                           size / used / (std::min(max_buffer_bytes, 3 * gibibyte) * 3 / 4) + 1));
      }
    }
  }
  EXPECT_THROW(choose_stripe_bytes(gibibyte, 2, 16 * mebibyte), Error);
}

TEST(ResidentCuts, LieOnAllDevices) {
  std::string text(33 * mebibyte + 17, '\0');
  lode::tests::Random random = lode::tests::make_random("ResidentCuts");
  for (std::size_t at = 0; at + 8 <= text.size(); at += 8) {
    const std::uint64_t bytes = random.next();
    std::memcpy(text.data() + at, &bytes, sizeof bytes);
  }
  const auto read = [&](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), text.data() + offset, into.size());
  };
  for (const std::size_t devices : {2U, 4U}) {
    std::vector<std::shared_ptr<Runtime>> runtimes;
    while (runtimes.size() < devices) runtimes.push_back(host::make_host_runtime({}));
    const Resident resident(runtimes, text.size(), read, 2);
    ASSERT_EQ(resident.stripes().size(), 2U);
    std::uint64_t next = 0;
    for (std::size_t at = 0; at < resident.stripes().size(); ++at) {
      const Stripe& stripe = resident.stripes()[at];
      EXPECT_EQ(stripe.device, at);
      EXPECT_EQ(stripe.begin, next);
      EXPECT_NEAR(static_cast<double>(stripe.end - stripe.begin), static_cast<double>(text.size()) / 2, 128 << 10);
      EXPECT_EQ(stripe.high, std::min<std::uint64_t>(text.size(), stripe.end + max_pattern_length + 64));
      next = stripe.end;
      std::string bytes(stripe.high - stripe.low, '\0');
      const auto queue = runtimes[at]->make_queue();
      queue->read(*stripe.text, stripe.offset, bytes.data(), bytes.size());
      queue->wait();
      EXPECT_TRUE(bytes == text.substr(stripe.low, bytes.size())) << "stripe " << at;
    }
    EXPECT_EQ(next, text.size());
  }
}

TEST(ResidentCuts, GiveEvenPieces) {
  EXPECT_EQ(cut_evenly(gibibyte + 1, 2), gibibyte / 2 + (64 << 10));
  EXPECT_EQ(cut_evenly(3 * gibibyte, 3), gibibyte);
  EXPECT_EQ(cut_evenly(1, 1), 64U << 10);
}

}  // namespace
}  // namespace lode::gpu::tests
