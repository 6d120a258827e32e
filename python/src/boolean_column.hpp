// BooleanColumn: a bit for each record, with nulls, as Arrow has them.
//
// It is immutable. Exported arrays share its memory and may outlive it. Any thread may release them, without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "records.hpp"

namespace lode::python {

class BooleanColumn {
 public:
  struct Buffers {
    std::vector<std::uint8_t> values;    // a bit for each record, from the lowest of each byte on; 0 for nulls
    std::vector<std::uint8_t> validity;  // a bit for each record, which is 0 for nulls; empty if no record is null
    std::uint64_t length = 0;
    std::uint64_t null_count = 0;
  };

  explicit BooleanColumn(Buffers buffers) : buffers_(std::make_shared<const Buffers>(std::move(buffers))) {}
  /// Takes two bytes of 0 or 1 for each record: its value, and whether it is null. Throws Error(invalid_argument) if
  /// there are not as many values as nulls.
  static BooleanColumn of_bytes(std::span<const std::uint8_t> values, std::span<const std::uint8_t> nulls);

  /// One bool for each record; false for nulls.
  std::vector<std::uint8_t> values() const;
  /// One bool for each record: whether it is null.
  std::vector<std::uint8_t> nulls() const;
  /// The capsules of __arrow_c_array__: ("arrow_schema", "arrow_array").
  nb::tuple export_arrow() const;

 private:
  std::shared_ptr<const Buffers> buffers_;
};

/// Puts `count` bits of `from` behind the first `before` bits of `to`, and makes `to` longer. Precondition: the bits of
/// `to` behind the first `before` are 0.
void append_bits(std::vector<std::uint8_t>& to, std::uint64_t before, const std::uint8_t* from, std::uint64_t first_bit,
                 std::uint64_t count);

/// The validity bits of all chunks, one after the other; empty if no record is null.
std::vector<std::uint8_t> joined_validity(const RecordColumn& column);

}  // namespace lode::python
