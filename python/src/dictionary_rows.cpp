#include "dictionary_rows.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "lode/error.hpp"

namespace lode::python {

DictionaryRows::DictionaryRows(char format, const void* indices, std::uint64_t count, Validity rows,
                               const Records& values)
    : values_(values), validity_(rows), uses_(values.size()) {
  if (values.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::limit, "a dictionary of more than 4294967295 values is not searched; decode the column");
  switch (format) {
    case 'c': take(static_cast<const std::int8_t*>(indices), count, rows); break;
    case 'C': take(static_cast<const std::uint8_t*>(indices), count, rows); break;
    case 's': take(static_cast<const std::int16_t*>(indices), count, rows); break;
    case 'S': take(static_cast<const std::uint16_t*>(indices), count, rows); break;
    case 'i': take(static_cast<const std::int32_t*>(indices), count, rows); break;
    case 'I': take(static_cast<const std::uint32_t*>(indices), count, rows); break;
    case 'l': take(static_cast<const std::int64_t*>(indices), count, rows); break;
    default: take(static_cast<const std::uint64_t*>(indices), count, rows); break;
  }
  join_validity(rows);
  leave_out_unused();
}

void DictionaryRows::fail_changed(std::uint32_t number) const {
  throw Error(ErrorKind::invalid_argument, "the Arrow column was changed after it was imported: the dictionary index " +
                                               std::to_string(number) + " points behind the " +
                                               std::to_string(values_.size()) + " values");
}

template <class Index>
void DictionaryRows::take(const Index* indices, std::uint64_t count, Validity rows) {
  constexpr bool borrows = sizeof(Index) == sizeof(std::uint32_t);
  if constexpr (!borrows) own_numbers_.resize(count);
  for (std::uint64_t row = 0; row < count; ++row) {
    if (is_null(rows, row)) continue;
    const Index index = load(indices[row]);
    if (std::is_signed_v<Index> && index < 0)
      throw Error(ErrorKind::invalid_argument, "the Arrow column is malformed: a dictionary index is negative");
    if (static_cast<std::uint64_t>(index) >= uses_.size())
      throw Error(ErrorKind::invalid_argument, "the Arrow column is malformed: the dictionary index " +
                                                   std::to_string(index) + " points behind the " +
                                                   std::to_string(uses_.size()) + " values");
    if constexpr (!borrows) own_numbers_[row] = static_cast<std::uint32_t>(index);
    ++uses_[static_cast<std::size_t>(index)];
  }
  if constexpr (borrows)
    numbers_ = {reinterpret_cast<const std::uint32_t*>(indices), static_cast<std::size_t>(count)};
  else
    numbers_ = own_numbers_;
}

// A row is null if its index is null or its value is.
void DictionaryRows::join_validity(Validity rows) {
  bool has_null_values = false;
  for (std::uint64_t value = 0; value < values_.size(); ++value) {
    if (values_.is_null(value)) {
      has_null_values = has_null_values || uses_[value] != 0;
      uses_[value] = 0;
    } else if (uses_[value] != 0) {
      const std::uint64_t bytes = values_[value].size();
      total_bytes_ += uses_[value] * bytes;
      longest_ = std::max(longest_, bytes);
    }
  }
  if (!has_null_values) return;
  own_validity_.assign((size() + 7) / 8, 0);
  for (std::uint64_t row = 0; row < size(); ++row)
    if (!is_null(rows, row) && !values_.is_null((*this)[row]))
      own_validity_[row / 8] |= static_cast<std::uint8_t>(1U << row % 8);
  validity_ = {own_validity_.data(), 0};
}

// A slice of a column has the dictionary of the whole column, of which it may use few values. Then these are copied,
// and only they are searched.
void DictionaryRows::leave_out_unused() {
  std::uint64_t used = 0;
  std::uint64_t used_bytes = 0;
  for (std::uint64_t value = 0; value < values_.size(); ++value) {
    if (uses_[value] == 0) continue;
    ++used;
    used_bytes += values_[value].size();
  }
  if (2 * used >= values_.size() && 2 * used_bytes >= values_.total_bytes()) return;
  std::vector<std::uint32_t> renumbered(values_.size());
  std::vector<std::uint64_t> uses;
  for (std::uint64_t value = 0; value < values_.size(); ++value) {
    renumbered[value] = static_cast<std::uint32_t>(uses.size());
    if (uses_[value] != 0) uses.push_back(uses_[value]);
  }
  std::vector<std::uint32_t> numbers(size());
  for (std::uint64_t row = 0; row < size(); ++row)
    if (!is_null(validity_, row)) numbers[row] = renumbered[(*this)[row]];
  values_ = used_.of(values_, [&](std::uint64_t value) { return uses_[value] != 0; });
  own_numbers_ = std::move(numbers);
  numbers_ = own_numbers_;
  uses_ = std::move(uses);
}

std::vector<std::uint8_t> DictionaryRows::spread_bits(std::span<const std::uint8_t> of_values) const {
  std::vector<std::uint8_t> of_rows((size() + 7) / 8);
  for (std::uint64_t row = 0; row < size(); ++row) {
    if (is_null(validity_, row)) continue;
    const std::uint32_t value = (*this)[row];
    of_rows[row / 8] |= static_cast<std::uint8_t>((of_values[value / 8] >> value % 8 & 1U) << row % 8);
  }
  return of_rows;
}

RecordHits DictionaryRows::spread_hits(const RecordHits& of_values) const {
  RecordHits of_rows;
  of_rows.row_starts.reserve(size() + 1);
  of_rows.row_starts.push_back(0);
  for (std::uint64_t row = 0; row < size(); ++row) {
    if (!is_null(validity_, row)) {
      const std::uint64_t value = (*this)[row];
      const auto begin = static_cast<std::ptrdiff_t>(of_values.row_starts[value]);
      const auto end = static_cast<std::ptrdiff_t>(of_values.row_starts[value + 1]);
      const auto append = [&](auto& to, const auto& from) {
        to.insert(to.end(), from.begin() + begin, from.begin() + end);
      };
      append(of_rows.pattern_ids, of_values.pattern_ids);
      append(of_rows.offsets, of_values.offsets);
    }
    of_rows.row_starts.push_back(of_rows.pattern_ids.size());
  }
  return of_rows;
}

}  // namespace lode::python
