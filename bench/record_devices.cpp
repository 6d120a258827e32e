#include "record_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/clock.hpp"
#include "device/registry.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_sources.hpp"
#include "gpu/records/resident_records.hpp"
#include "gpu_ceiling.hpp"
#include "lode/error.hpp"

namespace lode::bench {
namespace {

using base::Clock;
using base::seconds_since;

constexpr std::uint64_t most_matrix_bytes = std::uint64_t{32} << 30;
constexpr std::uint64_t most_compared_cells = std::uint64_t{1} << 28;  // at each end of a matrix
constexpr std::uint64_t most_contest_cells = std::uint64_t{1} << 30;   // places of cells are 32-bit numbers there
constexpr std::uint64_t piece_cells = std::uint64_t{1} << 24;
constexpr double seconds_of_device_slice = 0.25;
constexpr double most_contest_seconds = 5;

// Each work-item looks for one pattern at each place of one record, until it has found it: the design in general use.
// Neighbours share a record.
constexpr const char* cell_kernel = R"(
KERNEL void lode_cells(GLOBAL const u8* RESTRICT text, GLOBAL const u64* RESTRICT starts,
                       GLOBAL const u8* RESTRICT pattern_bytes, GLOBAL const u32* RESTRICT pattern_starts,
                       u32 columns, u32 cells, GLOBAL u32* RESTRICT out LOCAL_ARGUMENT) {
  const u32 cell = group_index() * group_items() + item_index();
  if (cell >= cells) return;
  const u32 row = cell / columns;
  const u32 id = cell % columns;
  GLOBAL const u8* record = text + starts[row];
  GLOBAL const u8* pattern = pattern_bytes + pattern_starts[id];
  const u32 size = (u32)(starts[row + 1] - starts[row]);
  const u32 length = pattern_starts[id + 1] - pattern_starts[id];
  const u8 head = pattern[0];
  u32 found = 0xffffffffu;
  for (u32 place = 0; place + length <= size; ++place) {
    if (record[place] != head) continue;
    u32 same = 1;
    while (same < length && record[place + same] == pattern[same]) ++same;
    if (same == length) {
      found = place;
      break;
    }
  }
  out[cell] = found;
}
)";

gpu::KernelSource cell_source() {
  gpu::KernelSource source;
  for (const gpu::KernelFile& file : gpu::kernel_files())
    if (file.name == "portable.h") source.text = file.text;
  source.text += cell_kernel;
  source.entry = "lode_cells";
  return source;
}

template <class Value>
std::unique_ptr<gpu::Buffer> upload(gpu::Runtime& runtime, std::span<const Value> values) {
  std::unique_ptr<gpu::Buffer> buffer = runtime.make_buffer(std::max<std::uint64_t>(16, values.size_bytes()));
  const std::unique_ptr<gpu::Queue> queue = runtime.make_queue();
  queue->write(*buffer, 0, values.data(), values.size_bytes());
  queue->wait();
  return buffer;
}

// Bound to the patterns, on one device.
class CellKernel {
 public:
  CellKernel(const std::shared_ptr<gpu::Runtime>& runtime, const std::vector<std::string>& patterns)
      : runtime_(runtime), columns_(static_cast<std::uint32_t>(patterns.size())), queue_(runtime->make_queue()) {
    kernel_ = gpu::make_kernel(*runtime, cell_source());
    std::string bytes;
    std::vector<std::uint32_t> starts{0};
    for (const std::string& pattern : patterns) {
      bytes += pattern;
      starts.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    bytes_ = upload<char>(*runtime, bytes);
    starts_ = upload<std::uint32_t>(*runtime, starts);
  }

  /// The first rows of records that lie in one part, without nulls and gaps.
  void run(const ResidentRecords& records, std::uint64_t rows, const gpu::Buffer& cells) {
    const gpu::RecordPart& part = records.data().parts()[0];
    const auto count = static_cast<std::uint32_t>(rows * columns_);
    gpu::Launch launch{1, std::min(256u, runtime_->limits().max_group_items), 0};
    launch.groups = (count + launch.group_items - 1) / launch.group_items;
    const std::array<gpu::Argument, 7> arguments{
        {part.text->stripes()[0].text.get(), part.starts.get(), bytes_.get(), starts_.get(), columns_, count, &cells}};
    queue_->launch(*kernel_, launch, arguments);
    queue_->wait();
  }

 private:
  std::shared_ptr<gpu::Runtime> runtime_;
  std::uint32_t columns_;
  std::unique_ptr<gpu::Queue> queue_;
  std::unique_ptr<gpu::Kernel> kernel_;
  std::unique_ptr<gpu::Buffer> bytes_;
  std::unique_ptr<gpu::Buffer> starts_;
};

// Rows [first, last) of a matrix whose first row is `matrix_first`, read piece by piece.
std::string compare_rows(const DeviceMatrix& matrix, std::uint64_t matrix_first, std::uint64_t first,
                         std::uint64_t last, std::uint64_t columns, const Reference& reference) {
  const std::uint64_t step = std::max<std::uint64_t>(1, piece_cells / columns);
  std::vector<std::int32_t> cells;
  for (std::uint64_t row = first; row < last; row += step) {
    const std::uint64_t end = std::min(last, row + step);
    cells.resize((end - row) * columns);
    matrix.read((row - matrix_first) * columns, cells);
    if (std::string difference = reference.compare_cells(row, cells); !difference.empty()) return difference;
  }
  return "";
}

// The rows at both ends; all of them where they are few enough.
std::string compare_matrix(const DeviceMatrix& matrix, std::uint64_t first, std::uint64_t last, std::uint64_t columns,
                           const Reference& reference) {
  const std::uint64_t rows = std::max<std::uint64_t>(1, most_compared_cells / columns);
  const std::uint64_t head = std::min(last, first + rows);
  std::string difference = compare_rows(matrix, first, first, head, columns, reference);
  if (!difference.empty()) return difference;
  return compare_rows(matrix, first, std::max(head, last - std::min(rows, last - first)), last, columns, reference);
}

// All records of a workload on one device, whole and in blocks whose matrices fit.
class DeviceRecords {
 public:
  DeviceRecords(const RecordWorkload& workload, const Device& device)
      : device_(device), columns_(workload.patterns().size()), whole_(device, workload.records()) {
    const gpu::Limits& limits = whole_.data().runtimes()[0]->limits();
    const std::uint64_t bytes = std::min({most_matrix_bytes, limits.max_buffer_bytes, limits.memory_bytes / 4});
    rows_ = std::clamp<std::uint64_t>(bytes / 4 / columns_, 1, workload.records().size());
    for (std::uint64_t first = 0; first < workload.records().size(); first += rows_) {
      const std::uint64_t last = std::min(workload.records().size(), first + rows_);
      blocks_.push_back({first, last, ResidentRecords(device, workload.records().slice(first, last))});
    }
    matrix_ = std::make_unique<DeviceMatrix>(device, rows_ * columns_);
  }

  const ResidentRecords& whole() const { return whole_; }
  gpu::Runtime& runtime() const { return *whole_.data().runtimes()[0]; }
  std::size_t blocks() const { return blocks_.size(); }

  void fill(const RecordSearcher& searcher) {
    for (const Block& block : blocks_) searcher.first_dense(block.records, *matrix_);
  }
  std::string check(const RecordSearcher& searcher, const Reference& reference) {
    for (const Block& block : blocks_) {
      RecordStats stats;
      RecordRunOptions run;
      run.stats = &stats;
      searcher.first_dense(block.records, *matrix_, run);
      const std::uint64_t hits = reference.hits_within(block.first, block.last);
      if (stats.search.matches != hits) return fmt::format("{} cells were set, not {}", stats.search.matches, hits);
      std::string difference = compare_matrix(*matrix_, block.first, block.last, columns_, reference);
      if (!difference.empty()) return difference;
    }
    return "";
  }
  /// Bytes a second; the best of `repetitions`.
  double measure_write_rate(int repetitions) {
    const gpu::RecordKernels kernels(runtime());
    const std::unique_ptr<gpu::Queue> queue = runtime().make_queue();
    double best = 0;
    for (int repetition = 0; repetition <= repetitions; ++repetition) {
      const auto begin = Clock::now();
      kernels.fill(*queue, matrix_->buffer(), matrix_->size(), 0xffffffffu);
      queue->wait();
      best = std::max(best, static_cast<double>(matrix_->size()) * 4 / seconds_since(begin));
    }
    return best;
  }

 private:
  struct Block {
    std::uint64_t first;
    std::uint64_t last;
    ResidentRecords records;
  };
  Device device_;
  std::uint64_t columns_;
  ResidentRecords whole_;
  std::uint64_t rows_ = 0;
  std::vector<Block> blocks_;
  std::unique_ptr<DeviceMatrix> matrix_;
};

}  // namespace

void add_device_contestants(Contestants& contestants, const RecordWorkload& workload, const Plan& plan,
                            const Reference& reference, const Device& device, int repetitions) {
  const auto on_device = std::make_shared<DeviceRecords>(workload, device);
  const gpu::ResidentRecords& data = on_device->whole().data();
  double read_ceiling = 0;
  if (data.parts().size() == 1)
    read_ceiling = measure_read_rates(*data.parts()[0].text, repetitions)[0].bytes_per_second;
  const double write_ceiling = on_device->measure_write_rate(repetitions);
  const Records& records = workload.records();
  const auto add = [&](const char* name, const std::string& place, const char* output) -> Contestant& {
    auto made = std::make_unique<Contestant>();
    made->name = name;
    made->place = place;
    made->output = output;
    made->rows = records.size();
    made->bytes = workload.bytes_of(records.size());
    made->read_ceiling = read_ceiling;
    made->write_ceiling = write_ceiling;
    contestants.push_back(std::move(made));
    return *contestants.back();
  };
  // `source` outlives the contestants: it is the workload's, or on_device's.
  const auto add_sparse = [&](const char* algorithm, const std::string& place,
                              const std::shared_ptr<const RecordSearcher>& searcher, RecordSource source) {
    Contestant& one = add(algorithm, place, "sparse");
    one.run = [searcher, source, on_device] { searcher->first(source); };
    one.check = [searcher, source, &one, &reference] {
      RecordStats stats;
      RecordRunOptions run;
      run.stats = &stats;
      const RecordHits hits = searcher->first(source, run);
      one.detail = describe_stages(stats);
      return reference.compare(hits);
    };
  };
  // Hits that nobody keeps: what finding them takes, without the matrix.
  const auto add_hits = [&](const char* algorithm, const std::string& place,
                            const std::shared_ptr<const RecordSearcher>& searcher, RecordSource source) {
    Contestant& one = add(algorithm, place, "hits");
    const auto count_hits = [searcher, source] {
      std::uint64_t hits = 0;
      searcher->first(source, [&](std::span<const RecordHit> batch) {
        hits += batch.size();
        return true;
      });
      return hits;
    };
    one.run = [count_hits, on_device] { count_hits(); };
    one.check = [count_hits, rows = records.size(), &reference]() -> std::string {
      const std::uint64_t hits = count_hits();
      const std::uint64_t expected = reference.hits_within(0, rows);
      return hits == expected ? "" : fmt::format("{} hits, not {}", hits, expected);
    };
  };
  const auto add_any = [&](const char* algorithm, const std::string& place,
                           const std::shared_ptr<const RecordSearcher>& searcher, RecordSource source) {
    Contestant& one = add(algorithm, place, "any");
    one.run = [searcher, source, on_device] { searcher->contains_any(source); };
    one.check = [searcher, source, &reference] { return reference.compare_bits(searcher->contains_any(source)); };
  };
  for (const char* const algorithm : {"filter", "rabin-karp"}) {
    if (const std::string reason = refusal(algorithm, plan); !reason.empty()) {
      add(algorithm, device.name(), "sparse").not_run = reason;
      continue;
    }
    SearcherOptions options;
    options.algorithm = algorithm;
    const auto searcher = std::make_shared<const RecordSearcher>(plan, options, device);
    const std::string resident = device.name() + " resident";
    add_sparse(algorithm, device.name(), searcher, records);
    add_any(algorithm, device.name(), searcher, records);
    add_sparse(algorithm, resident, searcher, on_device->whole());
    add_hits(algorithm, resident, searcher, on_device->whole());
    add_any(algorithm, resident, searcher, on_device->whole());
    Contestant& dense = add(algorithm, resident, "dense");
    dense.cells = records.size() * workload.patterns().size();
    if (on_device->blocks() > 1) dense.detail = fmt::format("in {} blocks of rows", on_device->blocks());
    dense.run = [searcher, on_device] { on_device->fill(*searcher); };
    dense.check = [searcher, on_device, &reference] { return on_device->check(*searcher, reference); };
  }
}

CellContest hold_cell_contest(const RecordWorkload& workload, const Plan& plan, const Reference& reference,
                              const Device& device, int repetitions) {
  const std::uint64_t columns = workload.patterns().size();
  const std::shared_ptr<gpu::Runtime>& runtime = device.gpus()->runtimes.front();
  const std::uint64_t most_cells =
      std::min({most_contest_cells, runtime->limits().max_buffer_bytes / 4, runtime->limits().memory_bytes / 16});
  std::uint64_t rows = std::clamp<std::uint64_t>(most_cells / columns, 1, workload.records().size());
  DeviceMatrix matrix(device, rows * columns);
  CellKernel kernel(runtime, workload.patterns());
  if (workload.is_uniform()) {
    // As many rows as the cell kernel makes in a while.
    const ResidentRecords records(device, workload.records().slice(0, rows));
    for (std::uint64_t some = 1; some < rows; some *= 4) {
      kernel.run(records, some, matrix.buffer());
      const auto begin = Clock::now();
      kernel.run(records, some, matrix.buffer());
      const double seconds = seconds_since(begin);
      if (seconds < seconds_of_device_slice / 8) continue;
      rows = std::clamp(static_cast<std::uint64_t>(static_cast<double>(some) * seconds_of_device_slice / seconds),
                        std::uint64_t{1}, rows);
      break;
    }
  }
  const ResidentRecords records(device, workload.records().slice(0, rows));
  CellContest contest;
  contest.rows = rows;
  contest.bytes = workload.bytes_of(rows);
  contest.cells = rows * columns;
  SearcherOptions options;
  const RecordSearcher searcher(plan, options, device);
  const auto run_lode = [&] { searcher.first_dense(records, matrix); };
  const auto run_kernel = [&] { kernel.run(records, rows, matrix.buffer()); };
  run_lode();
  if (std::string lode = compare_matrix(matrix, 0, rows, columns, reference); !lode.empty())
    contest.difference = "lode: " + lode;
  run_kernel();
  if (std::string theirs = compare_matrix(matrix, 0, rows, columns, reference); !theirs.empty())
    contest.difference += "cell kernel: " + theirs;
  if (!contest.difference.empty()) return contest;
  const auto start = Clock::now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    // Where one work-item has a very long record a single comparison tells enough.
    if (repetition > 0 && seconds_since(start) > most_contest_seconds) break;
    auto begin = Clock::now();
    run_lode();
    contest.lode_seconds.push_back(seconds_since(begin));
    begin = Clock::now();
    run_kernel();
    contest.cell_kernel_seconds.push_back(seconds_since(begin));
  }
  return contest;
}

}  // namespace lode::bench
