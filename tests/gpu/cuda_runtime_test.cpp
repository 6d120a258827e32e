// Tests the seam on a CUDA device: memory, copies, launches, the compiler's answers. If there is no device, the tests
// are skipped with the reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

#include "gpu/cuda/cuda.hpp"
#include "gpu/cuda/driver.hpp"
#include "lode/error.hpp"
#include "seam_helpers.hpp"
#include "support/errors.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::throws_error;
using Words = std::vector<std::uint32_t>;

constexpr const char* kernels = R"(
struct mixed { unsigned long long wide; unsigned int words[10]; };  // it has 48 bytes

extern "C" __global__ void add(unsigned int *words, unsigned int count, unsigned int value) {
  for (unsigned int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x)
    words[at] += value * LODE_FACTOR;
}

extern "C" __global__ void spread(unsigned int *answer, struct mixed values, const unsigned int *nothing,
                                  unsigned char small) {
  if (threadIdx.x != 0) return;
  answer[0] = (unsigned int)values.wide;
  answer[1] = (unsigned int)(values.wide >> 32);
  for (int at = 0; at < 10; ++at) answer[2 + at] = values.words[at];
  answer[12] = nothing == 0;
  answer[13] = small;
}

extern "C" __global__ void turn(unsigned int *words, unsigned int count) {
  extern __shared__ unsigned int local[];
  for (unsigned int at = threadIdx.x; at < count; at += blockDim.x) local[at] = words[at];
  __syncthreads();
  for (unsigned int at = threadIdx.x; at < count; at += blockDim.x) words[at] = local[count - 1 - at];
}

extern "C" __global__ void team(unsigned int *words, const uint4 *blocks) {
  const uint4 block = blocks[threadIdx.x];
  const unsigned int next = __shfl_down_sync(0xffffffffu, block.x, 1);
  words[threadIdx.x] = __funnelshift_r(block.w, next, 8) + __popc(__ballot_sync(0xffffffffu, block.y != 0));
}
)";

KernelSource source(const std::string& entry) { return {kernels, entry, {{"LODE_FACTOR", 3}}}; }

Words counted(std::size_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), 1U);
  return words;
}

class CudaRuntime : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<DeviceInfo> devices = cuda_api().list();
    if (!devices.front().available) GTEST_SKIP() << devices.front().name << ": " << devices.front().reason;
    runtime_ = cuda_api().open(0);
  }

  std::unique_ptr<Kernel> make(const std::string& entry) {
    return runtime_->load_kernel(source(entry), runtime_->compile(source(entry)));
  }

  std::shared_ptr<Runtime> runtime_;
};

TEST_F(CudaRuntime, TellsItsLimits) {
  const Limits& limits = runtime_->limits();
  EXPECT_FALSE(limits.name.empty());
  EXPECT_NE(limits.version.find(limits.name), std::string::npos);
  EXPECT_NE(limits.version.find("NVRTC"), std::string::npos);
  EXPECT_EQ(limits.team_items, 32U);
  EXPECT_GE(limits.max_group_items, 512U);
  EXPECT_GE(limits.local_bytes, 48U << 10);
  EXPECT_GE(limits.unit_local_bytes, limits.local_bytes);
  EXPECT_GE(limits.memory_bytes, std::uint64_t{1} << 30);
  EXPECT_GE(limits.max_buffer_bytes, std::uint64_t{1} << 30);
  EXPECT_GE(limits.compute_units, 1U);
  EXPECT_EQ(cuda_api().list().front().name, "cuda:0");
}

TEST_F(CudaRuntime, WritesLaunchesAndReads) {
  const std::size_t count = 100'003;
  const Words before = counted(count);
  const auto buffer = put(*runtime_, before);
  const auto kernel = make("add");
  const auto queue = runtime_->make_queue();
  // Three commands follow each other without waiting.
  const std::vector<Argument> arguments = {buffer.get(), static_cast<std::uint32_t>(count), std::uint32_t{5}};
  queue->launch(*kernel, {7, 64, 0}, arguments);
  queue->launch(*kernel, {1, 1024, 0}, arguments);
  Words after(count);
  queue->read(*buffer, 0, after.data(), 4 * count);
  queue->wait();
  for (std::size_t at = 0; at < count; ++at) ASSERT_EQ(after[at], before[at] + 30) << at;
}

TEST_F(CudaRuntime, CopiesAndClearsPartsOfBuffers) {
  const auto buffer = put(*runtime_, counted(64));
  const auto queue = runtime_->make_queue();
  const std::array<char, 3> bytes = {'a', 'b', 'c'};
  queue->write(*buffer, 5, bytes.data(), bytes.size());
  queue->clear(*buffer, 16, 8);
  queue->clear(*buffer, 256, 0);
  queue->wait();
  Words expected = counted(64);
  std::memcpy(reinterpret_cast<char*>(expected.data()) + 5, bytes.data(), bytes.size());
  expected[4] = expected[5] = 0;
  EXPECT_EQ(get<std::uint32_t>(*runtime_, *buffer, 64), expected);
  std::array<char, 3> read{};
  queue->read(*buffer, 5, read.data(), read.size());
  queue->wait();
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { queue->read(*buffer, 254, read.data(), 3); }));
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { queue->write(*buffer, ~std::uint64_t{0}, read.data(), 3); }));
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { queue->clear(*buffer, 2, 4); }));
}

TEST_F(CudaRuntime, CopiesThroughPinnedMemory) {
  const std::uint64_t bytes = (std::uint64_t{8} << 20) + 5;
  const auto from = runtime_->make_pinned_buffer(bytes);
  const auto to = runtime_->make_pinned_buffer(bytes);
  ASSERT_EQ(from->bytes().size(), bytes);
  for (std::uint64_t at = 0; at < bytes; ++at) from->bytes()[at] = static_cast<std::byte>(at * 31 >> 3);
  const auto buffer = runtime_->make_buffer(bytes);
  EXPECT_EQ(buffer->size_bytes(), bytes);
  const auto queue = runtime_->make_queue();
  queue->write(*buffer, 0, from->bytes().data(), bytes);
  queue->read(*buffer, 0, to->bytes().data(), bytes);
  queue->wait();
  EXPECT_EQ(std::memcmp(from->bytes().data(), to->bytes().data(), bytes), 0);
}

TEST_F(CudaRuntime, PassesStructsByValueAndNullBuffers) {
  struct Mixed {
    std::uint64_t wide = 0x123456789abcdef0;
    std::array<std::uint32_t, 10> words{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  };
  static_assert(sizeof(Mixed) == 48);
  const auto answer = put(*runtime_, Words(14));
  run(*runtime_, source("spread"), {1, 32, 0},
      {answer.get(), Mixed{}, static_cast<const Buffer*>(nullptr), std::uint8_t{201}});
  EXPECT_EQ(get<std::uint32_t>(*runtime_, *answer, 14),
            (Words{0x9abcdef0, 0x12345678, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 201}));
}

TEST_F(CudaRuntime, GivesAGroupAllTheLocalMemoryOfItsLimits) {
  const auto kernel = make("turn");
  for (const std::uint32_t bytes : {runtime_->limits().local_bytes / 4 * 4, 1024U, 48U << 10, 96U << 10}) {
    if (bytes > runtime_->limits().local_bytes) continue;
    const std::uint32_t count = bytes / 4;
    const Launch launch{1, 256, bytes};
    EXPECT_GE(runtime_->groups_per_unit(*kernel, launch), 1U);
    const auto buffer = put(*runtime_, counted(count));
    const auto queue = runtime_->make_queue();
    queue->launch(*kernel, launch, std::vector<Argument>{buffer.get(), count});
    queue->wait();
    Words expected = counted(count);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(get<std::uint32_t>(*runtime_, *buffer, count), expected) << bytes;
  }
  EXPECT_GT(runtime_->groups_per_unit(*kernel, {1, 256, 1024}),
            runtime_->groups_per_unit(*kernel, {1, 256, runtime_->limits().local_bytes}));
  const auto queue = runtime_->make_queue();
  const auto buffer = put(*runtime_, counted(4));
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
    queue->launch(*kernel, {1, 256, runtime_->limits().local_bytes + 1024},
                  std::vector<Argument>{buffer.get(), std::uint32_t{4}});
  }));
}

TEST_F(CudaRuntime, TeamsExchangeWords) {
  Words blocks(4 * 32);
  for (std::uint32_t item = 0; item < 32; ++item) {
    blocks[4 * item] = 0x01020304U + item;
    blocks[4 * item + 1] = item % 4;
    blocks[4 * item + 3] = 0xa0b0c0d0U + item;
  }
  const auto from = put(*runtime_, blocks);
  const auto to = put(*runtime_, Words(32));
  run(*runtime_, source("team"), {1, 32, 0}, {to.get(), from.get()});
  const Words answer = get<std::uint32_t>(*runtime_, *to, 32);
  for (std::uint32_t item = 0; item < 32; ++item) {
    const std::uint32_t next = item + 1 < 32 ? blocks[4 * item + 4] : blocks[4 * item];
    EXPECT_EQ(answer[item], (blocks[4 * item + 3] >> 8 | next << 24) + 24) << item;
  }
}

TEST_F(CudaRuntime, BuildErrorsCarryTheLog) {
  try {
    runtime_->compile({"extern \"C\" __global__ void broken() { undeclared_name = 1; }", "broken", {}});
    FAIL() << "a kernel that cannot be compiled was compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_NE(std::string(error.what()).find("undeclared_name"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("broken"), std::string::npos) << error.what();
  }
}

TEST_F(CudaRuntime, BinariesLoadInAnotherRuntimeAndDamagedOnesAreRefused) {
  const std::string binary = runtime_->compile(source("add"));
  const std::shared_ptr<Runtime> other = cuda_api().open(0);
  ASSERT_EQ(other->limits().version, runtime_->limits().version);
  const auto kernel = other->load_kernel(source("add"), binary);
  const auto buffer = put(*other, counted(8));
  const auto queue = other->make_queue();
  queue->launch(*kernel, {1, 32, 0}, std::vector<Argument>{buffer.get(), std::uint32_t{8}, std::uint32_t{1}});
  queue->wait();
  EXPECT_EQ(get<std::uint32_t>(*other, *buffer, 8), (Words{4, 5, 6, 7, 8, 9, 10, 11}));

  std::string changed = binary;
  changed[0] = 'x';
  for (const std::string& damaged : {std::string(), binary.substr(0, 10), binary.substr(0, binary.size() - 1),
                                     binary + "x", changed, std::string(1000, 'z')}) {
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] { other->load_kernel(source("add"), damaged); })) << damaged.size();
  }
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { other->load_kernel(source("no_such_entry"), binary); }));
}

TEST_F(CudaRuntime, RefusesArgumentsThatTheKernelDoesNotTake) {
  if (cuda::Driver().function_get_parameter == nullptr)
    GTEST_SKIP() << "this driver does not report a kernel's parameters";
  const auto kernel = make("add");
  const auto buffer = put(*runtime_, counted(8));
  const auto queue = runtime_->make_queue();
  const std::vector<std::vector<Argument>> wrong = {
      {},
      {buffer.get(), std::uint32_t{8}},
      {buffer.get(), std::uint32_t{8}, std::uint64_t{1}},
      {buffer.get(), std::uint32_t{8}, std::uint32_t{1}, std::uint32_t{1}},
  };
  for (const std::vector<Argument>& arguments : wrong) {
    EXPECT_TRUE(throws_error(ErrorKind::device, [&] {
      queue->launch(*kernel, {1, 32, 0}, arguments);
    })) << arguments.size();
  }
}

TEST_F(CudaRuntime, MemoryThatIsNotThereIsAnErrorWithAdvice) {
  try {
    runtime_->make_buffer(runtime_->limits().memory_bytes * 2);
    FAIL() << "more memory than the device has was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_NE(std::string(error.what()).find("OUT_OF_MEMORY"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("memory limit"), std::string::npos) << error.what();
  }
  EXPECT_EQ(runtime_->make_buffer(0)->size_bytes(), 0U) << "and the device still works";
  EXPECT_TRUE(put(*runtime_, counted(8)) != nullptr);
}

TEST_F(CudaRuntime, LaunchesThatCannotBeAreErrors) {
  const auto kernel = make("add");
  const auto buffer = put(*runtime_, counted(8));
  const auto queue = runtime_->make_queue();
  const std::vector<Argument> arguments = {buffer.get(), std::uint32_t{8}, std::uint32_t{1}};
  EXPECT_TRUE(throws_error(ErrorKind::device, [&] { queue->launch(*kernel, {1, 4096, 0}, arguments); }));
  queue->launch(*kernel, {1, 32, 0}, arguments);
  queue->wait();
}

TEST_F(CudaRuntime, AdoptsMemoryOfOthers) {
  // The driver allocates this memory itself, on the same device, so it belongs to another owner.
  const auto driver = std::make_shared<const cuda::Driver>();
  cuda::Device device = -1;
  driver->run(driver->device_get, &device, 0);
  const cuda::DeviceContext context(driver, device);
  cuda::DevicePointer address = 0;
  const std::uint64_t bytes = 4096;
  {
    const cuda::DeviceContext::Scope scope(context);
    driver->run(driver->memory_allocate, &address, bytes);
  }
  {
    for (const std::uintptr_t stream : {0U, 1U, 2U}) runtime_->wait_for_stream(stream);
    const auto buffer = runtime_->adopt(address + 16, 4 * 100);
    EXPECT_EQ(buffer->size_bytes(), 400U);
    const auto queue = runtime_->make_queue();
    const Words words = counted(100);
    queue->write(*buffer, 0, words.data(), 400);
    queue->wait();
    EXPECT_EQ(get<std::uint32_t>(*runtime_, *buffer, 100), words);
  }
  {
    const auto again = runtime_->adopt(address, bytes);  // it was not freed
    Words head = get<std::uint32_t>(*runtime_, *again, 5);
    EXPECT_EQ(head[4], 1U);
  }
  Words host(4);
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument,
                           [&] { runtime_->adopt(reinterpret_cast<std::uintptr_t>(host.data()), 16); }));
  const auto pinned = runtime_->make_pinned_buffer(64);
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument,
                           [&] { runtime_->adopt(reinterpret_cast<std::uintptr_t>(pinned->bytes().data()), 16); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { runtime_->adopt(0, 16); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument,
                           [&] { runtime_->adopt(address, runtime_->limits().memory_bytes * 2); }));
  EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { runtime_->adopt(address, ~std::uint64_t{0}); }));
  const cuda::DeviceContext::Scope scope(context);
  driver->run(driver->memory_free, address);
}

TEST_F(CudaRuntime, WorksFromSeveralThreadsAndOutlivesItsOwner) {
  std::vector<std::thread> threads;
  std::array<int, 4> right{};
  for (std::size_t index = 0; index < right.size(); ++index) {
    threads.emplace_back([&, index] {
      const auto kernel = make("add");
      for (std::uint32_t round = 1; round <= 20; ++round) {
        const auto buffer = put(*runtime_, Words(1000, static_cast<std::uint32_t>(index)));
        const auto queue = runtime_->make_queue();
        queue->launch(*kernel, {4, 128, 0}, std::vector<Argument>{buffer.get(), std::uint32_t{1000}, round});
        queue->wait();
        right[index] +=
            get<std::uint32_t>(*runtime_, *buffer, 1000) == Words(1000, static_cast<std::uint32_t>(index) + 3 * round);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int rounds : right) EXPECT_EQ(rounds, 20);

  const auto buffer = runtime_->make_buffer(64);
  const auto pinned = runtime_->make_pinned_buffer(64);
  const auto kernel = make("add");
  const auto queue = runtime_->make_queue();
  runtime_.reset();
  queue->clear(*buffer, 0, 64);
  queue->launch(*kernel, {1, 32, 0}, std::vector<Argument>{buffer.get(), std::uint32_t{16}, std::uint32_t{2}});
  queue->read(*buffer, 0, pinned->bytes().data(), 64);
  queue->wait();
  std::uint32_t first = 0;
  std::memcpy(&first, pinned->bytes().data(), 4);
  EXPECT_EQ(first, 6U);
}

}  // namespace
}  // namespace lode::gpu::tests
