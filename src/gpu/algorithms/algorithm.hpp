// Algorithm: one algorithm's tables on one device, and the passes that search a piece with them. The functions below
// make each algorithm that GPUs have.
//
// A pass is one launch over a piece. Its kernel takes SEARCH_ARGUMENTS (kernels/common.h), then the pass's own. An
// algorithm reports every occurrence that starts in the piece's range once, over all its passes. Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/abi.hpp"
#include "gpu/engine/room.hpp"
#include "gpu/seam.hpp"
#include "lode/options.hpp"
#include "plan/plan_data.hpp"

namespace lode::gpu {

struct Pass {
  std::string file;                                             // src/kernels/FILE.cl
  std::string entry;                                            // the kernel function in it
  std::vector<std::pair<std::string, std::int64_t>> constants;  // beside LODE_MODE, LODE_RECORDS and LODE_TEAM
  std::vector<Argument> arguments;                              // behind SEARCH_ARGUMENTS; buffers are the algorithm's
  std::uint32_t pattern = 0;                                    // lode_piece.pattern
  std::uint32_t group_items = 256;                              // <= Limits::max_group_items
  std::uint32_t local_bytes = 0;           // for the search itself; finish_search reuses this memory
  std::uint64_t places_per_group = 16384;  // starts that a group takes at a time: no more groups than these need
  std::uint32_t groups_per_unit = 0;  // work-groups for each compute unit; 0: `rounds` times as many as it runs at once
  std::uint32_t items_of_unit = 0;    // work-items that a unit should run at once, if it can; at least a group
  std::uint32_t rounds = 1;           // several rounds even out units of different speed
};

/// What an algorithm is made from.
struct AlgorithmSetup {
  Runtime& runtime;
  const PlanData& plan;
  const SearcherOptions& options;
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  const std::vector<Pass>& passes() const noexcept { return passes_; }

 protected:
  std::vector<Pass> passes_;
};

/// Makes a buffer with these values. They have arrived when the call returns.
template <class Value>
std::unique_ptr<Buffer> upload(Runtime& runtime, const std::vector<Value>& values) {
  const std::uint64_t bytes = values.size() * sizeof(Value);
  std::unique_ptr<Buffer> buffer = runtime.make_buffer(bytes == 0 ? 16 : bytes);
  if (bytes == 0) return buffer;
  const std::unique_ptr<Queue> queue = runtime.make_queue();
  queue->write(*buffer, 0, values.data(), bytes);
  queue->wait();
  return buffer;
}

/// Work-items of a group: as many as the caller asked for, else `usual`, within the device's limits.
std::uint32_t choose_group_items(const AlgorithmSetup& setup, std::uint32_t usual);

std::unique_ptr<Algorithm> make_naive(const AlgorithmSetup& setup);
std::unique_ptr<Algorithm> make_vector(const AlgorithmSetup& setup);
/// `vector` for some of the distinct patterns.
std::unique_ptr<Algorithm> make_vector_of(const AlgorithmSetup& setup, const std::vector<std::uint32_t>& distincts);
std::unique_ptr<Algorithm> make_balanced(const AlgorithmSetup& setup);
std::unique_ptr<Algorithm> make_rabin_karp(const AlgorithmSetup& setup);
std::unique_ptr<Algorithm> make_boyer_moore(const AlgorithmSetup& setup);
std::unique_ptr<Algorithm> make_filter(const AlgorithmSetup& setup);

/// The most memory that the algorithms' tables take. Those of `filter` have a window for each residue of the stride.
TableBytes vector_table_bytes();
TableBytes rabin_karp_table_bytes();
TableBytes boyer_moore_table_bytes();
TableBytes filter_table_bytes(std::uint32_t stride);
/// The most memory that the tables of the algorithm of that name take in their smallest shape.
TableBytes least_table_bytes(std::string_view name);

/// Makes the algorithm that has this name in THE table (plan/algorithms.cpp). Null if GPUs have none of that name.
std::unique_ptr<Algorithm> make_algorithm(std::string_view name, const AlgorithmSetup& setup);

}  // namespace lode::gpu
