// Tests the self-test of devices. Sound devices pass it, once for each cache folder, and those that lie or fail are
// refused.

#include "gpu/self_test.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "faulty_runtime.hpp"
#include "gpu_devices.hpp"
#include "lode/error.hpp"
#include "support/environment.hpp"
#include "support/temporary_folder.hpp"

namespace lode::gpu::tests {
namespace {

using host::FaultPlan;

std::string refusal_of(const std::shared_ptr<Runtime>& runtime) {
  try {
    run_self_test("gpu:7", runtime);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    return error.what();
  }
  return {};
}

// A runtime that does everything it is told, except running the kernels of one entry point.
class LazyRuntime final : public Runtime {
 public:
  LazyRuntime(std::shared_ptr<Runtime> runtime, std::string skipped_entry)
      : runtime_(std::move(runtime)), skipped_entry_(std::move(skipped_entry)) {}

  const Limits& limits() const override { return runtime_->limits(); }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override { return runtime_->make_buffer(bytes); }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    return runtime_->make_pinned_buffer(bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<LazyQueue>(runtime_->make_queue()); }
  std::string compile(const KernelSource& source) override { return runtime_->compile(source); }
  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    return std::make_unique<LazyKernel>(runtime_->load_kernel(source, binary),
                                        source.entry.starts_with(skipped_entry_));
  }
  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const override {
    return runtime_->groups_per_unit(*static_cast<const LazyKernel&>(kernel).kernel, launch);
  }
  std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) override {
    return runtime_->adopt(device_pointer, bytes);
  }

 private:
  struct LazyKernel final : Kernel {
    LazyKernel(std::unique_ptr<Kernel> of, bool is_skipped) : kernel(std::move(of)), skipped(is_skipped) {}
    std::unique_ptr<Kernel> kernel;
    bool skipped;
  };
  class LazyQueue final : public Queue {
   public:
    explicit LazyQueue(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}
    void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
      queue_->write(to, offset, from, bytes);
    }
    void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) override {
      queue_->read(from, offset, to, bytes);
    }
    void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) override { queue_->clear(to, offset, bytes); }
    void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) override {
      const auto& own = static_cast<const LazyKernel&>(kernel);
      if (!own.skipped) queue_->launch(*own.kernel, launch, arguments);
    }
    void wait() override { queue_->wait(); }

   private:
    std::unique_ptr<Queue> queue_;
  };

  std::shared_ptr<Runtime> runtime_;
  std::string skipped_entry_;
};

class SelfTest : public testing::TestWithParam<std::string> {};

TEST_P(SelfTest, IsPassedByADeviceThatIsSound) { EXPECT_EQ(refusal_of(open_runtime(GetParam())), ""); }

INSTANTIATE_TEST_SUITE_P(Devices, SelfTest, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return lode::tests::make_test_name(info.param); });

TEST(SelfTestOfBadDevices, RefusesOneThatFindsNothing) {
  for (const char* const entry : {"lode_filter", "lode_vector"}) {
    const std::string refusal = refusal_of(std::make_shared<LazyRuntime>(open_runtime(host_without_teams), entry));
    EXPECT_NE(refusal.find("gpu:7"), std::string::npos) << entry << ": " << refusal;
    EXPECT_NE(refusal.find("fails its self-test"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find(std::string(entry).substr(5) + " finds 0 matches"), std::string::npos) << refusal;
  }
}

TEST(SelfTestOfBadDevices, RefusesOneThatFails) {
  const std::string refusal =
      refusal_of(host::make_faulty_runtime(open_runtime(host_without_teams), std::make_shared<FaultPlan>(25, true)));
  EXPECT_NE(refusal.find("fails its self-test: injected failure"), std::string::npos) << refusal;
}

TEST(SelfTestCache, RemembersWhoPassedAndNobodyElse) {
  const lode::tests::TemporaryFolder folder;
  const char* const before = std::getenv("LODE_CACHE_DIR");
  const std::string cache_before = before == nullptr ? "" : before;
  ASSERT_EQ(::setenv("LODE_CACHE_DIR", folder.path().c_str(), 1), 0);
  const auto calls = [](std::uint64_t fails_at) {
    const auto faults = std::make_shared<FaultPlan>(fails_at, true);
    try {
      require_sound("gpu:7", host::make_faulty_runtime(open_runtime(host_without_teams), faults));
    } catch (const Error&) {
      EXPECT_NE(fails_at, FaultPlan::never);
    }
    return faults->calls();
  };
  EXPECT_GT(calls(30), 20U);
  EXPECT_GT(calls(FaultPlan::never), 50U) << "a device that failed was taken as sound";
  EXPECT_EQ(calls(FaultPlan::never), 0U);
  if (cache_before.empty())
    ::unsetenv("LODE_CACHE_DIR");
  else
    ::setenv("LODE_CACHE_DIR", cache_before.c_str(), 1);
}

}  // namespace
}  // namespace lode::gpu::tests
