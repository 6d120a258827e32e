// Contestants of one workload of records, and what they are held against.
//
// Each contestant runs once and its whole result is compared with the reference, before any is timed. One that is too slow
// for all records is given the first of them, as many as take about a second; its speed is told by bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lode/records.hpp"
#include "record_workload.hpp"

namespace lode::bench {

/// Every hit of the workload, as the CPU's `filter` with all threads finds them.
class Reference {
 public:
  Reference(const RecordWorkload& workload, const Plan& plan);

  std::uint64_t hits() const { return hits_.offsets.size(); }
  std::uint64_t hits_within(std::uint64_t first, std::uint64_t last) const {
    return hits_.row_starts[last] - hits_.row_starts[first];
  }
  std::uint64_t matching_records() const { return matching_records_; }
  std::uint64_t patterns_present() const;
  /// Each returns where the first difference is; empty: none.
  std::string compare(const RecordHits& hits) const;
  std::string compare_bits(std::span<const std::uint8_t> any) const;
  /// Whole rows from `first` on.
  std::string compare_cells(std::uint64_t first, std::span<const std::int32_t> cells) const;

 private:
  std::uint64_t columns_;
  RecordHits hits_;
  std::uint64_t matching_records_ = 0;
};

struct Contestant {
  std::string name;    // "strstr", "filter"
  std::string place;   // "1 thread", "all threads", "cuda:0", "cuda:0 resident"
  std::string output;  // "sparse", "any", "dense"; "read" and "write": a ceiling
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;             // of these records
  std::uint64_t cells = 0;             // written; 0 where the output is not dense
  std::function<void()> run;           //
  std::function<std::string()> check;  // runs once; empty where all is equal
  std::string detail;                  // filled by check()
  std::string not_run;                 // the reason, filled by check()
  double read_ceiling = 0;             // bytes a second of the place, where known beforehand
  double write_ceiling = 0;            //
  std::vector<double> seconds;         // of each repetition
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// What rabin-karp's two stages did.
std::string describe_stages(const RecordStats& stats);

/// Loops that read and write memory, strstr and memmem for each cell, and the CPU's algorithms. All that is passed must
/// outlive them.
void add_cpu_contestants(Contestants& contestants, const RecordWorkload& workload, const Plan& plan,
                         const Reference& reference);

}  // namespace lode::bench
