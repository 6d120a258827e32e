// MatrixPrinter: writes hits of records as rows of a dense matrix (comma-separated, one column for each pattern, -1
// where it does not occur) or one to a line. Records are numbered on from part to part. Nothing of the matrix is kept.
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

  /// The next record is number 0.
  void restart() noexcept { next_ = first_ = 0; }
  /// Records of the hits that follow count from here.
  void begin_part() noexcept { first_ = next_; }
  /// Number of the part's first record.
  std::uint64_t first_record() const noexcept { return first_; }
  /// Hits sorted by record, then pattern; all of a record.
  void take(std::span<const RecordHit> hits);
  /// The part had so many records.
  void end_part(std::uint64_t records);

 private:
  void take_dense(std::span<const RecordHit> hits);
  void take_sparse(std::span<const RecordHit> hits);
  void append_rows_without_hits(std::uint64_t rows);

  const MatrixForm form_;
  Writer* writer_;
  std::string rows_without_hits_;  // one or more; only for the dense form
  std::size_t row_bytes_ = 0;      // of each of them
  std::uint64_t rows_prepared_ = 0;
  std::uint64_t first_ = 0;  // record of the part
  std::uint64_t next_ = 0;   // record that is not written yet; >= first_
};

}  // namespace lode::command
