// count_bytes() counts one byte value in memory, with SIMD, so that line numbers do not cost more than the search.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/instruction_sets.hpp"

namespace lode::io {

/// Uses the instruction set that LODE_TARGET of the environment names at the first call, else the best one.
std::uint64_t count_bytes(std::string_view text, char byte) noexcept;
/// Uses `set`, which is one of instruction_sets().
std::uint64_t count_bytes(std::string_view text, char byte, InstructionSet set) noexcept;

}  // namespace lode::io
