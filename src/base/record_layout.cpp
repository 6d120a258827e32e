#include "lode/record_layout.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/threads.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

constexpr std::uint64_t line_grain_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t usual_line_bytes = 32;

template <class Offset>
void check_offsets(std::string_view bytes, std::span<const Offset> offsets) {
  for (std::size_t at = 1; at < offsets.size(); ++at)
    if (offsets[at] < offsets[at - 1])
      throw Error(ErrorKind::invalid_argument, "offsets of records decrease at " + std::to_string(at) + ": from " +
                                                   std::to_string(offsets[at - 1]) + " to " +
                                                   std::to_string(offsets[at]));
  if (!offsets.empty() && offsets.back() > bytes.size())
    throw Error(ErrorKind::invalid_argument, "the last offset of the records is " + std::to_string(offsets.back()) +
                                                 ", but there are " + std::to_string(bytes.size()) + " bytes");
}

}  // namespace

Records Records::with_offsets(std::string_view bytes, std::span<const std::uint64_t> offsets, Validity validity) {
  check_offsets(bytes, offsets);
  Records records;
  records.bytes_ = bytes;
  records.count_ = offsets.empty() ? 0 : offsets.size() - 1;
  records.offsets64_ = offsets.data();
  records.validity_ = validity;
  return records;
}

Records Records::with_offsets(std::string_view bytes, std::span<const std::uint32_t> offsets, Validity validity) {
  check_offsets(bytes, offsets);
  Records records;
  records.bytes_ = bytes;
  records.count_ = offsets.empty() ? 0 : offsets.size() - 1;
  records.offsets32_ = offsets.data();
  records.validity_ = validity;
  return records;
}

Records Records::with_length(std::string_view bytes, std::uint64_t count, std::uint64_t length, std::uint64_t stride,
                             Validity validity) {
  if (stride < length)
    throw Error(ErrorKind::invalid_argument, "records of " + std::to_string(length) +
                                                 " bytes do not fit into steps of " + std::to_string(stride) +
                                                 " bytes");
  // This divides, since count * stride may be more than 64 bits hold.
  const bool fits =
      count == 0 || (length <= bytes.size() && (stride == 0 || count - 1 <= (bytes.size() - length) / stride));
  if (!fits)
    throw Error(ErrorKind::invalid_argument, std::to_string(count) + " records of " + std::to_string(stride) +
                                                 " bytes are more than the " + std::to_string(bytes.size()) +
                                                 " bytes that there are");
  Records records;
  records.bytes_ = bytes;
  records.count_ = count;
  records.length_ = length;
  records.stride_ = stride;
  records.validity_ = validity;
  return records;
}

Records Records::of_lines(std::string_view text, char terminator, unsigned threads) {
  threads = thread_count(threads);
  const std::uint64_t parts = (text.size() + line_grain_bytes - 1) / line_grain_bytes;
  const auto part_of = [&](std::uint64_t part) {
    return text.substr(part * line_grain_bytes,
                       std::min<std::uint64_t>(line_grain_bytes, text.size() - part * line_grain_bytes));
  };
  std::vector<std::vector<std::uint64_t>> begins(parts);  // by part: where the lines behind its terminators begin
  run_ranges(threads, parts, 1, [&](std::uint64_t part, std::uint64_t) {
    const std::string_view bytes = part_of(part);
    begins[part].reserve(bytes.size() / usual_line_bytes);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const void* const found = std::memchr(bytes.data() + at, terminator, bytes.size() - at);
      if (found == nullptr) break;
      at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
      begins[part].push_back(part * line_grain_bytes + at + 1);
    }
  });
  std::vector<std::uint64_t> places(parts + 1);  // by part: the place in `offsets` of the first of these
  places[0] = 1;
  for (std::uint64_t part = 0; part < parts; ++part) places[part + 1] = places[part] + begins[part].size();
  const bool ends_open = !text.empty() && text.back() != terminator;
  auto offsets = std::make_shared<std::vector<std::uint64_t>>(places[parts] + (ends_open ? 1 : 0));
  run_ranges(threads, parts, 1, [&](std::uint64_t part, std::uint64_t) {
    std::copy(begins[part].begin(), begins[part].end(), offsets->begin() + static_cast<std::ptrdiff_t>(places[part]));
  });
  if (ends_open) offsets->back() = text.size() + 1;  // the end as if there were a terminator
  Records records;
  records.bytes_ = text;
  records.count_ = offsets->size() - 1;
  records.offsets64_ = offsets->data();
  records.gap_ = 1;
  records.owned_ = std::move(offsets);
  return records;
}

std::uint64_t Records::longest() const noexcept {
  if (offsets64_ == nullptr && offsets32_ == nullptr) return empty() ? 0 : length_;
  std::uint64_t longest = 0;
  for (std::uint64_t record = 0; record < count_; ++record)
    longest = std::max(longest, end_of(record) - begin_of(record));
  return longest;
}

std::uint64_t Records::end_within(std::uint64_t first, std::uint64_t place, std::uint64_t limit) const noexcept {
  if (end_of(limit - 1) <= place) return limit;
  std::uint64_t low = first + 1;
  std::uint64_t high = limit;
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (end_of(middle - 1) <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

Records Records::slice(std::uint64_t begin, std::uint64_t end) const {
  Records part = *this;
  part.count_ = end - begin;
  if (offsets64_ != nullptr) part.offsets64_ += begin;
  if (offsets32_ != nullptr) part.offsets32_ += begin;
  if (offsets64_ == nullptr && offsets32_ == nullptr)
    part.bytes_.remove_prefix(std::min(bytes_.size(), begin * stride_));
  part.validity_.first_bit += begin;
  return part;
}

}  // namespace lode
