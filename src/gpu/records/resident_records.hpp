// ResidentRecords: records in the memory of GPUs, and the search of them, whose results are made there.
//
// Records are divided among the devices by bytes; a *part* is what one device has of them, as one buffer. Beside its text
// a part has where its records begin, and for blocks of the text the record that each begins in, so that a kernel finds
// the record of an occurrence with few reads. Results are cells in the device's memory (kernels/abi.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/engine/engine.hpp"
#include "gpu/engine/resident.hpp"
#include "lode/record_layout.hpp"

namespace lode::gpu {

struct RecordPart {
  std::size_t device = 0;   // index in the runtimes
  std::uint64_t first = 0;  // records [first, last)
  std::uint64_t last = 0;
  std::unique_ptr<Resident> text;          // from the first record's begin on
  std::vector<std::uint64_t> host_starts;  // as kernels take them, from the part's begin; one more than records
  std::unique_ptr<Buffer> starts;          // the same on the device
  std::unique_ptr<Buffer> blocks;
  std::vector<std::uint32_t> host_blocks;  // as kernels take them: of each block the record that it begins in
  abi::lode_records records{};             // but for what depends on the search

  /// Where a record, counted from the part's first, begins in the text.
  std::uint64_t start_of(std::uint64_t record) const noexcept { return host_starts[record] & ~LODE_NULL_RECORD; }
  /// From where record `begin` begins to where record `end` does, or to the text's end.
  std::uint64_t bytes_of(std::uint64_t begin, std::uint64_t end) const noexcept {
    return (end == last - first ? text->size() : start_of(end)) - start_of(begin);
  }
};

/// Some of the records, in the host's memory, for estimates: beginnings of those that are not null. And how much all are.
struct RecordSample {
  struct Beginning {
    std::uint32_t first = 0;  // of its bytes in those of all
    std::uint32_t bytes = 0;
    std::uint64_t record_bytes = 0;  // of the whole record
  };
  std::string bytes;
  std::vector<Beginning> records;
  std::uint64_t count = 0;  // of all
  std::uint64_t total_bytes = 0;
  std::uint64_t longest = 0;
};

RecordSample take_sample(const Records& records);

/// What a device needs beside an engine to fill cells.
class RecordKernels {
 public:
  explicit RecordKernels(Runtime& runtime);
  void fill(Queue& queue, const Buffer& cells, std::uint64_t words, std::uint32_t value) const;
  void index(Queue& queue, const Buffer& starts, std::uint32_t count, std::uint32_t block_log2,
             std::uint32_t block_count, const Buffer& blocks) const;

 private:
  Launch launch_;
  std::unique_ptr<Kernel> fill_;
  std::unique_ptr<Kernel> index_;
};

/// What it takes to bring records to one device. Whoever does it often keeps one. Used by one thread at a time.
struct RecordLoader {
  explicit RecordLoader(Runtime& runtime) : uploader(runtime), kernels(runtime) {}
  Uploader uploader;
  RecordKernels kernels;
};

class ResidentRecords {
 public:
  /// `threads` read and copy the records, by `loader` of the one device; null: one is made. Throws Error(device) where
  /// the memory does not suffice.
  ResidentRecords(std::vector<std::shared_ptr<Runtime>> runtimes, const Records& records, unsigned threads,
                  RecordLoader* loader = nullptr);

  const std::vector<std::shared_ptr<Runtime>>& runtimes() const noexcept { return runtimes_; }
  const std::vector<RecordPart>& parts() const noexcept { return parts_; }
  std::uint64_t size() const noexcept { return sample_.count; }
  std::uint64_t total_bytes() const noexcept { return sample_.total_bytes; }
  std::uint64_t longest() const noexcept { return sample_.longest; }
  const RecordSample& sample() const noexcept { return sample_; }
  /// No others of this process have had it.
  std::uint64_t number() const noexcept { return number_; }

 private:
  void add_part(const Records& records, std::size_t device, std::uint64_t first, std::uint64_t last, unsigned threads,
                RecordLoader& loader);

  std::vector<std::shared_ptr<Runtime>> runtimes_;
  std::vector<RecordPart> parts_;
  std::uint64_t number_;
  RecordSample sample_;
};

/// Cells of one record: of words of 32 bits.
std::uint64_t words_of_row(Mode mode, std::uint64_t patterns);

}  // namespace lode::gpu
