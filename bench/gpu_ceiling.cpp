#include "gpu_ceiling.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/threads.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_sources.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t copied_bytes = std::uint64_t{256} << 20;

template <class Run>
double best_seconds(int repetitions, Run run) {
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

}  // namespace

CopyRates measure_copy_rates(gpu::Runtime& runtime, std::string_view text, int repetitions) {
  const std::uint64_t bytes = std::min<std::uint64_t>(text.size(), copied_bytes);
  const std::unique_ptr<gpu::PinnedBuffer> pinned = runtime.make_pinned_buffer(bytes);
  const std::unique_ptr<gpu::Buffer> buffer = runtime.make_buffer(bytes);
  const std::unique_ptr<gpu::Queue> queue = runtime.make_queue();
  const std::span<char> space{reinterpret_cast<char*>(pinned->bytes().data()), bytes};
  const gpu::ReadText read = [text](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), text.data() + offset, into.size());
  };
  CopyRates rates;
  rates.fill = static_cast<double>(bytes) /
               best_seconds(repetitions, [&] { gpu::read_in_parallel(read, 0, space, thread_count(0)); });
  rates.pinned = static_cast<double>(bytes) / best_seconds(repetitions, [&] {
                   queue->write(*buffer, 0, space.data(), bytes);
                   queue->wait();
                 });
  return rates;
}

std::vector<ReadRate> measure_read_rates(const gpu::Resident& text, int repetitions) {
  if (text.stripes().size() != 1) throw std::runtime_error("the read ceiling needs a text in one buffer");
  gpu::Runtime& runtime = *text.runtimes()[0];
  const gpu::Stripe& stripe = text.stripes()[0];
  const std::unique_ptr<gpu::Buffer> sums = runtime.make_buffer(16);
  const std::unique_ptr<gpu::Queue> queue = runtime.make_queue();
  const std::uint64_t blocks = text.size() / 16;
  std::vector<ReadRate> rates;
  for (const std::uint32_t under_way : {2u, 4u, 8u}) {
    gpu::KernelSource source;
    source.text = gpu::kernel_source("read");
    source.entry = "lode_read";
    source.constants = {{"LODE_BLOCKS", under_way}, {"LODE_MODE", 0}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 1}};
    const std::unique_ptr<gpu::Kernel> kernel = gpu::make_kernel(runtime, source);
    for (const std::uint32_t items : {256u, 512u, 1024u}) {
      if (items > runtime.limits().max_group_items) continue;
      gpu::Launch launch{1, items, 16};
      const std::uint32_t resident = runtime.groups_per_unit(*kernel, launch);
      for (const std::uint32_t per_unit : {resident, 8 * resident}) {
        launch.groups = runtime.limits().compute_units * per_unit;
        const double best = best_seconds(repetitions, [&] {
          const std::array<gpu::Argument, 3> arguments{{stripe.text.get(), blocks, sums.get()}};
          queue->launch(*kernel, launch, arguments);
          queue->wait();
        });
        rates.push_back({std::to_string(under_way) + " blocks, " + std::to_string(items) + " items, " +
                             std::to_string(per_unit) + " groups",
                         static_cast<double>(text.size()) / best});
      }
    }
  }
  std::sort(rates.begin(), rates.end(),
            [](const ReadRate& a, const ReadRate& b) { return a.bytes_per_second > b.bytes_per_second; });
  return rates;
}

}  // namespace lode::bench
