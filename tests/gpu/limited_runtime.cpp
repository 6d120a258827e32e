#include "limited_runtime.hpp"

#include <utility>

namespace lode::gpu::tests {
namespace {

class LimitedRuntime final : public Runtime {
 public:
  LimitedRuntime(std::shared_ptr<Runtime> runtime, const Limits& limits)
      : runtime_(std::move(runtime)), limits_(limits) {}

  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override { return runtime_->make_buffer(bytes); }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    return runtime_->make_pinned_buffer(bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return runtime_->make_queue(); }
  std::string compile(const KernelSource& source) override { return runtime_->compile(source); }
  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    return runtime_->load_kernel(source, binary);
  }
  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const override {
    return runtime_->groups_per_unit(kernel, launch);
  }
  std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) override {
    return runtime_->adopt(device_pointer, bytes);
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  const Limits limits_;
};

}  // namespace

std::shared_ptr<Runtime> make_limited_runtime(std::shared_ptr<Runtime> runtime, const Limits& limits) {
  return std::make_shared<LimitedRuntime>(std::move(runtime), limits);
}

}  // namespace lode::gpu::tests
