// Measures how long something took.
#pragma once

#include <chrono>

namespace lode::base {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace lode::base
