#include "base/threads.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace lode {

unsigned available_threads() { return static_cast<unsigned>(std::max(1, tbb::info::default_concurrency())); }

unsigned thread_count(unsigned requested) {
  const unsigned available = available_threads();
  return requested == 0 ? available : std::min(requested, available);
}

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
  const std::uint64_t pieces = (count + grain - 1) / grain;
  const auto run_piece = [&](std::uint64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); };
  if (threads <= 1 || pieces <= 1) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) run_piece(piece);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::uint64_t{0}, pieces, run_piece); });
}

}  // namespace lode
