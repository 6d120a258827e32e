// Threads, through oneTBB: how many there are, and running one function on several of them.
//
// More threads than cores run at once all the same, unless the program limits oneTBB, or they are more than oneTBB
// starts: 256, or as many as the process's first run asked for, or four times the cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lode {

/// Cores that this process may use; at least 1.
unsigned available_threads();

/// As many threads as requested, 4096 at most; 0: all cores.
unsigned thread_count(unsigned requested);

/// Calls work(share) once for each share in [0, shares), on at most `threads` threads, the caller's among
/// them. An exception of one share is thrown again after all have ended.
void run_shares(unsigned threads, unsigned shares, const std::function<void(unsigned share)>& work);

/// Splits [0, count) into pieces of `grain` (the last may be shorter) and calls work(begin, end) for each, in
/// parallel.
void run_ranges(unsigned threads, std::uint64_t count, std::uint64_t grain,
                const std::function<void(std::uint64_t begin, std::uint64_t end)>& work);

/// Calls caller_work() on the calling thread and, beside it, helper_work(helper) for each helper in [1,
/// threads), some perhaps only after caller_work has returned. Returns when all have ended. helper_work must
/// not throw.
void run_with_helpers(unsigned threads, const std::function<void(unsigned helper)>& helper_work,
                      const std::function<void()>& caller_work);

}  // namespace lode
