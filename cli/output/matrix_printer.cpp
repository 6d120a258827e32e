#include "cli/output/matrix_printer.hpp"

#include <algorithm>
#include <charconv>

namespace lode::command {
namespace {

constexpr std::size_t prepared_bytes = std::size_t{1} << 15;
constexpr std::size_t most_digits = 20;     // digits of the largest number
constexpr std::string_view absent = "-1,";  // a cell without a hit; after the last cell a newline replaces the comma

}  // namespace

MatrixPrinter::MatrixPrinter(MatrixForm form, std::uint32_t pattern_count, Writer& writer)
    : form_(form), writer_(&writer) {
  if (form_ != MatrixForm::dense) return;
  row_bytes_ = absent.size() * pattern_count;
  rows_prepared_ = std::max<std::uint64_t>(1, prepared_bytes / row_bytes_);
  rows_without_hits_.reserve(rows_prepared_ * row_bytes_);
  for (std::uint64_t row = 0; row < rows_prepared_; ++row) {
    for (std::uint32_t id = 0; id < pattern_count; ++id) rows_without_hits_ += absent;
    rows_without_hits_.back() = '\n';
  }
}

void MatrixPrinter::take(std::span<const RecordHit> hits) {
  form_ == MatrixForm::dense ? take_dense(hits) : take_sparse(hits);
}

void MatrixPrinter::take_dense(std::span<const RecordHit> hits) {
  const std::string_view row = std::string_view(rows_without_hits_).substr(0, row_bytes_);
  for (std::size_t at = 0; at < hits.size();) {
    const std::uint64_t record = hits[at].record;
    append_rows_without_hits(first_ + record - next_);
    std::size_t written = 0;  // bytes of the row without hits that are written or replaced by offsets
    for (; at < hits.size() && hits[at].record == record; ++at) {
      const std::size_t cell = absent.size() * hits[at].pattern_id;
      writer_->append(row.substr(written, cell - written));
      writer_->append_number(hits[at].offset);
      written = cell + absent.size() - 1;
    }
    writer_->append(row.substr(written));
    writer_->end_line();
    next_ = first_ + record + 1;
  }
}

void MatrixPrinter::take_sparse(std::span<const RecordHit> hits) {
  for (const RecordHit& hit : hits) {
    char line[3 * most_digits + 3];
    char* end = std::to_chars(line, line + most_digits, first_ + hit.record).ptr;
    *end++ = '\t';
    end = std::to_chars(end, end + most_digits, hit.pattern_id).ptr;
    *end++ = '\t';
    end = std::to_chars(end, end + most_digits, hit.offset).ptr;
    *end++ = '\n';
    writer_->append(std::string_view(line, static_cast<std::size_t>(end - line)));
    writer_->end_line();
  }
  if (!hits.empty()) next_ = first_ + hits.back().record + 1;
}

void MatrixPrinter::append_rows_without_hits(std::uint64_t rows) {
  while (rows > 0) {
    const std::uint64_t some = std::min(rows, rows_prepared_);
    writer_->append(std::string_view(rows_without_hits_).substr(0, some * row_bytes_));
    writer_->end_line();
    rows -= some;
  }
}

void MatrixPrinter::end_part(std::uint64_t records) {
  if (form_ == MatrixForm::dense) append_rows_without_hits(first_ + records - next_);
  next_ = first_ + records;
}

}  // namespace lode::command
