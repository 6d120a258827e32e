// RollingLanes: rolls the hashes of one pattern length over sixteen shares of a text side by side, and lists the places
// that are marked.
//
// Idea: a rolling hash waits for its own last multiplication, and takes a dozen instructions a byte. Vectors roll many at
// once; of each lane eight bytes that enter and eight that leave are gathered at a time.
// Example: of 130 places each lane has 8, and two are left over; the first step hashes places 0, 8 … 120, the next one 1,
// 9 … 121.
#pragma once

#include <cstdint>

#include "cpu/instruction_sets.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {

struct RollingLanes {
  static constexpr std::uint64_t lanes = 16;
  static constexpr std::uint64_t steps_of_bytes = 8;  // shares and rounds are multiples of it
  static constexpr std::uint64_t round_steps = 64;

  const std::uint8_t* text = nullptr;  // of lane 0's first place
  std::uint64_t share = 0;             // places of each lane
  // A number for each lane: of the step to come, and of all steps of the last call.
  alignas(64) std::uint64_t next[lanes];
  alignas(64) std::uint64_t hashes[round_steps * lanes];  // reduced
  std::uint16_t listed[round_steps * lanes + 64];         // of hashes, the numbers of those that are marked

  std::uint64_t place_of(std::uint64_t first_step, std::uint16_t number) const {
    return number % lanes * share + first_step + number / lanes;
  }
};

/// Fills hashes and listed for `steps` steps, at most round_steps, from `first` on, which is 0 or where the last call ended.
/// Returns how many are listed. The hashes are of at most longest_of_short_hashes bytes; reads one byte behind the last.
using RollingRunner = std::size_t (*)(const RabinKarpGroup& group, RollingLanes& lanes, std::uint64_t first,
                                      std::uint64_t steps);

/// Null where the instruction set has no vectors.
RollingRunner rolling_runner(InstructionSet set);

}  // namespace lode
