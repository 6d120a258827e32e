// Tests what find_devices does with drivers that fail. The test itself plays the loader.
#include "gpu/opencl/devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lode::gpu::opencl {
namespace {

// Handles are numbers, and platform 1 is the first.
template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

struct PlatformAnswer {
  cl_int status = CL_DEVICE_NOT_FOUND;
  std::vector<std::uintptr_t> devices;
};

struct FakeLoader {
  cl_int status = CL_SUCCESS;
  std::uintptr_t platforms = 0;
  std::map<std::pair<std::uintptr_t, cl_device_type>, PlatformAnswer> answers;
};

thread_local FakeLoader fake;  // the C interface has no argument that could carry it

cl_int get_platforms(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (fake.status != CL_SUCCESS) return fake.status;
  if (count != nullptr) *count = static_cast<cl_uint>(fake.platforms);
  for (cl_uint at = 0; to != nullptr && at < room; ++at) to[at] = handle<cl_platform_id>(at + 1);
  return CL_SUCCESS;
}

cl_int get_platform_info(cl_platform_id platform, cl_platform_info, std::size_t room, void* to, std::size_t*) {
  const std::string name = "driver " + std::to_string(reinterpret_cast<std::uintptr_t>(platform));
  std::memcpy(to, name.c_str(), std::min(room, name.size() + 1));
  return CL_SUCCESS;
}

cl_int get_devices(cl_platform_id platform, cl_device_type kind, cl_uint room, cl_device_id* to, cl_uint* count) {
  const PlatformAnswer& answer = fake.answers[{reinterpret_cast<std::uintptr_t>(platform), kind}];
  if (answer.status != CL_SUCCESS) return answer.status;
  if (count != nullptr) *count = static_cast<cl_uint>(answer.devices.size());
  for (cl_uint at = 0; to != nullptr && at < room; ++at) to[at] = handle<cl_device_id>(answer.devices[at]);
  return CL_SUCCESS;
}

class OpenClDevices : public testing::Test {
 protected:
  OpenClDevices() {
    fake = {};
    library_.clGetPlatformIDs = get_platforms;
    library_.clGetPlatformInfo = get_platform_info;
    library_.clGetDeviceIDs = get_devices;
  }

  std::vector<std::uintptr_t> numbers() {
    std::vector<std::uintptr_t> found;
    for (const DeviceHandle& device : find_devices(library_).found)
      found.push_back(reinterpret_cast<std::uintptr_t>(device.device));
    return found;
  }

  Library library_;
};

TEST_F(OpenClDevices, StandInTheOrderOfTheirKinds) {
  fake.platforms = 2;
  fake.answers[{1, CL_DEVICE_TYPE_CPU}] = {CL_SUCCESS, {10}};
  fake.answers[{1, CL_DEVICE_TYPE_ACCELERATOR}] = {CL_INVALID_DEVICE_TYPE, {}};
  fake.answers[{2, CL_DEVICE_TYPE_GPU}] = {CL_SUCCESS, {20, 21}};
  fake.answers[{2, CL_DEVICE_TYPE_ACCELERATOR}] = {CL_SUCCESS, {21, 22}};
  EXPECT_EQ(numbers(), (std::vector<std::uintptr_t>{20, 21, 22, 10}));
  EXPECT_TRUE(find_devices(library_).failures.empty());
  EXPECT_TRUE(find_devices(library_).reason.empty());
}

TEST_F(OpenClDevices, DriversThatFailAreToldOnceAndTheOthersServe) {
  fake.platforms = 2;
  for (const cl_device_type kind : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU})
    fake.answers[{1, kind}] = {CL_OUT_OF_HOST_MEMORY, {}};
  fake.answers[{2, CL_DEVICE_TYPE_CPU}] = {CL_SUCCESS, {7}};
  EXPECT_EQ(numbers(), (std::vector<std::uintptr_t>{7}));
  const Devices devices = find_devices(library_);
  ASSERT_EQ(devices.failures.size(), 1U);
  EXPECT_NE(devices.failures[0].find("'driver 1'"), std::string::npos) << devices.failures[0];
  EXPECT_NE(devices.failures[0].find("CL_OUT_OF_HOST_MEMORY"), std::string::npos) << devices.failures[0];
  EXPECT_TRUE(devices.reason.empty());
}

TEST_F(OpenClDevices, WhereThereIsNoneTheReasonIsTold) {
  fake.platforms = 1;
  EXPECT_NE(find_devices(library_).reason.find("find no device"), std::string::npos);
  fake.answers[{1, CL_DEVICE_TYPE_GPU}] = {CL_OUT_OF_RESOURCES, {}};
  EXPECT_NE(find_devices(library_).reason.find("CL_OUT_OF_RESOURCES"), std::string::npos);
  fake.platforms = 0;
  EXPECT_NE(find_devices(library_).reason.find("no OpenCL driver is installed"), std::string::npos);
  fake.status = -1001;
  EXPECT_NE(find_devices(library_).reason.find("no OpenCL driver is installed"), std::string::npos);
  fake.status = CL_OUT_OF_HOST_MEMORY;
  EXPECT_NE(find_devices(library_).reason.find("CL_OUT_OF_HOST_MEMORY"), std::string::npos);
  library_.reason = "no loader";
  EXPECT_EQ(find_devices(library_).reason, "no loader");
}

}  // namespace
}  // namespace lode::gpu::opencl
