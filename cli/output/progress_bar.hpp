// ProgressBar: one line on standard error while a long search runs. It is not shown before a second has passed, nor if
// standard error is not a terminal, nor if results go to a terminal as well.
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
  /// `total`: 0 if it is not known.
  void show(const std::string& name, std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace lode::command
