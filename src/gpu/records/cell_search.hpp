// CellSearch: fills the cells of resident records by looking for one pattern after the other in one record after the other,
// each up to its first occurrence (kernels/cells.cl). And when that is less work than to look at all occurrences.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/engine/engine.hpp"
#include "gpu/records/resident_records.hpp"

namespace lode::gpu {

/// Records that are longer are not searched so: their places are 32-bit numbers, and a work-item is alone with each cell.
inline constexpr std::uint64_t most_cell_record_bytes = std::uint64_t{1} << 30;

/// What cells need of a device, beside an engine. Used by one thread at a time.
class CellKernel {
 public:
  explicit CellKernel(Runtime& runtime);

  /// Of a header, and the totals of as many groups as there may be.
  std::uint64_t answer_bytes() const noexcept {
    return sizeof(abi::lode_header) + max_groups_ * sizeof(abi::lode_totals);
  }
  /// Queues the rows of records [first, last) of the part; the first of its cells are those of `arguments.first_row`.
  /// Returns how many groups write their totals to `answer`, of answer_bytes(), behind its header: cells that were set as
  /// matches, those that were looked at as candidates.
  std::uint32_t launch(Queue& queue, const Engine& engine, const RecordPart& part, const RecordArguments& arguments,
                       std::uint64_t first, std::uint64_t last, const Buffer& answer) const;

 private:
  Launch launch_;
  std::uint64_t max_groups_;
  std::unique_ptr<Kernel> kernel_;
};

/// Whether cells are estimated to be filled faster one by one, from a sample of the records. Takes milliseconds; nothing
/// where has_few_patterns says no.
bool is_worth_cell_search(const PlanData& plan, const RecordSample& sample, Condition condition, char line_terminator);
/// Whether results of this mode are estimated to come faster if records of the host become resident first: occurrences are
/// so many that the host would be busy with them.
bool is_worth_staging(const PlanData& plan, const RecordSample& sample, Mode mode, Condition condition,
                      char line_terminator);
bool has_few_patterns(const PlanData& plan);

}  // namespace lode::gpu
