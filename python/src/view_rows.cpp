#include "view_rows.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "dictionary_rows.hpp"
#include "lode/error.hpp"

namespace lode::python {
namespace {

constexpr std::uint64_t view_bytes = 16;

[[noreturn]] void fail(const char* reason) {
  throw Error(ErrorKind::invalid_argument, std::string("the Arrow column is malformed: ") + reason);
}

}  // namespace

ViewRows::ViewRows(const ArrowArray& array, Validity validity)
    : views_(static_cast<const char*>(array.buffers[1]) + array.offset * std::int64_t{view_bytes}),
      sizes_(static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1])),
      buffers_(array.buffers + 2),
      buffer_count_(array.n_buffers - 3),
      size_(static_cast<std::uint64_t>(array.length)),
      validity_(validity) {
  for (std::uint64_t row = 0; row < size_; ++row) {
    const std::uint64_t bytes = (*this)[row].size();
    total_bytes_ += bytes;
    longest_ = std::max(longest_, bytes);
  }
}

std::string_view ViewRows::operator[](std::uint64_t row) const {
  if (is_null(validity_, row)) return {};
  constexpr std::int32_t most_inline = 12;
  const char* const view = views_ + row * view_bytes;
  std::int32_t fields[4];  // length, prefix, buffer, offset
  std::memcpy(fields, view, sizeof fields);
  const std::int32_t length = fields[0];
  if (length < 0) fail("a length is negative");
  if (length <= most_inline) return {view + sizeof length, static_cast<std::size_t>(length)};
  const std::int32_t buffer = fields[2];
  const std::int32_t offset = fields[3];
  if (buffer < 0 || buffer >= buffer_count_ || offset < 0 || std::int64_t{offset} + length > sizes_[buffer])
    fail("a view points behind its buffer");
  return {static_cast<const char*>(buffers_[buffer]) + offset, static_cast<std::size_t>(length)};
}

Records ViewBlock::of(const ViewRows& rows, std::uint64_t first, std::uint64_t most_bytes) {
  texts_.clear();
  offsets_.assign(1, 0);
  const char* begin = nullptr;
  std::uint64_t total = 0;
  bool is_joined = true;
  for (std::uint64_t row = first; row < rows.size(); ++row) {
    const std::string_view text = rows[row];
    if (row != first && total + text.size() + texts_.size() * record_cost_bytes > most_bytes) break;
    if (begin == nullptr && !text.empty()) begin = text.data();
    is_joined = is_joined && (text.empty() || text.data() == begin + total);
    texts_.push_back(text);
    offsets_.push_back(total += text.size());
  }
  if (!is_joined) {
    if (bytes_.size() < total) bytes_.resize(total);
    char* to = bytes_.data();
    for (const std::string_view text : texts_) to = std::copy(text.begin(), text.end(), to);
    begin = bytes_.data();
  }
  const Validity validity = {rows.validity().bits, rows.validity().first_bit + first};
  return Records::with_offsets({total == 0 ? "" : begin, total}, std::span<const std::uint64_t>(offsets_), validity);
}

}  // namespace lode::python
