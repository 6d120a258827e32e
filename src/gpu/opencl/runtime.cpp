#include "gpu/opencl/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lode/error.hpp"

namespace lode::gpu::opencl {
namespace {

constexpr std::size_t log_limit_bytes = 4096;
// Smaller buffers are not touched when they are made: touching takes time, and so little memory is seldom missing.
constexpr std::uint64_t touched_buffer_bytes = 1 << 20;

// All objects of one opened device share a Context.
struct Context {
  explicit Context(const DeviceHandle& opened);

  DeviceHandle handle;
  bool is_cpu = false;
  Limits limits;
  Owned<cl_context> context;
  Owned<cl_command_queue> service;  // maps pinned memory and touches new memory; used by any thread
};

using SharedContext = std::shared_ptr<const Context>;
using SharedProgram = std::shared_ptr<std::remove_pointer_t<cl_program>>;

Owned<cl_command_queue> create_queue(cl_context context, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  auto queue = own(library().clCreateCommandQueue(context, device, 0, &status), library().clReleaseCommandQueue);
  check(status, "clCreateCommandQueue");
  return queue;
}

bool is_nvidia(cl_device_id device) {
  constexpr cl_uint nvidia = 0x10de;
  cl_uint vendor = 0;
  return library().clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr) == CL_SUCCESS &&
         vendor == nvidia;
}

constexpr std::uint32_t nvidia_reserved_bytes = 1024;  // the driver takes this of each group's local memory

// kernels/portable.h makes teams of NVIDIA's warps with the machine's own instructions; elsewhere there are none.
std::uint32_t find_team_items(cl_device_id device) { return is_nvidia(device) ? 32 : 0; }

// The local memory of a compute unit. OpenCL tells only how much one work-group may have. NVIDIA's units have several
// times as much; the CUDA programming guide lists it by compute capability.
std::uint32_t find_unit_local_bytes(cl_device_id device, std::uint32_t local_bytes) {
  constexpr cl_device_info compute_capability_major = 0x4000;  // from the extension cl_nv_device_attribute_query
  constexpr cl_device_info compute_capability_minor = 0x4001;
  const Library& cl = library();
  cl_uint major = 0;
  cl_uint minor = 0;
  if (!is_nvidia(device) ||
      cl.clGetDeviceInfo(device, compute_capability_major, sizeof major, &major, nullptr) != CL_SUCCESS ||
      cl.clGetDeviceInfo(device, compute_capability_minor, sizeof minor, &minor, nullptr) != CL_SUCCESS)
    return local_bytes;
  struct Row {
    cl_uint capability;  // the row holds from this one on
    std::uint32_t kibibytes;
  };
  constexpr std::array<Row, 10> rows{
      {{120, 100}, {90, 228}, {89, 100}, {87, 164}, {86, 100}, {80, 164}, {75, 64}, {70, 96}, {60, 64}, {0, 48}}};
  const cl_uint capability = major * 10 + minor;
  const auto* row = std::find_if(rows.begin(), rows.end(), [&](const Row& at) { return at.capability <= capability; });
  return std::max(local_bytes, row->kibibytes * 1024);
}

Limits find_limits(const DeviceHandle& handle) {
  const cl_device_id device = handle.device;
  Limits limits;
  limits.name = text_of(device, CL_DEVICE_NAME);
  limits.version = fmt::format("{}|{}|{}|{}|{}", text_of(handle.platform, CL_PLATFORM_NAME),
                               text_of(handle.platform, CL_PLATFORM_VERSION), limits.name,
                               text_of(device, CL_DEVICE_VERSION), text_of(device, CL_DRIVER_VERSION));
  limits.memory_bytes = value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  limits.max_buffer_bytes = value_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.local_bytes =
      static_cast<std::uint32_t>(std::min<cl_ulong>(value_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE), 1u << 30));
  limits.unit_local_bytes = find_unit_local_bytes(device, limits.local_bytes);
  limits.team_items = find_team_items(device);
  limits.compute_units = std::max<cl_uint>(1, value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  std::vector<std::size_t> items(std::max<cl_uint>(3, value_of<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)));
  check(library().clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, items.size() * sizeof items[0], items.data(),
                                  nullptr),
        "clGetDeviceInfo");
  limits.max_group_items =
      static_cast<std::uint32_t>(std::min(items[0], value_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
  if (is_nvidia(device)) {
    limits.local_bytes -= std::min(limits.local_bytes, nvidia_reserved_bytes);
  }
  return limits;
}

Context::Context(const DeviceHandle& opened)
    : handle(opened),
      is_cpu((value_of<cl_device_type>(opened.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0),
      limits(find_limits(opened)) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(opened.platform), 0};
  cl_int status = CL_SUCCESS;
  context = own(library().clCreateContext(properties, 1, &opened.device, nullptr, nullptr, &status),
                library().clReleaseContext);
  check(status, "clCreateContext");
  service = create_queue(context.get(), opened.device);
}

Owned<cl_mem> create_memory(const Context& context, cl_mem_flags flags, std::uint64_t bytes) {
  if (bytes > context.limits.max_buffer_bytes)
    throw Error(ErrorKind::device, fmt::format("OpenCL: a buffer of {} bytes is more than {} gives at once ({} bytes): "
                                               "give a smaller --memory-limit",
                                               bytes, context.limits.name, context.limits.max_buffer_bytes));
  cl_int status = CL_SUCCESS;
  auto memory =
      own(library().clCreateBuffer(context.context.get(), flags, std::max<std::uint64_t>(bytes, 16), nullptr, &status),
          library().clReleaseMemObject);
  check(status, fmt::format("clCreateBuffer of {} bytes", bytes));
  return memory;
}

class DeviceMemory final : public Buffer {
 public:
  DeviceMemory(SharedContext context, std::uint64_t bytes)
      : Buffer(bytes), context_(std::move(context)), memory_(create_memory(*context_, CL_MEM_READ_WRITE, bytes)) {
    if (bytes >= touched_buffer_bytes) touch();
  }
  cl_mem get() const noexcept { return memory_.get(); }

 private:
  // Drivers set memory aside when it is first used. Touching it makes missing memory an error here, not in a later
  // search.
  void touch() {
    const Library& cl = library();
    const cl_uint zero = 0;
    check(cl.clEnqueueFillBuffer(context_->service.get(), memory_.get(), &zero, sizeof zero, 0, sizeof zero, 0, nullptr,
                                 nullptr),
          "clEnqueueFillBuffer of new memory");
    check(cl.clFinish(context_->service.get()), "clFinish");
  }

  SharedContext context_;
  Owned<cl_mem> memory_;
};

cl_mem memory_of(const Buffer& buffer) { return static_cast<const DeviceMemory&>(buffer).get(); }

class PinnedMemory final : public PinnedBuffer {
 public:
  PinnedMemory(SharedContext context, std::uint64_t bytes)
      : PinnedBuffer({}),
        context_(std::move(context)),
        memory_(create_memory(*context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes)) {
    cl_int status = CL_SUCCESS;
    void* mapped =
        library().clEnqueueMapBuffer(context_->service.get(), memory_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     std::max<std::uint64_t>(bytes, 16), 0, nullptr, nullptr, &status);
    check(status, "clEnqueueMapBuffer");
    bytes_ = {static_cast<std::byte*>(mapped), static_cast<std::size_t>(bytes)};
  }
  ~PinnedMemory() override {
    const Library& cl = library();
    cl.clEnqueueUnmapMemObject(context_->service.get(), memory_.get(), bytes_.data(), 0, nullptr, nullptr);
    cl.clFinish(context_->service.get());
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

 private:
  SharedContext context_;
  Owned<cl_mem> memory_;
};

class OpenedKernel final : public Kernel {
 public:
  OpenedKernel(SharedContext context, SharedProgram program, std::string entry)
      : entry_(std::move(entry)), context_(std::move(context)), program_(std::move(program)) {
    const Library& cl = library();
    cl_int status = CL_SUCCESS;
    kernel_ = own(cl.clCreateKernel(program_.get(), entry_.c_str(), &status), cl.clReleaseKernel);
    check(status, "clCreateKernel of " + entry_);
    check(cl.clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof argument_count_, &argument_count_, nullptr),
          "clGetKernelInfo");
  }

  std::size_t max_group_items() const {
    std::size_t items = 0;
    check(library().clGetKernelWorkGroupInfo(kernel_.get(), context_->handle.device, CL_KERNEL_WORK_GROUP_SIZE,
                                             sizeof items, &items, nullptr),
          "clGetKernelWorkGroupInfo");
    return items;
  }

  Owned<cl_event> enqueue(cl_command_queue queue, const Launch& launch, std::span<const Argument> arguments) const {
    if (arguments.size() + 1 != argument_count_)
      throw Error(ErrorKind::device, fmt::format("OpenCL: {} takes {} arguments and local memory, and was given {}",
                                                 entry_, argument_count_ - 1, arguments.size()));
    if (launch.local_bytes > context_->limits.local_bytes)
      throw Error(ErrorKind::device,
                  fmt::format("OpenCL: {} needs {} bytes of local memory, and {} has {}", entry_, launch.local_bytes,
                              context_->limits.name, context_->limits.local_bytes));
    const std::lock_guard lock(mutex_);  // a cl_kernel remembers the arguments set last, for all threads
    cl_uint index = 0;
    for (const Argument& argument : arguments) set_argument(index++, argument);
    check_argument(index, library().clSetKernelArg(kernel_.get(), index, std::max(launch.local_bytes, 4u), nullptr));
    const std::size_t group_items = launch.group_items;
    const std::size_t items = group_items * launch.groups;
    cl_event event = nullptr;
    check(library().clEnqueueNDRangeKernel(queue, kernel_.get(), 1, nullptr, &items, &group_items, 0, nullptr, &event),
          "clEnqueueNDRangeKernel of " + entry_);
    return own(event, library().clReleaseEvent);
  }

  const std::string& entry() const noexcept { return entry_; }

 private:
  void set_argument(cl_uint index, const Argument& argument) const {
    if (argument.is_buffer) {
      const cl_mem memory = argument.buffer == nullptr ? nullptr : memory_of(*argument.buffer);
      check_argument(index, library().clSetKernelArg(kernel_.get(), index, sizeof(cl_mem), &memory));
    } else {
      check_argument(index,
                     library().clSetKernelArg(kernel_.get(), index, argument.value_bytes, argument.value.data()));
    }
  }

  void check_argument(cl_uint index, cl_int status) const {
    if (status != CL_SUCCESS) check(status, fmt::format("clSetKernelArg {} of {}", index, entry_));
  }

  std::string entry_;
  SharedContext context_;
  SharedProgram program_;
  Owned<cl_kernel> kernel_;
  cl_uint argument_count_ = 0;
  mutable std::mutex mutex_;
};

class OrderedQueue final : public Queue {
 public:
  explicit OrderedQueue(SharedContext context)
      : context_(std::move(context)), queue_(create_queue(context_->context.get(), context_->handle.device)) {}
  // Waits, because the host memory that commands name may go once the queue is gone.
  ~OrderedQueue() override { library().clFinish(queue_.get()); }
  OrderedQueue(const OrderedQueue&) = delete;
  OrderedQueue& operator=(const OrderedQueue&) = delete;

  void write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    if (bytes == 0) return;
    cl_event event = nullptr;
    check(
        library().clEnqueueWriteBuffer(queue_.get(), memory_of(to), CL_FALSE, offset, bytes, from, 0, nullptr, &event),
        "clEnqueueWriteBuffer");
    add("clEnqueueWriteBuffer", own(event, library().clReleaseEvent));
    flush();
  }

  void read(const Buffer& from, std::uint64_t offset, void* to, std::uint64_t bytes) override {
    if (bytes == 0) return;
    cl_event event = nullptr;
    check(library().clEnqueueReadBuffer(queue_.get(), memory_of(from), CL_FALSE, offset, bytes, to, 0, nullptr, &event),
          "clEnqueueReadBuffer");
    add("clEnqueueReadBuffer", own(event, library().clReleaseEvent));
    flush();
  }

  void clear(Buffer& to, std::uint64_t offset, std::uint64_t bytes) override {
    if (bytes == 0) return;
    const cl_uint zero = 0;
    cl_event event = nullptr;
    check(library().clEnqueueFillBuffer(queue_.get(), memory_of(to), &zero, sizeof zero, offset, bytes, 0, nullptr,
                                        &event),
          "clEnqueueFillBuffer");
    add("clEnqueueFillBuffer", own(event, library().clReleaseEvent));
  }

  void launch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments) override {
    const auto& opened = static_cast<const OpenedKernel&>(kernel);
    add("clEnqueueNDRangeKernel of " + opened.entry(), opened.enqueue(queue_.get(), launch, arguments));
  }

  void wait() override {
    const std::vector<Command> commands = std::exchange(commands_, {});
    check(library().clFinish(queue_.get()), "clFinish");
    for (const Command& command : commands) {
      cl_int status = CL_COMPLETE;
      check(library().clGetEventInfo(command.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                     nullptr),
            "clGetEventInfo");
      if (status < 0) check(status, command.call);
    }
  }

 private:
  struct Command {
    std::string call;
    Owned<cl_event> event;
  };

  void add(std::string call, Owned<cl_event> event) { commands_.push_back({std::move(call), std::move(event)}); }

  // Drivers may keep commands back until they are flushed or someone waits. Launches need no flush of their own: the
  // read of their results flushes them, too.
  void flush() { check(library().clFlush(queue_.get()), "clFlush"); }

  SharedContext context_;
  Owned<cl_command_queue> queue_;
  std::vector<Command> commands_;  // since the last wait: clFinish alone does not tell which of them failed
};

// The programs that were used last, kept for the next searcher on this device. PoCL takes long to build a program even
// if its own cache has it.
class RecentPrograms {
 public:
  /// Null if there is no program of this source and binary.
  SharedProgram find(std::string_view source_form, std::string_view binary) {
    const Key key(source_form, binary);
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(programs_.begin(), programs_.end(), [&](const Program& program) { return program.key == key; });
    if (found == programs_.end()) return {};
    programs_.splice(programs_.begin(), programs_, found);
    return found->program;
  }

  void add(std::string_view source_form, std::string_view binary, SharedProgram program) {
    Program added{Key(source_form, binary), std::move(program)};
    const std::lock_guard lock(mutex_);
    programs_.push_front(std::move(added));
    if (programs_.size() > most_programs) programs_.pop_back();
  }

 private:
  static constexpr std::size_t most_programs = 64;

  // Hashes stand for source and binary, because these may be large.
  struct Key {
    Key(std::string_view source_form, std::string_view binary)
        : source_hash(std::hash<std::string_view>()(source_form)),
          binary_hash(std::hash<std::string_view>()(binary)),
          source_bytes(source_form.size()),
          binary_bytes(binary.size()) {}
    bool operator==(const Key&) const = default;

    std::size_t source_hash;
    std::size_t binary_hash;
    std::size_t source_bytes;
    std::size_t binary_bytes;
  };
  struct Program {
    Key key;
    SharedProgram program;
  };

  std::mutex mutex_;
  std::list<Program> programs_;  // the one used last first
};

class OpenedDevice final : public Runtime {
 public:
  OpenedDevice(SharedContext context, CompiledForm form) : context_(std::move(context)), form_(form) {}

  const Limits& limits() const override { return context_->limits; }

  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override {
    return std::make_unique<DeviceMemory>(context_, bytes);
  }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    return std::make_unique<PinnedMemory>(context_, bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<OrderedQueue>(context_); }

  std::string compile(const KernelSource& source) override {
    std::string form = source_form(source);
    if (form_ == CompiledForm::source && programs_.find(form, form)) return form;
    SharedProgram program = build_source(source);
    std::string compiled = form_ == CompiledForm::binary ? binary_of(program.get()) : form;
    programs_.add(form, compiled, std::move(program));
    return compiled;
  }

  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    const std::string form = source_form(source);
    SharedProgram program = programs_.find(form, binary);
    if (!program) {
      program = binary == form ? build_source(source) : load_binary(source, binary);
      programs_.add(form, binary, program);
    }
    return std::make_unique<OpenedKernel>(context_, std::move(program), source.entry);
  }

  std::uint32_t groups_per_unit(const Kernel& kernel, const Launch& launch) const override {
    const std::uint32_t items = std::max(1u, launch.group_items);
    // A CPU's core runs one group at a time. A second group for each core evens out unequal work.
    if (context_->is_cpu) return 2;
    if (static_cast<const OpenedKernel&>(kernel).max_group_items() < items) return 1;
    const std::uint32_t by_items = usual_unit_items / items;
    const std::uint32_t by_local = context_->limits.unit_local_bytes / (launch.local_bytes + nvidia_reserved_bytes);
    return std::max(1u, std::min({by_items, by_local, usual_unit_groups}));
  }

  std::unique_ptr<Buffer> adopt(std::uintptr_t, std::uint64_t) override {
    throw Error(ErrorKind::unsupported,
                "OpenCL has no device pointers of others: use a CUDA device, or upload the text");
  }

 private:
  // OpenCL does not tell how many items and groups a compute unit runs at once; these are usual numbers.
  static constexpr std::uint32_t usual_unit_items = 2048;
  static constexpr std::uint32_t usual_unit_groups = 32;

  std::string options_of(const KernelSource& source) const {
    std::string options = "-cl-std=CL1.2 -w";  // no warnings: drivers print them on this program's stderr
    for (const auto& [name, value] : source.constants) options += fmt::format(" -D{}={}", name, value);
    if (source.items_of_unit != 0 && is_nvidia(context_->handle.device))
      options += fmt::format(" -cl-nv-maxrregcount={}", nvidia_registers(source.items_of_unit));
    return options;
  }

  std::string source_form(const KernelSource& source) const { return options_of(source) + "\n" + source.text; }

  static std::string binary_of(cl_program program) {
    const Library& cl = library();
    std::size_t bytes = 0;
    check(cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr), "clGetProgramInfo");
    std::string binary(bytes, '\0');
    char* data = binary.data();
    check(cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr), "clGetProgramInfo");
    return binary;
  }

  SharedProgram build_source(const KernelSource& source) const {
    const Library& cl = library();
    const char* text = source.text.c_str();
    const std::size_t size = source.text.size();
    cl_int status = CL_SUCCESS;
    auto program =
        own(cl.clCreateProgramWithSource(context_->context.get(), 1, &text, &size, &status), cl.clReleaseProgram);
    check(status, "clCreateProgramWithSource");
    build(program.get(), source);
    return program;
  }

  void build(cl_program program, const KernelSource& source) const {
    const std::string options = options_of(source);
    const cl_int status =
        library().clBuildProgram(program, 1, &context_->handle.device, options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    throw Error(ErrorKind::device,
                fmt::format("OpenCL: clBuildProgram failed with {} for {} on {} ({}):\n{}", name_of_status(status),
                            source.entry, context_->limits.name, options, build_log(program)));
  }

  std::string build_log(cl_program program) const {
    const auto read = [&](std::size_t size, void* to, std::size_t* needed) {
      return library().clGetProgramBuildInfo(program, context_->handle.device, CL_PROGRAM_BUILD_LOG, size, to, needed);
    };
    std::size_t size = 0;
    if (read(0, nullptr, &size) != CL_SUCCESS) return "(the driver gives no build log)";
    std::string log(size, '\0');
    if (read(size, log.data(), nullptr) != CL_SUCCESS) return "(the driver gives no build log)";
    log.erase(std::find(log.begin(), log.end(), '\0'), log.end());
    if (log.size() > log_limit_bytes) {
      log.resize(log_limit_bytes);
      log += "\n(the rest of the build log is left out)";
    }
    return log;
  }

  SharedProgram load_binary(const KernelSource& source, std::string_view binary) const {
    const Library& cl = library();
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t size = binary.size();
    cl_int binary_status = CL_SUCCESS;
    cl_int status = CL_SUCCESS;
    auto program = own(cl.clCreateProgramWithBinary(context_->context.get(), 1, &context_->handle.device, &size, &data,
                                                    &binary_status, &status),
                       cl.clReleaseProgram);
    check(status, "clCreateProgramWithBinary");
    check(binary_status, "clCreateProgramWithBinary");
    build(program.get(), source);
    return program;
  }

  SharedContext context_;
  CompiledForm form_;
  RecentPrograms programs_;
};

}  // namespace

CompiledForm usual_form(const DeviceHandle& handle) {
  const bool is_pocl = text_of(handle.platform, CL_PLATFORM_NAME) == "Portable Computing Language";
  return is_pocl ? CompiledForm::source : CompiledForm::binary;
}

std::shared_ptr<Runtime> open_runtime(const DeviceHandle& handle, CompiledForm form) {
  return std::make_shared<OpenedDevice>(std::make_shared<const Context>(handle), form);
}

}  // namespace lode::gpu::opencl
