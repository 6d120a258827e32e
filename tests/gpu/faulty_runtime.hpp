// A Runtime that fails on demand. It counts every call of the seam, and one of them, or all from one on, throws
// Error(device).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/seam.hpp"

namespace lode::gpu::host {

/// Says which calls fail. A faulty runtime shares it with everything that it makes.
class FaultPlan {
 public:
  static constexpr std::uint64_t never = UINT64_MAX;

  /// The call with this number fails, counted from 0. If `lost`, all later calls fail, too.
  explicit FaultPlan(std::uint64_t fails_at = never, bool lost = false) : fails_at_(fails_at), lost_(lost) {}

  /// Counts a call, and throws if it must fail.
  void pass(const std::string& call);
  std::uint64_t calls() const noexcept { return calls_; }
  /// The number of calls that made memory or queues.
  std::uint64_t made() const noexcept { return made_; }
  /// Whether a call failed whose failure a search must report. It need not report a failed wait for work that nobody
  /// needs any more.
  bool must_tell() const noexcept { return must_tell_; }

 private:
  const std::uint64_t fails_at_;
  const bool lost_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<bool> must_tell_ = false;
};

std::shared_ptr<Runtime> make_faulty_runtime(std::shared_ptr<Runtime> runtime, std::shared_ptr<FaultPlan> faults);

}  // namespace lode::gpu::host
