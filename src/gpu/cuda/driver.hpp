// Driver: the few functions of the CUDA driver API that the runtime uses, and its errors as lode::Error.
//
// The prototypes and numbers are the API's, which never change for a given symbol name; the names carry the API's
// version suffixes. The library is libcuda.so.1, which comes with NVIDIA's driver. reason() says why it cannot be used;
// the calls may be made only if reason() is empty. Immutable once loaded; safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/dynamic_library.hpp"
#include "gpu/cuda/library_call.hpp"

namespace lode::gpu::cuda {

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;

namespace device_attribute {
constexpr int max_threads_per_block = 1;
constexpr int warp_size = 10;
constexpr int multiprocessor_count = 16;
constexpr int compute_mode = 20;
constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;
constexpr int max_shared_memory_per_multiprocessor = 81;
constexpr int max_shared_memory_per_block_optin = 97;
}  // namespace device_attribute

namespace function_attribute {
constexpr int shared_size_bytes = 1;
constexpr int max_dynamic_shared_size_bytes = 8;
constexpr int preferred_shared_memory_carveout = 9;
}  // namespace function_attribute

namespace pointer_attribute {
constexpr int memory_type = 2;
constexpr int device_ordinal = 9;
constexpr int range_start_address = 11;
constexpr int range_size = 12;
}  // namespace pointer_attribute

constexpr int compute_mode_prohibited = 2;
constexpr unsigned memory_type_device = 2;
constexpr unsigned stream_non_blocking = 1;
constexpr unsigned host_memory_portable = 1;
constexpr int jit_error_log_buffer = 5;
constexpr int jit_error_log_buffer_size_bytes = 6;

class Driver {
  base::DynamicLibrary library_ = base::DynamicLibrary::open({"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
  std::string missing_;

  template <class... Parameters>
  struct Call : LibraryCall<Parameters...> {
    Call(Driver& driver, const char* symbol) : LibraryCall<Parameters...>(driver.library_, driver.missing_, symbol) {}
  };

 public:
  /// Loads and initializes the driver. Makes no context.
  Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Why there is no usable driver; empty if there is one.
  const std::string& reason() const noexcept { return reason_; }
  /// The newest CUDA that the driver knows: 13.0 is 13000.
  int version() const noexcept { return version_; }
  /// "13.0"
  std::string version_text() const;

  /// Calls the function. Throws Error(device) if it fails.
  template <class... Parameters, class... Arguments>
  void run(const LibraryCall<Parameters...>& call, Arguments... arguments) const {
    if (const int result = call.function(arguments...); result != 0) fail(call.name, result);
  }
  /// Describes the result of a call: "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2, out of memory); lower the memory
  /// limit, …".
  std::string describe(const char* call, int result) const;
  /// Throws the description as Error(device), with `detail` behind it.
  [[noreturn]] void fail(const char* call, int result, const std::string& detail = {}) const;

  int attribute(int attribute, Device device) const;

  // Declared once: each line is the prototype, the name that we use, and the symbol.
  Call<unsigned> init{*this, "cuInit"};
  Call<int*> driver_get_version{*this, "cuDriverGetVersion"};
  Call<int, const char**> get_error_name{*this, "cuGetErrorName"};
  Call<int, const char**> get_error_string{*this, "cuGetErrorString"};
  Call<int*> device_get_count{*this, "cuDeviceGetCount"};
  Call<Device*, int> device_get{*this, "cuDeviceGet"};
  Call<char*, int, Device> device_get_name{*this, "cuDeviceGetName"};
  Call<int*, int, Device> device_get_attribute{*this, "cuDeviceGetAttribute"};
  Call<std::size_t*, Device> device_total_memory{*this, "cuDeviceTotalMem_v2"};
  Call<Context*, Device> primary_context_retain{*this, "cuDevicePrimaryCtxRetain"};
  Call<Device> primary_context_release{*this, "cuDevicePrimaryCtxRelease_v2"};
  Call<Context> context_push{*this, "cuCtxPushCurrent_v2"};
  Call<Context*> context_pop{*this, "cuCtxPopCurrent_v2"};
  Call<Module*, const void*, unsigned, int*, void**> module_load{*this, "cuModuleLoadDataEx"};
  Call<Module> module_unload{*this, "cuModuleUnload"};
  Call<Function*, Module, const char*> module_get_function{*this, "cuModuleGetFunction"};
  Call<int*, int, Function> function_get_attribute{*this, "cuFuncGetAttribute"};
  Call<Function, int, int> function_set_attribute{*this, "cuFuncSetAttribute"};
  Call<int*, Function, int, std::size_t> max_active_blocks{*this, "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  Call<DevicePointer*, std::size_t> memory_allocate{*this, "cuMemAlloc_v2"};
  Call<DevicePointer> memory_free{*this, "cuMemFree_v2"};
  Call<void**, std::size_t, unsigned> host_memory_allocate{*this, "cuMemHostAlloc"};
  Call<void*> host_memory_free{*this, "cuMemFreeHost"};
  Call<void*, int, DevicePointer> pointer_get_attribute{*this, "cuPointerGetAttribute"};
  Call<DevicePointer, const void*, std::size_t, Stream> copy_to_device{*this, "cuMemcpyHtoDAsync_v2"};
  Call<void*, DevicePointer, std::size_t, Stream> copy_to_host{*this, "cuMemcpyDtoHAsync_v2"};
  Call<DevicePointer, unsigned, std::size_t, Stream> set_words{*this, "cuMemsetD32Async"};
  Call<Stream*, unsigned> stream_create{*this, "cuStreamCreate"};
  Call<Stream> stream_destroy{*this, "cuStreamDestroy_v2"};
  Call<Stream> stream_synchronize{*this, "cuStreamSynchronize"};
  Call<Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**>
      launch_kernel{*this, "cuLaunchKernel"};

  /// Tells the offset and size of a kernel's parameter. Drivers have it since CUDA 12.4; null in older ones.
  int (*function_get_parameter)(Function, std::size_t, std::size_t*, std::size_t*) = nullptr;

 private:
  std::string find_reason();

  int version_ = 0;
  std::string reason_;
};

/// The primary context of a device, kept while anything needs it. All calls on a context are made inside a Scope, so
/// that they work from any thread and leave the caller's current context as it was.
class DeviceContext {
 public:
  DeviceContext(std::shared_ptr<const Driver> driver, Device device);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  class Scope {
   public:
    explicit Scope(const DeviceContext& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Driver& driver_;
  };

  const Driver& driver() const noexcept { return *driver_; }
  Device device() const noexcept { return device_; }

  /// For destructors: a failure (the context was lost, or the process ends and the driver is gone already) is ignored,
  /// because what was to be released is gone with the context.
  template <class... Parameters, class... Arguments>
  void release(const LibraryCall<Parameters...>& call, Arguments... arguments) const noexcept {
    if (driver_->context_push.function(context_) != 0) return;
    call.function(arguments...);
    Context popped = nullptr;
    driver_->context_pop.function(&popped);
  }

 private:
  std::shared_ptr<const Driver> driver_;
  Device device_;
  Context context_ = nullptr;
};

}  // namespace lode::gpu::cuda
