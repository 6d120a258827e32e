// The dialect of the kernels: OpenCL C 1.2, CUDA C++ (NVRTC) and C++ on the host read the same source.
//
// This is the only file that asks which of the three compiles it. Beside the names defined here, kernels use
// fixed-width scalars, structs, pointers (marked GLOBAL, LOCAL or not at all), for, if and while. Constants that
// specialise a kernel (LODE_…) are integers. Kernels use them in expressions and never ask for them with #if, because
// on the host they are variables.
//
// A team is LODE_TEAM neighbouring work-items of a group: a warp on NVIDIA's devices, else the whole group. All items
// of a team reach a team_sync(), or none does; the same holds for group_sync() and a group. If LODE_TEAM_EXCHANGES is
// 1, the items of a team of at most 32 can exchange words:
//   team_rotate  each item gets the next item's value, the last item the first one's
//   team_ballot  gives a bit for each item, set if its condition is not 0
//   team_any     tells whether some item's condition is not 0
// If it is 0, team_any() gives 1, so it may only be used to leave out work that would find nothing, and the other two
// give nothing useful. UNROLL stands before loops with constant bounds that index small arrays. Local memory begins at
// a multiple of 16.
#ifndef LODE_KERNELS_PORTABLE_H
#define LODE_KERNELS_PORTABLE_H

#if defined(__OPENCL_VERSION__)

typedef uchar u8;
typedef uint u32;
typedef ulong u64;
typedef uint4 words4;  // 16 bytes, x the lowest
#define KERNEL __kernel
#define UNROLL _Pragma("unroll")
#define DEVICE static inline
#define GLOBAL __global
#define LOCAL __local
#define RESTRICT restrict
// LOCAL_ARGUMENT stands last in a kernel's arguments, without a comma before it, LOCAL_MEMORY first in its body.
#define LOCAL_ARGUMENT , __local uint4* lode_local
#define LOCAL_MEMORY(name) __local u32* name = (__local u32*)lode_local
#define item_index() ((u32)get_local_id(0))
#define group_items() ((u32)get_local_size(0))
#define group_index() ((u32)get_group_id(0))
#define group_count() ((u32)get_num_groups(0))
#define group_sync() barrier(CLK_LOCAL_MEM_FENCE)
#if defined(__NV_CL_C_VERSION)
// NVIDIA's OpenCL has no sub-groups, but it takes PTX instructions, which do the same.
#define LODE_TEAM_EXCHANGES 1
#define team_sync() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
DEVICE u32 team_any(u32 condition) {
  u32 result;
  __asm__ volatile(
      "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
      : "=r"(result)
      : "r"(condition));
  return result;
}
DEVICE u32 team_ballot(u32 condition) {
  u32 result;
  __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                   : "=r"(result)
                   : "r"(condition));
  return result;
}
DEVICE u32 team_rotate(u32 value) {
  u32 result;
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                   : "=r"(result)
                   : "r"(value), "r"((u32)get_local_id(0) + 1u));
  return result;
}
DEVICE u32 lowest_bit(u32 word) {
  u32 result;
  __asm__("{ .reg .b32 turned; brev.b32 turned, %1; bfind.shiftamt.u32 %0, turned; }" : "=r"(result) : "r"(word));
  return result;
}
// Gives 32 bits of high:low, from bit `bits` (0 … 31) of `low` on. Bytes in memory, lowest first, and bits = 8:
//   low  u s h e   high  r s _ _   result  s h e r
DEVICE u32 funnel(u32 low, u32 high, u32 bits) {
  u32 result;
  __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(bits));
  return result;
}
// Shifts up by the number in the lowest five bits of `bits`.
DEVICE u32 shift_up(u32 word, u32 bits) {
  u32 result;
  __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(0u), "r"(word), "r"(bits));
  return result;
}
#else
#define LODE_TEAM_EXCHANGES 0
#define team_sync() barrier(CLK_LOCAL_MEM_FENCE)
#define team_any(condition) 1
#define team_ballot(condition) 0u
#define team_rotate(value) (value)
#define lowest_bit(word) (31u - (u32)clz((u32)(word) & (0u - (u32)(word))))
DEVICE u32 funnel(u32 low, u32 high, u32 bits) { return (low >> bits) | (high << 1 << (31u - bits)); }
DEVICE u32 shift_up(u32 word, u32 bits) { return word << (bits & 31u); }
#endif
#define add_local(counter, value) atomic_add((volatile __local u32*)(counter), (u32)(value))
#define add_global(counter, value) atomic_add((volatile __global u32*)(counter), (u32)(value))
#define or_local(word, value) atomic_or((volatile __local u32*)(word), (u32)(value))
#define or_global(word, value) atomic_or((volatile __global u32*)(word), (u32)(value))
#define min_global(word, value) atomic_min((volatile __global u32*)(word), (u32)(value))
// Reads a word that others change meanwhile. The value may be out of date.
#define read_global(word) (*(volatile __global u32*)(word))
#define count_bits(word) popcount((u32)(word))
#define leading_zeros(word) ((u32)clz((u32)(word)))
#define multiply_high(a, b) mul_hi((u32)(a), (u32)(b))

#elif defined(__CUDACC__)

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef uint4 words4;
#define KERNEL extern "C" __global__
#define UNROLL _Pragma("unroll")
#define DEVICE __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__
#define LOCAL_ARGUMENT
#define LOCAL_MEMORY(name)                          \
  extern __shared__ __align__(16) u32 lode_local[]; \
  u32* name = lode_local
#define item_index() ((u32)threadIdx.x)
#define group_items() ((u32)blockDim.x)
#define group_index() ((u32)blockIdx.x)
#define group_count() ((u32)gridDim.x)
#define group_sync() __syncthreads()
#define team_sync() __syncwarp()
#define team_any(condition) __any_sync(0xffffffffu, condition)
#define team_ballot(condition) __ballot_sync(0xffffffffu, condition)
#define team_rotate(value) __shfl_sync(0xffffffffu, value, (int)threadIdx.x + 1)
#define LODE_TEAM_EXCHANGES 1
#define add_local(counter, value) atomicAdd((u32*)(counter), (u32)(value))
#define add_global(counter, value) atomicAdd((u32*)(counter), (u32)(value))
#define or_local(word, value) atomicOr((u32*)(word), (u32)(value))
#define or_global(word, value) atomicOr((u32*)(word), (u32)(value))
#define min_global(word, value) atomicMin((u32*)(word), (u32)(value))
#define read_global(word) (*(volatile u32*)(word))
#define count_bits(word) ((u32)__popc(word))
#define lowest_bit(word) ((u32)__ffs((int)(word)) - 1u)
#define leading_zeros(word) ((u32)__clz((int)(word)))
#define multiply_high(a, b) __umulhi(a, b)
DEVICE u32 funnel(u32 low, u32 high, u32 bits) { return __funnelshift_r(low, high, bits); }
DEVICE u32 shift_up(u32 word, u32 bits) { return __funnelshift_l(0u, word, bits); }

#else

#include "host_dialect.h"
#define UNROLL

#endif

#endif
