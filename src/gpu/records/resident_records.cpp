#include "gpu/records/resident_records.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>

#include "base/memory.hpp"
#include "base/threads.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "gpu/kernel_cache.hpp"
#include "lode/error.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t least_block_log2 = 8;
constexpr std::uint32_t most_block_log2 = 16;

constexpr std::uint64_t most_records_of_part = UINT32_MAX / 2;

constexpr std::uint64_t sample_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t most_sampled_records = 1024;
constexpr std::uint64_t most_bytes_of_sampled = 4096;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

// The sampled records lie evenly among all.
RecordSample take_sample(const Records& records) {
  RecordSample sample;
  sample.count = records.size();
  if (records.empty()) return sample;
  sample.total_bytes = records.total_bytes();
  sample.longest = records.longest();
  const std::uint64_t count = std::min(records.size(), most_sampled_records);
  const std::uint64_t usual_bytes = std::min(records.total_bytes() / records.size() + 1, most_bytes_of_sampled);
  const std::uint64_t taken = std::clamp<std::uint64_t>(sample_bytes / usual_bytes, 1, count);
  for (std::uint64_t turn = 0; turn < taken; ++turn) {
    // The record in the middle of each share is taken.
    const std::uint64_t record = records.size() / taken * turn + records.size() / taken / 2;
    if (records.is_null(record)) continue;
    const std::string_view whole = records[record];
    const std::string_view beginning =
        whole.substr(0, std::min(most_bytes_of_sampled, sample_bytes - sample.bytes.size()));
    sample.records.push_back(
        {static_cast<std::uint32_t>(sample.bytes.size()), static_cast<std::uint32_t>(beginning.size()), whole.size()});
    sample.bytes += beginning;
    if (sample.bytes.size() == sample_bytes) break;
  }
  return sample;
}

RecordKernels::RecordKernels(Runtime& runtime)
    : launch_{runtime.limits().compute_units * helper_groups_per_unit, helper_group_items(runtime), 0},
      fill_(make_helper_kernel(runtime, "records", "lode_records_fill", LODE_MODE_FIRST)),
      index_(make_helper_kernel(runtime, "records", "lode_records_index", LODE_MODE_FIRST)) {}

void RecordKernels::fill(Queue& queue, const Buffer& cells, std::uint64_t words, std::uint32_t value) const {
  const std::array<Argument, 3> arguments{{&cells, words, value}};
  queue.launch(*fill_, launch_, arguments);
}

void RecordKernels::index(Queue& queue, const Buffer& starts, std::uint32_t count, std::uint32_t block_log2,
                          std::uint32_t block_count, const Buffer& blocks) const {
  const std::array<Argument, 5> arguments{{&starts, count, block_log2, block_count, &blocks}};
  queue.launch(*index_, launch_, arguments);
}

ResidentRecords::ResidentRecords(std::vector<std::shared_ptr<Runtime>> runtimes, const Records& records,
                                 unsigned threads, RecordLoader* loader)
    : runtimes_(std::move(runtimes)), number_(next_number()), sample_(take_sample(records)) {
  if (records.empty()) return;
  const std::uint64_t origin = records.begin_of(0);

  std::uint64_t most = UINT64_MAX;
  for (const auto& runtime : runtimes_) most = std::min(most, runtime->limits().max_buffer_bytes - text_padding);
  if (longest() > most)
    throw Error(ErrorKind::device,
                "a record of " + std::to_string(longest()) + " bytes is more than a buffer of the device holds");
  // Parts are cut at multiples of `step`, or before the record that a multiple lies in. A multiple that is nearer than
  // half a step is skipped, so that no small part is left between two cuts.
  const std::uint64_t share = total_bytes() / runtimes_.size() + 1;
  const std::uint64_t step = std::max<std::uint64_t>(1, std::min(share, (most - longest()) / 3 * 2));
  std::vector<std::unique_ptr<RecordLoader>> own(runtimes_.size());
  std::size_t device = 0;
  for (std::uint64_t first = 0; first < records.size(); device = (device + 1) % runtimes_.size()) {
    if (loader == nullptr && !own[device]) own[device] = std::make_unique<RecordLoader>(*runtimes_[device]);
    const std::uint64_t done = records.begin_of(first) - origin;
    const std::uint64_t cut = ((done + step / 2) / step + 1) * step;
    std::uint64_t last =
        records.end_within(first, origin + cut, std::min(records.size(), first + most_records_of_part));
    // A part that ends at a multiple of 8 records shares no byte of bits with the next part.
    if (last != records.size() && last - first >= 8) last -= last % 8;
    add_part(records, device, first, last, threads, loader != nullptr ? *loader : *own[device]);
    first = last;
  }
}

void ResidentRecords::add_part(const Records& records, std::size_t device, std::uint64_t first, std::uint64_t last,
                               unsigned threads, RecordLoader& loader) {
  const std::shared_ptr<Runtime>& runtime = runtimes_[device];
  const std::uint64_t begin = records.begin_of(first);
  const std::uint64_t bytes = records.end_of(last - 1) - begin;
  const char* const text = records.bytes().data() + begin;
  const auto read = [text](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), text + offset, into.size());
  };
  RecordPart part;
  part.device = device;
  part.first = first;
  part.last = last;
  part.text = std::make_unique<Resident>(std::vector{runtime}, bytes, read, threads, 0, &loader.uploader);
  part.host_starts.resize(last - first + 1);
  run_ranges(threads, last - first, 1 << 16, [&](std::uint64_t low, std::uint64_t high) {
    for (std::uint64_t record = low; record < high; ++record)
      part.host_starts[record] =
          (records.begin_of(first + record) - begin) | (records.is_null(first + record) ? LODE_NULL_RECORD : 0);
  });
  part.host_starts.back() = bytes + records.gap();
  const auto starts = std::as_bytes(std::span(part.host_starts));
  part.starts = runtime->make_buffer(starts.size());
  const auto read_starts = [starts](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), starts.data() + offset, into.size());
  };
  loader.uploader.copy(starts.size(), read_starts, *part.starts, 0, threads);
  part.records.count = static_cast<std::uint32_t>(last - first);
  part.records.gap = records.gap();
  part.records.block_log2 =
      std::clamp(static_cast<std::uint32_t>(std::bit_width(bytes / (last - first))), least_block_log2, most_block_log2);
  const std::uint64_t blocks = (bytes >> part.records.block_log2) + 2;
  part.blocks = runtime->make_buffer(blocks * sizeof(std::uint32_t));
  const std::unique_ptr<Queue> queue = runtime->make_queue();
  // If the device does not run its kernels, every block then begins in record 0, not in what lay in the memory.
  queue->clear(*part.blocks, 0, blocks * sizeof(std::uint32_t));
  loader.kernels.index(*queue, *part.starts, part.records.count, part.records.block_log2,
                       static_cast<std::uint32_t>(blocks), *part.blocks);
  resize_empty(part.host_blocks, blocks, threads);
  queue->read(*part.blocks, 0, part.host_blocks.data(), blocks * sizeof(std::uint32_t));
  queue->wait();
  parts_.push_back(std::move(part));
}

std::uint64_t words_of_row(Mode mode, std::uint64_t patterns) {
  switch (mode) {
    case Mode::first: return patterns;
    case Mode::contains: return (patterns + 31) / 32;
    case Mode::per_record: return 2;
    default: return 0;  // Mode::any: 32 rows to a word
  }
}

}  // namespace lode::gpu
