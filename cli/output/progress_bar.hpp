// ProgressBar: one line on standard error while a long search runs; nothing where standard error is no terminal, where
// the results go to a terminal too, or before a second has passed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lode::command {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool enabled() const noexcept { return enabled_; }
  /// `total` is 0 where it is not known.
  void show(const std::string& name, std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace lode::command
