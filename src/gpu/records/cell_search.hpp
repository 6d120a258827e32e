// Cell search: fills the cells of resident records by looking for each pattern in each record, up to its first
// occurrence (kernels/cells.cl). Also estimates whether that is less work than looking at all occurrences.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/engine/engine.hpp"
#include "gpu/records/resident_records.hpp"

namespace lode::gpu {

/// Longer records are not searched cell by cell: places are 32-bit numbers, and each cell has a single work-item.
inline constexpr std::uint64_t most_cell_record_bytes = std::uint64_t{1} << 30;

/// The kernel of cell search on one device. Used by one thread at a time.
class CellKernel {
 public:
  explicit CellKernel(Runtime& runtime);

  /// The size of an answer: a header, and the totals of as many groups as a launch may have.
  std::uint64_t answer_bytes() const noexcept {
    return sizeof(abi::lode_header) + max_groups_ * sizeof(abi::lode_totals);
  }
  /// Queues the search of records [first, last) of the part. The cells begin with the row of record
  /// `arguments.records.first_row`. Returns how many groups write their totals to `answer`, which has answer_bytes(),
  /// behind its header. Matches are the cells that got an offset, candidates the cells that were searched.
  std::uint32_t launch(Queue& queue, const Engine& engine, const RecordPart& part, const RecordArguments& arguments,
                       std::uint64_t first, std::uint64_t last, const Buffer& answer) const;

 private:
  Launch launch_;
  std::uint64_t max_groups_;
  std::unique_ptr<Kernel> kernel_;
};

/// Whether a sample of the records says that filling cells one by one is faster. Takes milliseconds, or no time if
/// has_few_patterns() is false; then the answer is no.
bool is_worth_cell_search(const PlanData& plan, const RecordSample& sample, Condition condition, char line_terminator);
/// Whether a sample says that results of this mode come faster if records of the host become resident first, because
/// there are so many occurrences that the host would be busy with them.
bool is_worth_staging(const PlanData& plan, const RecordSample& sample, Mode mode, Condition condition,
                      char line_terminator);
bool has_few_patterns(const PlanData& plan);

}  // namespace lode::gpu
