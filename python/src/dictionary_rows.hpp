// DictionaryRows: the rows of a dictionary column, each the number of a distinct value, and the spreading of what was
// found in the values over the rows.
//
// Values are searched once, however many rows have them. Indices of 32 bits are borrowed, others widened. What is
// borrowed may be changed by whoever owns it, so each index is checked where it is used. Needs no GIL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lode/records.hpp"

namespace lode::python {

/// Beside its bytes a record costs a search about as much as so many more.
inline constexpr std::uint64_t record_cost_bytes = 32;

inline bool is_null(const Validity& validity, std::uint64_t row) noexcept {
  const std::uint64_t bit = validity.first_bit + row;
  return validity.bits != nullptr && (validity.bits[bit / 8] >> (bit % 8) & 1) == 0;
}

/// Copies of some records, one behind the other; the Records of the last call borrow them.
class GatheredRecords {
 public:
  /// Those records for which `wanted(number)` holds.
  template <class Wanted>
  Records of(const Records& records, const Wanted& wanted) {
    bytes_.clear();
    offsets_.assign(1, 0);
    for (std::uint64_t record = 0; record < records.size(); ++record) {
      if (!wanted(record)) continue;
      const std::string_view bytes = records[record];
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      offsets_.push_back(bytes_.size());
    }
    return Records::with_offsets({bytes_.data(), bytes_.size()}, std::span<const std::uint64_t>(offsets_));
  }
  std::uint64_t size_bytes() const noexcept { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
  std::vector<std::uint64_t> offsets_;
};

class DictionaryRows {
 public:
  /// `indices`: `count` numbers of the type that Arrow's `format` ("c" … "L") names. `values` are the dictionary;
  /// `rows` tells which rows are null, by the indices alone. Throws Error(invalid_argument) where an index of a row that
  /// is not null points behind the values.
  DictionaryRows(char format, const void* indices, std::uint64_t count, Validity rows, const Records& values);
  DictionaryRows(const DictionaryRows&) = delete;
  DictionaryRows& operator=(const DictionaryRows&) = delete;

  /// What is to be searched: the values, or where rows use few of them, a copy of those.
  const Records& values() const noexcept { return values_; }
  /// Which rows are null, by the indices or the values.
  Validity validity() const noexcept { return validity_; }
  std::uint64_t size() const noexcept { return numbers_.size(); }
  /// The number of a row's value, less than values().size(). Precondition: the row is not null. Throws
  /// Error(invalid_argument) where the column has been changed and points behind the values now.
  std::uint32_t operator[](std::uint64_t row) const {
    // One load, so that what is returned is what was checked.
    const std::uint32_t number = load(numbers_[row]);
    if (number >= values_.size()) fail_changed(number);
    return number;
  }
  /// Bytes of all rows that are not null, and of the longest of them.
  std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  std::uint64_t longest() const noexcept { return longest_; }
  std::uint64_t copied_bytes() const noexcept { return used_.size_bytes(); }
  /// For each value, how many rows that are not null have it.
  std::span<const std::uint64_t> uses() const noexcept { return uses_; }

  /// A bit for each row, of a bit for each value. Rows that are null have 0.
  std::vector<std::uint8_t> spread_bits(std::span<const std::uint8_t> of_values) const;
  /// `width` elements for each row, of as many for each value. Rows that are null have `missing`.
  template <class Element>
  void spread(std::span<const Element> of_values, std::uint64_t width, Element missing,
              std::span<Element> of_rows) const {
    for (std::uint64_t row = 0; row < size(); ++row) {
      Element* const to = of_rows.data() + row * width;
      if (is_null(validity_, row))
        std::fill_n(to, width, missing);
      else
        std::copy_n(of_values.data() + (*this)[row] * width, width, to);
    }
  }
  RecordHits spread_hits(const RecordHits& of_values) const;

 private:
  template <class Index>
  static Index load(const Index& place) noexcept {
    return __atomic_load_n(&place, __ATOMIC_RELAXED);
  }
  [[noreturn]] void fail_changed(std::uint32_t number) const;
  template <class Index>
  void take(const Index* indices, std::uint64_t count, Validity rows);
  void join_validity(Validity rows);
  void leave_out_unused();

  Records values_;
  std::span<const std::uint32_t> numbers_;
  Validity validity_;
  std::vector<std::uint64_t> uses_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t longest_ = 0;
  std::vector<std::uint32_t> own_numbers_;
  std::vector<std::uint8_t> own_validity_;
  GatheredRecords used_;
};

}  // namespace lode::python
