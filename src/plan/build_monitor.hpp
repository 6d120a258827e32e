// BuildMonitor: tells the caller of a build how far it has come, and the build that the caller wants it to end.
//
// Work is counted in patterns, once for each step that goes over all of them. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <mutex>

#include "lode/error.hpp"
#include "lode/plan.hpp"

namespace lode {

class BuildMonitor {
 public:
  BuildMonitor(const PlanOptions& options, std::uint64_t total) : options_(options), total_(total) {}

  /// Adds to what is done and tells the caller. Throws Error(cancelled) where the caller's stop token is set.
  void advance(std::uint64_t patterns) {
    if (options_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "building the plan was cancelled");
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += patterns;
    options_.progress(done_, total_);
  }

 private:
  const PlanOptions& options_;
  std::uint64_t total_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;  // <= total_
};

}  // namespace lode
