// MemoryPlan: how the memory limit of a search (SearcherOptions::memory_limit_bytes) is divided. THE place where that is
// done, so that what parts of a search take can be seen to sum up to the limit.
//
//   CPU       half for what waits to be delivered; a stream takes half for its window of text
//   a device  1/2 for pieces of text, and 1/24 for each list. A device has up to four slots, each with a list and the list
//             in order: 1/2 + 4 * 2/24. On the host each slot has the list and the matches made of it, which take twice as
//             much: 1/2 + 4 * 3/24.
//   shards    1/2 for the shard that is on the devices, 1/4 for the matches that wait to be merged
// Several devices share the limit. Where there is none, each part has the amount that it says here.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lode {

class MemoryPlan {
 public:
  /// 0: no limit.
  explicit MemoryPlan(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  bool is_limited() const { return limit_bytes_ != 0; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

  std::uint64_t waiting_matches_bytes() const { return share(2, mebibytes(32)); }
  std::uint64_t waiting_records_bytes() const { return share(2, mebibytes(64)); }
  std::uint64_t stream_window_bytes() const { return share(2, UINT64_MAX); }

  MemoryPlan of_device(std::uint64_t devices) const { return part(devices); }
  std::uint64_t text_pieces_bytes() const {
    return is_limited() ? part(2).limit_bytes_ : 0;
  }  // 0: as the device has room
  std::uint64_t device_list_bytes() const { return share(24, mebibytes(256)); }
  /// For rows of records on the device, and copies of them on the host. 0: as the device has room.
  std::uint64_t record_rows_bytes() const { return (limit_bytes_ + 1) / 2; }

  /// A part of the records whose texts, and where they lie, are flagged on a device and in the host's memory; what is left
  /// is for the second stage.
  std::uint64_t flagged_part_bytes(std::uint64_t parts) const { return share(4 * parts, UINT64_MAX); }

  MemoryPlan of_shard() const { return part(2); }
  std::uint64_t waiting_of_shards_bytes() const { return share(4, mebibytes(256)); }

 private:
  static constexpr std::uint64_t mebibytes(std::uint64_t count) { return count << 20; }
  std::uint64_t share(std::uint64_t divisor, std::uint64_t without_limit) const {
    return is_limited() ? limit_bytes_ / divisor : without_limit;
  }
  // However small, a limit stays one.
  MemoryPlan part(std::uint64_t divisor) const {
    return MemoryPlan(is_limited() ? std::max<std::uint64_t>(1, limit_bytes_ / divisor) : 0);
  }

  std::uint64_t limit_bytes_;
};

}  // namespace lode
