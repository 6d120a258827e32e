// Defines the kernels' dialect (kernels/portable.h) as C++ on the host, for tests.
//
// The work-items of a group take turns on one thread (work_group.hpp), and barriers are real. Local memory is one block
// of exactly the launch's size, and global memory is plain memory. So the address sanitizer sees accesses outside of
// them, and the thread sanitizer sees that a barrier is missing. The constants LODE_… are variables of the file that
// includes a kernel. portable.h includes this file outside of every namespace; the kernels stand in namespaces inside
// lode::gpu::host.
#ifndef LODE_TESTS_GPU_HOST_DIALECT_H
#define LODE_TESTS_GPU_HOST_DIALECT_H

#include <atomic>
#include <bit>
#include <cstdint>

#include "work_group.hpp"

namespace lode::gpu::host {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct alignas(16) words4 {
  u32 x, y, z, w;
};

inline u32 add_atomically(u32* counter, u32 value) {
  return std::atomic_ref<u32>(*counter).fetch_add(value, std::memory_order_relaxed);
}
inline u32 or_atomically(u32* word, u32 value) {
  return std::atomic_ref<u32>(*word).fetch_or(value, std::memory_order_relaxed);
}
inline u32 min_atomically(u32* word, u32 value) {
  const std::atomic_ref<u32> shared(*word);
  u32 before = shared.load(std::memory_order_relaxed);
  while (value < before && !shared.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
  return before;
}

// The 32 bits of high:low that begin at bit number `bits` (0 … 31).
inline u32 funnel(u32 low, u32 high, u32 bits) {
  return static_cast<u32>((std::uint64_t{high} << 32 | low) >> (bits & 31U));
}
// Shifts by the number in the lowest five bits of `bits`.
inline u32 shift_up(u32 word, u32 bits) { return word << (bits & 31U); }

}  // namespace lode::gpu::host

#define KERNEL
#define DEVICE static inline
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__
#define LOCAL_ARGUMENT
#define LOCAL_MEMORY(name) u32* name = ::lode::gpu::host::this_item->local
#define item_index() (::lode::gpu::host::this_item->index)
#define group_items() (::lode::gpu::host::this_item->group_items)
#define group_index() (::lode::gpu::host::this_item->group)
#define group_count() (::lode::gpu::host::this_item->group_count)
#define group_sync() ::lode::gpu::host::sync_group(__LINE__)
#define team_sync() ::lode::gpu::host::sync_team(__LINE__)
#define team_any(condition) ::lode::gpu::host::any_of_team((condition) ? 1U : 0U, __LINE__)
#define team_ballot(condition) ::lode::gpu::host::ballot_of_team((condition) ? 1U : 0U, __LINE__)
#define team_rotate(value) ::lode::gpu::host::rotate_in_team(value, __LINE__)
#define LODE_TEAM_EXCHANGES (::lode::gpu::host::this_item->team_exchanges)
#define add_local(counter, value) ::lode::gpu::host::add_atomically((u32*)(counter), (u32)(value))
#define add_global(counter, value) ::lode::gpu::host::add_atomically((u32*)(counter), (u32)(value))
#define or_local(word, value) ::lode::gpu::host::or_atomically((u32*)(word), (u32)(value))
#define or_global(word, value) ::lode::gpu::host::or_atomically((u32*)(word), (u32)(value))
#define read_global(word) (std::atomic_ref<u32>(*(u32*)(word)).load(std::memory_order_relaxed))
#define min_global(word, value) ::lode::gpu::host::min_atomically((u32*)(word), (u32)(value))
#define count_bits(word) ((u32)std::popcount((u32)(word)))
#define lowest_bit(word) ((u32)std::countr_zero((u32)(word)))
#define leading_zeros(word) ((u32)std::countl_zero((u32)(word)))
#define multiply_high(a, b) ((u32)(((u64)(u32)(a) * (u32)(b)) >> 32))

#endif
