// The read ceiling of a GPU: the fastest of several kernels that read a resident text and do nothing with it.
#pragma once

#include <string>
#include <vector>

#include "gpu/resident.hpp"

namespace lode::bench {

struct ReadRate {
  std::string name;  // blocks an item has under way, items of a group, groups of a unit
  double bytes_per_second = 0;
};

/// One for each kernel, best first; each the best of `repetitions`. For a text that lies in one buffer on one device.
std::vector<ReadRate> measure_read_rates(const gpu::Resident& text, int repetitions);

}  // namespace lode::bench
