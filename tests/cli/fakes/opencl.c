/* A libOpenCL.so.1 for tests of drivers that cannot be used: one platform with four GPUs, each with another fault.
 * Functions that are never called with such devices are in opencl_rest.c. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

struct _cl_platform_id {
  const char* name;
};
struct _cl_device_id {
  const char* name;
  const char* version;
  cl_bool available, has_compiler, little_endian;
};

static struct _cl_platform_id platform = {"Museum"};
static struct _cl_device_id gpus[] = {
    {"Aged", "OpenCL 1.1 Museum", CL_TRUE, CL_TRUE, CL_TRUE},
    {"Mute", "OpenCL 1.2 Museum", CL_TRUE, CL_FALSE, CL_TRUE},
    {"Away", "OpenCL 3.0 Museum", CL_FALSE, CL_TRUE, CL_TRUE},
    {"Reversed", "OpenCL 2.0 Museum", CL_TRUE, CL_TRUE, CL_FALSE},
};
enum { gpu_count = sizeof gpus / sizeof gpus[0] };

static cl_int answer(const void* value, size_t bytes, size_t room, void* to, size_t* needed) {
  if (needed != NULL) *needed = bytes;
  if (to == NULL) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  memcpy(to, value, bytes);
  return CL_SUCCESS;
}

static cl_int answer_text(const char* text, size_t room, void* to, size_t* needed) {
  return answer(text, strlen(text) + 1, room, to, needed);
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (count != NULL) *count = 1;
  if (to != NULL && room > 0) to[0] = &platform;
  return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id of, cl_platform_info what, size_t room, void* to, size_t* needed) {
  return what == CL_PLATFORM_NAME ? answer_text(of->name, room, to, needed) : CL_INVALID_VALUE;
}

cl_int clGetDeviceIDs(cl_platform_id of, cl_device_type kind, cl_uint room, cl_device_id* to, cl_uint* count) {
  if (of != &platform) return CL_INVALID_PLATFORM;
  if ((kind & CL_DEVICE_TYPE_GPU) == 0) return CL_DEVICE_NOT_FOUND;
  if (count != NULL) *count = gpu_count;
  for (cl_uint at = 0; to != NULL && at < room && at < gpu_count; ++at) to[at] = &gpus[at];
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id of, cl_device_info what, size_t room, void* to, size_t* needed) {
  const cl_device_type kind = CL_DEVICE_TYPE_GPU;
  const cl_ulong memory_bytes = (cl_ulong)1 << 30;
  const cl_uint units = 4;
  switch (what) {
    case CL_DEVICE_NAME: return answer_text(of->name, room, to, needed);
    case CL_DEVICE_VERSION: return answer_text(of->version, room, to, needed);
    case CL_DRIVER_VERSION: return answer_text("1899", room, to, needed);
    case CL_DEVICE_TYPE: return answer(&kind, sizeof kind, room, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return answer(&memory_bytes, sizeof memory_bytes, room, to, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return answer(&units, sizeof units, room, to, needed);
    case CL_DEVICE_AVAILABLE: return answer(&of->available, sizeof(cl_bool), room, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE: return answer(&of->has_compiler, sizeof(cl_bool), room, to, needed);
    case CL_DEVICE_ENDIAN_LITTLE: return answer(&of->little_endian, sizeof(cl_bool), room, to, needed);
    default: return CL_INVALID_VALUE;
  }
}
