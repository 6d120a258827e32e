// ViewRows: the rows of an Arrow column of views (utf8_view, binary_view), whose bytes lie scattered.
//
// A view is 16 bytes: a length, and then either a text of up to twelve bytes, or the first four bytes of a longer text,
// the number of its buffer, and its offset there:
//
//   [len 5 ][h e l l o . . . . . . .]          [len 21][w h a l][buffer 0][offset 40]
//
// A search needs records one behind the other. So rows are handed out in blocks of some MiB. If a block's texts lie in
// that order already, as those of a new column do, they are borrowed. Else they are copied into a buffer that all
// blocks use in turn. Views are checked whenever they are read, because their owner may change them. Needs no GIL.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "arrow_abi.hpp"
#include "lode/records.hpp"

namespace lode::python {

class ViewRows {
 public:
  /// Borrows the array, whose `buffers` are those of a view column. Throws Error(invalid_argument) if the view of a row
  /// that is not null points behind its buffer.
  ViewRows(const ArrowArray& array, Validity validity);

  std::uint64_t size() const noexcept { return size_; }
  Validity validity() const noexcept { return validity_; }
  std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  std::uint64_t longest() const noexcept { return longest_; }
  /// The bytes of a row; empty if it is null. Precondition: row < size(). Throws as the constructor does.
  std::string_view operator[](std::uint64_t row) const;

 private:
  const char* views_;
  const std::int64_t* sizes_;  // the sizes of the buffers
  const void* const* buffers_;
  std::int64_t buffer_count_;
  std::uint64_t size_;
  Validity validity_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t longest_ = 0;
};

/// Makes Records of rows, a block at a time. The Records of the last call borrow the block and the rows.
class ViewBlock {
 public:
  /// Takes rows from `first` on, as many as cost about `most_bytes`, but at least one. Precondition: first <
  /// rows.size().
  Records of(const ViewRows& rows, std::uint64_t first, std::uint64_t most_bytes);

 private:
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> offsets_;
  std::vector<char> bytes_;
};

}  // namespace lode::python
