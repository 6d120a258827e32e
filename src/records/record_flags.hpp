// RecordFlagger: the first stage of `rabin-karp` on records. It finds the records that may hold a pattern.
//
// Each thread of the CPU, or each work-item of a GPU, rolls hashes over one record after the other and gives a flag for
// each. The second stage, an exact search of the flagged records, is up to the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "cpu/rabin_karp.hpp"
#include "gpu/algorithms/rabin_karp.hpp"
#include "lode/device.hpp"
#include "lode/records.hpp"

namespace lode {

class RecordFlagger {
 public:
  static constexpr std::string_view algorithm = "rabin-karp";

  /// `plan` outlives this. With device `auto` the CPU does the flagging.
  RecordFlagger(const Device& device, const PlanData& plan, const SearcherOptions& options, unsigned threads);
  ~RecordFlagger();

  /// Calls `use` for one part of the records after the other, with the number of the part's first record and a flag for
  /// each of its records: 1 if a pattern may occur, else 0. `use` may change the flags, and returns false to end.
  void run(const Records& records, const std::stop_token& stop,
           const std::function<bool(std::uint64_t first, std::span<std::uint8_t> flags)>& use) const {
    gpus_.empty() ? run_on_cpu(records, stop, use) : run_on_gpus(records, stop, use);
  }

 private:
  using Use = std::function<bool(std::uint64_t first, std::span<std::uint8_t> flags)>;
  void run_on_cpu(const Records& records, const std::stop_token& stop, const Use& use) const;
  void run_on_gpus(const Records& records, const std::stop_token& stop, const Use& use) const;

  std::uint64_t end_of_part(const Records& records, std::uint64_t first) const;

  unsigned threads_;
  bool is_limited_;           // whether the options set a memory limit, which copies for a GPU must not cross
  std::uint64_t part_bytes_;  // most bytes of a part, unless one record alone has more
  RecordHashes hashes_;
  std::vector<std::unique_ptr<gpu::RecordFlags>> gpus_;  // empty: the CPU does the flagging
};

}  // namespace lode
