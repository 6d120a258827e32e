// Tests what the CUDA runtime says if the driver, a device or the compiler is missing. It runs on any machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "gpu/cuda/cuda.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "lode/error.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::TemporaryFolder;
using lode::tests::throws_error;
using lode::tests::Variable;

bool contains(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder) {
  return std::find(folders.begin(), folders.end(), std::filesystem::canonical(folder)) != folders.end();
}

TEST(CudaApi, ListsEachDeviceOrSaysWhyThereIsNone) {
  const Api& api = cuda_api();
  EXPECT_EQ(api.name, "cuda");
  const std::vector<DeviceInfo> devices = api.list();
  ASSERT_FALSE(devices.empty());
  if (devices.front().name == "cuda") {
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_FALSE(devices.front().available);
    EXPECT_GT(devices.front().reason.size(), 10U);
    try {
      api.open(0);
      FAIL() << "a device that is not there was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find(devices.front().reason), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos) << error.what();
    }
    return;
  }
  for (std::size_t index = 0; index < devices.size(); ++index) {
    EXPECT_EQ(devices[index].name, "cuda:" + std::to_string(index));
    EXPECT_EQ(devices[index].available, devices[index].reason.empty()) << devices[index].reason;
    EXPECT_FALSE(devices[index].available && devices[index].description.empty());
  }
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { api.open(static_cast<unsigned>(devices.size())); }));
}

TEST(CudaApi, OpensNoDeviceThatIsNotThere) {
  for (const unsigned device : {4096U, 0x7fffffffU, 0xffffffffU}) {
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { cuda_api().open(device); })) << device;
  }
}

TEST(Nvrtc, IsLookedForInToolkitsAndInPythonEnvironments) {
  const TemporaryFolder root;
  const auto make = [&](const char* folder) {
    std::filesystem::create_directories(root.path() / folder);
    return root.path() / folder;
  };
  const auto toolkit = make("toolkit/lib64");
  const auto target = make("other/targets/x86_64-linux/lib");
  const auto environment = make("environment/lib/python3.11/site-packages/nvidia/cu13/lib");
  const auto conda = make("conda/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib");
  const auto listed = make("listed/nvidia/cuda_nvrtc/lib");
  const auto beside_command = make("python/lib/python3.10/dist-packages/nvidia/cu14/lib");
  make("python/bin");
  const auto home = make("home/.local/lib/python3.13/site-packages/nvidia/cu13/lib");
  const auto unrelated = make("environment/lib/python3.11/site-packages/nvidia/cudnn/lib");

  const Variable variables[] = {
      {"CUDA_HOME", (root.path() / "toolkit").string()},
      {"CUDA_PATH", (root.path() / "other").string()},
      {"VIRTUAL_ENV", (root.path() / "environment").string()},
      {"CONDA_PREFIX", (root.path() / "conda").string()},
      {"PYTHONPATH", ":relative:/nowhere/at/all:" + (root.path() / "listed").string()},
      {"PATH", (root.path() / "python/bin").string()},
      {"HOME", (root.path() / "home").string()},
  };
  const std::vector<std::filesystem::path> folders = cuda::find_nvrtc_folders();
  for (const auto& folder : {toolkit, target, environment, conda, listed, beside_command, home}) {
    EXPECT_TRUE(contains(folders, folder)) << folder;
  }
  EXPECT_FALSE(contains(folders, unrelated));
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders.front(), std::filesystem::canonical(toolkit)) << "the folder of CUDA_HOME comes first";
  for (const auto& folder : folders) {
    EXPECT_TRUE(folder.is_absolute()) << folder;
    EXPECT_EQ(std::count(folders.begin(), folders.end(), folder), 1) << folder;
  }
}

TEST(Nvrtc, ThatDoesNotServeIsNamedWithTheReason) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root.path() / "lib64");
  const auto file = root.write("lib64/libnvrtc.so.11.2", "this is no library");
  const Variable variable("CUDA_HOME", root.path().string());
  // No NVRTC is as old as this driver.
  const cuda::NvrtcChoice choice = cuda::NvrtcLibraries(0).find(90);
  EXPECT_EQ(choice.nvrtc, nullptr);
  EXPECT_NE(choice.reason.find("libnvrtc.so.11.2"), std::string::npos) << choice.reason;
  EXPECT_NE(choice.reason.find(std::filesystem::canonical(file).string() + ": "), std::string::npos) << choice.reason;
  EXPECT_NE(choice.reason.find("install"), std::string::npos) << choice.reason;
}

}  // namespace
}  // namespace lode::gpu::tests
