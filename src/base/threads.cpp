#include "base/threads.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>

#if defined(LODE_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace lode {
namespace {

// One run of work on several threads. What came before the run happens before its work, and its work happens
// before what follows the run. oneTBB guarantees that; but as it comes uninstrumented, the thread sanitizer
// must be told. (This file itself is not instrumented, because oneTBB's headers are half of oneTBB.)
class Run {
 public:
  Run() { release(&begin_); }
  ~Run() { acquire(&end_); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  class Work {
   public:
    explicit Work(Run& run) : run_(run) { acquire(&run_.begin_); }
    ~Work() { release(&run_.end_); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Run& run_;
  };

 private:
#if defined(LODE_THREAD_SANITIZER)
  static void acquire(void* address) { __tsan_acquire(address); }
  static void release(void* address) { __tsan_release(address); }
#else
  static void acquire(void*) {}
  static void release(void*) {}
#endif

  char begin_ = 0;
  char end_ = 0;
};

}  // namespace

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
  Run run;
  const auto run_share = [&](unsigned share) {
    const Run::Work scope(run);
    work(share);
  };
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(0u, shares, run_share, tbb::simple_partitioner()); });
}

void run_ranges(unsigned threads, std::uint64_t count, std::uint64_t grain,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  const std::uint64_t pieces = (count + grain - 1) / grain;
  const auto run_piece = [&](std::uint64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); };
  if (threads <= 1 || pieces <= 1) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) run_piece(piece);
    return;
  }
  Run run;
  const auto run_piece_here = [&](std::uint64_t piece) {
    const Run::Work scope(run);
    run_piece(piece);
  };
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::uint64_t{0}, pieces, run_piece_here); });
}

void run_with_helpers(unsigned threads, const std::function<void(unsigned)>& helper_work,
                      const std::function<void()>& caller_work) {
  if (threads <= 1) {
    caller_work();
    return;
  }
  Run run;
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::task_group group;
    for (unsigned helper = 1; helper < threads; ++helper) {
      group.run([&, helper] {
        const Run::Work scope(run);
        helper_work(helper);
      });
    }
    try {
      caller_work();
    } catch (...) {
      group.wait();
      throw;
    }
    group.wait();
  });
}

}  // namespace lode
