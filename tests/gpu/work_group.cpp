#include "work_group.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/environment.hpp"

#ifdef LODE_ADDRESS_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef LODE_THREAD_SANITIZED
#include <sanitizer/tsan_interface.h>
#endif

namespace lode::gpu::host {

thread_local constinit Item* this_item = nullptr;

namespace {

// On a GPU an exchange of words orders no other memory. It must not do so under the thread sanitizer, either, so that
// kernels that rely on such an order are reported.
constexpr std::memory_order exchange_order =
    tests::is_thread_sanitized() ? std::memory_order_relaxed : std::memory_order_acq_rel;

// To the thread sanitizer a fiber is a thread. So variables that change at the switch of fibers look like races, and
// are hidden from it.
#ifdef LODE_THREAD_SANITIZED
#define UNSEEN_BY_THREAD_SANITIZER __attribute__((disable_sanitizer_instrumentation, noinline))
#else
#define UNSEEN_BY_THREAD_SANITIZER
#endif

UNSEEN_BY_THREAD_SANITIZER void set_this_item(Item* item) { this_item = item; }

/// Lets the other items of the launch run, if they take turns.
void let_others_go_on();

constexpr std::memory_order load_order(std::memory_order order) {
  return order == std::memory_order_relaxed ? order : std::memory_order_acquire;
}

// Counts arrivals, and never starts anew. The number of an arrival tells its round: with 4 items, arrivals 0 to 3 are
// round 0, and 4 to 7 are round 1.
class Barrier {
 public:
  /// Returns when all `items` of the round have come. One of them gets false if they came from different lines.
  bool meet(std::uint32_t items, int line, std::memory_order order, std::atomic<std::uint32_t>& waiting) {
    // The round cannot end before this item comes, so this is the number of the item's own round.
    const std::uint32_t round = arrived_.load(std::memory_order_relaxed) / items;
    const std::uint32_t complete = (round + 1) * items;
    std::atomic<std::uint64_t>& lines = lines_[round % 2];
    lines.fetch_add(static_cast<std::uint64_t>(line), std::memory_order_relaxed);
    if (arrived_.fetch_add(1, order) + 1 == complete) {
      const bool same_line = lines.exchange(0, std::memory_order_relaxed) == static_cast<std::uint64_t>(line) * items;
      return same_line;
    }
    waiting.fetch_add(1, std::memory_order_relaxed);
    while (arrived_.load(load_order(order)) < complete) let_others_go_on();
    waiting.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  std::uint64_t arrivals() const { return arrived_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> arrived_ = 0;
  std::atomic<std::uint64_t> lines_[2] = {};  // sums of the lines of items that came, of this round and the next
};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{16}); }
};

}  // namespace

// The state that the items of a launch share. Each group uses it anew.
class WorkGroup {
 public:
  WorkGroup(const GroupLaunch& launch, const std::function<void()>& item)
      : launch_(launch),
        item_(item),
        local_(static_cast<std::byte*>(::operator new (launch.local_bytes, std::align_val_t{16}))),
        teams_(launch.group_items / launch.team_items),
        words_(2 * std::size_t{launch.group_items}),
        lines_(launch.group_items) {}

  // Runs one item from its begin to its end.
  void live(std::uint32_t index) {
    Item item;
    item.index = index;
    item.group_items = launch_.group_items;
    item.group_count = launch_.groups;
    item.team_exchanges = launch_.team_exchanges ? 1 : 0;
    item.local = reinterpret_cast<std::uint32_t*>(local_.get());
    item.work_group = this;
    set_this_item(&item);
    for (item.group = 0; item.group < launch_.groups; ++item.group) {
      if (index == 0) std::memset(local_.get(), poison_byte, launch_.local_bytes);
      begin_.meet(launch_.group_items, 0, std::memory_order_acq_rel, waiting_);
      item_();
      lines_[index].store(0, std::memory_order_relaxed);
      end_.meet(launch_.group_items, 0, std::memory_order_acq_rel, waiting_);
    }
    set_this_item(nullptr);
    finished_.fetch_add(1, std::memory_order_relaxed);
  }

  void sync_group(std::uint32_t index, int line) {
    meet(group_, launch_.group_items, index, line, std::memory_order_acq_rel);
  }
  void sync_team(std::uint32_t index, int line) { meet_team(index, line, std::memory_order_acq_rel); }

  // Two sets of words are used in turn, because an item may still read one set when another already writes the next.
  std::uint32_t any(Item& item, std::uint32_t condition, int line) {
    exchange(item, condition, line);
    std::uint32_t result = 0;
    for (std::uint32_t other = 0; other < launch_.team_items; ++other)
      result |= word(item, team_begin(item.index) + other).load(std::memory_order_relaxed);
    ++item.exchanges;
    return result;
  }
  std::uint32_t ballot(Item& item, std::uint32_t condition, int line) {
    exchange(item, condition, line);
    std::uint32_t result = 0;
    for (std::uint32_t other = 0; other < launch_.team_items; ++other) {
      if (word(item, team_begin(item.index) + other).load(std::memory_order_relaxed) != 0) result |= 1U << other;
    }
    ++item.exchanges;
    return result;
  }
  std::uint32_t rotate(Item& item, std::uint32_t value, int line) {
    exchange(item, value, line);
    const bool is_last = item.index % launch_.team_items == launch_.team_items - 1;
    const std::uint32_t next = is_last ? team_begin(item.index) : item.index + 1;
    const std::uint32_t result = word(item, next).load(std::memory_order_relaxed);
    ++item.exchanges;
    return result;
  }

  /// Whether all items wait or are done, and none has met a barrier since the last call.
  bool stands_still() {
    std::uint64_t arrivals = begin_.arrivals() + end_.arrivals() + group_.arrivals();
    for (const Barrier& team : teams_) arrivals += team.arrivals();
    const bool no_progress = arrivals == last_arrivals_;
    last_arrivals_ = arrivals;
    return no_progress &&
           waiting_.load(std::memory_order_relaxed) + finished_.load(std::memory_order_relaxed) == launch_.group_items;
  }
  std::string describe() const {
    std::string text;
    for (std::uint32_t index = 0; index < launch_.group_items; ++index) {
      const int line = lines_[index].load(std::memory_order_relaxed);
      text += "  item " + std::to_string(index) +
              (line == 0 ? " has left the kernel or met no barrier yet" : " came to line " + std::to_string(line)) +
              "\n";
    }
    return text;
  }
  std::string complaint() const {
    const int line = wrong_line_.load(std::memory_order_relaxed);
    return line == 0 ? "" : "items meet at a barrier in line " + std::to_string(line) + " and another line";
  }

 private:
  std::uint32_t team_begin(std::uint32_t index) const { return index / launch_.team_items * launch_.team_items; }
  std::atomic<std::uint32_t>& word(const Item& item, std::uint32_t index) {
    return words_[(item.exchanges % 2) * launch_.group_items + index];
  }
  void exchange(Item& item, std::uint32_t value, int line) {
    word(item, item.index).store(value, std::memory_order_relaxed);
    meet_team(item.index, line, exchange_order);
  }
  void meet_team(std::uint32_t index, int line, std::memory_order order) {
    meet(teams_[index / launch_.team_items], launch_.team_items, index, line, order);
  }
  void meet(Barrier& barrier, std::uint32_t items, std::uint32_t index, int line, std::memory_order order) {
    lines_[index].store(line, std::memory_order_relaxed);
    if (!barrier.meet(items, line, order, waiting_)) wrong_line_.store(line, std::memory_order_relaxed);
  }

  const GroupLaunch launch_;
  const std::function<void()>& item_;
  std::unique_ptr<std::byte, FreeAligned> local_;
  Barrier begin_, end_, group_;
  std::vector<Barrier> teams_;
  std::vector<std::atomic<std::uint32_t>> words_;
  std::vector<std::atomic<int>> lines_;  // the line of each item's last barrier; 0 means none
  std::atomic<std::uint32_t> waiting_ = 0;
  std::atomic<std::uint32_t> finished_ = 0;
  std::atomic<int> wrong_line_ = 0;
  std::uint64_t last_arrivals_ = 0;
};

void sync_group(int line) { this_item->work_group->sync_group(this_item->index, line); }
void sync_team(int line) { this_item->work_group->sync_team(this_item->index, line); }
std::uint32_t any_of_team(std::uint32_t condition, int line) {
  return this_item->team_exchanges != 0 ? this_item->work_group->any(*this_item, condition, line) : 1;
}
std::uint32_t ballot_of_team(std::uint32_t condition, int line) {
  return this_item->team_exchanges != 0 ? this_item->work_group->ballot(*this_item, condition, line) : 0;
}
std::uint32_t rotate_in_team(std::uint32_t value, int line) {
  return this_item->team_exchanges != 0 ? this_item->work_group->rotate(*this_item, value, line) : value;
}

namespace {

[[noreturn]] void end_program(const char* reason, const WorkGroup& work_group) {
  std::fprintf(stderr, "%s\n%s", reason, work_group.describe().c_str());
  std::abort();
}

constexpr char waits_in_vain[] = "a work-item waits at a barrier to which others do not come:";

// Tells a sanitizer that the program continues on another stack.
class Stack {
 public:
  /// The stack of a fiber.
  Stack(void* bottom, std::size_t bytes) : bottom_(bottom), bytes_(bytes) {
#ifdef LODE_THREAD_SANITIZED
    thread_ = __tsan_create_fiber(0);
#endif
  }
  /// The stack of the calling thread.
  Stack() {
#ifdef LODE_THREAD_SANITIZED
    thread_ = __tsan_get_current_fiber();
#endif
  }

  /// Must be called before the change from this stack to the other one. If `is_ordered`, the sanitizer takes what was
  /// done before the change as seen after it. A turn is not ordered, so that the thread sanitizer finds accesses that
  /// no barrier orders.
  UNSEEN_BY_THREAD_SANITIZER void leave_for([[maybe_unused]] const Stack& other, [[maybe_unused]] bool is_ordered,
                                            [[maybe_unused]] bool forever = false) {
#ifdef LODE_ADDRESS_SANITIZED
    __sanitizer_start_switch_fiber(forever ? nullptr : &fake_stack_, other.bottom_, other.bytes_);
#endif
#ifdef LODE_THREAD_SANITIZED
    __tsan_switch_to_fiber(other.thread_, is_ordered ? 0 : __tsan_switch_to_fiber_no_sync);
#endif
  }
  /// Must be called after the change to this stack. Describes the stack that was left in `from`, unless that is null.
  UNSEEN_BY_THREAD_SANITIZER void arrive([[maybe_unused]] Stack* from = nullptr) {
#ifdef LODE_ADDRESS_SANITIZED
    __sanitizer_finish_switch_fiber(fake_stack_, from == nullptr ? nullptr : &from->bottom_,
                                    from == nullptr ? nullptr : &from->bytes_);
#endif
  }
  void free() {
#ifdef LODE_THREAD_SANITIZED
    __tsan_destroy_fiber(thread_);
#endif
  }

 private:
  [[maybe_unused]] const void* bottom_ = nullptr;
  [[maybe_unused]] std::size_t bytes_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;  // belongs to the address sanitizer
  [[maybe_unused]] void* thread_ = nullptr;      // belongs to the thread sanitizer
};

// Runs work-items that take turns on one thread, each with a stack of its own.
class Turns {
 public:
  ~Turns() {
    for (Fiber& fiber : fibers_) {
      fiber.stack.free();
      ::munmap(fiber.memory, stack_bytes);
    }
  }

  UNSEEN_BY_THREAD_SANITIZER void run(WorkGroup& work_group, std::uint32_t items) {
    work_group_ = &work_group;
    launch_stack_ = Stack();
    while (fibers_.size() < items) {
      void* const memory =
          ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
      if (memory == MAP_FAILED) throw std::bad_alloc();
      fibers_.push_back({{}, memory, Stack(memory, stack_bytes), State::new_born});
    }
    for (std::uint32_t index = 0; index < items; ++index) begin(fibers_[index]);
    for (std::uint32_t left = items; left > 0;) {
      for (std::uint32_t index = 0; index < items; ++index) {
        if (fibers_[index].state == State::ended) continue;
        resume(index);
        if (fibers_[index].state == State::ended) --left;
      }
      if (left > 0 && work_group.stands_still()) end_program(waits_in_vain, work_group);
    }
  }

  UNSEEN_BY_THREAD_SANITIZER void go_back_to_launch() {
    Fiber& fiber = fibers_[current_];
    Item* const item = this_item;
    fiber.stack.leave_for(launch_stack_, false);
    ::swapcontext(&fiber.context, &launch_);
    fiber.stack.arrive();
    this_item = item;
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  enum class State { new_born, runs, ended };

  struct Fiber {
    ucontext_t context;
    void* memory;
    Stack stack;
    State state;
  };

  static void live();

  UNSEEN_BY_THREAD_SANITIZER void begin(Fiber& fiber) {
    fiber.state = State::new_born;
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.memory;
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = &launch_;
    ::makecontext(&fiber.context, &Turns::live, 0);
  }

  UNSEEN_BY_THREAD_SANITIZER void resume(std::uint32_t index) {
    current_ = index;
    Fiber& fiber = fibers_[index];
    const bool is_first = fiber.state == State::new_born;
    fiber.state = State::runs;
    launch_stack_.leave_for(fiber.stack, is_first);
    ::swapcontext(&launch_, &fiber.context);
    launch_stack_.arrive();
  }

  ucontext_t launch_{};
  Stack launch_stack_;
  std::vector<Fiber> fibers_;
  WorkGroup* work_group_ = nullptr;
  std::uint32_t current_ = 0;
};

// The turns of the launch that runs on this thread.
thread_local constinit Turns* turns = nullptr;

UNSEEN_BY_THREAD_SANITIZER void Turns::live() {
  Turns& all = *turns;
  const std::uint32_t index = all.current_;
  Fiber& fiber = all.fibers_[index];
  fiber.stack.arrive(&all.launch_stack_);
#ifdef LODE_ADDRESS_SANITIZED
  // At each switch to a context the sanitizer clears its record of the stack that is named here. It should do so only
  // once.
  fiber.context.uc_stack.ss_size = 0;
#endif
  all.work_group_->live(index);
  fiber.state = State::ended;
  fiber.stack.leave_for(all.launch_stack_, true, true);
}

void let_others_go_on() { turns->go_back_to_launch(); }

}  // namespace

void run_groups(const GroupLaunch& launch, const std::function<void()>& item) {
  WorkGroup work_group(launch, item);
  static std::mutex one_launch;
  static Turns of_all;
  {
    const std::lock_guard lock(one_launch);
    turns = &of_all;
    of_all.run(work_group, launch.group_items);
    turns = nullptr;
  }
  if (const std::string complaint = work_group.complaint(); !complaint.empty()) throw std::logic_error(complaint);
}

}  // namespace lode::gpu::host
