// Lets every call of the seam fail once, and then all calls from it on. The search must throw Error(device). Nothing
// may crash, leak or hang, and the next search with a sound device must give the right answer.

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "faulty_runtime.hpp"
#include "gpu/engine/order.hpp"
#include "gpu_devices.hpp"
#include "lode/lode.hpp"
#include "support/engines.hpp"
#include "without_cache.hpp"

namespace lode::gpu::tests {
namespace {

using host::FaultPlan;

class Faults : public WithoutCache, public testing::WithParamInterface<lode::tests::Engine> {
 protected:
  // Searches through several entry points with a device that fails as told. Returns whether all answers were right.
  static bool search(const std::shared_ptr<FaultPlan>& faults) {
    const Device device =
        make_gpu_device("faulty", {host::make_faulty_runtime(open_runtime(GetParam().device), faults)});
    SearcherOptions options;
    options.algorithm = GetParam().algorithm;
    options.chunk_bytes = 24;
    const Searcher searcher(Plan::build(PatternSet{"he", "she", "hers"}), options, device);
    const std::string text = "ushers and she, hers; he ushers, she ushers";
    return searcher.find(text) == lode::tests::find_by_meaning(text, searcher.plan().patterns()) &&
           searcher.count(text) == 16 && searcher.count_per_pattern(text) == std::vector<std::uint64_t>{7, 5, 4} &&
           searcher.contains(text);
  }
};

TEST_P(Faults, OfEveryCallReachTheCaller) {
  const auto none = std::make_shared<FaultPlan>();
  ASSERT_TRUE(search(none));
  ASSERT_GT(none->calls(), 20U);
  std::uint64_t failures = 0;
  // Many calls are alike, so under small effort only some of them fail.
  const std::uint64_t step = lode::tests::test_effort() == 0 ? 3 : 1;
  for (const bool lost : {false, true}) {
    for (std::uint64_t call = lost ? 1 : 0; call < none->calls(); call += call < 40 ? 1 : step) {
      const auto faults = std::make_shared<FaultPlan>(call, lost);
      try {
        const bool right = search(faults);
        EXPECT_TRUE(right) << "call " << call << " failed, and the answer was wrong";
        EXPECT_FALSE(faults->must_tell()) << "the failure of call " << call << " was swallowed";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
        EXPECT_NE(std::string(error.what()).find("injected failure"), std::string::npos) << error.what();
        ++failures;
      }
    }
  }
  EXPECT_GT(failures, none->calls() / 3);
  EXPECT_TRUE(search(std::make_shared<FaultPlan>()));
}

std::vector<lode::tests::Engine> engines_of_the_host() {
  std::vector<lode::tests::Engine> engines;
  for (const lode::tests::Engine& engine : lode::tests::best_engines())
    if (engine.device == host_without_teams) engines.push_back(engine);
  return engines;
}

INSTANTIATE_TEST_SUITE_P(Engines, Faults, testing::ValuesIn(engines_of_the_host()), lode::tests::name_engine);

// Uses what small searches do not: the tables of `filter`, lists that the device sorts, resident texts.
class LargeFaults : public WithoutCache {
 protected:
  LargeFaults() {
    PatternSet set{"aaaaaa", "aaaaaaa"};
    for (char first = 'b'; first <= 'e'; ++first)
      for (char second = 'b'; second <= 'e'; ++second) set.add(std::string(3, first) + std::string(3, second));
    plan_ = Plan::build(set);
    text_ = std::string(8400, 'a') + "bbbeeebbb";
    expected_ = Searcher(plan_).find(text_);
  }

  // Whether all answers were right.
  bool search(const Device& device) const {
    SearcherOptions options;
    options.algorithm = "filter";
    const Searcher searcher(plan_, options, device);
    const ResidentText resident(device, text_);
    const auto pointer = reinterpret_cast<std::uintptr_t>(text_.data());  // the device uses the host's memory
    const ResidentText adopted = ResidentText::adopt(device, pointer, text_.size());
    return searcher.find(resident) == expected_ && searcher.count(text_) == expected_.size() &&
           searcher.count(adopted) == expected_.size();
  }

  Plan plan_ = Plan::build(PatternSet{"a"});
  std::string text_;
  std::vector<Match> expected_;
};

// Lets each call of a search fail, once and for good. `search` returns whether all answers were right. Returns the
// messages of the failures.
template <class Search>
std::set<std::string> fail_every_call(Search search) {
  const auto none = std::make_shared<FaultPlan>();
  const auto device_with = [](const std::shared_ptr<FaultPlan>& faults) {
    return make_gpu_device("faulty", {host::make_faulty_runtime(open_runtime(host_without_teams), faults)});
  };
  EXPECT_TRUE(search(device_with(none)));
  std::set<std::string> messages;
  std::uint64_t failures = 0;
  for (const bool lost : {false, true}) {
    for (std::uint64_t call = 0; call < none->calls(); call += lost ? 5 : 1) {
      const auto faults = std::make_shared<FaultPlan>(call, lost);
      const Device device = device_with(faults);
      try {
        EXPECT_TRUE(search(device)) << "call " << call << " failed, and the answer was wrong";
        EXPECT_FALSE(faults->must_tell()) << "the failure of call " << call << " was swallowed";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
        messages.insert(error.what());
        ++failures;
      }
      EXPECT_TRUE(lost || search(device)) << "after the failure of call " << call;
    }
  }
  EXPECT_GT(failures, none->calls());
  return messages;
}

TEST_F(LargeFaults, OfEveryCallReachTheCallerAndLeaveTheDeviceUsable) {
  ASSERT_GT(expected_.size(), most_sorted_by_host) << "too few for the device to sort";
  const std::set<std::string> messages = fail_every_call([this](const Device& device) { return search(device); });
  for (const char* const kernel :
       {"lode_filter", "lode_order_count", "lode_order_sum", "lode_order_move", "lode_order_tiles"})
    EXPECT_TRUE(messages.contains("injected failure of compile " + std::string(kernel))) << kernel;
  for (const char* const call :
       {"make_buffer", "make_pinned_buffer", "make_queue", "load_kernel", "groups_per_unit", "adopt", "Queue::write",
        "Queue::read", "Queue::clear", "Queue::launch", "Queue::wait"})
    EXPECT_TRUE(messages.contains("injected failure of " + std::string(call))) << call;
}

using RecordFaults = WithoutCache;

TEST_F(RecordFaults, OfEveryCallReachTheCallerAndLeaveTheDeviceUsable) {
  const std::string bytes = "kitty and puppypuppy, elephant";
  const Records records = Records::with_length(bytes, 2, 15, 15);
  const std::vector<std::int32_t> expected = {0, 10, -1, 0};
  const Plan plan = Plan::build(PatternSet{"kitty", "puppy"});
  const std::set<std::string> messages = fail_every_call([&](const Device& device) {
    SearcherOptions options;
    options.algorithm = "rabin-karp";
    const RecordSearcher searcher(plan, options, device);
    std::vector<std::int32_t> flagged(4);
    searcher.first_dense(records, flagged);
    const lode::ResidentRecords resident(device, records);
    std::vector<std::int32_t> filled(4);
    searcher.first_dense(resident, filled);
    DeviceMatrix matrix(device, 4);
    searcher.first_dense(resident, matrix);
    std::vector<std::int32_t> left(4);
    matrix.read(0, left);
    return flagged == expected && filled == expected && left == expected &&
           searcher.first(resident).offsets == std::vector<std::uint64_t>{0, 10, 0} &&
           searcher.contains_any(resident) == std::vector<std::uint8_t>{3};
  });
  for (const char* const kernel :
       {"lode_rabin_karp", "lode_rabin_karp_flags", "lode_records_fill", "lode_records_index", "lode_cells"})
    EXPECT_TRUE(messages.contains("injected failure of compile " + std::string(kernel))) << kernel;
}

TEST(OpenCl, IsAmongTheDevices) {
  if (opencl_absence().empty()) return;
  const char* const required = std::getenv("LODE_REQUIRE_OPENCL");
  if (required != nullptr && std::string(required) == "1" && !lode::tests::is_thread_sanitized())
    FAIL() << "OpenCL is not tested: " << opencl_absence();
  GTEST_SKIP() << "OpenCL is not tested: " << opencl_absence();
}

}  // namespace
}  // namespace lode::gpu::tests
