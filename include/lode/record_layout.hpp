// Records: where each of many short texts lies. The texts stand one behind the other in memory.
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

/// Which records are not null, in Arrow's format: bit `first_bit + i`, counted from the lowest bit of each byte, is 1
/// if record i is not null.
struct Validity {
  const std::uint8_t* bits = nullptr;  // null pointer: no record is null
  std::uint64_t first_bit = 0;
};

/// Borrows bytes, offsets and bits, which the caller keeps alive and unchanged; nothing is copied.
class LODE_API Records {
 public:
  Records() = default;
  /// Record i is bytes[offsets[i], offsets[i + 1]). There is one offset more than there are records, as in Arrow's
  /// string and binary columns (32 bits) and their large kinds (64 bits). If there are no offsets at all, there are no
  /// records. Throws Error(invalid_argument) if offsets decrease or point behind the bytes.
  static Records with_offsets(std::string_view bytes, std::span<const std::uint64_t> offsets, Validity validity = {});
  static Records with_offsets(std::string_view bytes, std::span<const std::uint32_t> offsets, Validity validity = {});
  /// `count` records of `length` bytes each; each begins `stride` bytes after the one before. Throws
  /// Error(invalid_argument) if the stride is less than the length, or if there are too few bytes.
  static Records with_length(std::string_view bytes, std::uint64_t count, std::uint64_t length, std::uint64_t stride,
                             Validity validity = {});
  /// The lines of a text, without their terminators. What follows the last terminator is a line if it has a byte. The
  /// result owns its array of 64-bit offsets and borrows the text.
  static Records of_lines(std::string_view text, char terminator = '\n', unsigned threads = 0);

  std::uint64_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  bool is_null(std::uint64_t record) const noexcept {
    const std::uint64_t bit = validity_.first_bit + record;
    return validity_.bits != nullptr && (validity_.bits[bit / 8] >> (bit % 8) & 1) == 0;
  }
  /// The bytes of a record; a null record has bytes, too. Precondition: record < size().
  std::string_view operator[](std::uint64_t record) const noexcept {
    const std::uint64_t begin = begin_of(record);
    return bytes_.substr(begin, end_of(record) - begin);
  }
  /// begin_of() is the place in bytes() of a record's first byte, end_of() the place behind its last. Neither decreases
  /// from one record to the next.
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
  /// Bytes between the end of a record and the begin of the next.
  std::uint64_t gap() const noexcept { return offsets64_ != nullptr ? gap_ : stride_ - length_; }
  /// Bytes from the first record's begin to the last record's end, gaps included.
  std::uint64_t total_bytes() const noexcept { return empty() ? 0 : end_of(count_ - 1) - begin_of(0); }
  std::uint64_t longest() const noexcept;
  /// The index behind the last record, from `first` on, that ends at or before `place` in bytes(). It is first + 1 if
  /// there is no such record, and at most `limit`. Precondition: first < limit <= size().
  std::uint64_t end_within(std::uint64_t first, std::uint64_t place, std::uint64_t limit) const noexcept;
  /// A view of records [begin, end) alone, numbered from 0. Precondition: begin <= end <= size().
  Records slice(std::uint64_t begin, std::uint64_t end) const;

 private:
  std::string_view bytes_;
  std::uint64_t count_ = 0;
  const std::uint64_t* offsets64_ = nullptr;  // count_ + 1 offsets, or null
  const std::uint32_t* offsets32_ = nullptr;  // count_ + 1 offsets, or null
  std::uint64_t gap_ = 0;                     // bytes between two records; used with offsets64_
  std::uint64_t length_ = 0;                  // bytes of each record; used without offsets
  std::uint64_t stride_ = 0;                  // bytes from one begin to the next; used without offsets
  Validity validity_;
  // The array that offsets64_ points into, if it is not the caller's.
  std::shared_ptr<const std::vector<std::uint64_t>> owned_;
};

}  // namespace lode
