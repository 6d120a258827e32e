#include "base/threads.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace lode {

unsigned available_threads() { return static_cast<unsigned>(std::max(1, tbb::info::default_concurrency())); }

unsigned thread_count(unsigned requested) { return requested == 0 ? available_threads() : requested; }

void run_shares(unsigned threads, unsigned shares, const std::function<void(unsigned)>& work) {
  if (threads <= 1 || shares <= 1) {
    for (unsigned share = 0; share < shares; ++share) work(share);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(0u, shares, work, tbb::simple_partitioner()); });
}

void run_ranges(unsigned threads, std::uint64_t count, std::uint64_t grain,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  grain = std::max<std::uint64_t>(grain, 1);
  const std::uint64_t pieces = std::min<std::uint64_t>((count + grain - 1) / grain, threads * std::uint64_t{8});
  if (threads <= 1 || pieces <= 1) {
    if (count != 0) work(0, count);
    return;
  }
  run_shares(threads, static_cast<unsigned>(pieces), [&](unsigned piece) {
    work(count * piece / pieces, count * (piece + 1) / pieces);
  });
}

}  // namespace lode
