// MatrixPrinter: writes hits of records as rows of a dense matrix (comma-separated, one column for each pattern, -1
// where it does not occur), or one hit a line. Numbers of records go on from part to part. No row stays in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/arguments/settings.hpp"
#include "cli/output/writer.hpp"
#include "lode/records.hpp"

namespace lode::command {

class MatrixPrinter {
 public:
  MatrixPrinter(MatrixForm form, std::uint32_t pattern_count, Writer& writer);

  /// Begins a matrix: the next record is number 0.
  void restart() noexcept { next_ = first_ = 0; }
  /// Begins a part: record 0 of the hits that follow is the next record of the matrix.
  void begin_part() noexcept { first_ = next_; }
  /// The number of the part's first record.
  std::uint64_t first_record() const noexcept { return first_; }
  /// Takes hits sorted by record, then pattern. All hits of a record come in one call.
  void take(std::span<const RecordHit> hits);
  /// Ends a part, which had so many records.
  void end_part(std::uint64_t records);

 private:
  void take_dense(std::span<const RecordHit> hits);
  void take_sparse(std::span<const RecordHit> hits);
  void append_rows_without_hits(std::uint64_t rows);

  const MatrixForm form_;
  Writer* writer_;
  std::string rows_without_hits_;    // one or several such rows, ready to write; only for the dense form
  std::size_t row_bytes_ = 0;        // bytes of one of them
  std::uint64_t rows_prepared_ = 0;  // their number
  std::uint64_t first_ = 0;          // number of the part's first record
  std::uint64_t next_ = 0;           // number of the next record to write; >= first_
};

}  // namespace lode::command
