// MemoryPlan: how the memory limit of a search (SearcherOptions::memory_limit_bytes) is divided. Nothing else divides
// it, so that the parts can be seen to sum up to the limit.
//
//   CPU       half for what waits to be delivered; a stream takes half for its window of text
//   a device  1/2 for pieces of text, and 1/24 for each list. A device has up to four slots, each with a list and the
//             list in order: 1/2 + 4 * 2/24. On the host each slot has the list and the matches made of it, which take
//             twice as much: 1/2 + 4 * 3/24.
//   shards    1/2 for the shard that is on the devices, 1/4 for the matches that wait to be merged
// Several devices share the limit. Without a limit each part has the amount that it says here.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lode {

class MemoryPlan {
 public:
  /// A plan for this limit; 0 means that there is none.
  explicit MemoryPlan(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  bool is_limited() const { return limit_bytes_ != 0; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

  std::uint64_t waiting_matches_bytes() const { return share(2, mebibytes(32)); }
  std::uint64_t waiting_records_bytes() const { return share(2, mebibytes(64)); }
  /// The blocks of a text that a view shows, of all threads together.
  std::uint64_t viewed_blocks_bytes() const { return share(2, UINT64_MAX); }
  std::uint64_t stream_window_bytes() const { return share(2, UINT64_MAX); }

  MemoryPlan of_device(std::uint64_t devices) const { return part(devices); }
  std::uint64_t text_pieces_bytes() const {
    return is_limited() ? part(2).limit_bytes_ : 0;
  }  // 0: as the device has room
  std::uint64_t device_list_bytes() const { return share(24, mebibytes(256)); }
  /// The bytes for rows of records on the device, and for copies of them on the host. 0: as the device has room.
  std::uint64_t record_rows_bytes() const { return (limit_bytes_ + 1) / 2; }

  /// The size of one of `parts` parts of the records. Their texts, and where they lie, are flagged on a device and in
  /// the host's memory; the rest of the limit is for the second stage.
  std::uint64_t flagged_part_bytes(std::uint64_t parts) const { return share(4 * parts, UINT64_MAX); }

  MemoryPlan of_shard() const { return part(2); }
  std::uint64_t waiting_of_shards_bytes() const { return share(4, mebibytes(256)); }

 private:
  static constexpr std::uint64_t mebibytes(std::uint64_t count) { return count << 20; }
  std::uint64_t share(std::uint64_t divisor, std::uint64_t without_limit) const {
    return is_limited() ? limit_bytes_ / divisor : without_limit;
  }
  // A part of a limit is a limit, however small: 0 would mean none.
  MemoryPlan part(std::uint64_t divisor) const {
    return MemoryPlan(is_limited() ? std::max<std::uint64_t>(1, limit_bytes_ / divisor) : 0);
  }

  std::uint64_t limit_bytes_;
};

}  // namespace lode
