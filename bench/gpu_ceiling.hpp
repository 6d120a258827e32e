// The read ceiling of a GPU: the fastest of several kernels that read a resident text and do nothing with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/engine/resident.hpp"

namespace lode::bench {

struct ReadRate {
  std::string name;  // blocks an item has under way, items of a group, groups of a unit
  double bytes_per_second = 0;
};

/// One for each kernel, best first; each the best of `repetitions`. For a text that lies in one buffer on one device.
std::vector<ReadRate> measure_read_rates(const gpu::Resident& text, int repetitions);

struct CopyRates {
  double pinned = 0;  // bytes a second from pinned memory to the device, which bounds texts in host memory
  double fill = 0;    // bytes a second that all cores copy into pinned memory, which bounds files in the page cache
};

/// The best of `repetitions`, of a quarter of a GiB.
CopyRates measure_copy_rates(gpu::Runtime& runtime, std::string_view text, int repetitions);

}  // namespace lode::bench
