// Counting one byte value in memory, with SIMD: line numbers must not cost more than the search.
#pragma once

#include <cstdint>
#include <string_view>

#include "cpu/instruction_sets.hpp"

namespace lode::io {

/// With the instruction set that LODE_TARGET of the environment names when it is first called, else the best.
std::uint64_t count_bytes(std::string_view text, char byte) noexcept;
/// With one of instruction_sets().
std::uint64_t count_bytes(std::string_view text, char byte, InstructionSet set) noexcept;

}  // namespace lode::io
