// content_hash: a 64-bit hash of bytes, the same for bytes that are equal after folding where asked.
#pragma once

#include <cstdint>
#include <span>

namespace lode {

std::uint64_t content_hash(std::span<const std::uint8_t> bytes, bool folded);

}  // namespace lode
