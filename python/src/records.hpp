// RecordColumn: many short texts from Python, as chunks of lode::Records, with all that they borrow from.
//
// Columns of Arrow come through the C data interface and are borrowed where they lie, slices and nulls included; their
// arrays are released once, when the column goes. Lists are copied. Views (string_view, binary_view) lie scattered, and a
// search gets them a block at a time. Of a dictionary column the distinct values are the records, and DictionaryRows tell
// which of them each row has. Immutable; needs the GIL to be made and destroyed, not to be searched.
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

/// Of blocks of views: all rows in one.
inline constexpr std::uint64_t whole_chunk = std::numeric_limits<std::uint64_t>::max();
/// How much of a column of views is searched at a time: on a CPU what stays in its caches; a GPU needs more to be worth its
/// while. `auto` takes one for seconds of work alone, of which a small column has none.
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
    Records records;                                   // none where there are views
    Validity validity;                                 // of the rows
    std::shared_ptr<void> owner;                       // of what the others borrow
    std::shared_ptr<const ViewRows> views;             // null: the column has offsets or one length
    std::shared_ptr<const DictionaryRows> dictionary;  // null: row i is record i
    std::shared_ptr<const ResidentRecords> resident;   // a copy of `records` on a device; null: there is none

    /// What is to be searched.
    RecordSource source() const noexcept { return resident ? RecordSource(*resident) : RecordSource(records); }

    std::uint64_t size() const noexcept {
      return views ? views->size() : dictionary ? dictionary->size() : records.size();
    }
    /// Of what is searched, a value of a dictionary once.
    std::uint64_t stored_bytes() const noexcept { return views ? views->total_bytes() : records.total_bytes(); }
    bool is_null(std::uint64_t row) const noexcept { return lode::python::is_null(validity, row); }
    /// Precondition: row < size(), and it is not null. Throws as DictionaryRows does.
    std::string_view operator[](std::uint64_t row) const {
      return views ? (*views)[row] : records[dictionary ? (*dictionary)[row] : row];
    }

    /// Calls `search(part)` for one part after the other: for the chunk itself, or for blocks of its views, which cost
    /// about `block_bytes` each and are gone behind the call.
    template <class Search>
    void for_each_part(std::uint64_t block_bytes, const Search& search) const {
      if (resident)
        search(*this);
      else
        for_each_host_part(block_bytes, search);
    }
    /// The same of what is in the host's memory, for all parts have `records`.
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
  /// Bytes of records that were copied to lie one behind the other, or may be by each search.
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
