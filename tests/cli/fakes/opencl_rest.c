/* Functions of the libOpenCL.so.1 for tests. The command looks them up, but never calls them with a device that cannot
 * be used. If this is compiled with FAKE_OPENCL_IS_OLDER, it lacks a function that came with OpenCL 1.2. */
#include <stdlib.h>

#define NEVER_CALLED(name) \
  int name(void) { abort(); }
NEVER_CALLED(clCreateContext)
NEVER_CALLED(clReleaseContext)
NEVER_CALLED(clCreateCommandQueue)
NEVER_CALLED(clReleaseCommandQueue)
NEVER_CALLED(clCreateBuffer)
NEVER_CALLED(clReleaseMemObject)
NEVER_CALLED(clCreateProgramWithSource)
NEVER_CALLED(clCreateProgramWithBinary)
NEVER_CALLED(clBuildProgram)
NEVER_CALLED(clGetProgramBuildInfo)
NEVER_CALLED(clGetProgramInfo)
NEVER_CALLED(clReleaseProgram)
NEVER_CALLED(clCreateKernel)
NEVER_CALLED(clGetKernelInfo)
NEVER_CALLED(clGetKernelWorkGroupInfo)
NEVER_CALLED(clSetKernelArg)
NEVER_CALLED(clReleaseKernel)
NEVER_CALLED(clEnqueueNDRangeKernel)
NEVER_CALLED(clEnqueueReadBuffer)
NEVER_CALLED(clEnqueueWriteBuffer)
#ifndef FAKE_OPENCL_IS_OLDER
NEVER_CALLED(clEnqueueFillBuffer)
#endif
NEVER_CALLED(clEnqueueMapBuffer)
NEVER_CALLED(clEnqueueUnmapMemObject)
NEVER_CALLED(clGetEventInfo)
NEVER_CALLED(clReleaseEvent)
NEVER_CALLED(clFlush)
NEVER_CALLED(clFinish)
