// DictionaryRows: the rows of a dictionary column. Each row is the number of a distinct value. A search looks at each
// value once, and then the results of values are spread over the rows.
//
// Example: the values "he", "she" and the rows 1 0 1. If the search counts 1 and 2 in the values, the rows get 2 1 2.
//
// Indices of 32 bits are borrowed, others are copied to 32 bits. The owner may change borrowed indices at any time, so
// each is checked whenever it is used. Needs no GIL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lode/records.hpp"

namespace lode::python {

/// The cost of a record for a search beside that of its bytes, expressed as a number of bytes.
inline constexpr std::uint64_t record_cost_bytes = 32;

inline bool is_null(const Validity& validity, std::uint64_t row) noexcept {
  const std::uint64_t bit = validity.first_bit + row;
  return validity.bits != nullptr && (validity.bits[bit / 8] >> (bit % 8) & 1) == 0;
}

/// Copies some records, one behind the other. The Records of the last call borrow the copies.
class GatheredRecords {
 public:
  /// Copies the records for which `wanted(number)` holds.
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
  /// `indices` are `count` numbers of the type that Arrow's `format` ("c" … "L") names. `values` are the dictionary.
  /// `rows` says which indices are null. Throws Error(invalid_argument) if an index that is not null points behind the
  /// values.
  DictionaryRows(char format, const void* indices, std::uint64_t count, Validity rows, const Records& values);
  DictionaryRows(const DictionaryRows&) = delete;
  DictionaryRows& operator=(const DictionaryRows&) = delete;

  /// The records to search: the values, or a copy of those that rows use, if these are few.
  const Records& values() const noexcept { return values_; }
  /// Which rows are null, because of the index or the value.
  Validity validity() const noexcept { return validity_; }
  std::uint64_t size() const noexcept { return numbers_.size(); }
  /// The number of a row's value, less than values().size(). Precondition: the row is not null. Throws
  /// Error(invalid_argument) if the column was changed and now points behind the values.
  std::uint32_t operator[](std::uint64_t row) const {
    // There is one load only, so that the number that is checked is the one that is returned.
    const std::uint32_t number = load(numbers_[row]);
    if (number >= values_.size()) fail_changed(number);
    return number;
  }
  /// The bytes of all rows that are not null together, and those of the longest row.
  std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  std::uint64_t longest() const noexcept { return longest_; }
  std::uint64_t copied_bytes() const noexcept { return used_.size_bytes(); }
  /// For each value, how many rows that are not null have it.
  std::span<const std::uint64_t> uses() const noexcept { return uses_; }

  /// Makes a bit for each row from a bit for each value. Rows that are null get 0.
  std::vector<std::uint8_t> spread_bits(std::span<const std::uint8_t> of_values) const;
  /// Makes `width` elements for each row from as many for each value. Rows that are null get `missing`.
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
