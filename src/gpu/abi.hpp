// The structs that kernels and host share (kernels/abi.h), as the host sees them, with their layout asserted.
#pragma once

#include <cstdint>

namespace lode::gpu::abi {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#include "kernels/abi.h"

static_assert(sizeof(lode_piece) == 48 && sizeof(lode_pattern) == 8 && sizeof(lode_match) == 8);
static_assert(sizeof(lode_header) == 16 && sizeof(lode_totals) == 16 && sizeof(lode_probe) == 16);
static_assert(sizeof(lode_header) == sizeof(lode_totals) && sizeof(lode_header) == LODE_HEADER_WORDS * sizeof(u32));
static_assert(sizeof(lode_entry) == 32);
static_assert(sizeof(lode_records) == 32);
static_assert(sizeof(lode_rolling) == 20 && sizeof(lode_skips) == 16);

}  // namespace lode::gpu::abi
