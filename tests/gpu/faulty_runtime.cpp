#include "faulty_runtime.hpp"

#include "lode/error.hpp"

namespace lode::gpu::host {

void FaultPlan::pass(const std::string& call) {
  const std::uint64_t number = calls_.fetch_add(1);
  if (call.starts_with("make_")) made_.fetch_add(1);
  if (number != fails_at_ && !(lost_ && number > fails_at_)) return;
  if (call != "Queue::wait") must_tell_ = true;
  throw Error(ErrorKind::device, "injected failure of " + call);
}

namespace {

class FaultyQueue final : public Queue {
 public:
  FaultyQueue(std::unique_ptr<Queue> queue, std::shared_ptr<FaultPlan> faults)
      : queue_(std::move(queue)), faults_(std::move(faults)) {}

  void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    faults_->pass("Queue::write");
    queue_->write(to, offset, from, bytes);
  }
  void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) override {
    faults_->pass("Queue::read");
    queue_->read(from, offset, to, bytes);
  }
  void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) override {
    faults_->pass("Queue::clear");
    queue_->clear(to, offset, bytes);
  }
  void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) override {
    faults_->pass("Queue::launch");
    queue_->launch(kernel, launch, arguments);
  }
  void wait() override {
    faults_->pass("Queue::wait");
    queue_->wait();
  }

 private:
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<FaultPlan> faults_;
};

class FaultyRuntime final : public Runtime {
 public:
  FaultyRuntime(std::shared_ptr<Runtime> runtime, std::shared_ptr<FaultPlan> faults)
      : runtime_(std::move(runtime)), faults_(std::move(faults)) {}

  const Limits& limits() const override { return runtime_->limits(); }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override {
    faults_->pass("make_buffer");
    return runtime_->make_buffer(bytes);
  }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    faults_->pass("make_pinned_buffer");
    return runtime_->make_pinned_buffer(bytes);
  }
  std::unique_ptr<Queue> make_queue() override {
    faults_->pass("make_queue");
    return std::make_unique<FaultyQueue>(runtime_->make_queue(), faults_);
  }
  std::string compile(const KernelSource& source) override {
    faults_->pass("compile " + source.entry);
    return runtime_->compile(source);
  }
  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    faults_->pass("load_kernel");
    return runtime_->load_kernel(source, binary);
  }
  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const override {
    faults_->pass("groups_per_unit");
    return runtime_->groups_per_unit(kernel, launch);
  }
  std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) override {
    faults_->pass("adopt");
    return runtime_->adopt(device_pointer, bytes);
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<FaultPlan> faults_;
};

}  // namespace

std::shared_ptr<Runtime> make_faulty_runtime(std::shared_ptr<Runtime> runtime, std::shared_ptr<FaultPlan> faults) {
  return std::make_shared<FaultyRuntime>(std::move(runtime), std::move(faults));
}

}  // namespace lode::gpu::host
