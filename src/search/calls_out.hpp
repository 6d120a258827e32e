// CallsOut: remembers which threads are in the caller's code (its text, its progress) while they hold a lock. If that
// code called the searcher again, the thread would wait for its own lock; check() refuses the call instead.
//
// Safe to use from any number of threads.
#pragma once

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "lode/error.hpp"

namespace lode {

class CallsOut {
 public:
  /// Runs `call`, the caller's code.
  template <class Call>
  void run(const Call& call) {
    const Entry entry(*this);
    call();
  }
  /// Throws Error(invalid_argument) on a thread that is in the caller's code.
  void check() const {
    const std::lock_guard lock(mutex_);
    if (std::find(threads_.begin(), threads_.end(), std::this_thread::get_id()) != threads_.end())
      throw Error(ErrorKind::invalid_argument,
                  "what reads a text and what shows progress must not use the searcher that called it");
  }

 private:
  class Entry {
   public:
    explicit Entry(CallsOut& of) : of_(of) {
      const std::lock_guard lock(of_.mutex_);
      of_.threads_.push_back(std::this_thread::get_id());
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const std::lock_guard lock(of_.mutex_);
      of_.threads_.erase(std::find(of_.threads_.begin(), of_.threads_.end(), std::this_thread::get_id()));
    }

   private:
    CallsOut& of_;
  };

  mutable std::mutex mutex_;
  std::vector<std::thread::id> threads_;  // threads that are in the caller's code
};

}  // namespace lode
