// RecordColumn: many short texts from Python, as chunks of lode::Records, with the owners of the memory that they
// borrow.
//
// Columns of Arrow come through the C data interface and are borrowed where they lie, also slices and nulls. Their
// arrays are released once, when the column is destroyed. Lists are copied. Views (string_view, binary_view) lie
// scattered, and a search gets them a block at a time. In a dictionary column the distinct values are the records, and
// DictionaryRows says which of them each row has. Immutable. Making and destroying it needs the GIL; searching it does
// not.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "dictionary_rows.hpp"
#include "lode/records.hpp"
#include "view_rows.hpp"

namespace lode::python {

namespace nb = nanobind;

/// The size of a block of views that has all rows.
inline constexpr std::uint64_t whole_chunk = std::numeric_limits<std::uint64_t>::max();
/// How many bytes of a column of views are searched at a time. A CPU gets as many as stay in its caches. A GPU needs
/// more to pay off. `auto` takes a GPU only for seconds of work, which a small column does not have.
inline std::uint64_t view_block_bytes(const Device& device, std::uint64_t column_bytes) {
  constexpr std::uint64_t of_cpu = std::uint64_t{4} << 20;
  constexpr std::uint64_t of_gpu = std::uint64_t{256} << 20;
  constexpr std::uint64_t of_auto = std::uint64_t{1} << 30;
  if (device.name() == "cpu" || (device.name() == "auto" && column_bytes <= of_auto)) return of_cpu;
  return device.name() == "auto" ? of_auto : of_gpu;
}

class RecordColumn {
 public:
  struct Chunk {
    Records records;                                   // empty if there are views
    Validity validity;                                 // which rows are null
    std::shared_ptr<void> owner;                       // owns the memory that the other members borrow
    std::shared_ptr<const ViewRows> views;             // null if the column has offsets or records of one length
    std::shared_ptr<const DictionaryRows> dictionary;  // null if row i is record i
    std::shared_ptr<const ResidentRecords> resident;   // a copy of `records` on a device, or null

    /// The records to search.
    RecordSource source() const noexcept { return resident ? RecordSource(*resident) : RecordSource(records); }

    std::uint64_t size() const noexcept {
      return views ? views->size() : dictionary ? dictionary->size() : records.size();
    }
    /// The bytes of the records to search; a value of a dictionary counts once.
    std::uint64_t stored_bytes() const noexcept { return views ? views->total_bytes() : records.total_bytes(); }
    bool is_null(std::uint64_t row) const noexcept { return lode::python::is_null(validity, row); }
    /// Precondition: row < size(), and it is not null. Throws as DictionaryRows does.
    std::string_view operator[](std::uint64_t row) const {
      return views ? (*views)[row] : records[dictionary ? (*dictionary)[row] : row];
    }

    /// Calls `search(part)` for the chunk itself, or for one block of its views after the other. A block costs about
    /// `block_bytes` and is invalid after the call.
    template <class Search>
    void for_each_part(std::uint64_t block_bytes, const Search& search) const {
      if (resident)
        search(*this);
      else
        for_each_host_part(block_bytes, search);
    }
    /// Works as for_each_part() does, but the parts of a resident chunk are in the host's memory, too.
    template <class Search>
    void for_each_host_part(std::uint64_t block_bytes, const Search& search) const {
      if (!views) {
        search(*this);
        return;
      }
      ViewBlock block;
      for (std::uint64_t first = 0; first < size();) {
        Chunk part;
        part.records = block.of(*views, first, block_bytes);
        part.validity = {validity.bits, validity.first_bit + first};
        search(part);
        first += part.size();
      }
    }
  };

  /// Makes records of an Arrow column, or of an iterable of bytes, str, buffers and None.
  static RecordColumn of_any(nb::handle source);
  static RecordColumn of_lines(nb::handle text, char terminator);
  /// Makes records of one length. Throws Error(invalid_argument) if the bytes are not a whole number of them.
  static RecordColumn of_length(nb::handle bytes, std::uint64_t length);

  /// This column with copies of the records on a device. Needs no GIL.
  RecordColumn resident_on(const Device& device, unsigned threads) const;

  const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  std::uint64_t size() const noexcept { return size_; }
  /// The bytes of all rows together; a value of a dictionary counts as often as rows have it.
  std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  /// The bytes of all records to search; a value of a dictionary counts once.
  std::uint64_t stored_bytes() const noexcept;
  std::uint64_t longest() const noexcept;
  std::uint64_t null_count() const noexcept;
  bool has_dictionary() const noexcept;
  /// How many bytes were copied so that records lie one behind the other, or may be copied by each search.
  std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }

 private:
  void append(Chunk chunk);

  std::vector<Chunk> chunks_;
  std::uint64_t size_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;

  friend class ArrowImport;
};

/// A class of its own, so that Python can tell it from Records on the host.
struct ResidentColumn : RecordColumn {};

/// Whether the source exports Arrow: it has __arrow_c_array__ or __arrow_c_stream__.
bool is_arrow(nb::handle source);

}  // namespace lode::python
