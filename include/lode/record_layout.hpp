// Records: where each of many short texts lies that stand one behind the other in memory.
//
//   const std::uint64_t ends[] = {0, 5, 10};
//   const lode::Records records = lode::Records::with_offsets("kittypuppy", ends);  // records[1] is "puppy"
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lode/export.hpp"

namespace lode {

/// Which records are there: bit `first_bit + i` of the bytes, counted from the lowest bit of each byte, is 1 for a record
/// that is not null. As Arrow has it.
struct Validity {
  const std::uint8_t* bits = nullptr;  // null: all are there
  std::uint64_t first_bit = 0;
};

/// Borrows bytes, offsets and bits, which the caller keeps alive and unchanged; nothing is copied.
class LODE_API Records {
 public:
  Records() = default;
  /// Record i is bytes[offsets[i], offsets[i + 1]): one offset more than records, as in Arrow's string and binary columns
  /// (32 bits) and their large kinds (64 bits). No offsets at all: no records. Throws Error(invalid_argument) where offsets
  /// decrease or point behind the bytes.
  static Records with_offsets(std::string_view bytes, std::span<const std::uint64_t> offsets, Validity validity = {});
  static Records with_offsets(std::string_view bytes, std::span<const std::uint32_t> offsets, Validity validity = {});
  /// `count` records of `length` bytes each, `stride` bytes from one to the next. Throws Error(invalid_argument) where the
  /// stride is less than the length, or the bytes do not suffice.
  static Records with_length(std::string_view bytes, std::uint64_t count, std::uint64_t length, std::uint64_t stride,
                             Validity validity = {});
  /// The lines of a text, without their terminators. One behind the last terminator counts if it has a byte. Holds an
  /// array of 64-bit offsets of its own.
  static Records of_lines(std::string_view text, char terminator = '\n', unsigned threads = 0);

  std::uint64_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  bool is_null(std::uint64_t record) const noexcept {
    const std::uint64_t bit = validity_.first_bit + record;
    return validity_.bits != nullptr && (validity_.bits[bit / 8] >> (bit % 8) & 1) == 0;
  }
  /// Precondition: record < size(). A null record has bytes, too.
  std::string_view operator[](std::uint64_t record) const noexcept {
    const std::uint64_t begin = begin_of(record);
    return bytes_.substr(begin, end_of(record) - begin);
  }
  /// Place in bytes() of a record's first byte, and behind its last. Both never decrease from one record to the next.
  std::uint64_t begin_of(std::uint64_t record) const noexcept {
    if (offsets64_ != nullptr) return offsets64_[record];
    if (offsets32_ != nullptr) return offsets32_[record];
    return record * stride_;
  }
  std::uint64_t end_of(std::uint64_t record) const noexcept {
    if (offsets64_ != nullptr) return offsets64_[record + 1] - gap_;
    if (offsets32_ != nullptr) return offsets32_[record + 1];
    return record * stride_ + length_;
  }
  std::string_view bytes() const noexcept { return bytes_; }
  /// Bytes from a record's end to the next one's begin.
  std::uint64_t gap() const noexcept { return offsets64_ != nullptr ? gap_ : stride_ - length_; }
  /// Of all records together, with what lies between them.
  std::uint64_t total_bytes() const noexcept { return empty() ? 0 : end_of(count_ - 1) - begin_of(0); }
  std::uint64_t longest() const noexcept;
  /// Behind the last record that begins with or after `first` and ends at or before the place in bytes(); first + 1 where
  /// there is none, and at most `limit`. Precondition: first < limit <= size().
  std::uint64_t end_within(std::uint64_t first, std::uint64_t place, std::uint64_t limit) const noexcept;
  /// Records [begin, end) alone, numbered from 0. Precondition: begin <= end <= size().
  Records slice(std::uint64_t begin, std::uint64_t end) const;

 private:
  std::string_view bytes_;
  std::uint64_t count_ = 0;
  const std::uint64_t* offsets64_ = nullptr;  // count_ + 1 of them, or null
  const std::uint32_t* offsets32_ = nullptr;  // the same
  std::uint64_t gap_ = 0;                     // bytes between two records, with offsets64_
  std::uint64_t length_ = 0;                  // without offsets
  std::uint64_t stride_ = 0;                  // without offsets
  Validity validity_;
  std::shared_ptr<const std::vector<std::uint64_t>>
      owned_;  // what offsets64_ points into, where it is not the caller's
};

}  // namespace lode
