// Tests OpenCL through the seam, on every OpenCL device of the machine. That is PoCL if there is no other.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gpu/opencl/opencl.hpp"
#include "gpu/opencl/runtime.hpp"
#include "lode/error.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::throws_error;

struct Settings {  // as large as the largest struct that kernels take
  std::uint64_t base = 0;
  std::uint32_t factor = 0;
  std::uint32_t spare[8] = {};
  std::uint32_t last = 0;
};
static_assert(sizeof(Settings) == 48);

// Each group reverses its part in local memory, and adds the numbers that it was given.
const char* const probe_text = R"(
struct settings { ulong base; uint factor; uint spare[8]; uint last; };
uint constant_part(void) { return PROBE_CONSTANT; }
__kernel void probe(__global const uint *in, struct settings s, __global ulong *out, __global const uint *nothing,
                    uint small, __local uint *local_words) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  local_words[item] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s.base + (ulong)s.factor * local_words[items - 1 - item] + s.last + constant_part() + small +
                          (nothing == 0 ? 0 : 1000000);
}
__kernel void fill(__global uint *out, uint value, __local uint *unused) { out[get_global_id(0)] = value; }
)";

constexpr std::uint32_t group_items = 8;
constexpr std::uint32_t groups = 5;
constexpr std::uint32_t items = groups * group_items;

KernelSource probe_source(std::int64_t constant = 7) { return {probe_text, "probe", {{"PROBE_CONSTANT", constant}}}; }
KernelSource fill_source() { return {probe_text, "fill", {{"PROBE_CONSTANT", 0}}}; }

class OpenClRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (lode::tests::is_thread_sanitized()) GTEST_SKIP() << "the thread sanitizer cannot see into PoCL";
    const std::vector<DeviceInfo> list = opencl_api().list();
    for (unsigned device = 0; device < list.size(); ++device)
      if (list[device].available) devices_.push_back(device);
    ASSERT_FALSE(devices_.empty()) << "nothing can be tested: " << list.at(0).reason << " (./dev install-deps)";
  }

  // Runs the probe and checks that every number is right.
  static void run_probe(Runtime& runtime, const Kernel& kernel, std::int64_t constant, std::uint64_t base) {
    std::vector<std::uint32_t> in(items);
    std::iota(in.begin(), in.end(), 100U);
    const auto from = runtime.make_buffer(items * 4);
    const auto to = runtime.make_buffer(items * 8);
    const auto queue = runtime.make_queue();
    Settings settings;
    settings.base = base;
    settings.factor = 3;
    settings.last = 11;
    std::vector<std::uint64_t> out(items);
    queue->write(*from, 0, in.data(), items * 4);
    const std::array<Argument, 5> arguments{from.get(), settings, to.get(), static_cast<Buffer*>(nullptr),
                                            std::uint32_t{20000}};
    queue->launch(kernel, {groups, group_items, group_items * 4}, arguments);
    queue->read(*to, 0, out.data(), items * 8);
    queue->wait();
    for (std::uint32_t item = 0; item < items; ++item) {
      const std::uint32_t other = item / group_items * group_items + group_items - 1 - item % group_items;
      ASSERT_EQ(out[item], base + 3 * std::uint64_t{in[other]} + 11 + static_cast<std::uint64_t>(constant) + 20000)
          << "item " << item;
    }
  }

  std::vector<unsigned> devices_;
};

TEST_F(OpenClRuntime, ListsDevicesByNumber) {
  const std::vector<DeviceInfo> list = opencl_api().list();
  EXPECT_EQ(opencl_api().name, "opencl");
  for (std::size_t device = 0; device < list.size(); ++device) {
    EXPECT_EQ(list[device].name, "opencl:" + std::to_string(device));
    EXPECT_EQ(list[device].available, list[device].reason.empty());
    EXPECT_NE(list[device].available, list[device].description.empty()) << list[device].reason;
  }
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { opencl_api().open(static_cast<unsigned>(list.size())); }));
}

TEST_F(OpenClRuntime, KnowsItsLimits) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    const Limits& limits = runtime->limits();
    EXPECT_FALSE(limits.name.empty());
    EXPECT_NE(limits.version.find(limits.name), std::string::npos);
    EXPECT_GE(limits.memory_bytes, limits.max_buffer_bytes);
    EXPECT_GE(limits.max_buffer_bytes, 1U << 20);
    EXPECT_GE(limits.local_bytes, 16384U);
    EXPECT_GE(limits.unit_local_bytes, limits.local_bytes);
    EXPECT_GE(limits.compute_units, 1U);
    EXPECT_GE(limits.max_group_items, 64U);
    EXPECT_EQ(limits.team_items, limits.name.find("NVIDIA") != std::string::npos ? 32U : 0U);
    EXPECT_EQ(opencl_api().open(device)->limits().version, limits.version);
  }
}

TEST_F(OpenClRuntime, PassesArgumentsOfEveryKind) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    for (const std::int64_t constant : {std::int64_t{7}, std::int64_t{2'000'000'000}}) {
      const KernelSource source = probe_source(constant);
      const auto kernel = runtime->load_kernel(source, runtime->compile(source));
      EXPECT_GE(runtime->groups_per_unit(*kernel, {groups, group_items, group_items * 4}), 1U);
      run_probe(*runtime, *kernel, constant, std::uint64_t{1} << 40);
    }
  }
}

TEST_F(OpenClRuntime, CopiesAndClearsParts) {
  constexpr std::uint64_t bytes = std::uint64_t{3} << 20;
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    const auto buffer = runtime->make_buffer(bytes);
    EXPECT_EQ(buffer->size_bytes(), bytes);
    const auto from = runtime->make_pinned_buffer(bytes);
    const auto to = runtime->make_pinned_buffer(bytes);
    ASSERT_EQ(from->bytes().size(), bytes);
    for (std::uint64_t at = 0; at < bytes; ++at) from->bytes()[at] = static_cast<std::byte>(at * 7 % 251 + 1);
    const auto queue = runtime->make_queue();
    queue->write(*buffer, 0, from->bytes().data(), bytes);
    queue->write(*buffer, 5, from->bytes().data(), 3);
    queue->clear(*buffer, 1000 * 4, 12);
    queue->clear(*buffer, 0, 0);
    queue->write(*buffer, bytes, from->bytes().data(), 0);
    queue->read(*buffer, 0, to->bytes().data(), bytes);
    std::array<std::byte, 7> part{};
    queue->read(*buffer, bytes - 9, part.data(), part.size());
    queue->wait();
    std::vector<std::byte> expected(from->bytes().begin(), from->bytes().end());
    std::copy_n(from->bytes().begin(), 3, expected.begin() + 5);
    std::fill_n(expected.begin() + 4000, 12, std::byte{0});
    EXPECT_EQ(std::memcmp(to->bytes().data(), expected.data(), bytes), 0);
    EXPECT_EQ(std::memcmp(part.data(), expected.data() + bytes - 9, part.size()), 0);
  }
}

TEST_F(OpenClRuntime, KeepsTheOrderOfAQueue) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    const auto kernel = runtime->load_kernel(fill_source(), runtime->compile(fill_source()));
    const auto buffer = runtime->make_buffer(items * 4);
    const auto queue = runtime->make_queue();
    std::vector<std::vector<std::uint32_t>> seen(50, std::vector<std::uint32_t>(items));
    for (std::uint32_t round = 0; round < seen.size(); ++round) {
      const std::array<Argument, 2> arguments{buffer.get(), round};
      queue->launch(*kernel, {groups, group_items, 0}, arguments);
      queue->read(*buffer, 0, seen[round].data(), items * 4);
    }
    queue->wait();
    for (std::uint32_t round = 0; round < seen.size(); ++round)
      EXPECT_EQ(seen[round], std::vector<std::uint32_t>(items, round));
  }
}

TEST_F(OpenClRuntime, BuildFailureCarriesTheLog) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    KernelSource source = probe_source();
    source.text += "\nint broken(void) { return no_such_name_anywhere; }\n";
    try {
      runtime->compile(source);
      ADD_FAILURE() << "compiled";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      const std::string message = error.what();
      EXPECT_NE(message.find("clBuildProgram"), std::string::npos) << message;
      EXPECT_NE(message.find("no_such_name_anywhere"), std::string::npos) << message;
      EXPECT_NE(message.find("PROBE_CONSTANT=7"), std::string::npos) << message;
      EXPECT_LT(message.size(), 6000U);
    }
  }
}

TEST_F(OpenClRuntime, WhatItCompiledLoadsInAnotherContext) {
  const opencl::Library& cl = opencl::library();
  opencl::DeviceHandle handle;
  ASSERT_EQ(cl.clGetPlatformIDs(1, &handle.platform, nullptr), CL_SUCCESS);
  ASSERT_EQ(cl.clGetDeviceIDs(handle.platform, CL_DEVICE_TYPE_ALL, 1, &handle.device, nullptr), CL_SUCCESS);
  for (const opencl::CompiledForm form : {opencl::CompiledForm::binary, opencl::CompiledForm::source}) {
    const auto first = opencl::open_runtime(handle, form);
    const std::string compiled = first->compile(probe_source());
    ASSERT_FALSE(compiled.empty());
    EXPECT_EQ(compiled.find(probe_text) != std::string::npos, form == opencl::CompiledForm::source);
    // The program of another source is now the last one compiled.
    const std::string other_constant = first->compile(probe_source(8));
    EXPECT_NE(compiled, other_constant);
    run_probe(*first, *first->load_kernel(probe_source(), compiled), 7, 0);
    run_probe(*first, *first->load_kernel(probe_source(8), other_constant), 8, 0);

    const auto runtime = opencl::open_runtime(handle, form);
    run_probe(*runtime, *runtime->load_kernel(probe_source(), compiled), 7, 1);
    run_probe(*runtime, *runtime->load_kernel(probe_source(), compiled), 7, 2);
    KernelSource other = probe_source();
    other.entry = "no_such_kernel";
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { runtime->load_kernel(other, compiled); }));
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { runtime->load_kernel(probe_source(), "no binary"); }));
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { runtime->load_kernel(probe_source(), ""); }));
    run_probe(*runtime, *runtime->load_kernel(probe_source(), compiled), 7, 3);
  }
}

// A runtime keeps the programs that it built last. These are more than it keeps.
TEST_F(OpenClRuntime, ManyProgramsStayApart) {
  if (lode::tests::is_sanitized()) GTEST_SKIP() << "PoCL takes half a minute for so many programs under sanitizers";
  constexpr std::int64_t programs = 70;
  const auto runtime = opencl_api().open(devices_.front());
  const auto load = [&](std::int64_t constant) {
    const KernelSource source = probe_source(constant);
    return runtime->load_kernel(source, runtime->compile(source));
  };
  const auto first = load(0);
  for (std::int64_t constant = 1; constant < programs; ++constant) load(constant);
  for (const std::int64_t constant : {programs - 1, programs - 30, std::int64_t{0}, std::int64_t{1}}) {
    const auto kernel = load(constant);
    const auto same = load(constant);
    run_probe(*runtime, *kernel, constant, 5);
    run_probe(*runtime, *same, constant, 6);
  }
  run_probe(*runtime, *first, 0, 7);
}

TEST_F(OpenClRuntime, RefusesWhatCannotBe) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    try {
      runtime->make_buffer(runtime->limits().max_buffer_bytes + 1);
      ADD_FAILURE() << "a buffer larger than the device gives";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find("--memory-limit"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { runtime->adopt(4096, 16); }));
    EXPECT_TRUE(throws_error(ErrorKind::unsupported, [&] { runtime->wait_for_stream(1); }));
    const auto kernel = runtime->load_kernel(fill_source(), runtime->compile(fill_source()));
    const auto buffer = runtime->make_buffer(items * 4);
    const auto queue = runtime->make_queue();
    const std::vector<Argument> arguments{buffer.get(), std::uint32_t{42}};
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
      queue->launch(*kernel, {groups, group_items, runtime->limits().local_bytes + 4}, arguments);
    }));
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
      queue->launch(*kernel, {1, runtime->limits().max_group_items + 1, 0}, arguments);
    }));
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
      queue->launch(*kernel, {groups, group_items, 0}, std::span(arguments).first(1));
    }));
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
      std::array<std::byte, 8> bytes{};
      queue->read(*buffer, items * 4 - 4, bytes.data(), bytes.size());
    }));
    // The queue still works after an error.
    std::vector<std::uint32_t> values(items);
    queue->launch(*kernel, {groups, group_items, 0}, arguments);
    queue->read(*buffer, 0, values.data(), items * 4);
    queue->wait();
    EXPECT_EQ(values, std::vector<std::uint32_t>(items, 42));
  }
}

TEST_F(OpenClRuntime, ThreadsShareARuntimeAndAKernel) {
  for (const unsigned device : devices_) {
    const auto runtime = opencl_api().open(device);
    const auto kernel = runtime->load_kernel(probe_source(), runtime->compile(probe_source()));
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (std::uint64_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (std::uint64_t round = 0; round < 25; ++round) run_probe(*runtime, *kernel, 7, thread * 1000 + round);
      });
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(OpenClRuntime, WhatItMadeKeepsItAlive) {
  for (const unsigned device : devices_) {
    auto runtime = opencl_api().open(device);
    const auto kernel = runtime->load_kernel(fill_source(), runtime->compile(fill_source()));
    const auto buffer = runtime->make_buffer(items * 4);
    const auto pinned = runtime->make_pinned_buffer(items * 4);
    const auto queue = runtime->make_queue();
    runtime.reset();
    const std::array<Argument, 2> arguments{buffer.get(), std::uint32_t{9}};
    queue->launch(*kernel, {groups, group_items, 0}, arguments);
    queue->read(*buffer, 0, pinned->bytes().data(), items * 4);
    queue->wait();
    std::vector<std::uint32_t> values(items);
    std::memcpy(values.data(), pinned->bytes().data(), items * 4);
    EXPECT_EQ(values, std::vector<std::uint32_t>(items, 9));
  }
}

// The test below starts this one in a process of its own, in which the loader finds no driver.
TEST(OpenClWithoutDrivers, DISABLED_SaysWhy) {
  const std::vector<DeviceInfo> list = opencl_api().list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].name, "opencl");
  EXPECT_FALSE(list[0].available);
  EXPECT_NE(list[0].reason.find("driver"), std::string::npos) << list[0].reason;
  EXPECT_TRUE(throws_error(ErrorKind::device, [] { opencl_api().open(0); }));
}

TEST_F(OpenClRuntime, SaysWhyThereIsNoDevice) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("OCL_ICD_VENDORS", "/no/such/folder", 1);
    for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(name);  // they choose tests, too
    ::execl("/proc/self/exe", "lode_gpu_tests", "--gtest_also_run_disabled_tests",
            "--gtest_filter=OpenClWithoutDrivers.*", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace lode::gpu::tests
