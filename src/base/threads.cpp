#include "base/threads.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <mutex>

#if defined(LODE_THREAD_SANITIZED)
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
#if defined(LODE_THREAD_SANITIZED)
  static void acquire(void* address) { __tsan_acquire(address); }
  static void release(void* address) { __tsan_release(address); }
#else
  static void acquire(void*) {}
  static void release(void*) {}
#endif

  char begin_ = 0;
  char end_ = 0;
};

constexpr unsigned most_threads = 4096;

// While this lives, oneTBB runs so many threads at once, even if they are more than cores. The smallest of several
// global_controls holds. So all runs under way share one, as large as the largest of them needs.
class Oversubscription {
 public:
  explicit Oversubscription(unsigned threads) : is_needed_(threads > available_threads()) {
    if (!is_needed_) return;
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    if (threads > all.threads) {
      all.control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
      all.threads = threads;
    }
    ++all.runs;
  }
  ~Oversubscription() {
    if (!is_needed_) return;
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    if (--all.runs != 0) return;
    all.control.reset();
    all.threads = 0;
  }
  Oversubscription(const Oversubscription&) = delete;
  Oversubscription& operator=(const Oversubscription&) = delete;

 private:
  struct Shared {
    std::mutex mutex;  // guards all that follows
    unsigned runs = 0;
    unsigned threads = 0;  // the number that `control` allows
    std::unique_ptr<tbb::global_control> control;
  };
  static Shared& shared() {
    static Shared of_process;
    return of_process;
  }

  const bool is_needed_;
};

// Runs `work` on so many threads. To make an arena and to bring threads there takes longer than to use the one that the
// caller is in, whose threads may not even sleep yet. The caller must not be given other work of it meanwhile.
template <class Work>
void run_with(unsigned threads, const Work& work) {
  if (tbb::this_task_arena::max_concurrency() == static_cast<int>(threads)) return tbb::this_task_arena::isolate(work);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(work);
}

}  // namespace

unsigned available_threads() { return static_cast<unsigned>(std::max(1, tbb::info::default_concurrency())); }

unsigned thread_count(unsigned requested) {
  return requested == 0 ? available_threads() : std::min(requested, most_threads);
}

void run_shares(unsigned threads, unsigned shares, const std::function<void(unsigned)>& work) {
  if (threads <= 1 || shares <= 1) {
    for (unsigned share = 0; share < shares; ++share) work(share);
    return;
  }
  threads = std::min(threads, shares);
  const Oversubscription oversubscription(threads);
  Run run;
  const auto run_share = [&](unsigned share) {
    const Run::Work scope(run);
    work(share);
  };
  run_with(threads, [&] { tbb::parallel_for(0u, shares, run_share, tbb::simple_partitioner()); });
}

void run_ranges(unsigned threads, std::uint64_t count, std::uint64_t grain,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  const std::uint64_t pieces = (count + grain - 1) / grain;
  const auto run_piece = [&](std::uint64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); };
  if (threads <= 1 || pieces <= 1) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) run_piece(piece);
    return;
  }
  threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, pieces));
  const Oversubscription oversubscription(threads);
  Run run;
  const auto run_piece_here = [&](std::uint64_t piece) {
    const Run::Work scope(run);
    run_piece(piece);
  };
  run_with(threads, [&] { tbb::parallel_for(std::uint64_t{0}, pieces, run_piece_here); });
}

void run_with_helpers(unsigned threads, const std::function<void(unsigned)>& helper_work,
                      const std::function<void()>& caller_work) {
  if (threads <= 1) {
    caller_work();
    return;
  }
  const Oversubscription oversubscription(threads);
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
