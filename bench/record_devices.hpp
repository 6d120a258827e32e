// Records × patterns on GPUs: Lode's entries of a contest, and the kernel that gives each cell a work-item.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lode/device.hpp"
#include "record_contest.hpp"

namespace lode::bench {

/// From host memory and resident, with the ceilings of reading and writing the device's memory. All that is passed must
/// outlive the contestants.
void add_device_contestants(Contestants& contestants, const RecordWorkload& workload, const Plan& plan,
                            const Reference& reference, const Device& device, int repetitions);

/// Lode's `auto` against the cell kernel: both make the same dense matrix of resident records in the device's memory.
struct CellContest {
  std::uint64_t rows = 0;  // of the first records
  std::uint64_t bytes = 0;
  std::uint64_t cells = 0;
  std::string difference;  // empty: both results are right
  std::vector<double> lode_seconds;
  std::vector<double> cell_kernel_seconds;
};

CellContest hold_cell_contest(const RecordWorkload& workload, const Plan& plan, const Reference& reference,
                              const Device& device, int repetitions);

}  // namespace lode::bench
