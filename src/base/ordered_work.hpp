// OrderedWork: work on several threads whose results are wanted in order.
//
// take() gives the next item, work() is done on several at once, and finish() gets them in the order of take(), on the
// calling thread. No more than two items for each thread are under way, so that what they hold stays bounded.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lode {

template <class Item>
class OrderedWork {
 public:
  /// Fills the item; returns false when there are no more. One call is made at a time, by any thread.
  std::function<bool(Item& item)> take;
  /// Works on the item. `worker` counts the threads from 0. Several calls are made at once, of different workers.
  std::function<void(unsigned worker, Item& item)> work;
  /// Takes the item's result. Returns false to end everything.
  std::function<bool(Item& item)> finish;

  /// Returns when all threads have ended. What take() or work() throws is thrown again once finish() got all items
  /// before.
  void run(unsigned threads) {
    slots_.resize(std::size_t{2} * threads);
    std::vector<std::jthread> workers;
    try {
      for (unsigned worker = 0; worker < threads; ++worker) workers.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error&) {
      if (workers.empty()) return run_alone();  // there is no thread to be had
    }
    try {
      while (finish_next()) {
      }
    } catch (...) {
      end();
      throw;
    }
    end();
  }

 private:
  struct Slot {
    Item item;
    bool done = false;
    std::exception_ptr failure;
  };

  void run_alone() {
    Item item;
    while (take(item)) {
      work(0, item);
      if (!finish(item)) return;
    }
  }

  void serve(unsigned worker) {
    while (Slot* const slot = take_next()) {
      if (!slot->failure) {
        try {
          work(worker, slot->item);
        } catch (...) {
          slot->failure = std::current_exception();
        }
      }
      const std::scoped_lock lock(mutex_);
      slot->done = true;
      ready_.notify_one();
    }
  }

  Slot* take_next() {
    const std::scoped_lock taking(take_mutex_);
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return has_ended_ || taken_ - finished_ < slots_.size(); });
    if (has_ended_) return nullptr;
    Slot& slot = slots_[taken_ % slots_.size()];
    lock.unlock();
    slot = {};
    bool any = true;
    try {
      any = take(slot.item);
    } catch (...) {
      slot.failure = std::current_exception();
    }
    lock.lock();
    has_ended_ = has_ended_ || !any || slot.failure;
    if (any) ++taken_;
    ready_.notify_one();
    room_.notify_all();
    return any ? &slot : nullptr;
  }

  bool finish_next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return finished_ < taken_ ? slots_[finished_ % slots_.size()].done : has_ended_; });
    if (finished_ == taken_) return false;
    Slot& slot = slots_[finished_ % slots_.size()];
    lock.unlock();
    if (slot.failure) std::rethrow_exception(slot.failure);
    const bool go_on = finish(slot.item);
    lock.lock();
    ++finished_;
    room_.notify_all();
    return go_on;
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    room_.notify_all();
  }

  std::vector<Slot> slots_;  // item number i lies in slot i modulo their count
  std::mutex take_mutex_;    // taken before mutex_
  std::mutex mutex_;         // guards what follows, and each slot's `done`
  std::condition_variable room_, ready_;
  std::size_t taken_ = 0, finished_ = 0;
  bool has_ended_ = false;  // whether nothing more is taken
};

}  // namespace lode
