#include "search/executor.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "cpu/strategy/block_bytes.hpp"
#include "lode/error.hpp"
#include "search/chunks.hpp"
#include "search/list_range.hpp"
#include "search/match_sorter.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_list_limit = 4096;
constexpr unsigned chunks_ahead_per_thread = 4;
// Waking another thread and waiting for its end takes about this long, so a search that ends sooner needs no other
// thread.
constexpr std::chrono::microseconds alone_for{100};

using base::Clock;

void check_stop(const RunOptions& run) {
  if (run.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
}

// The time until which the caller's thread works alone. If the caller chose the chunk size, all threads start at once.
Clock::time_point alone_until(const SearcherOptions& options, unsigned threads) {
  return threads > 1 && options.chunk_bytes == 0 ? Clock::now() + alone_for : Clock::time_point::min();
}

// A ChunkScanner holds what one thread needs to scan chunks.
class ChunkScanner {
 public:
  ChunkScanner(const ExecutorSetup& setup, const Text& text, const RunOptions& run, const ChunkLayout& layout,
               Collector::Mode mode, std::uint64_t list_limit)
      : setup_(setup),
        run_(run),
        layout_(layout),
        reader_(text, layout),
        collector_(mode, setup.plan, setup.options, setup.set),
        list_limit_(list_limit),
        block_bytes_(choose_block_bytes(setup.plan)),
        list_block_bytes_(block_bytes_) {}

  /// Counts the occurrences of the chunk. Returns false if `enough` became true on the way.
  template <class Enough>
  bool count(std::uint64_t chunk, Enough enough) {
    const std::uint64_t end = layout_.end_of(chunk);
    const Piece piece = reader_.read(layout_.begin_of(chunk), end);
    for (std::uint64_t at = layout_.begin_of(chunk); at < end; at += block_bytes_) {
      check_stop(run_);
      collector_.start_range(piece, at - piece.base, std::min(end, at + block_bytes_) - piece.base, 0);
      setup_.scanner.scan(collector_);
      if (enough(collector_)) return false;
    }
    return true;
  }

  /// Counts the lines that start in the chunk and in which a match starts; the last line may reach beyond the chunk.
  /// Precondition: the text is in memory, and no pattern contains the line terminator.
  void count_lines(std::uint64_t chunk) {
    const Piece piece = reader_.read(layout_.begin_of(chunk), layout_.end_of(chunk));
    const std::uint64_t begin = next_line_start(piece, layout_.begin_of(chunk), layout_.end_of(chunk));
    if (begin >= layout_.end_of(chunk)) return;
    const std::uint64_t end = next_line_start(piece, layout_.end_of(chunk), piece.size);
    bool known = false;  // a match in the line that `at` lies in has been found
    for (std::uint64_t at = begin; at < end; at += block_bytes_) {
      check_stop(run_);
      const std::uint64_t block_end = std::min(end, at + block_bytes_);
      collector_.start_range(piece, at, block_end, 0);
      if (known) collector_.leave_out_first_line();
      setup_.scanner.scan(collector_);
      known = collector_.is_last_line_known();
    }
  }

  /// Gives the occurrences that start in [begin, end) to `take`, sorted, block by block. Stops at a block for which
  /// `take` returns false, and returns where that block begins; otherwise returns `end`.
  template <class TakeBlock>
  std::uint64_t list(std::uint64_t begin, std::uint64_t end, TakeBlock take) {
    const Piece piece = reader_.read(begin, end);
    next_line_ = 0;
    const auto take_sorted = [&](std::span<Match> found) {
      check_stop(run_);
      listed_ += found.size();
      sorter_.sort(found);
      if (setup_.options.one_per_line) found = found.first(keep_one_per_line(piece, found));
      return found.empty() || take(std::span<const Match>(found));
    };
    std::uint64_t at = begin - piece.base;
    const std::uint64_t stop = end - piece.base;
    bool wanted = true;
    while (wanted && at < stop) {
      check_stop(run_);
      listed_ = 0;
      wanted = list_range(setup_.scanner, collector_, piece, at, std::min(stop, at + list_block_bytes_), list_limit_,
                          take_sorted);
      // Where occurrences are many, smaller blocks are faster: a block whose list is full is scanned again, and a long
      // list does not stay in the nearest cache.
      list_block_bytes_ =
          listed_ * 4 > least_list_limit ? block_bytes_at_least(setup_.plan, least_block_bytes) : block_bytes_;
    }
    return at + piece.base;
  }

  const Collector& collector() const { return collector_; }

 private:
  // The first place in [from, to) where a line starts, else `to`.
  std::uint64_t next_line_start(const Piece& piece, std::uint64_t from, std::uint64_t to) const {
    if (from == 0) return 0;
    const void* terminator = std::memchr(piece.data + from - 1, setup_.options.line_terminator, to - (from - 1));
    if (terminator == nullptr) return to;
    return std::min(to, static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(terminator) - piece.data) + 1);
  }

  // Moves the first match of each line to the front. Returns the number of these matches.
  std::size_t keep_one_per_line(const Piece& piece, std::span<Match> found) {
    std::size_t kept = 0;
    for (const Match& match : found) {
      if (match.offset < next_line_) continue;
      const std::uint64_t at = match.offset - piece.base;
      const void* end = std::memchr(piece.data + at, setup_.options.line_terminator, piece.size - at);
      next_line_ =
          end == nullptr
              ? piece.base + piece.size
              : piece.base + static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(end) - piece.data) + 1;
      found[kept++] = match;
    }
    return kept;
  }

  const ExecutorSetup& setup_;
  const RunOptions& run_;
  const ChunkLayout& layout_;
  PieceReader reader_;
  Collector collector_;
  MatchSorter sorter_;
  std::uint64_t list_limit_;
  std::uint64_t block_bytes_;
  std::uint64_t list_block_bytes_;  // the block size for lists: smaller where occurrences are many
  std::uint64_t listed_ = 0;        // occurrences listed in this block
  std::uint64_t next_line_ = 0;     // one_per_line: matches before this place lie in a line that has its match
};

// The state that threads share while they list chunks in order.
//
//   chunk  0 1 2 3 4 5 6 7 8 9 ...   d: delivered, s: being scanned, r: ready in its slot
//          d d d s r r s . . .
//                |-----------|       delivered_ == 3, and there are 7 slots: helpers may take chunks 3 to 9.
//                                    Chunk c waits in slot c % 7. The caller's thread delivers chunk 3 next.
class OrderedRun {
 public:
  OrderedRun(const ExecutorSetup& setup, const Text& text, const RunOptions& run, const TakeMatches& take)
      : setup_(setup),
        text_(text),
        run_(run),
        take_(take),
        layout_(setup.plan, setup.options, text, run, setup.threads),
        threads_(choose_threads()),
        queue_(layout_.chunk_count, threads_, setup.options.schedule),
        slots_(choose_slots()),
        list_limit_(std::max(least_list_limit, memory_matches() / (slots_.size() + threads_))),
        block_limit_(std::bit_floor(list_limit_ / 3 * 2)) {}

  std::uint64_t run() {
    ChunkScanner scanner = make_scanner();
    const Clock::time_point until = alone_until(setup_.options, threads_);
    bool wanted = true;
    while (wanted && next_ < layout_.chunk_count && (threads_ == 1 || is_last() || Clock::now() < until))
      wanted = deliver_next(scanner);
    if (wanted && next_ < layout_.chunk_count) {
      run_with_helpers(
          threads_, [this](unsigned share) { work_as_helper(share); },
          [this, &scanner] {
            try {
              while (next_ < layout_.chunk_count && deliver_next(scanner)) {
              }
            } catch (...) {
              end_with(std::current_exception());
            }
            end_with(nullptr);
          });
    }
    if (failure_) std::rethrow_exception(failure_);
    return candidates_ + scanner.collector().candidates();
  }

 private:
  struct Slot {
    std::vector<Match> list;
    std::uint64_t resume = 0;  // the place where the list ends: before the chunk's end if the list had no room for more
    bool ready = false;
  };

  // The occurrences that all lists together may hold: each slot has a list, and so has each thread.
  std::uint64_t memory_matches() const {
    return MemoryPlan(setup_.options.memory_limit_bytes).waiting_matches_bytes() / sizeof(Match);
  }
  std::uint64_t most_lists() const { return memory_matches() / least_list_limit; }
  unsigned choose_threads() const {
    const std::uint64_t most = std::min(layout_.chunk_count, most_lists() / 2);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(most, 1, setup_.threads));
  }
  std::size_t choose_slots() const {
    const std::uint64_t most = std::max(most_lists(), std::uint64_t{threads_} * 2);
    return std::min(std::uint64_t{threads_} * chunks_ahead_per_thread, most - threads_);
  }

  void end_with(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!failure_) failure_ = std::move(failure);
    changed_.notify_all();
  }

  ChunkScanner make_scanner() const {
    return ChunkScanner(setup_, text_, run_, layout_, Collector::Mode::list, block_limit_);
  }

  void fill_slot(ChunkScanner& scanner, std::uint64_t chunk) {
    Slot& slot = slots_[chunk % slots_.size()];
    slot.list.clear();
    slot.resume = scanner.list(layout_.begin_of(chunk), layout_.end_of(chunk), [&](std::span<const Match> found) {
      if (found.size() > list_limit_ - slot.list.size()) return false;
      // The list gets all its room at once, so that it never moves. Pages that stay empty take no memory.
      slot.list.reserve(list_limit_);
      slot.list.insert(slot.list.end(), found.begin(), found.end());
      return true;
    });
    const std::lock_guard lock(mutex_);
    slot.ready = true;
    changed_.notify_all();
  }

  void work_as_helper(unsigned share) {
    try {
      ChunkScanner scanner = make_scanner();
      for (;;) {
        std::uint64_t limit = 0;
        {
          const std::lock_guard lock(mutex_);
          if (ended_) break;
          limit = delivered_ + slots_.size();
        }
        const std::uint64_t chunk = queue_.next(share, limit);
        if (chunk != ChunkQueue::none) {
          fill_slot(scanner, chunk);
          continue;
        }
        if (queue_.finished(share)) break;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || delivered_ + slots_.size() > limit; });
      }
      const std::lock_guard lock(mutex_);
      candidates_ += scanner.collector().candidates();
    } catch (...) {
      end_with(std::current_exception());
    }
  }

  bool is_last() const { return next_ + 1 == layout_.chunk_count; }

  // The caller's thread delivers the next chunk. Returns false if the search is to end.
  bool deliver_next(ChunkScanner& scanner) {
    if (!deliver(scanner, next_)) return false;
    if (run_.progress) run_.progress(layout_.end_of(next_) - layout_.begin, layout_.end - layout_.begin);
    ++next_;
    const std::lock_guard lock(mutex_);
    ++delivered_;
    changed_.notify_all();
    return true;
  }

  // Delivers a chunk: scans it here if nobody has taken it yet, else waits for it and meanwhile fills other slots.
  // Returns false if `take` has ended the search or another thread has failed.
  bool deliver(ChunkScanner& scanner, std::uint64_t chunk) {
    bool wanted = true;
    const auto take_block = [&](std::span<const Match> found) { return wanted = take_(found); };
    Slot& slot = slots_[chunk % slots_.size()];
    for (;;) {
      if (queue_.claim(chunk)) {
        scanner.list(layout_.begin_of(chunk), layout_.end_of(chunk), take_block);
        return wanted;
      }
      {
        std::unique_lock lock(mutex_);
        if (ended_) return false;
        if (slot.ready) break;
      }
      const std::uint64_t other = queue_.next(0, chunk + slots_.size());
      if (other != ChunkQueue::none) {
        fill_slot(scanner, other);
        continue;
      }
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || slot.ready; });
    }
    if (!slot.list.empty()) take_block(slot.list);
    if (wanted && slot.resume < layout_.end_of(chunk)) scanner.list(slot.resume, layout_.end_of(chunk), take_block);
    const std::lock_guard lock(mutex_);
    slot.ready = false;
    return wanted;
  }

  const ExecutorSetup& setup_;
  const Text& text_;
  const RunOptions& run_;
  const TakeMatches& take_;
  const ChunkLayout layout_;
  const unsigned threads_;
  ChunkQueue queue_;
  std::vector<Slot> slots_;         // chunk c has slots_[c % size]
  const std::uint64_t list_limit_;  // most occurrences in a slot's list
  // Most occurrences in the list of a thread's block. While that list doubles, the old half is there as well; both
  // together are at most list_limit_.
  const std::uint64_t block_limit_;
  std::uint64_t next_ = 0;  // the next chunk to deliver; only the caller's thread uses it

  std::mutex mutex_;
  std::condition_variable changed_;
  // mutex_ guards the following members and the `ready` flags of the slots.
  std::uint64_t delivered_ = 0;  // chunks that were delivered
  bool ended_ = false;
  std::exception_ptr failure_;
  std::uint64_t candidates_ = 0;
};

}  // namespace

Totals run_counts(const ExecutorSetup& setup, const Text& text, const RunOptions& run, Collector::Mode mode,
                  bool stop_at_first) {
  const ChunkLayout layout(setup.plan, setup.options, text, run, setup.threads);
  const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(layout.chunk_count, 1, setup.threads));
  ChunkQueue queue(layout.chunk_count, threads, setup.options.schedule);
  Totals totals;
  if (mode == Collector::Mode::count_per_pattern) totals.per_distinct.resize(setup.plan.distinct_count());
  std::mutex mutex;  // guards totals and done_bytes
  std::uint64_t done_bytes = 0;
  std::atomic<bool> ended{false};
  const auto scan = [&](ChunkScanner& scanner, unsigned share, Clock::time_point until) {
    const auto enough = [&](const Collector& collector) {
      if (stop_at_first && collector.total() != 0) ended = true;
      return ended.load(std::memory_order_relaxed);
    };
    do {
      const std::uint64_t chunk = ended ? ChunkQueue::none : queue.next(share, layout.chunk_count);
      if (chunk == ChunkQueue::none) return;
      if (mode == Collector::Mode::count_lines)
        scanner.count_lines(chunk);
      else if (!scanner.count(chunk, enough))
        return;
      if (!run.progress) continue;
      const std::lock_guard lock(mutex);
      done_bytes += layout.end_of(chunk) - layout.begin_of(chunk);
      run.progress(done_bytes, layout.end - layout.begin);
    } while (Clock::now() < until);
  };
  const auto add_totals = [&](const Collector& collector) {
    const std::lock_guard lock(mutex);
    totals.occurrences += collector.total();
    totals.candidates += collector.candidates();
    for (std::size_t distinct = 0; distinct < totals.per_distinct.size(); ++distinct)
      totals.per_distinct[distinct] += collector.per_distinct()[distinct];
  };
  ChunkScanner first(setup, text, run, layout, mode, 0);
  if (const auto until = alone_until(setup.options, threads); Clock::now() < until) scan(first, 0, until);
  const unsigned shares = ended || queue.finished() ? 1 : threads;
  run_shares(shares, shares, [&](unsigned share) {
    if (share == 0) return scan(first, share, Clock::time_point::max());
    ChunkScanner scanner(setup, text, run, layout, mode, 0);
    scan(scanner, share, Clock::time_point::max());
    add_totals(scanner.collector());
  });
  add_totals(first.collector());
  return totals;
}

std::uint64_t run_ordered(const ExecutorSetup& setup, const Text& text, const RunOptions& run,
                          const TakeMatches& take) {
  return OrderedRun(setup, text, run, take).run();
}

}  // namespace lode
