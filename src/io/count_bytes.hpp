// Counting one byte value in memory, with SIMD: line numbers must not cost more than the search.
#pragma once

#include <cstdint>
#include <string_view>

namespace lode::io {

std::uint64_t count_bytes(std::string_view text, char byte) noexcept;

}  // namespace lode::io
