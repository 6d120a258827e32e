#include "gpu/opencl/library.hpp"

#include <algorithm>
#include <array>

#include "lode/error.hpp"

namespace lode::gpu::opencl {
namespace {

Library load_library() {
  Library loaded;
  loaded.object = base::DynamicLibrary::open({"libOpenCL.so.1", "libOpenCL.so"});
  if (!loaded.object.loaded()) {
    loaded.reason = "no OpenCL loader is installed (" + loaded.object.reason() +
                    "); on Debian, install ocl-icd-libopencl1 and the driver of the device";
    return loaded;
  }
  const auto bind = [&](const char* name, auto& function) {
    if (!loaded.object.bind(name, function) && loaded.reason.empty())
      loaded.reason = std::string("the OpenCL loader is older than OpenCL 1.2: it has no ") + name;
  };
#define LODE_BIND(name) bind(#name, loaded.name);
  LODE_OPENCL_FUNCTIONS(LODE_BIND)
#undef LODE_BIND
  return loaded;
}

struct Status {
  cl_int value;
  const char* name;
};

#define LODE_STATUS(name) \
  Status { name, #name }
constexpr std::array statuses{
    LODE_STATUS(CL_DEVICE_NOT_FOUND),
    LODE_STATUS(CL_DEVICE_NOT_AVAILABLE),
    LODE_STATUS(CL_COMPILER_NOT_AVAILABLE),
    LODE_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    LODE_STATUS(CL_OUT_OF_RESOURCES),
    LODE_STATUS(CL_OUT_OF_HOST_MEMORY),
    LODE_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    LODE_STATUS(CL_MEM_COPY_OVERLAP),
    LODE_STATUS(CL_BUILD_PROGRAM_FAILURE),
    LODE_STATUS(CL_MAP_FAILURE),
    LODE_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    LODE_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    LODE_STATUS(CL_COMPILE_PROGRAM_FAILURE),
    LODE_STATUS(CL_LINKER_NOT_AVAILABLE),
    LODE_STATUS(CL_LINK_PROGRAM_FAILURE),
    LODE_STATUS(CL_INVALID_VALUE),
    LODE_STATUS(CL_INVALID_DEVICE_TYPE),
    LODE_STATUS(CL_INVALID_PLATFORM),
    LODE_STATUS(CL_INVALID_DEVICE),
    LODE_STATUS(CL_INVALID_CONTEXT),
    LODE_STATUS(CL_INVALID_QUEUE_PROPERTIES),
    LODE_STATUS(CL_INVALID_COMMAND_QUEUE),
    LODE_STATUS(CL_INVALID_HOST_PTR),
    LODE_STATUS(CL_INVALID_MEM_OBJECT),
    LODE_STATUS(CL_INVALID_BINARY),
    LODE_STATUS(CL_INVALID_BUILD_OPTIONS),
    LODE_STATUS(CL_INVALID_PROGRAM),
    LODE_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    LODE_STATUS(CL_INVALID_KERNEL_NAME),
    LODE_STATUS(CL_INVALID_KERNEL_DEFINITION),
    LODE_STATUS(CL_INVALID_KERNEL),
    LODE_STATUS(CL_INVALID_ARG_INDEX),
    LODE_STATUS(CL_INVALID_ARG_VALUE),
    LODE_STATUS(CL_INVALID_ARG_SIZE),
    LODE_STATUS(CL_INVALID_KERNEL_ARGS),
    LODE_STATUS(CL_INVALID_WORK_DIMENSION),
    LODE_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    LODE_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    LODE_STATUS(CL_INVALID_GLOBAL_OFFSET),
    LODE_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    LODE_STATUS(CL_INVALID_EVENT),
    LODE_STATUS(CL_INVALID_OPERATION),
    LODE_STATUS(CL_INVALID_BUFFER_SIZE),
    LODE_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    LODE_STATUS(CL_INVALID_PROPERTY),
    LODE_STATUS(CL_INVALID_COMPILER_OPTIONS),
    LODE_STATUS(CL_INVALID_LINKER_OPTIONS),
    Status{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef LODE_STATUS

// Says what the user can do about an error; empty if only a developer can do something.
const char* advice(cl_int status) {
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
      return "the device is out of memory: give a smaller --memory-limit, or end what else uses the device";
    case CL_OUT_OF_RESOURCES:
      return "the device is out of memory or a kernel failed: give a smaller --memory-limit, or use --device cpu";
    case CL_OUT_OF_HOST_MEMORY: return "the host is out of memory: give a smaller --memory-limit";
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT: return "the device was lost: start again, or use --device cpu";
    case CL_COMPILER_NOT_AVAILABLE: return "this driver cannot compile: use another device";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "the kernel cannot run with work-groups of this size: ask for smaller ones, or use another algorithm";
    default: return "";
  }
}

// Reads a text from OpenCL, which takes two calls: one for the size, one for the bytes.
template <class Query>
std::string read_text(const Query& query, const char* call) {
  std::size_t size = 0;
  check(query(0, nullptr, &size), call);
  std::string text(size, '\0');
  check(query(size, text.data(), nullptr), call);
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

std::string name_of_status(cl_int status) {
  for (const Status& known : statuses)
    if (known.value == status) return known.name;
  return "status " + std::to_string(status);
}

void check(cl_int status, std::string_view call) {
  if (status == CL_SUCCESS) return;
  std::string message = "OpenCL: " + std::string(call) + " failed with " + name_of_status(status);
  if (const std::string hint = advice(status); !hint.empty()) message += " (" + hint + ")";
  throw Error(ErrorKind::device, message);
}

std::string text_of(cl_platform_id platform, cl_platform_info what) {
  return read_text([&](std::size_t size, void* to,
                       std::size_t* needed) { return library().clGetPlatformInfo(platform, what, size, to, needed); },
                   "clGetPlatformInfo");
}

std::string text_of(cl_device_id device, cl_device_info what) {
  return read_text([&](std::size_t size, void* to,
                       std::size_t* needed) { return library().clGetDeviceInfo(device, what, size, to, needed); },
                   "clGetDeviceInfo");
}

}  // namespace lode::gpu::opencl
