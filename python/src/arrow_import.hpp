// ArrowImport: the chunks of an Arrow column that a Python object gives, through __arrow_c_array__ or
// __arrow_c_stream__.
//
// Takes binary, string, their large kinds, fixed-size binary, views, dictionaries of these, and tables of one such column;
// anything else is a TypeError that says what to do. All is borrowed but the values of a dictionary of views, which are
// copied. A stream's error is Error(input_output). Needs the GIL, as an exporter may be written in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "arrow_abi.hpp"
#include "records.hpp"

namespace lode::python {

/// How Arrow lays out the bytes of a column.
enum class ColumnLayout { offsets32, offsets64, fixed_size, view };

class ArrowImport {
 public:
  explicit ArrowImport(nb::handle source);
  ArrowImport(const ArrowImport&) = delete;
  ArrowImport& operator=(const ArrowImport&) = delete;
  ~ArrowImport();

  /// Null behind the last chunk.
  std::optional<RecordColumn::Chunk> next();
  /// Of the last chunk, with what each search of its views may copy.
  std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }

 private:
  void read_layout(const ArrowSchema& schema);
  void read_index(const ArrowSchema& schema);
  RecordColumn::Chunk import(ArrowArray& taken);
  [[noreturn]] void fail_stream(int code);

  bool is_table_ = false;                          // of one column, which the others are of
  char index_format_ = 0;                          // 0: no dictionary
  ColumnLayout layout_ = ColumnLayout::offsets32;  // of a dictionary, of its values
  std::uint64_t width_ = 0;                        // of fixed_size
  ArrowArray array_ = {};                          // where `release` is not null: the one chunk, not yet given
  ArrowArrayStream stream_ = {};
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace lode::python
