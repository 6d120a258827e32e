// ArrowImport: the chunks of an Arrow column that a Python object gives through __arrow_c_array__ or
// __arrow_c_stream__.
//
// It takes binary, string, their large kinds, fixed-size binary, views, dictionaries of these, and tables of one such
// column. It throws a TypeError that says what to do for anything else. Everything is borrowed, except the values of a
// dictionary of views, which are copied. A stream's error becomes Error(input_output). Needs the GIL, because an
// exporter may be written in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "arrow_abi.hpp"
#include "records.hpp"

namespace lode::python {

/// The layout of a column's bytes in Arrow.
enum class ColumnLayout { offsets32, offsets64, fixed_size, view };

class ArrowImport {
 public:
  explicit ArrowImport(nb::handle source);
  ArrowImport(const ArrowImport&) = delete;
  ArrowImport& operator=(const ArrowImport&) = delete;
  ~ArrowImport();

  /// The next chunk; null behind the last one.
  std::optional<RecordColumn::Chunk> next();
  /// How many bytes of the last chunk were copied, or may be copied by each search of its views.
  std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }

 private:
  void read_layout(const ArrowSchema& schema);
  void read_index(const ArrowSchema& schema);
  RecordColumn::Chunk import(ArrowArray& taken);
  [[noreturn]] void fail_stream(int code);

  bool is_table_ = false;                          // whether the source is a table; what follows is of its only column
  char index_format_ = 0;                          // 0 means that there is no dictionary
  ColumnLayout layout_ = ColumnLayout::offsets32;  // the layout of the column, or of its dictionary's values
  std::uint64_t width_ = 0;                        // the bytes of each record, for fixed_size
  ArrowArray array_ = {};                          // the only chunk, until next() has given it and `release` is null
  ArrowArrayStream stream_ = {};
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace lode::python
