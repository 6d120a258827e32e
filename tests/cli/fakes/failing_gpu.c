/* An OpenCL layer for tests of GPUs that open and then fail. The loader puts the layer that OPENCL_LAYERS names between
 * a program and its devices. This layer calls each device a GPU, and lets it run as many kernels as FAKE_GPU_LAUNCHES
 * says. It refuses later ones. */
#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch* device;
static cl_icd_dispatch layer;
static atomic_long launches_left;

static cl_int CL_API_CALL get_device_info(cl_device_id of, cl_device_info what, size_t room, void* to, size_t* needed) {
  const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
  const cl_int status = device->clGetDeviceInfo(of, what, room, to, needed);
  if (status == CL_SUCCESS && what == CL_DEVICE_TYPE && to != NULL) memcpy(to, &gpu, sizeof gpu);
  return status;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                         const size_t* offset, const size_t* items, const size_t* group_items,
                                         cl_uint waits, const cl_event* waited_for, cl_event* event) {
  if (atomic_fetch_sub(&launches_left, 1) <= 0) return CL_OUT_OF_RESOURCES;
  return device->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, group_items, waits, waited_for,
                                        event);
}

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void* to, size_t* needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what != CL_LAYER_API_VERSION || (to != NULL && room < sizeof version)) return CL_INVALID_VALUE;
  if (to != NULL) memcpy(to, &version, sizeof version);
  if (needed != NULL) *needed = sizeof version;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* own_entries,
                               const cl_icd_dispatch** own) {
  const cl_uint known = sizeof layer / sizeof(void*);
  const char* const launches = getenv("FAKE_GPU_LAUNCHES");
  if (entries < known || launches == NULL) return CL_INVALID_VALUE;
  atomic_store(&launches_left, atol(launches));
  device = below;
  layer = *below;
  layer.clGetDeviceInfo = get_device_info;
  layer.clEnqueueNDRangeKernel = enqueue_kernel;
  *own_entries = known;
  *own = &layer;
  return CL_SUCCESS;
}
