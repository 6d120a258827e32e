// RecordColumn: many short texts from Python, as chunks of lode::Records, with all that they borrow from.
//
// Columns of Arrow come through the C data interface and are borrowed where they lie, slices and nulls included; their
// arrays are released once, when the column goes. Views (string_view, binary_view) lie scattered and are copied
// together, lists are copied as well. Of a dictionary column the distinct values are the records, and DictionaryRows
// tell which of them each row has. Immutable; needs the GIL to be made and destroyed, not to be searched.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dictionary_rows.hpp"
#include "lode/records.hpp"

namespace lode::python {

namespace nb = nanobind;

/// Beside its bytes a record costs a search about as much as so many more.
inline constexpr std::uint64_t record_cost_bytes = 32;

class RecordColumn {
 public:
  struct Chunk {
    Records records;
    Validity validity;                                 // of the rows
    std::shared_ptr<void> owner;                       // of what `records`, `validity` and `dictionary` borrow
    std::shared_ptr<const DictionaryRows> dictionary;  // null: row i is record i
    std::shared_ptr<const ResidentRecords> resident;   // a copy of `records` on a device; null: there is none

    /// What is to be searched.
    RecordSource source() const noexcept { return resident ? RecordSource(*resident) : RecordSource(records); }

    std::uint64_t size() const noexcept { return dictionary ? dictionary->size() : records.size(); }
    bool is_null(std::uint64_t row) const noexcept { return lode::python::is_null(validity, row); }
    /// Precondition: row < size(), and it is not null.
    std::string_view operator[](std::uint64_t row) const noexcept {
      return records[dictionary ? (*dictionary)[row] : row];
    }
  };

  /// An Arrow column, or an iterable of bytes, str, buffers and None.
  static RecordColumn of_any(nb::handle source);
  static RecordColumn of_lines(nb::handle text, char terminator);
  /// Records of one length; throws Error(invalid_argument) where the bytes are not a whole number of them.
  static RecordColumn of_length(nb::handle bytes, std::uint64_t length);

  /// The same, with copies of the records on a device. Needs no GIL.
  RecordColumn resident_on(const Device& device, unsigned threads) const;

  const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  std::uint64_t size() const noexcept { return size_; }
  /// Of all rows together, a value of a dictionary as often as rows have it.
  std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  /// Of all records as they are searched, a value of a dictionary once.
  std::uint64_t stored_bytes() const noexcept;
  std::uint64_t longest() const noexcept;
  std::uint64_t null_count() const noexcept;
  bool has_dictionary() const noexcept;
  /// Bytes of records that were copied to lie one behind the other.
  std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }

 private:
  void append(Chunk chunk);

  std::vector<Chunk> chunks_;
  std::uint64_t size_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;

  friend class ArrowImport;
};

/// Of its own class, so that Python can tell.
struct ResidentColumn : RecordColumn {};

/// Whether it gives its content as Arrow does: it has __arrow_c_array__ or __arrow_c_stream__.
bool is_arrow(nb::handle source);

}  // namespace lode::python
