#include "gpu/cuda/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "lode/error.hpp"

namespace lode::gpu::cuda {
namespace {

using Scope = DeviceContext::Scope;
using SharedContext = std::shared_ptr<const DeviceContext>;

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(SharedContext context, DevicePointer address, std::uint64_t bytes, bool owned)
      : Buffer(bytes), context_(std::move(context)), address_(address), owned_(owned) {}
  ~CudaBuffer() override {
    if (owned_) context_->release(context_->driver().memory_free, address_);
  }

  DevicePointer address() const noexcept { return address_; }
  /// The address of byte `offset`. Throws if the buffer has less than `bytes` bytes from there on.
  DevicePointer address_of(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > size_bytes() || bytes > size_bytes() - offset)
      throw Error(ErrorKind::device, "CUDA: bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                                         " are not of a buffer of " + std::to_string(size_bytes()));
    return address_ + offset;
  }

 private:
  SharedContext context_;
  DevicePointer address_;
  bool owned_;
};

class CudaPinnedBuffer final : public PinnedBuffer {
 public:
  CudaPinnedBuffer(SharedContext context, std::span<std::byte> bytes)
      : PinnedBuffer(bytes), context_(std::move(context)) {}
  ~CudaPinnedBuffer() override {
    context_->release(context_->driver().host_memory_free, static_cast<void*>(bytes_.data()));
  }

 private:
  SharedContext context_;
};

// The shared memory of a device, which is OpenCL's local memory.
struct SharedMemory {
  int block_bytes = 0;  // the most that one block may have
  int unit_bytes = 0;   // all that a multiprocessor has
};

class CudaKernel final : public Kernel {
 public:
  CudaKernel(SharedContext context, Module module, std::string entry, const SharedMemory& shared_memory)
      : context_(std::move(context)), module_(module), entry_(std::move(entry)), shared_memory_(shared_memory) {}
  ~CudaKernel() override { context_->release(context_->driver().module_unload, module_); }

  /// Looks up the function. Called once, inside a Scope.
  void prepare() {
    const Driver& driver = context_->driver();
    driver.run(driver.module_get_function, &function_, module_, entry_.c_str());
    driver.run(driver.function_get_attribute, &static_bytes_, function_attribute::shared_size_bytes, function_);
    // The driver refuses launches with more than 48 KiB unless a kernel asks for it.
    driver.run(driver.function_set_attribute, function_, function_attribute::max_dynamic_shared_size_bytes,
               std::max(shared_memory_.block_bytes - static_bytes_, 0));
    if (driver.function_get_parameter == nullptr) return;
    std::size_t offset = 0;
    for (std::size_t bytes = 0;
         driver.function_get_parameter(function_, parameter_bytes_.size(), &offset, &bytes) == 0;)
      parameter_bytes_.push_back(bytes);
    knows_parameters_ = true;
  }

  Function function() const noexcept { return function_; }
  const std::string& entry() const noexcept { return entry_; }

  /// Called inside a Scope.
  std::uint32_t groups_per_unit(const Launch& launch) const {
    const Driver& driver = context_->driver();
    int blocks = 0;
    driver.run(driver.max_active_blocks, &blocks, function_, static_cast<int>(launch.group_items),
               std::size_t{launch.local_bytes});
    return static_cast<std::uint32_t>(std::max(blocks, 1));
  }

  /// Divides the multiprocessor's memory: the blocks that run at once get the shared memory that they need, and the
  /// rest stays a cache. Called inside a Scope.
  void divide_memory(const Launch& launch) const {
    if (launch.group_items == divided_for_.group_items && launch.local_bytes == divided_for_.local_bytes) return;
    const std::uint64_t block_bytes = std::uint64_t{launch.local_bytes} + static_cast<unsigned>(static_bytes_);
    if (block_bytes == 0) {
      set_carveout(-1);  // the driver's own choice
    } else {
      set_carveout(100);
      constexpr std::uint64_t reserved_bytes = 1024;  // the driver takes this of each block, since capability 8.0
      const std::uint64_t wanted = groups_per_unit(launch) * (block_bytes + reserved_bytes);
      const auto whole = static_cast<std::uint64_t>(std::max(shared_memory_.unit_bytes, 1));
      set_carveout(static_cast<int>(std::min<std::uint64_t>((wanted * 100 + whole - 1) / whole, 100)));
    }
    divided_for_ = launch;
  }

  /// Throws if the arguments are not those of the kernel: the driver would read beyond them.
  void check(std::span<const Argument> arguments) const {
    if (!knows_parameters_) return;
    bool fits = arguments.size() == parameter_bytes_.size();
    for (std::size_t index = 0; fits && index < arguments.size(); ++index) {
      const Argument& argument = arguments[index];
      fits = parameter_bytes_[index] == (argument.is_buffer ? sizeof(DevicePointer) : argument.value_bytes);
    }
    if (fits) return;
    std::string message = "CUDA: the kernel " + entry_ + " takes arguments of";
    for (const std::size_t bytes : parameter_bytes_) message += " " + std::to_string(bytes);
    message += " bytes, and was given";
    for (const Argument& argument : arguments)
      message += " " + std::to_string(argument.is_buffer ? sizeof(DevicePointer) : argument.value_bytes);
    throw Error(ErrorKind::device, message);
  }

 private:
  void set_carveout(int percent) const {
    const Driver& driver = context_->driver();
    driver.run(driver.function_set_attribute, function_, function_attribute::preferred_shared_memory_carveout, percent);
  }

  SharedContext context_;
  Module module_;
  std::string entry_;
  SharedMemory shared_memory_;
  Function function_ = nullptr;
  int static_bytes_ = 0;  // shared memory that the kernel itself declares
  bool knows_parameters_ = false;
  std::vector<std::size_t> parameter_bytes_;
  mutable Launch divided_for_{0, 0, 0};
};

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(SharedContext context) : context_(std::move(context)) {
    const Scope scope(*context_);
    // A non-blocking stream does not wait for work that others put on the device's default stream.
    driver().run(driver().stream_create, &stream_, stream_non_blocking);
  }
  ~CudaQueue() override {
    // Once the queue is gone, the host memory that its copies name may go.
    context_->release(driver().stream_synchronize, stream_);
    context_->release(driver().stream_destroy, stream_);
  }

  void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    const DevicePointer address = static_cast<CudaBuffer&>(to).address_of(offset, bytes);
    if (bytes == 0) return;
    const Scope scope(*context_);
    driver().run(driver().copy_to_device, address, from, bytes, stream_);
  }

  void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) override {
    const DevicePointer address = static_cast<const CudaBuffer&>(from).address_of(offset, bytes);
    if (bytes == 0) return;
    const Scope scope(*context_);
    driver().run(driver().copy_to_host, to, address, bytes, stream_);
  }

  void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) override {
    const DevicePointer address = static_cast<CudaBuffer&>(to).address_of(offset, bytes);
    if (offset % 4 != 0 || bytes % 4 != 0)
      throw Error(ErrorKind::device, "CUDA: only whole words of 4 bytes can be cleared");
    if (bytes == 0) return;
    const Scope scope(*context_);
    driver().run(driver().set_words, address, 0U, bytes / 4, stream_);
  }

  void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) override {
    const auto& cuda_kernel = static_cast<const CudaKernel&>(kernel);
    cuda_kernel.check(arguments);
    addresses_.resize(arguments.size());
    parameters_.resize(arguments.size());
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      const Argument& argument = arguments[index];
      if (argument.is_buffer) {
        const auto* buffer = static_cast<const CudaBuffer*>(argument.buffer);
        addresses_[index] = buffer != nullptr ? buffer->address() : 0;
        parameters_[index] = &addresses_[index];
      } else {
        parameters_[index] = const_cast<std::byte*>(argument.value.data());
      }
    }
    const Scope scope(*context_);
    cuda_kernel.divide_memory(launch);
    const auto& call = driver().launch_kernel;
    if (const int result = call.function(cuda_kernel.function(), launch.groups, 1, 1, launch.group_items, 1, 1,
                                         launch.local_bytes, stream_, parameters_.data(), nullptr);
        result != 0)
      driver().fail(call.name, result,
                    "; kernel " + cuda_kernel.entry() + ", " + std::to_string(launch.groups) + " groups of " +
                        std::to_string(launch.group_items) + " with " + std::to_string(launch.local_bytes) +
                        " bytes of local memory");
  }

  void wait() override {
    const Scope scope(*context_);
    driver().run(driver().stream_synchronize, stream_);
  }

 private:
  const Driver& driver() const noexcept { return context_->driver(); }

  SharedContext context_;
  Stream stream_ = nullptr;
  std::vector<DevicePointer> addresses_;  // for one launch; the driver copies them before it returns
  std::vector<void*> parameters_;
};

// The result of compile() begins with this header. The driver takes code without a length, so it would read beyond code
// that was cut short.
struct BinaryHeader {
  std::array<char, 8> magic{};
  std::uint64_t bytes = 0;  // length of the code behind the header
};
constexpr std::array<char, 8> machine_code_magic{'l', 'o', 'd', 'e', 's', 'a', 's', 's'};
constexpr std::array<char, 8> ptx_magic{'l', 'o', 'd', 'e', 'p', 't', 'x', '1'};

class CudaRuntime final : public Runtime {
 public:
  CudaRuntime(std::shared_ptr<const Driver> driver, const DeviceFacts& facts)
      : compiler_(facts.compiler), context_(std::make_shared<const DeviceContext>(driver, facts.device)) {
    const auto attribute = [&](int which) { return driver->attribute(which, facts.device); };
    shared_memory_.block_bytes = attribute(device_attribute::max_shared_memory_per_block_optin);
    shared_memory_.unit_bytes = attribute(device_attribute::max_shared_memory_per_multiprocessor);
    limits_.name = facts.name;
    limits_.version = "CUDA " + facts.name + ", compute capability " + facts.capability_text() + ", driver " +
                      driver->version_text() + ", NVRTC " + compiler_.nvrtc->version_text() + " for " +
                      compiler_.target.name();
    limits_.memory_bytes = facts.memory_bytes;
    limits_.max_buffer_bytes = facts.memory_bytes;
    limits_.local_bytes = static_cast<std::uint32_t>(shared_memory_.block_bytes);
    limits_.unit_local_bytes = static_cast<std::uint32_t>(shared_memory_.unit_bytes);
    limits_.compute_units = static_cast<std::uint32_t>(attribute(device_attribute::multiprocessor_count));
    limits_.max_group_items = static_cast<std::uint32_t>(attribute(device_attribute::max_threads_per_block));
    limits_.team_items = static_cast<std::uint32_t>(attribute(device_attribute::warp_size));
  }

  const Limits& limits() const override { return limits_; }

  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override {
    const Scope scope(*context_);
    DevicePointer address = 0;
    // The driver makes no empty allocations.
    const std::uint64_t allocated_bytes = std::max<std::uint64_t>(bytes, 16);
    const auto& call = driver().memory_allocate;
    if (const int result = call.function(&address, allocated_bytes); result != 0)
      driver().fail(call.name, result, "; " + std::to_string(bytes) + " bytes were asked for");
    return std::make_unique<CudaBuffer>(context_, address, bytes, true);
  }

  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    const Scope scope(*context_);
    void* address = nullptr;
    const auto& call = driver().host_memory_allocate;
    if (const int result = call.function(&address, std::max<std::uint64_t>(bytes, 16), host_memory_portable);
        result != 0)
      driver().fail(call.name, result, "; " + std::to_string(bytes) + " bytes of pinned host memory were asked for");
    return std::make_unique<CudaPinnedBuffer>(context_, std::span<std::byte>(static_cast<std::byte*>(address), bytes));
  }

  std::unique_ptr<Queue> make_queue() override { return std::make_unique<CudaQueue>(context_); }

  std::string compile(const KernelSource& source) override {
    const std::string code = compiler_.nvrtc->compile(source, compiler_.target);
    BinaryHeader header;
    header.magic = compiler_.target.is_ptx ? ptx_magic : machine_code_magic;
    header.bytes = code.size();
    std::string binary(sizeof header, '\0');
    std::memcpy(binary.data(), &header, sizeof header);
    return binary + code;
  }

  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    BinaryHeader header;
    if (binary.size() > sizeof header) std::memcpy(&header, binary.data(), sizeof header);
    const auto& magic = compiler_.target.is_ptx ? ptx_magic : machine_code_magic;
    if (header.magic != magic || header.bytes != binary.size() - sizeof header)
      throw Error(ErrorKind::device,
                  "CUDA: the compiled kernel " + source.entry + " is damaged or not for this device");
    // The code is copied to whole words, because the driver reads structs in it where they lie. Zeros behind it end
    // PTX.
    std::vector<std::uint64_t> code(header.bytes / 8 + 1);
    std::memcpy(code.data(), binary.data() + sizeof header, header.bytes);

    const Scope scope(*context_);
    std::array<char, 8192> log{};
    std::array<int, 2> options{jit_error_log_buffer, jit_error_log_buffer_size_bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes numbers in the place of pointers
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    Module module = nullptr;
    const auto& call = driver().module_load;
    if (const int result = call.function(&module, code.data(), 2, options.data(), values.data()); result != 0) {
      log.back() = '\0';
      driver().fail(call.name, result,
                    "; kernel " + source.entry + " for " + compiler_.target.name() +
                        (log.front() != '\0' ? ":\n" + std::string(log.data()) : ""));
    }
    auto kernel = std::make_unique<CudaKernel>(context_, module, source.entry, shared_memory_);
    kernel->prepare();
    return kernel;
  }

  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const override {
    const Scope scope(*context_);
    return static_cast<const CudaKernel&>(kernel).groups_per_unit(launch);
  }

  std::unique_ptr<Buffer> adopt(std::uintptr_t device_pointer, std::uint64_t bytes) override {
    const Scope scope(*context_);
    // Allocators that reserve addresses may put several allocations side by side, so one text may lie in several.
    const DevicePointer begin = device_pointer;
    if (begin + bytes < begin) refuse_adoption("its addresses run over", device_pointer);
    for (DevicePointer address = begin; address < begin + bytes || address == begin;) {
      unsigned memory_type = 0;
      int ordinal = -1;
      DevicePointer start = 0;
      std::size_t range_bytes = 0;
      const auto ask = [&](void* answer, int attribute) {
        const auto& call = driver().pointer_get_attribute;
        if (const int result = call.function(answer, attribute, address); result != 0)
          refuse_adoption(driver().describe(call.name, result), address);
      };
      ask(&memory_type, pointer_attribute::memory_type);
      ask(&ordinal, pointer_attribute::device_ordinal);
      ask(&start, pointer_attribute::range_start_address);
      ask(&range_bytes, pointer_attribute::range_size);
      if (memory_type != memory_type_device) refuse_adoption("it is memory of the host", address);
      if (ordinal != context_->device())
        refuse_adoption("it is memory of device " + std::to_string(ordinal) + ", and this is device " +
                            std::to_string(context_->device()),
                        address);
      if (start > address || range_bytes <= address - start) refuse_adoption("it ends too early", address);
      address = start + range_bytes;
    }
    return std::make_unique<CudaBuffer>(context_, begin, bytes, false);
  }

  void wait_for_stream(std::uintptr_t stream) override {
    const Scope scope(*context_);
    driver().run(driver().stream_synchronize, reinterpret_cast<Stream>(stream));
  }

 private:
  const Driver& driver() const noexcept { return context_->driver(); }

  [[noreturn]] static void refuse_adoption(const std::string& reason, DevicePointer address) {
    throw Error(ErrorKind::invalid_argument,
                "the text at device address " + std::to_string(address) + " cannot be used: " + reason);
  }

  NvrtcChoice compiler_;
  SharedContext context_;
  SharedMemory shared_memory_;
  Limits limits_;
};

}  // namespace

std::shared_ptr<Runtime> make_runtime(std::shared_ptr<const Driver> driver, const DeviceFacts& facts) {
  return std::make_shared<CudaRuntime>(std::move(driver), facts);
}

}  // namespace lode::gpu::cuda
