// ResidentRecords: records in the memory of GPUs.
//
// Records are divided among the devices by bytes. A *part* is some neighbouring records in one buffer of one device.
// Beside its text a part has where its records begin and, for each block of the text, the record that it begins in. So
// a kernel finds the record of an occurrence with few reads. A search leaves its results as cells in the device's
// memory (kernels/abi.h).
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
  std::uint64_t first = 0;  // the part has records [first, last)
  std::uint64_t last = 0;
  std::unique_ptr<Resident> text;          // begins with the part's first record
  std::vector<std::uint64_t> host_starts;  // where records begin in `text`, as kernels take it; one more than records
  std::unique_ptr<Buffer> starts;          // host_starts on the device
  std::unique_ptr<Buffer> blocks;          // host_blocks on the device
  std::vector<std::uint32_t> host_blocks;  // for each block, the record that it begins in, as kernels take it
  abi::lode_records records{};             // complete but for the members that depend on a search

  /// Where a record begins in the text. Here and below, records are counted from the part's first.
  std::uint64_t start_of(std::uint64_t record) const noexcept { return host_starts[record] & ~LODE_NULL_RECORD; }
  /// Bytes from the begin of record `begin` to the begin of record `end`, or to the text's end.
  std::uint64_t bytes_of(std::uint64_t begin, std::uint64_t end) const noexcept {
    return (end == last - first ? text->size() : start_of(end)) - start_of(begin);
  }
};

/// A sample of the records in host memory, for estimates: beginnings of some that are not null, and the size of all.
struct RecordSample {
  struct Beginning {
    std::uint32_t first = 0;  // place in RecordSample::bytes
    std::uint32_t bytes = 0;
    std::uint64_t record_bytes = 0;  // length of the whole record
  };
  std::string bytes;
  std::vector<Beginning> records;
  std::uint64_t count = 0;  // all records; so are total_bytes and longest
  std::uint64_t total_bytes = 0;
  std::uint64_t longest = 0;
};

RecordSample take_sample(const Records& records);

/// Kernels that make the index of a part, and that set all cells to one value.
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

/// Brings records to one device. Its pinned memory and kernels take time to make, so whoever loads often keeps one.
/// Used by one thread at a time.
struct RecordLoader {
  explicit RecordLoader(Runtime& runtime) : uploader(runtime), kernels(runtime) {}
  Uploader uploader;
  RecordKernels kernels;
};

class ResidentRecords {
 public:
  /// `threads` threads read the records. `loader` belongs to the one device; null: each device gets its own. Throws
  /// Error(device) if the memory does not suffice.
  ResidentRecords(std::vector<std::shared_ptr<Runtime>> runtimes, const Records& records, unsigned threads,
                  RecordLoader* loader = nullptr);

  const std::vector<std::shared_ptr<Runtime>>& runtimes() const noexcept { return runtimes_; }
  const std::vector<RecordPart>& parts() const noexcept { return parts_; }
  std::uint64_t size() const noexcept { return sample_.count; }
  std::uint64_t total_bytes() const noexcept { return sample_.total_bytes; }
  std::uint64_t longest() const noexcept { return sample_.longest; }
  const RecordSample& sample() const noexcept { return sample_; }
  /// A number that no other records of this process have or had.
  std::uint64_t number() const noexcept { return number_; }

 private:
  void add_part(const Records& records, std::size_t device, std::uint64_t first, std::uint64_t last, unsigned threads,
                RecordLoader& loader);

  std::vector<std::shared_ptr<Runtime>> runtimes_;
  std::vector<RecordPart> parts_;
  std::uint64_t number_;
  RecordSample sample_;
};

/// Words of 32 bits that the row of one record takes; 0 with Mode::any, whose rows are bits.
std::uint64_t words_of_row(Mode mode, std::uint64_t patterns);

}  // namespace lode::gpu
