// RollingLanes: rolls the hashes of one pattern length over sixteen shares of a text side by side, and lists the places
// whose hash is marked.
//
// Idea: a rolling hash waits for its own last multiplication, and takes a dozen instructions a byte. Vectors roll many
// at once. The bytes that enter and leave each lane are loaded eight at a time.
// Example: of 130 places each lane has 8, and two are left over. The first step hashes the places 0, 8 … 120, the next
// one 1, 9 … 121.
#pragma once

#include <cstdint>

#include "base/instruction_sets.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {

struct RollingLanes {
  static constexpr std::uint64_t lanes = 16;
  static constexpr std::uint64_t steps_of_bytes = 8;  // shares and rounds are multiples of it
  static constexpr std::uint64_t round_steps = 64;

  const std::uint8_t* text = nullptr;  // at the first place of lane 0
  std::uint64_t share = 0;             // how many places each lane has
  // The lanes' hashes: of the step to come, and of all steps of the last call.
  alignas(64) std::uint64_t next[lanes];
  alignas(64) std::uint64_t hashes[round_steps * lanes];  // reduced
  std::uint16_t listed[round_steps * lanes + 64];         // the numbers of those hashes that are marked

  std::uint64_t place_of(std::uint64_t first_step, std::uint16_t number) const {
    return number % lanes * share + first_step + number / lanes;
  }
};

/// Fills `hashes` and `listed` for `steps` steps, at most round_steps, from step `first` on, which is 0 or where the
/// last call ended. Returns how many are listed. The patterns have at most longest_of_short_hashes bytes. Reads one
/// byte behind those of the last place.
using RollingRunner = std::size_t (*)(const RabinKarpGroup& group, RollingLanes& lanes, std::uint64_t first,
                                      std::uint64_t steps);

/// The function of an instruction set; null where it has no vectors.
RollingRunner rolling_runner(InstructionSet set);

}  // namespace lode
