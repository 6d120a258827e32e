#include "host_runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <stdexcept>

#include "host_kernels.hpp"
#include "lode/error.hpp"
#include "work_group.hpp"

namespace lode::gpu::host {
namespace {

[[noreturn]] void complain(const std::string& what) { throw std::logic_error("host runtime: " + what); }

// Memory of exactly the given size. It is aligned as texts and tables must be, and no better.
class Memory {
 public:
  explicit Memory(std::uint64_t bytes)
      : begin_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{16}))), bytes_(bytes) {
    std::memset(begin_, poison_byte, bytes);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { ::operator delete (begin_, std::align_val_t{16}); }
  std::byte* begin() const { return begin_; }
  std::span<std::byte> bytes() const { return {begin_, bytes_}; }

 private:
  std::byte* begin_;
  std::uint64_t bytes_;
};

class HostBuffer final : public Buffer {
 public:
  /// The caller has counted the bytes already.
  HostBuffer(std::uint64_t bytes, std::shared_ptr<HostMemory> counted)
      : Buffer(bytes),
        memory_(std::make_unique<Memory>(bytes)),
        begin_(memory_->begin()),
        counted_(std::move(counted)) {}
  HostBuffer(std::byte* begin, std::uint64_t bytes) : Buffer(bytes), begin_(begin) {}
  ~HostBuffer() override {
    if (counted_) counted_->buffers.remove(size_bytes());
  }
  std::byte* begin() const { return begin_; }

 private:
  std::unique_ptr<Memory> memory_;  // null if the memory is adopted
  std::byte* begin_;
  std::shared_ptr<HostMemory> counted_;
};

class HostPinnedBuffer final : public PinnedBuffer {
 public:
  HostPinnedBuffer(std::uint64_t bytes, std::shared_ptr<HostMemory> counted)
      : PinnedBuffer({}), memory_(bytes), counted_(std::move(counted)) {
    bytes_ = memory_.bytes();
    counted_->pinned.add(bytes);
  }
  ~HostPinnedBuffer() override { counted_->pinned.remove(bytes_.size()); }

 private:
  Memory memory_;
  std::shared_ptr<HostMemory> counted_;
};

class LoadedKernel final : public Kernel {
 public:
  LoadedKernel(const HostKernel& of, const KernelSource& source) : kernel(of) {
    values.reserve(kernel.constants.size());
    for (const KernelConstant& constant : kernel.constants) {
      const auto given = std::find_if(source.constants.begin(), source.constants.end(),
                                      [&](const auto& row) { return row.first == constant.name; });
      values.push_back(static_cast<int>(given->second));
    }
  }

  const HostKernel& kernel;
  std::vector<int> values;  // the values of kernel.constants
};

const HostKernel& find_kernel(const KernelSource& source) {
  const auto found = std::find_if(host_kernels().begin(), host_kernels().end(),
                                  [&](const HostKernel& kernel) { return kernel.entry == source.entry; });
  if (found == host_kernels().end()) complain("there is no kernel " + source.entry);
  for (const auto& given : source.constants) {
    if (std::none_of(found->constants.begin(), found->constants.end(),
                     [&](const KernelConstant& constant) { return constant.name == given.first; }))
      complain(source.entry + " has no constant " + given.first);
    if (given.second != static_cast<int>(given.second)) complain(given.first + " is beyond an int");
  }
  for (const KernelConstant& constant : found->constants) {
    const auto times = std::count_if(source.constants.begin(), source.constants.end(),
                                     [&](const auto& row) { return row.first == constant.name; });
    if (times != 1)
      complain(source.entry + " is given the constant " + std::string(constant.name) + " " + std::to_string(times) +
               " times");
  }
  return *found;
}

int constant_value(const LoadedKernel& loaded, std::string_view name, int otherwise) {
  for (std::size_t i = 0; i < loaded.values.size(); ++i)
    if (loaded.kernel.constants[i].name == name) return loaded.values[i];
  return otherwise;
}

template <class Derived, class Base>
Derived& own(Base& object, const char* what) {
  auto* const found = dynamic_cast<Derived*>(&object);
  if (found == nullptr) complain(std::string(what) + " of another runtime");
  return *found;
}

class HostQueue final : public Queue {
 public:
  explicit HostQueue(const HostDevice& device) : device_(device) {}

  void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    check_range(to, offset, bytes);
    const HostBuffer* const buffer = &own<const HostBuffer>(to, "a buffer");
    commands_.emplace_back([=] { std::memcpy(buffer->begin() + offset, from, bytes); });
  }
  void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) override {
    check_range(from, offset, bytes);
    const HostBuffer* const buffer = &own<const HostBuffer>(from, "a buffer");
    commands_.emplace_back([=] { std::memcpy(to, buffer->begin() + offset, bytes); });
  }
  void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) override {
    check_range(to, offset, bytes);
    if (offset % 4 != 0 || bytes % 4 != 0) complain("clear of what are not whole words");
    const HostBuffer* const buffer = &own<const HostBuffer>(to, "a buffer");
    commands_.emplace_back([=] { std::memset(buffer->begin() + offset, 0, bytes); });
  }
  void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) override {
    const auto& loaded = own<const LoadedKernel>(kernel, "a kernel");
    if (launch.groups == 0 || launch.group_items == 0) complain("an empty launch");
    if (launch.group_items > device_.max_group_items) complain("too many items in a group");
    if (launch.local_bytes > device_.local_bytes) complain("too much local memory");
    std::vector<KernelArgument> prepared;
    for (const Argument& argument : arguments) prepared.push_back(prepare(argument));
    if (!loaded.kernel.takes(prepared)) complain("arguments that do not fit " + std::string(loaded.kernel.entry));
    GroupLaunch groups{launch.groups, launch.group_items, launch.group_items, device_.team_items != 0,
                       launch.local_bytes};
    const int team = constant_value(loaded, "LODE_TEAM", static_cast<int>(launch.group_items));
    const std::uint32_t team_wanted = device_.team_items == 0 ? launch.group_items : device_.team_items;
    if (static_cast<std::uint32_t>(team) != team_wanted)
      complain("LODE_TEAM is " + std::to_string(team) + ", not " + std::to_string(team_wanted));
    if (launch.group_items % team_wanted != 0) complain("a group that is not whole teams");
    groups.team_items = team_wanted;
    commands_.emplace_back([&kernel = loaded.kernel, values = loaded.values, groups, prepared] {
      static std::mutex constants_mutex;  // the constants are variables of the process
      const std::lock_guard lock(constants_mutex);
      for (std::size_t i = 0; i < values.size(); ++i) *kernel.constants[i].value = values[i];
      run_groups(groups, [&] { kernel.call(prepared); });
    });
  }
  void wait() override {
    const std::vector<std::function<void()>> commands = std::move(commands_);
    commands_.clear();
    for (const std::function<void()>& command : commands) command();
  }

 private:
  static void check_range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0) complain("a copy of nothing");
    if (offset > buffer.size_bytes() || bytes > buffer.size_bytes() - offset) complain("a copy beyond a buffer");
  }
  static KernelArgument prepare(const Argument& argument) {
    KernelArgument prepared;
    prepared.is_pointer = argument.is_buffer;
    prepared.value_bytes = argument.value_bytes;
    prepared.value = argument.value;
    if (!argument.is_buffer) return prepared;
    std::byte* const begin =
        argument.buffer == nullptr ? nullptr : own<const HostBuffer>(*argument.buffer, "a buffer").begin();
    prepared.value_bytes = sizeof begin;
    std::memcpy(prepared.value.data(), &begin, sizeof begin);
    return prepared;
  }

  const HostDevice device_;
  std::vector<std::function<void()>> commands_;
};

class HostRuntime final : public Runtime {
 public:
  explicit HostRuntime(const HostDevice& device) : device_(device) {
    limits_.name = "the host as a GPU";
    limits_.version = device.team_items == 0 ? "host, no teams" : "host, teams of " + std::to_string(device.team_items);
    limits_.memory_bytes = device.memory_bytes;
    limits_.max_buffer_bytes = device.max_buffer_bytes;
    limits_.local_bytes = device.local_bytes;
    limits_.unit_local_bytes = device.local_bytes;
    limits_.compute_units = device.compute_units;
    limits_.max_group_items = device.max_group_items;
    limits_.team_items = device.team_items;
  }

  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override {
    if (bytes == 0) complain("a buffer of nothing");
    if (bytes > device_.max_buffer_bytes) throw Error(ErrorKind::device, "host runtime: a buffer beyond the limit");
    MemoryUse& buffers = device_.memory->buffers;
    if (buffers.add(bytes); buffers.used() > device_.memory_bytes) {
      buffers.remove(bytes);
      throw Error(ErrorKind::device, "host runtime: out of device memory");
    }
    return std::make_unique<HostBuffer>(bytes, device_.memory);
  }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    if (bytes == 0) complain("a buffer of nothing");
    return std::make_unique<HostPinnedBuffer>(bytes, device_.memory);
  }
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<HostQueue>(device_); }
  std::string compile(const KernelSource& source) override {
    std::string description = "host kernel " + std::string(find_kernel(source).file) + "/" + source.entry;
    for (const auto& [name, value] : source.constants) description += " " + name + "=" + std::to_string(value);
    return description;
  }
  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    if (binary != compile(source)) throw Error(ErrorKind::device, "host runtime: this is no kernel of the host");
    return std::make_unique<LoadedKernel>(find_kernel(source), source);
  }
  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch&) const override {
    own<const LoadedKernel>(kernel, "a kernel");
    return 1;
  }
  std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) override {
    return std::make_unique<HostBuffer>(reinterpret_cast<std::byte*>(device_pointer), bytes);
  }

 private:
  const HostDevice device_;
  Limits limits_;
};

}  // namespace

void MemoryUse::add(std::uint64_t bytes) {
  const std::uint64_t now = used_ += bytes;
  std::uint64_t peak = peak_;
  while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
  }
}

std::shared_ptr<Runtime> make_host_runtime(const HostDevice& device) { return std::make_shared<HostRuntime>(device); }

}  // namespace lode::gpu::host
